//! What a user does, from a table to predictions.

use super::{Desk, FIT, table};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    let array = value.as_array().expect("an array");
    array
        .iter()
        .map(|v| v.as_f64().expect("a number"))
        .collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs().max(1.0)
}

#[test]
fn a_table_becomes_a_model_and_predictions() {
    let desk = Desk::new();
    let done = desk.ok(
        &format!("{FIT} --eps 1000 --out model.json --coef-csv coef.csv")
            .replacen("--eps 1 ", "", 1),
    );
    assert!(done.stdout.contains("NOT PRIVATE"), "{}", done.stdout);
    assert!(done.stderr.contains("--seed"), "{}", done.stderr);

    let card = desk.json("model.json");
    assert_eq!(card["schema"], 1);
    assert_eq!(card["reproducible_not_private"], true);
    assert_eq!(card["release"]["ledger"]["calibration"], "zcdp");
    assert_eq!(
        card["release"]["ledger"]["entries"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    // The spectral floor at eps = 1000 is just below λ₁, and 0.5 and −0.3 made the targets.
    let coef = numbers(&card["release"]["coef"]);
    assert!(
        (coef[0] - 0.5).abs() < 0.02 && (coef[1] + 0.3).abs() < 0.02,
        "{coef:?}"
    );
    for (c, value) in card["coefficients"]
        .as_array()
        .expect("array")
        .iter()
        .zip(&coef)
    {
        let interval = numbers(&c["noise_interval"]);
        let sigma = card["release"]["sigma"].as_f64().expect("sigma");
        // 1.959964: the 97.5 % point of the normal law; the grid is a millionth of sigma.
        assert!(close(
            (interval[1] - interval[0]) / (2.0 * sigma),
            1.959_964,
            1e-5
        ));
        assert!(close(0.5 * (interval[0] + interval[1]), *value, 1e-12));
    }

    let csv = desk.read("coef.csv");
    assert!(
        csv.starts_with("feature,coefficient,noise_low,noise_high,raw_slope\na,"),
        "{csv}"
    );

    desk.write("new.csv", "id,b,a\nx,0.5,1\ny,-2,4\n");
    let done = desk.ok("predict model.json new.csv");
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines[0], "prediction");
    let first: f64 = lines[1].parse().expect("a number");
    // Prepared as the training rows were: (1, 0.5) lies outside the ball and is scaled onto it.
    let norm = 1.25f64.sqrt();
    assert!(close(first, (coef[0] + 0.5 * coef[1]) / norm, 1e-12));
    let second: f64 = lines[2].parse().expect("a number");
    assert!(close(
        second,
        (4.0 * coef[0] - 2.0 * coef[1]) / 20f64.sqrt(),
        1e-12
    ));
    assert_eq!(lines.len(), 3);

    desk.ok("predict model.json new.csv --json --out p.jsonl");
    assert_eq!(desk.read("p.jsonl").lines().count(), 2);
}

#[test]
fn the_same_seed_gives_the_same_card_and_entropy_does_not() {
    let desk = Desk::new();
    desk.ok(&format!("{FIT} --out one.json"));
    desk.ok(&format!("{FIT} --out two.json"));
    assert_eq!(desk.read("one.json"), desk.read("two.json"));

    let secret = FIT.replace(" --seed 7", "");
    desk.ok(&format!("{secret} --out three.json"));
    desk.ok(&format!("{secret} --out four.json"));
    let (three, four) = (desk.json("three.json"), desk.json("four.json"));
    assert_eq!(three["reproducible_not_private"], false);
    assert_ne!(three["release"]["coef"], four["release"]["coef"]);
    assert!(!desk.read("three.json").contains("NOT PRIVATE"));
}

#[test]
fn windows_line_ends_and_other_formats_give_the_same_model() {
    let desk = Desk::new();
    desk.write("crlf.csv", &table(400).replace('\n', "\r\n"));
    let mut lines = String::new();
    for row in table(400).lines().skip(1) {
        let v: Vec<&str> = row.split(',').collect();
        lines += &format!("{{\"a\": {}, \"b\": {}, \"y\": {}}}\n", v[0], v[1], v[2]);
    }
    desk.write("lines.jsonl", &lines);
    desk.ok(&format!("{FIT} --out csv.json"));
    for name in ["crlf.csv", "lines.jsonl"] {
        let fit = FIT.replace("data.csv", name);
        desk.ok(&format!("{fit} --out other.json --force"));
        assert_eq!(desk.read("other.json"), desk.read("csv.json"), "{name}");
    }
}

#[test]
fn limits_intercept_and_target_limits_go_through_to_predictions() {
    let desk = Desk::new();
    let mut rows = "age,income,score\n".to_owned();
    for i in 0..2000 {
        let (age, income) = (20 + i % 60, 1000 * (i % 101));
        // Linear in raw units: 10 + 0.5 age + 0.0003 income, within [0, 100].
        rows += &format!(
            "{age},{income},{}\n",
            10.0 + 0.5 * f64::from(age) + 3e-4 * f64::from(income)
        );
    }
    desk.write("people.csv", &rows);
    desk.write(
        "limits.json",
        r#"{"age": [20, 80], "income": [0, 100000], "unused": [0, 1]}"#,
    );
    desk.ok("fit people.csv --target score --limits limits.json --target-limits 0,100 --intercept --eps 1000 --delta 1e-6 --seed 1 --alpha 1e-6 --out m.json");
    let card = desk.json("m.json");
    let slopes = numbers(&card["raw_units"]["slopes"]);
    let intercept = card["raw_units"]["intercept"].as_f64().expect("a number");
    assert!(close(slopes[0], 0.5, 0.02), "{slopes:?}");
    assert!((slopes[1] / 3e-4 - 1.0).abs() < 0.05, "{slopes:?}");
    assert!((intercept - 10.0).abs() < 1.0, "{intercept}");

    desk.write("new.csv", "age,income\n30,50000\n");
    let done = desk.ok("predict m.json new.csv");
    let prediction: f64 = done
        .stdout
        .lines()
        .nth(1)
        .expect("a row")
        .parse()
        .expect("a number");
    let by_hand = intercept + 30.0 * slopes[0] + 50_000.0 * slopes[1];
    assert!(close(prediction, by_hand, 1e-10), "{prediction} {by_hand}");

    desk.write(
        "limits.csv",
        "feature,lower,upper\nincome,0,100000\nage,20,80\n",
    );
    desk.ok("fit people.csv --target score --limits limits.csv --target-limits 0,100 --intercept --eps 1000 --delta 1e-6 --seed 1 --alpha 1e-6 --out m2.json");
    assert_eq!(desk.read("m.json"), desk.read("m2.json"));
}

#[test]
fn a_ledger_is_kept_over_runs_and_refuses_overspending() {
    let desk = Desk::new();
    desk.ok(&format!(
        "{FIT} --ledger ledger.json --share 0.5 --out one.json"
    ));
    let half = desk.json("ledger.json");
    assert_eq!(half["entries"].as_array().map(Vec::len), Some(2));
    let spent = |ledger: &Value| -> f64 {
        let entries = ledger["entries"].as_array().expect("an array");
        entries
            .iter()
            .map(|e| e["cost"]["mu"].as_f64().expect("mu").powi(2))
            .sum()
    };
    // §7.2: a zCDP ledger at (1, 1e-6) has ρ = 0.02435597036 = μ²/2.
    assert!(close(spent(&half), 0.024_355_970_36, 1e-8));

    desk.ok("fit data.csv --target y --x-norm 1 --y-abs 1 --ledger ledger.json --floor none --out two.json");
    let all = desk.json("ledger.json");
    assert!(close(spent(&all), 2.0 * 0.024_355_970_36, 1e-8));
    assert_eq!(desk.json("two.json")["release"]["ledger"], all);

    let refused = desk
        .line("fit data.csv --target y --x-norm 1 --y-abs 1 --ledger ledger.json --out three.json");
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("0 left in mu"),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stderr.contains("open a ledger for new data"),
        "{}",
        refused.stderr
    );
    assert_eq!(desk.json("ledger.json"), all);
    assert!(!desk.files().contains(&"three.json".to_owned()));
}

