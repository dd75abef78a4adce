//! Every bad input gives one line with value, limit and remedy, the right exit code, and no file.

use super::{Desk, FIT, done, table};

/// Run `line`, and require this exit code, these words in the one line of the error, and no new
/// file.
fn refuses(desk: &Desk, line: &str, code: i32, words: &[&str]) {
    let before = desk.files();
    let done = desk.line(line);
    assert_eq!(done.code, code, "{line}: {}", done.stderr);
    let errors: Vec<&str> = done
        .stderr
        .lines()
        .filter(|l| l.contains("error:"))
        .collect();
    assert_eq!(errors.len(), 1, "{line}: {}", done.stderr);
    for word in words {
        assert!(
            done.stderr.contains(word),
            "{line}: {word:?} is not in {}",
            done.stderr
        );
    }
    assert_eq!(desk.files(), before, "{line}");
    assert_eq!(done.stdout, "", "{line}");
}

#[test]
fn tables_that_cannot_be_used() {
    let desk = Desk::new();
    let fit = format!("{FIT} --out m.json");
    refuses(
        &desk,
        &fit.replace("data.csv", "none.csv"),
        2,
        &["none.csv", "no such file", "check the path"],
    );
    refuses(
        &desk,
        &fit.replace("data.csv", "."),
        2,
        &["is a folder", "name a file"],
    );
    refuses(
        &desk,
        &fit.replace("target y", "target z"),
        2,
        &["no column \"z\"", "\"y\""],
    );

    let cases: [(&str, &[u8], &[&str]); 6] = [
        (
            "bad cell",
            b"a,b,y\n1,2,3\n1,two,3\n",
            &["data.csv:3:2", "\"two\"", "not a finite number"],
        ),
        ("ragged", b"a,b,y\n1,2\n", &["data.csv:2", "2 cells", "3"]),
        (
            "not UTF-8",
            b"a,b,y\n1,\xff,3\n",
            &["data.csv:2:2", "UTF-8"],
        ),
        ("empty", b"", &["empty"]),
        ("no rows", b"a,b,y\n", &["no rows", "at least one"]),
        (
            "only the target",
            b"y\n1\n",
            &["\"y\" is the only column", "at least one feature"],
        ),
    ];
    for (what, bytes, words) in cases {
        std::fs::write(desk.path().join("data.csv"), bytes).expect(what);
        refuses(&desk, &fit, 2, words);
    }
}

#[test]
fn a_million_columns() {
    let desk = Desk::new();
    let mut text = String::from("y");
    for i in 1..1_000_000 {
        text += &format!(",x{i}");
    }
    text += "\n1";
    text += &",0".repeat(999_999);
    text += "\n";
    desk.write("data.csv", &text);
    refuses(
        &desk,
        &format!("{FIT} --out m.json"),
        2,
        &["999999 features", "20000", "select features"],
    );
}

#[test]
fn budgets_out_of_range() {
    let desk = Desk::new();
    for (eps, shown) in [("0", "0"), ("-1", "-1"), ("NaN", "NaN"), ("inf", "inf")] {
        let line = format!("{FIT} --out m.json").replace("--eps 1", &format!("--eps {eps}"));
        refuses(
            &desk,
            &line,
            2,
            &[&format!("epsilon = {shown}"), "(0, infinity)", "such as 1"],
        );
    }
    for delta in ["0", "1", "-0.5", "NaN"] {
        let line =
            format!("{FIT} --out m.json").replace("--delta 1e-6", &format!("--delta {delta}"));
        refuses(
            &desk,
            &line,
            2,
            &[&format!("delta = {delta}"), "(0, 1)", "such as 1e-6"],
        );
    }
    let line = format!("{FIT} --out m.json").replace(" --delta 1e-6", "");
    refuses(
        &desk,
        &line,
        2,
        &["--delta is missing", "no default", "1e-6"],
    );
    let line = format!("{FIT} --calibration classic --noise float --out m.json")
        .replace("--eps 1", "--eps 2");
    refuses(&desk, &line, 2, &["epsilon <= 1", "2", "Analytic"]);
}

#[test]
fn bounds_that_are_impossible_or_that_no_row_satisfies() {
    let desk = Desk::new();
    let fit = |from: &str, to: &str| format!("{FIT} --out m.json").replace(from, to);
    for bad in ["0", "-1", "NaN", "inf"] {
        refuses(
            &desk,
            &fit("--x-norm 1", &format!("--x-norm {bad}")),
            2,
            &["x_norm", bad, "positive and finite"],
        );
        refuses(
            &desk,
            &fit("--y-abs 1", &format!("--y-abs {bad}")),
            2,
            &["y_abs", bad, "positive and finite"],
        );
    }
    desk.write("data.csv", "a,b,y\n30,40,5\n60,80,7\n");
    refuses(
        &desk,
        &fit("--y-abs 1", "--y-abs 10"),
        2,
        &["every row", "bound 1", "--x-norm", "nothing was spent"],
    );
    refuses(
        &desk,
        &fit("--x-norm 1", "--x-norm 100"),
        2,
        &["every target", "bound 1", "--y-abs"],
    );
    desk.ok(&format!("{FIT} --allow-all-clipped --out m.json"));
}

