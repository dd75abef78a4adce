//! Values known from elsewhere: by hand, by closed form, or from the standard they follow.

use papercrates_experiment::{
    Axis, Claim, Criterion, Estimate, Figure, Plan, Reproduction, Scale, Series, Shard, Table,
    Verdict,
};

use crate::demo::{Demo, Trouble};

fn verdict(low: f64, high: f64, criterion: Criterion) -> Verdict {
    let estimate = Estimate::new(f64::midpoint(low, high), low, high, 9).unwrap();
    Claim::measured("id", "statement", "source", estimate, criterion).verdict()
}

/// The rule of the design: all of the interval, none of it, or neither.
#[test]
fn verdicts_by_hand() {
    use Verdict::{Inconclusive, NotReproduced, Reproduced};
    for (low, high, criterion, expected) in [
        (2.0, 3.0, Criterion::at_least(2.0), Reproduced),
        (1.9, 3.0, Criterion::at_least(2.0), Inconclusive),
        (1.0, 2.0, Criterion::at_least(2.0), Inconclusive),
        (1.0, 1.9, Criterion::at_least(2.0), NotReproduced),
        (1.0, 2.0, Criterion::at_most(2.0), Reproduced),
        (1.0, 2.1, Criterion::at_most(2.0), Inconclusive),
        (2.0, 3.0, Criterion::at_most(2.0), Inconclusive),
        (2.1, 3.0, Criterion::at_most(2.0), NotReproduced),
        (0.1, 1.0, Criterion::above(0.0), Reproduced),
        (0.0, 1.0, Criterion::above(0.0), Inconclusive),
        (-1.0, 0.0, Criterion::above(0.0), NotReproduced),
        (-1.0, -0.1, Criterion::below(0.0), Reproduced),
        (-1.0, 0.0, Criterion::below(0.0), Inconclusive),
        (0.0, 1.0, Criterion::below(0.0), NotReproduced),
        (1.0, 2.0, Criterion::within(1.0, 2.0), Reproduced),
        (0.9, 1.5, Criterion::within(1.0, 2.0), Inconclusive),
        (0.0, 3.0, Criterion::within(1.0, 2.0), Inconclusive),
        (2.1, 3.0, Criterion::within(1.0, 2.0), NotReproduced),
        (0.0, 0.9, Criterion::within(1.0, 2.0), NotReproduced),
        (1.85, 2.15, Criterion::near(2.0, 0.1), Reproduced),
        (-2.15, -1.85, Criterion::near(-2.0, 0.1), Reproduced),
        (2.25, 2.3, Criterion::near(2.0, 0.1), NotReproduced),
    ] {
        assert_eq!(
            verdict(low, high, criterion.clone()),
            expected,
            "[{low}, {high}] {criterion}"
        );
    }
    let missing = Claim::not_testable("id", "statement", "source", "no data");
    assert_eq!(missing.verdict(), Verdict::NotTestable);
    assert_eq!(missing.reason(), "no data");
}

