//! The commands that every binary shares, run in a process of their own.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use papercrates_experiment::cli::{MergeArgs, ReproduceArgs, merge, reproduce, select};
use papercrates_experiment::{Error, Paper};

use crate::demo::{Demo, Trouble, findings_in};

/// What a command gave.
struct Gave {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Runs [`child`] in a process of its own. What it prints stands between two marks, apart from
/// what the test harness prints.
fn run(folder: &Path, what: &str) -> Gave {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cli::child", "--nocapture"])
        .env("PAPERCRATES_TEST_COMMAND", what)
        .current_dir(folder)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let (_, stdout) = stdout.split_once(BEGIN).unwrap();
    Gave {
        code: output.status.code().unwrap(),
        stdout: stdout.to_owned(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

const BEGIN: &str = "--- here it begins ---\n";

fn arguments(out: &str) -> ReproduceArgs {
    ReproduceArgs {
        quick: false,
        full: false,
        seed: 1,
        out: Some(out.into()),
        shard: None,
        threads: Some(2),
        force: false,
        json: false,
    }
}

/// Not a test by itself: what [`run`] runs, and nothing without its variable.
#[test]
fn child() {
    let Ok(what) = std::env::var("PAPERCRATES_TEST_COMMAND") else {
        return;
    };
    {
        use std::io::Write;
        std::io::stdout().write_all(BEGIN.as_bytes()).unwrap();
    }
    let demo = Demo::new(6);
    let code = match what.as_str() {
        "quick" => reproduce(&[demo.paper()], &arguments("out"), "unused"),
        "json" => {
            let json = ReproduceArgs {
                json: true,
                ..arguments("out")
            };
            reproduce(&[demo.paper()], &json, "unused")
        }
        "default" => {
            let default = ReproduceArgs {
                out: None,
                ..arguments("")
            };
            reproduce(&[demo.paper()], &default, "by-default")
        }
        "failing" => {
            let paper = demo.with_trouble(2, Trouble::Fails).paper();
            reproduce(&[paper], &arguments("failing"), "unused")
        }
        "skipping" => {
            let paper = demo.with_trouble(2, Trouble::Skips).paper();
            reproduce(&[paper], &arguments("skipping"), "unused")
        }
        "refuted" => {
            let paper = Demo {
                shift: 100.0,
                ..demo
            }
            .paper();
            reproduce(&[paper], &arguments("refuted"), "unused")
        }
        "merge" => {
            let folders = vec!["1".into(), "2".into()];
            let args = MergeArgs {
                folders,
                out: Some("whole".into()),
                force: false,
                json: false,
            };
            merge(vec![demo.paper()], &args, "unused")
        }
        part => {
            let shard = Some(format!("{part}/2").parse().unwrap());
            reproduce(
                &[demo.paper()],
                &ReproduceArgs {
                    shard,
                    ..arguments(part)
                },
                "unused",
            )
        }
    };
    std::process::exit(i32::from(code != ExitCode::SUCCESS));
}

#[test]
fn claims_go_to_standard_output_and_the_rest_to_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let gave = run(folder.path(), "quick");
    assert_eq!(gave.code, 0, "{}", gave.stderr);
    assert!(
        gave.stdout
            .starts_with("demo-crate: A demonstration\n  reproduced "),
        "{}",
        gave.stdout
    );
    assert!(gave.stdout.contains("(in [-5, 6])"), "{}", gave.stdout);
    assert!(
        gave.stderr.contains("6 cells run, 0 taken over"),
        "{}",
        gave.stderr
    );
    assert!(
        gave.stderr.contains("1 reproduced; report: out/index.html"),
        "{}",
        gave.stderr
    );
    assert!(
        !gave.stderr.contains('\u{1b}') && !gave.stderr.contains('\r'),
        "no bar"
    );
    let again = run(folder.path(), "quick");
    assert!(
        again.stderr.contains("0 cells run, 6 taken over"),
        "{}",
        again.stderr
    );
    assert_eq!(again.stdout, gave.stdout);
}

#[test]
fn json_is_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let gave = run(folder.path(), "json");
    assert_eq!(gave.code, 0, "{}", gave.stderr);
    let written = fs::read_to_string(folder.path().join("out/report.json")).unwrap();
    assert_eq!(gave.stdout, written);
}

#[test]
fn the_default_folder() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), "default").code, 0);
    assert!(folder.path().join("by-default/index.html").is_file());
}

#[test]
fn exit_codes_tell_failures_from_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let gave = run(folder.path(), "failing");
    assert_eq!(gave.code, 1);
    assert!(
        gave.stderr
            .contains("error: a cell or conclusion failed, in demo: out of luck"),
        "{}",
        gave.stderr
    );
    assert!(
        folder.path().join("failing/index.html").is_file(),
        "the report is there"
    );
    let gave = run(folder.path(), "skipping");
    assert_eq!(gave.code, 0, "{}", gave.stderr);
    assert!(gave.stderr.contains("1 skipped"), "{}", gave.stderr);
    let gave = run(folder.path(), "refuted");
    assert_eq!(gave.code, 0, "a claim that is not reproduced is a result");
    assert!(gave.stdout.contains("not reproduced"), "{}", gave.stdout);
}

#[test]
fn parts_and_merge() {
    let folder = tempfile::tempdir().unwrap();
    for part in ["1", "2"] {
        let gave = run(folder.path(), part);
        assert_eq!((gave.code, gave.stdout.as_str()), (0, ""));
        assert!(
            gave.stderr.contains("3 cells run") && gave.stderr.contains("merge"),
            "{}",
            gave.stderr
        );
    }
    let gave = run(folder.path(), "merge");
    assert_eq!(gave.code, 0, "{}", gave.stderr);
    run(folder.path(), "quick");
    let path = |name: &str| folder.path().join(name);
    assert_eq!(findings_in(&path("whole")), findings_in(&path("out")));
    let again = run(folder.path(), "merge");
    assert_eq!(
        again.code, 0,
        "the folder of a merge can be merged into again"
    );
}

#[test]
fn papers_are_picked_by_name() {
    let papers = || vec![Demo::new(1).paper(), Paper::new("other", "0.1.0", "Other")];
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(select(papers(), &[]).unwrap().len(), 2);
    let picked = select(papers(), &names(&["other"])).unwrap();
    assert_eq!(picked.len(), 1);
    assert_eq!(picked[0].crate_name(), "other");
    let error = select(papers(), &names(&["other", "missing"]))
        .map(|p| p.len())
        .unwrap_err();
    assert!(matches!(error, Error::UnknownPaper { .. }));
    let text = error.to_string();
    assert!(
        text.contains("\"missing\"") && text.contains("demo-crate, other"),
        "{text}"
    );
}