#[test]
fn parameters_out_of_range() {
    let desk = Desk::new();
    let cases: [(&str, &[&str]); 9] = [
        ("--alpha -1", &["alpha", "-1", "at least 0"]),
        ("--alpha 0 --floor none", &["alpha + c = 0", "alpha > 0"]),
        ("--floor spectral:-1", &["floor", "-1", "at least 0"]),
        ("--radius 0", &["radius", "above 0"]),
        ("--floor-share 1", &["--floor-share 1", "(0, 1)"]),
        ("--share 2", &["fraction", "2", "(0, 1]"]),
        (
            "--noise discrete --calibration analytic",
            &["discrete noise", "Zcdp"],
        ),
        ("--neighbor add-remove", &["--n-nominal", "public guess"]),
        (
            "--neighbor add-remove --n-nominal 10 --n-max 5",
            &["n_max", "5", "at least n_nominal"],
        ),
    ];
    for (options, words) in cases {
        refuses(&desk, &format!("{FIT} {options} --out m.json"), 2, words);
    }
    refuses(
        &desk,
        &format!("{FIT} --floor bananas --out m.json"),
        2,
        &["bananas", "expected auto, none"],
    );
    refuses(
        &desk,
        &format!("{FIT} --features a,y --out m.json"),
        2,
        &["\"y\" is both target and feature"],
    );
    refuses(
        &desk,
        &format!("{FIT} --features a,a --out m.json"),
        2,
        &["\"a\" twice"],
    );
}

#[test]
fn methods_that_do_not_fit_the_other_options() {
    let desk = Desk::new();
    let add_remove = "--neighbor add-remove --n-nominal 400";
    let cases = [
        (
            "adassp --noise float".into(),
            "stated for add-remove; pass --neighbor add-remove",
        ),
        (
            format!("adassp {add_remove}"),
            "floating-point noise only; pass --noise float",
        ),
        (
            format!("dpgd --noise float {add_remove}"),
            "stated for replace-one",
        ),
        (
            "single --floor none".into(),
            "has no floor; leave --floor out",
        ),
        (
            format!("objpert --noise float {add_remove}"),
            "needs --radius",
        ),
        (
            format!("adassp-paper --noise float --share 0.5 {add_remove}"),
            "leave --share out",
        ),
    ];
    for (options, words) in cases {
        let line = format!("{FIT} --method {options} --out m.json");
        refuses(&desk, &line, 2, &[words]);
    }
}

#[test]
fn outputs_that_exist_or_cannot_be() {
    let desk = Desk::new();
    desk.write("there.json", "precious");
    std::fs::create_dir(desk.path().join("folder")).expect("a folder");
    refuses(
        &desk,
        &format!("{FIT} --out there.json"),
        2,
        &["there.json", "exists", "--force"],
    );
    assert_eq!(desk.read("there.json"), "precious");
    refuses(&desk, &format!("{FIT} --out folder"), 2, &["is a folder"]);
    refuses(
        &desk,
        &format!("{FIT} --out folder --force"),
        2,
        &["is a folder"],
    );
    refuses(
        &desk,
        &format!("{FIT} --out none/m.json"),
        2,
        &["none/m.json", "folder does not exist", "create it"],
    );
    refuses(
        &desk,
        &format!("{FIT} --out ./data.csv --force"),
        2,
        &["data.csv", "is the input"],
    );
    refuses(
        &desk,
        &format!("{FIT} --out m.json --ledger ./m.json"),
        2,
        &["m.json", "two outputs"],
    );
    refuses(
        &desk,
        &format!("{FIT} --out m.json --coef-csv m.json"),
        2,
        &["m.json", "two outputs"],
    );
    refuses(
        &desk,
        &format!("{FIT} --out m.json --coef-csv there.json"),
        2,
        &["exists"],
    );
    #[cfg(unix)]
    refuses(
        &desk,
        &format!("{FIT} --out /dev/null --force"),
        2,
        &["no regular file"],
    );
    desk.ok(&format!("{FIT} --out there.json --force"));
    assert!(desk.read("there.json").contains("\"schema\": 1"));
}

