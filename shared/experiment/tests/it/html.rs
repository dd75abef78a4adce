//! The page and the drawings as text; `tests/browser` looks at them in a browser.

use std::fs;

use papercrates_experiment::{
    Axis, CellContext, CellError, Claim, Criterion, Estimate, Experiment, Figure, Findings, Paper,
    Plan, Reproduction, Series, Table,
};

/// What must never reach a page unescaped.
const EVIL: &str = "\"'><script>alert(1)</script>&amp;<img src=x onerror=alert(2)>";

/// Says [`EVIL`] wherever words go.
struct Evil;

impl Experiment for Evil {
    type Cell = (u32, String);
    type Outcome = String;

    fn id(&self) -> &'static str {
        "evil"
    }
    fn title(&self) -> &str {
        EVIL
    }
    fn cuts(&self, _: &Plan) -> String {
        EVIL.to_owned()
    }
    fn cells(&self, _: &Plan) -> Vec<(u32, String)> {
        (0..3).map(|k| (k, EVIL.to_owned())).collect()
    }
    fn run(&self, cell: &(u32, String), _: &CellContext) -> Result<String, CellError> {
        match cell.0 {
            0 => Err(CellError::failed(EVIL)),
            1 => Err(CellError::skipped(EVIL)),
            _ => Ok(EVIL.to_owned()),
        }
    }
    fn conclude(&self, _: &[((u32, String), String)]) -> Result<Findings, CellError> {
        let one = Estimate::exact(1.0)?;
        let claim = Claim::measured(EVIL, EVIL, EVIL, one, Criterion::at_least(0.0).of(EVIL));
        Ok(Findings::new()
            .claim(claim.published(EVIL))
            .claim(Claim::not_testable("x", EVIL, EVIL, EVIL))
            .table(Table::new("t", EVIL, [EVIL]).row([EVIL.into()]).note(EVIL))
            .figure(
                Figure::new(
                    "f",
                    EVIL,
                    EVIL,
                    Axis::categories(EVIL, [EVIL]),
                    Axis::linear(EVIL),
                )
                .series(Series::bars(EVIL, [1.0]))
                .series(Series::scatter("other", [(0.0, 1.0)]))
                .rule(0.5, EVIL),
            )
            .note(EVIL))
    }
}

fn evil_report() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let paper = Paper::new("evil-crate", EVIL, EVIL)
        .reference(EVIL)
        .experiment(Evil);
    Reproduction::new(Plan::quick(1))
        .out(folder.path())
        .run(&[paper])
        .unwrap();
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    let svg = fs::read_to_string(folder.path().join("figures/evil-crate--f.svg")).unwrap();
    (folder, page, svg)
}

#[test]
fn no_text_becomes_markup() {
    let (_folder, page, svg) = evil_report();
    assert_eq!(page.matches("<script").count(), 1, "the one that sorts");
    assert_eq!(svg.matches("<script").count(), 0);
    for text in [&page, &svg] {
        assert!(!text.contains("<img"));
        assert!(!text.contains("\"'>"), "a quote closes no attribute");
    }
    // Title, reference, version, claims, table, figure, notes, failures: all of it is shown.
    assert!(
        page.matches("&lt;script&gt;alert(1)&lt;/script&gt;")
            .count()
            > 20
    );
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts = |tag: &str| -> Vec<String> {
        let tagged = document
            .descendants()
            .filter(|n| n.tag_name().name() == tag);
        tagged
            .map(|n| n.text().unwrap_or("").trim().to_owned())
            .collect()
    };
    assert_eq!(texts("title"), [EVIL]);
    assert_eq!(texts("desc"), [EVIL]);
    let shown = texts("text");
    assert!(
        shown.iter().filter(|text| *text == EVIL).count() >= 4,
        "axes, name, rule: {shown:?}"
    );
}

#[test]
fn the_page_needs_nothing_else() {
    let (_folder, page, _) = evil_report();
    for attribute in ["src=\"", "href=\"", "url(", "@import"] {
        for (at, _) in page.match_indices(attribute) {
            let value = &page[at + attribute.len()..];
            let inside = value.starts_with('#') || value.starts_with("data:");
            assert!(inside, "{attribute}{}", &value[..40.min(value.len())]);
        }
    }
    let outside: Vec<&str> = page
        .match_indices("http")
        .map(|(at, _)| &page[at..(at + 30).min(page.len())])
        .filter(|text| {
            !text.starts_with("http-equiv") && !text.starts_with("http://www.w3.org/2000/svg")
        })
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("name=\"viewport\" content=\"width=device-width, initial-scale=1\""));
}

#[test]
fn figures_have_a_text_alternative_and_their_data() {
    let (folder, page, svg) = evil_report();
    let (_, figure) = page.split_once("<figure").unwrap();
    let (figure, _) = figure.split_once("</figure>").unwrap();
    assert_eq!(
        figure.matches("role=\"img\" aria-label=\"&quot;").count(),
        2,
        "wide and narrow"
    );
    assert!(figure.contains("<details>") && figure.contains("<tbody><tr>"));
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label="));
    let report = fs::read_to_string(folder.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let entry = &report["papers"][0]["figures"][0];
    assert_eq!(entry["alt"], EVIL);
    assert_eq!(entry["path"], "figures/evil-crate--f.svg");
    assert_eq!(
        entry["data"]["rows"].as_array().unwrap().len(),
        3,
        "bar, point, rule"
    );
}

#[test]
fn claims_sort_by_what_they_mean() {
    let (_folder, page, _) = evil_report();
    assert!(page.contains("<table class=\"claims\" data-sortable role=\"table\""));
    assert!(page.contains("data-key=\"0\""), "reproduced comes first");
    assert!(page.contains("data-key=\"3\""), "not testable comes last");
}

#[test]
fn files_of_earlier_reports_go_and_others_stay() {
    let (folder, _, _) = evil_report();
    let figures = folder.path().join("figures");
    fs::write(figures.join("evil-crate--old.svg"), "").unwrap();
    fs::write(figures.join("holiday.svg"), "").unwrap();
    fs::write(folder.path().join(".papercrates-x.partial"), "").unwrap();
    let paper = Paper::new("evil-crate", EVIL, EVIL).experiment(Evil);
    Reproduction::new(Plan::quick(1))
        .out(folder.path())
        .run(&[paper])
        .unwrap();
    assert!(!figures.join("evil-crate--old.svg").exists());
    assert!(figures.join("holiday.svg").exists());
    assert!(!folder.path().join(".papercrates-x.partial").exists());
}

/// A paper without anything in it.
fn paper(name: &'static str) -> Paper {
    Paper::new(name, "0.1.0", format!("On {name}"))
}

fn page_of(papers: &[Paper]) -> String {
    let folder = tempfile::tempdir().unwrap();
    Reproduction::new(Plan::quick(1))
        .out(folder.path())
        .run(papers)
        .unwrap();
    fs::read_to_string(folder.path().join("index.html")).unwrap()
}

#[test]
fn a_title_heads_the_page_or_its_section_but_not_both() {
    let headings = |page: &str, title: &str| page.matches(&format!(">{title}</h")).count();
    let one = page_of(&[paper("coins")]);
    assert_eq!(headings(&one, "On coins"), 1);
    assert_eq!(headings(&one, "coins 0.1.0"), 1);
    let two = page_of(&[paper("coins"), paper("dice")]);
    assert_eq!(headings(&two, "On coins"), 1);
    assert_eq!(headings(&two, "On dice"), 1);
}