#[test]
fn every_method_fits() {
    let desk = Desk::new();
    desk.write("data.csv", &table(20_000));
    let add_remove = "--neighbor add-remove --n-nominal 20000 --noise float";
    let ball = format!("{add_remove} --radius 1");
    for (method, options) in [
        ("decoupled", "--floor shift:auto"),
        ("single", "--alpha auto"),
        ("adassp", add_remove),
        ("adassp-paper", add_remove),
        ("ssp", add_remove),
        ("objpert", &ball),
        ("functional", "--noise float"),
        ("dpgd", "--noise float"),
    ] {
        let line = format!("{FIT} --method {method} {options} --out {method}.json");
        desk.ok(&line.replace("--eps 1 ", "--eps 5 "));
        let coef = numbers(&desk.json(&format!("{method}.json"))["release"]["coef"]);
        // At eps = 5 every method comes close to the coefficients that made the targets.
        let error = (coef[0] - 0.5).hypot(coef[1] + 0.3);
        assert!(error < 0.1, "{method}: {coef:?}");
    }
}

/// Whether a number stands anywhere in a card, by itself or in a text.
fn mentions(value: &Value, number: u64) -> bool {
    match value {
        Value::Number(found) => found.as_f64() == Some(number as f64),
        Value::String(text) => text.contains(&number.to_string()),
        Value::Array(list) => list.iter().any(|v| mentions(v, number)),
        Value::Object(map) => map.values().any(|v| mentions(v, number)),
        Value::Null | Value::Bool(_) => false,
    }
}