/// The limit on the size of files stands for a full disk: the system refuses the bytes alike.
#[cfg(unix)]
#[test]
fn a_full_disk_costs_no_budget() {
    let desk = Desk::new();
    let script = r#"trap '' XFSZ; ulimit -f 0; exec "$0" "$@""#;
    let line = format!("{FIT} --ledger ledger.json --out m.json");
    let output = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_dp-ridge")])
        .args(line.split(' '))
        .current_dir(desk.path())
        .output()
        .expect("a shell");
    let done = done(output);
    assert_eq!(done.code, 1, "{}", done.stderr);
    for word in ["m.json", "no room", "free some space"] {
        assert!(done.stderr.contains(word), "{}", done.stderr);
    }
    assert_eq!(desk.files(), ["data.csv", "ledger.json.lock"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_behind_standard_output_is_a_failure() {
    let desk = Desk::new();
    desk.ok(&format!("{FIT} --out m.json"));
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let mut command = desk.command(&["predict", "m.json", "data.csv"]);
    let done = done(command.stdout(full).output().expect("it runs"));
    assert_eq!(done.code, 1);
    assert!(
        done.stderr.contains("cannot write to standard output"),
        "{}",
        done.stderr
    );
}

#[test]
fn ledgers_and_cards_that_were_edited() {
    let desk = Desk::new();
    desk.ok(&format!(
        "{FIT} --ledger ledger.json --share 0.5 --out m.json"
    ));
    let fit = format!("{FIT} --ledger ledger.json --out n.json");
    refuses(
        &desk,
        &fit.replace("--eps 1", "--eps 2"),
        2,
        &["--eps 2", "opened with", "leave it out"],
    );
    refuses(
        &desk,
        &format!("{fit} --neighbor add-remove --n-nominal 400"),
        2,
        &["this ledger", "ReplaceOne"],
    );

    let ledger = desk.read("ledger.json");
    desk.write(
        "ledger.json",
        &ledger.replacen("\"mu\": 0.0", "\"mu\": 1.0", 1),
    );
    refuses(&desk, &fit, 2, &["ledger.json", "left in mu"]);
    desk.write("ledger.json", &ledger[..ledger.len() / 2]);
    refuses(&desk, &fit, 2, &["ledger.json", "line"]);

    let card = desk.read("m.json");
    desk.write("cut.json", &card[..card.len() / 2]);
    refuses(&desk, "predict cut.json data.csv", 2, &["cut.json", "line"]);
    desk.write(
        "future.json",
        &card.replace("\"schema\": 1", "\"schema\": 2"),
    );
    refuses(
        &desk,
        "predict future.json data.csv",
        2,
        &["schema 2", "reads 1", "use the dp-ridge that wrote it"],
    );
    let edited = card.replacen(
        "\"reproducible_not_private\": true",
        "\"reproducible_not_private\": false",
        1,
    );
    desk.write("edited.json", &edited);
    refuses(
        &desk,
        "predict edited.json data.csv",
        2,
        &["contradicts its release"],
    );
    desk.write("narrow.csv", "a\n1\n");
    refuses(&desk, "predict m.json narrow.csv", 2, &["no column \"b\""]);
}

#[test]
fn a_ledger_in_use_is_refused() {
    let desk = Desk::new();
    let lock = std::fs::File::create(desk.path().join("ledger.json.lock")).expect("a file");
    lock.lock().expect("a lock");
    let fit = format!("{FIT} --ledger ledger.json --out m.json");
    refuses(
        &desk,
        &fit,
        1,
        &["ledger.json", "another run is using this ledger", "wait"],
    );
    drop(lock);
    desk.ok(&fit);
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let desk = Desk::new();
    for line in [
        "",
        "fly",
        "fit data.csv --target y",
        "fit data.csv --target y --x-norm 1 --limits l.json --y-abs 1 --out m.json",
    ] {
        let done = desk.line(line);
        assert_eq!(done.code, 2, "{line}");
        assert!(!done.stderr.is_empty());
    }
    assert!(desk.ok("fit --help").stdout.contains("Examples:"));
}

#[test]
fn limits_that_do_not_fit() {
    let desk = Desk::new();
    let fit =
        "fit data.csv --target y --limits limits.json --y-abs 1 --eps 1 --delta 1e-6 --out m.json";
    refuses(&desk, fit, 2, &["limits.json", "check the path"]);
    desk.write("limits.json", r#"{"a": [0, 1]}"#);
    refuses(&desk, fit, 2, &["no limits of \"b\"", "--features"]);
    desk.write("limits.json", r#"{"a": [0, 1], "b": [1, 1]}"#);
    refuses(
        &desk,
        fit,
        2,
        &["\"b\"", "upper limit minus lower limit = 0"],
    );
    desk.write("limits.json", r#"{"a": 3}"#);
    refuses(
        &desk,
        fit,
        2,
        &["limits.json", "expected {\"feature\": [lower, upper], ...}"],
    );
    desk.write("table.csv", &table(3));
}