/// Student's t with 3 degrees of freedom: quantile 3.182446305 (any table).
#[test]
fn mean_of_four_numbers() {
    let e = Estimate::of_mean(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert!((e.mean() - 2.5).abs() < 1e-12);
    assert!((e.low() - 0.445_739_743_239_121).abs() < 1e-9, "{e:?}");
    assert!((e.high() - 4.554_260_256_760_879).abs() < 1e-9, "{e:?}");
    assert_eq!(e.n(), 4);
}

/// Wilson's interval for 8 of 10, from its formula by hand.
#[test]
fn proportion_by_hand() {
    let e = Estimate::proportion(8, 10).unwrap();
    assert!((e.low() - 0.490_162_471_536_641_5).abs() < 1e-9, "{e:?}");
    assert!((e.high() - 0.943_317_848_545_624_7).abs() < 1e-9, "{e:?}");
}

/// Ratios 2 and 4: geometric mean √8, and t with one degree of freedom on the logarithms.
#[test]
fn ratio_by_hand() {
    let e = Estimate::ratio(&[2.0, 8.0], &[1.0, 2.0]).unwrap();
    assert!((e.mean() - 8f64.sqrt()).abs() < 1e-12);
    let reach = 12.706_204_736_174_707 * std::f64::consts::LN_2 / 2.0;
    assert!(
        (e.low().ln() - (8f64.sqrt().ln() - reach)).abs() < 1e-8,
        "{e:?}"
    );
    assert!(
        (e.high().ln() - (8f64.sqrt().ln() + reach)).abs() < 1e-8,
        "{e:?}"
    );
}

#[test]
fn the_decisive_gap_of_an_order() {
    let a = [1.0, 1.1, 0.9, 1.0];
    let far = [9.0, 9.2, 8.9, 9.1];
    let near = [9.5, 9.8, 9.3, 9.6];
    let gap = Estimate::smallest_gap(&[&a, &far, &near]).unwrap();
    assert!((gap.mean() - 0.5).abs() < 1e-12, "9.55 - 9.05");
    let reversed = Estimate::smallest_gap(&[&far, &a, &near]).unwrap();
    assert!((reversed.mean() + 8.05).abs() < 1e-12, "1.0 - 9.05");
    assert!(Estimate::smallest_gap(&[&a]).is_err());
}

/// RFC 4180: quotes around commas, quotes and line ends; quotes doubled.
#[test]
fn csv_of_a_table() {
    let table = Table::new("t", "T", ["name, unit", "value", "n"])
        .row([
            "a \"b\"".into(),
            Estimate::new(0.5, 0.25, 0.75, 8).unwrap().into(),
            3.into(),
        ])
        .row(["c".into(), 1e-20.into(), f64::NAN.into()]);
    assert_eq!(
        table.to_csv().unwrap(),
        "\"name, unit\",value,value low,value high,value n,n\n\
         \"a \"\"b\"\"\",0.5,0.25,0.75,8,3\n\
         c,0.00000000000000000001,,,,\n"
    );
}

#[test]
fn shards_by_hand() {
    let shard: Shard = "2/3".parse().unwrap();
    let held: Vec<usize> = (0..9).filter(|k| shard.holds(*k)).collect();
    assert_eq!(held, [1, 4, 7]);
    assert_eq!(shard.to_string(), "2/3");
}

#[test]
fn plans() {
    let plan = Plan::full(3).with_threads(0);
    assert_eq!(
        (plan.scale(), plan.seed(), plan.threads()),
        (Scale::Full, 3, 1)
    );
    assert_eq!(plan.pick("quick", "full"), "full");
    assert!(Plan::quick(1).threads() >= 1);
}

/// The layout that the design fixes for `report.json`.
#[test]
fn schema_of_the_report() {
    let paper = Demo::new(4)
        .with_trouble(1, Trouble::Skips)
        .paper()
        .claim(Claim::not_testable("far", "It flies", "§9", "no wings").published("9.8"));
    let run = Reproduction::new(Plan::quick(4)).run(&[paper]).unwrap();
    let json: serde_json::Value =
        serde_json::from_str(&run.report().unwrap().to_json().unwrap()).unwrap();
    assert_eq!(json["schema"], 1);
    let provenance = &json["provenance"];
    assert_eq!(provenance["seed"], 4);
    assert_eq!(provenance["scale"], "quick");
    assert_eq!(provenance["crates"][0]["name"], "demo-crate");
    assert_eq!(provenance["crates"][0]["version"], "1.2.3");
    for key in ["target", "rustc", "profile", "cpu", "started"] {
        assert!(!provenance[key].as_str().unwrap().is_empty(), "{key}");
    }
    for key in ["wall_seconds", "cell_seconds"] {
        assert!(provenance[key].as_f64().unwrap() >= 0.0, "{key}");
    }
    assert!(provenance["threads"].as_u64().unwrap() >= 1);
    let paper = &json["papers"][0];
    assert_eq!(paper["crate"], "demo-crate");
    assert_eq!(paper["title"], "A demonstration");
    let claim = &paper["claims"][0];
    let keys: Vec<&str> = claim
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected = [
        "id",
        "statement",
        "source",
        "published",
        "estimate",
        "criterion",
        "verdict",
        "reason",
    ];
    expected.sort_unstable();
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(claim["verdict"], "reproduced");
    assert_eq!(claim["criterion"], "in [-5, 6]");
    assert!(claim["published"].is_null());
    let estimate = &claim["estimate"];
    assert!(estimate["low"].as_f64().unwrap() < estimate["mean"].as_f64().unwrap());
    assert!(estimate["mean"].as_f64().unwrap() < estimate["high"].as_f64().unwrap());
    assert_eq!(estimate["n"], 3);
    let far = &paper["claims"][1];
    assert_eq!(far["verdict"], "not_testable");
    assert_eq!(far["reason"], "no wings");
    assert_eq!(far["published"], "9.8");
    assert!(far["estimate"].is_null() && far["criterion"].is_null());
    assert_eq!(
        paper["tables"][0]["columns"],
        serde_json::json!(["k", "value"])
    );
    assert_eq!(paper["experiments"][0]["cuts"], "quick cut.");
    assert_eq!(paper["experiments"][0]["cells"], 4);
    assert_eq!(paper["experiments"][0]["finished"], 3);
    assert_eq!(paper["failures"][0]["kind"], "skipped");
}

fn figure(x: Axis, y: Axis) -> Figure {
    Figure::new("f", "Title", "What it shows", x, y)
}

/// Points of the drawing, in tenths of a pixel.
fn polyline(svg: &str, stroke: &str) -> Vec<(f64, f64)> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let line = document
        .descendants()
        .find(|n| {
            n.has_tag_name(("http://www.w3.org/2000/svg", "polyline"))
                && n.attribute("stroke") == Some(stroke)
        })
        .unwrap();
    let pairs = line.attribute("points").unwrap().split_whitespace();
    pairs
        .map(|pair| pair.split_once(',').unwrap())
        .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
        .collect()
}