#[test]
fn add_remove_keeps_the_number_of_rows_out_of_the_card() {
    let desk = Desk::new();
    desk.write("data.csv", &table(397));
    let add_remove = format!("{FIT} --neighbor add-remove --n-nominal 400 --n-max 500");
    desk.ok(&format!("{add_remove} --out m.json"));
    let card = desk.json("m.json");
    assert!(!mentions(&card, 397), "{card}");
    assert_eq!(card["release"]["n"], Value::Null);

    // No rows are no error there: zero coefficients plus noise.
    desk.write("data.csv", "a,b,y\n");
    desk.ok(&format!(
        "{FIT} --neighbor add-remove --n-nominal 400 --out empty.json"
    ));
}

#[test]
fn one_row_and_a_constant_column_are_no_errors() {
    let desk = Desk::new();
    desk.write("data.csv", "a,b,y\n0.5,0.1,0.2\n");
    let done = desk.ok(&format!("{FIT} --out one.json"));
    assert!(done.stderr.contains("at its cap"), "{}", done.stderr);

    let constant = table(400)
        .lines()
        .enumerate()
        .fold(String::new(), |text, (i, line)| {
            text + line + if i == 0 { ",k\n" } else { ",0.01\n" }
        });
    desk.write("data.csv", &constant);
    desk.ok(&format!("{FIT} --out constant.json"));
    assert_eq!(
        desk.json("constant.json")["features"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
}

#[test]
fn missing_values_are_refused_or_replaced_by_public_constants() {
    let desk = Desk::new();
    desk.write("data.csv", &(table(400) + ",0.5,0.1\n"));
    let refused = desk.line(&format!("{FIT} --out m.json"));
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("data.csv:402:1"),
        "{}",
        refused.stderr
    );
    desk.ok(&format!("{FIT} --impute-missing --out m.json"));
    desk.write("data.csv", &(table(400) + "0,0.5,0.1\n"));
    desk.ok(&format!("{FIT} --out zero.json"));
    let coef = |name| desk.json(name)["release"]["coef"].clone();
    assert_eq!(coef("m.json"), coef("zero.json"));
}

#[test]
fn sensitivity_has_the_values_of_the_specification() {
    let desk = Desk::new();
    let done = desk
        .ok("sensitivity --n 1000 --x-norm 1 --y-abs 1 --alpha 0.01 --floor spectral:0.1 --json");
    let answer: Value = serde_json::from_str(&done.stdout).expect("JSON");
    // §7.4.
    assert!(
        (answer["sensitivity"].as_f64().expect("a number") / 0.055_141_619_462_8 - 1.0).abs()
            < 1e-10
    );
    let done = desk.ok("sensitivity --x-norm 1 --y-abs 1 --alpha 0.01 --floor spectral:0.1 --neighbor add-remove --n-nominal 1000 --json");
    let answer: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert!(
        (answer["sensitivity"].as_f64().expect("a number") / 0.035_225_435_208 - 1.0).abs() < 1e-10
    );
}

#[test]
fn plan_ranks_methods_and_audit_catches_half_the_noise() {
    let desk = Desk::new();
    let done = desk.ok("plan --n 10000 --d 10 --eps 1 --delta 1e-6 --guess-beta 0.7071067811865476 --guess-noise 0.1 --noise float --json");
    let found: Value = serde_json::from_str(&done.stdout).expect("JSON");
    let risk = |method: &str| -> f64 {
        let list = found.as_array().expect("an array");
        let one = list.iter().find(|p| p["method"] == method);
        one.expect(method)["risk"].as_f64().expect("a number")
    };
    // §7.7 at n = 10⁴, to its 2 %.
    assert!((risk("single ridge") / 0.0587 - 1.0).abs() < 0.02);
    assert!((risk("decoupled, spectral floor") / 0.00727 - 1.0).abs() < 0.02);
    assert!(risk("decoupled, all defaults") >= risk("decoupled, spectral floor"));

    desk.ok("audit --eps 1 --delta 0.01 --noise float --draws 200000");
    let broken = desk
        .line("audit --eps 1 --delta 0.01 --noise float --draws 200000 --noise-factor 0.5 --json");
    assert_eq!(broken.code, 1, "{}", broken.stderr);
    assert!(
        broken.stderr.contains("leaks more than it says"),
        "{}",
        broken.stderr
    );
    let found: Value = serde_json::from_str(&broken.stdout).expect("JSON");
    // §7.10: δ̂ = 0.1503 with half the noise.
    assert!((found["delta"].as_f64().expect("a number") - 0.1503).abs() < 0.008);
}

/// The first `console` block of the README: the command and what it prints.
#[test]
fn the_readme_shows_what_the_command_prints() {
    let readme = include_str!("../../../README.md");
    let (_, block) = readme
        .split_once("```console\n$ dp-ridge ")
        .expect("a block");
    let (block, _) = block.split_once("```").expect("its end");
    let joined = block.replacen(" \\\n   ", "", 1);
    let (command, shown) = joined.split_once('\n').expect("a command");

    let desk = Desk::new();
    let sets = desk.path().join("shared/data/sets");
    std::fs::create_dir_all(&sets).expect("folders");
    let concrete = dp_ridge::io::data::sets::concrete().expect("the embedded set");
    std::fs::write(sets.join("concrete.csv"), concrete.provenance.csv).expect("a file");
    let (_, limits) = readme.split_once("(`{").expect("limits");
    let (limits, _) = limits.split_once("}` in `limits.json`").expect("their end");
    desk.write("limits.json", &format!("{{{limits}}}"));
    assert_eq!(desk.ok(command).stdout, shown);
}

/// A link to a ledger is that ledger, not a second one.
#[cfg(unix)]
#[test]
fn a_linked_ledger_is_charged_itself() {
    let desk = Desk::new();
    desk.ok(&format!(
        "{FIT} --ledger ledger.json --share 0.5 --out one.json"
    ));
    std::os::unix::fs::symlink("ledger.json", desk.path().join("link.json")).expect("a link");
    desk.ok(&format!("{FIT} --ledger link.json --out two.json"));
    let refused = desk.line(&format!("{FIT} --ledger ledger.json --out three.json"));
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert_eq!(desk.json("link.json"), desk.json("ledger.json"));
}