const FIRST: &str = "#1F5FA8";

/// y = x² is a straight line of slope 2 on logarithmic axes, and equal factors are equal steps.
#[test]
fn a_power_law_is_straight_on_logarithmic_axes() {
    let points = [(1.0, 1.0), (10.0, 100.0), (100.0, 1e4), (1000.0, 1e6)];
    let svg = figure(Axis::log("x"), Axis::log("y"))
        .series(Series::line("law", points))
        .to_svg()
        .unwrap();
    let drawn = polyline(&svg, FIRST);
    assert_eq!(drawn.len(), 4);
    let steps: Vec<(f64, f64)> = drawn
        .windows(2)
        .map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1))
        .collect();
    for step in &steps {
        assert!(step.0 > 0.0 && step.1 < 0.0, "right and up: {step:?}");
        assert!((step.0 - steps[0].0).abs() <= 1.0 && (step.1 - steps[0].1).abs() <= 1.0);
    }
    for tick in ["1", "1000", "10⁶"] {
        assert!(
            svg.contains(&format!("\n{tick}\n")),
            "no tick {tick} in {svg}"
        );
    }
}

#[test]
fn round_ticks_on_an_even_axis() {
    let svg = figure(Axis::linear("x"), Axis::linear("y"))
        .series(Series::line("line", [(0.0, 0.0), (4.0, 0.5)]))
        .to_svg()
        .unwrap();
    for tick in ["0", "0.1", "0.2", "0.3", "0.4", "0.5"] {
        assert!(svg.contains(&format!("\n{tick}\n")), "no tick {tick}");
    }
    // Middles stay middles.
    let svg = figure(Axis::linear("x"), Axis::linear("y"))
        .series(Series::line(
            "line",
            [(0.0, 10.0), (1.0, 20.0), (2.0, 30.0)],
        ))
        .to_svg()
        .unwrap();
    let drawn = polyline(&svg, FIRST);
    assert!((2.0 * drawn[1].0 - drawn[0].0 - drawn[2].0).abs() <= 2.0);
    assert!((2.0 * drawn[1].1 - drawn[0].1 - drawn[2].1).abs() <= 2.0);
}

#[test]
fn bars_stand_on_zero() {
    let svg = figure(Axis::categories("c", ["a", "b"]), Axis::linear("y"))
        .series(Series::bars("bars", [1.0, -1.0]))
        .to_svg()
        .unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let bars: Vec<Vec<f64>> = document
        .descendants()
        .filter(|n| n.attribute("fill") == Some(FIRST) && n.attribute("points").is_some())
        .map(|n| {
            let corners = n.attribute("points").unwrap().split_whitespace();
            corners
                .map(|c| c.split_once(',').unwrap().1.parse().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(bars.len(), 2);
    let (up, down) = (&bars[0], &bars[1]);
    let max = |bar: &[f64]| bar.iter().copied().fold(f64::MIN, f64::max);
    let min = |bar: &[f64]| bar.iter().copied().fold(f64::MAX, f64::min);
    assert!((max(up) - min(down)).abs() <= 1.0, "both begin at zero");
    assert!(
        ((max(up) - min(up)) - (max(down) - min(down))).abs() <= 2.0,
        "equal heights"
    );
}

/// WCAG 2.2, success criterion 1.4.11: graphics need a contrast of 3 to 1, text (1.4.3) 4.5.
#[test]
fn colours_are_legible_in_the_light_and_in_the_dark() {
    let many = (0..8).fold(figure(Axis::linear("x"), Axis::linear("y")), |figure, k| {
        figure.series(Series::line(
            format!("s{k}"),
            [(0.0, f64::from(k)), (1.0, f64::from(k))],
        ))
    });
    let svg = many.to_svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let style = document
        .descendants()
        .find(|n| n.tag_name().name() == "style")
        .unwrap();
    let style = style.text().unwrap();
    let dark = |light: &str| -> String {
        let (_, rule) = style
            .split_once(&format!("[stroke=\"{light}\"]{{stroke:"))
            .unwrap();
        rule[..7].to_owned()
    };
    let mut lines = std::collections::HashSet::new();
    for node in document.descendants() {
        if node.tag_name().name() == "polyline" && node.attribute("stroke-width") == Some("22") {
            lines.insert(node.attribute("stroke").unwrap());
        }
        if node.tag_name().name() == "text" {
            let fill = node.attribute("fill").unwrap();
            assert!(contrast(fill, "#FFFFFF") >= 4.5, "{fill}");
            assert!(contrast(&dark(fill), "#161920") >= 4.5, "{fill}");
        }
    }
    assert_eq!(lines.len(), 8);
    for light in lines {
        assert!(contrast(light, "#FFFFFF") >= 3.0, "{light}");
        assert!(
            contrast(&dark(light), "#161920") >= 3.0,
            "{light} in the dark"
        );
    }
}

fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |colour: &str| -> f64 {
        let part = |at: usize| {
            let c = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if c <= 0.040_45 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}
