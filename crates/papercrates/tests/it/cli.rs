//! The command, run for real.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn papercrates(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_papercrates"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[track_caller]
fn code(output: &Output, expected: i32) {
    assert_eq!(
        output.status.code(),
        Some(expected),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn wrong_usage_has_exit_code_2_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, word) in [
        (&["reproduce", "no-such-paper"][..], "no-such-paper"),
        (&["reproduce", "--shard", "3/2"], "1 <= i <= n"),
        (&["reproduce", "--seed", "many"], "--seed"),
        (&["reproduce", "--threads", "0"], "1..=1024"),
        (&["reproduce", "--quick", "--full"], "cannot be used with"),
        (&["merge"], "DIR"),
        (&["frobnicate"], "frobnicate"),
        (&["--bogus"], "--bogus"),
    ] {
        let output = papercrates(folder.path(), arguments);
        code(&output, 2);
        assert!(
            text(&output.stderr).contains(word),
            "{}",
            text(&output.stderr)
        );
        assert!(output.stdout.is_empty());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn help_has_examples_and_goes_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["--help"][..],
        &["reproduce", "--help"],
        &["merge", "--help"],
    ] {
        let output = papercrates(folder.path(), arguments);
        code(&output, 0);
        assert!(text(&output.stdout).contains("Examples:"));
        assert!(output.stderr.is_empty());
    }
}

#[cfg(feature = "dp-ridge")]
#[test]
fn list_for_people_and_machines() {
    let folder = tempfile::tempdir().unwrap();
    let output = papercrates(folder.path(), &["list"]);
    code(&output, 0);
    assert!(
        text(&output.stdout).starts_with("dp-ridge 0."),
        "{}",
        text(&output.stdout)
    );
    let output = papercrates(folder.path(), &["list", "--json"]);
    code(&output, 0);
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(list["schema"], 1);
    let paper = &list["papers"][0];
    assert_eq!(paper["crate"], "dp-ridge");
    assert_eq!(paper["state"], "reproducible");
    assert!(!paper["experiments"].as_array().unwrap().is_empty());
}

/// Two of many parts: enough to see the command at work, without running a whole study.
#[cfg(feature = "dp-ridge")]
#[test]
fn a_part_is_run_once_and_kept_apart_from_other_plans() {
    let folder = tempfile::tempdir().unwrap();
    let part = |extra: &[&str]| {
        let arguments = [
            "reproduce",
            "dp-ridge",
            "--shard",
            "500/500",
            "--out",
            "part",
        ];
        papercrates(folder.path(), &[&arguments[..], extra].concat())
    };
    let output = part(&[]);
    code(&output, 0);
    assert!(
        output.stdout.is_empty(),
        "a part has nothing to say on claims"
    );
    assert!(
        text(&output.stderr).contains("merge"),
        "{}",
        text(&output.stderr)
    );
    assert!(
        !text(&output.stderr).contains('\u{1b}'),
        "no colour, no bar: not a terminal"
    );
    assert!(!folder.path().join("part/index.html").exists());
    let journals: Vec<_> = fs::read_dir(folder.path().join("part/journal"))
        .unwrap()
        .collect();
    assert!(!journals.is_empty());
    code(&part(&[]), 0);

    let output = part(&["--seed", "2"]);
    code(&output, 1);
    assert!(
        text(&output.stderr).contains("--force"),
        "{}",
        text(&output.stderr)
    );
    code(&part(&["--seed", "2", "--force"]), 0);

    let output = papercrates(folder.path(), &["merge", "part", "--out", "whole"]);
    code(&output, 1);
    assert!(
        text(&output.stderr).contains("misses"),
        "{}",
        text(&output.stderr)
    );
    assert!(!folder.path().join("whole").exists());
}

#[test]
fn bad_folders_have_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "mine").unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/thesis.tex"), "mine").unwrap();
    for (arguments, word) in [
        (&["reproduce", "--out", "file"][..], "is a file"),
        (&["reproduce", "--out", "mine"], "thesis.tex"),
        (&["merge", "nowhere"], "no journal"),
    ] {
        let output = papercrates(folder.path(), arguments);
        code(&output, 1);
        assert!(
            text(&output.stderr).starts_with("error: "),
            "{}",
            text(&output.stderr)
        );
        assert!(
            text(&output.stderr).contains(word),
            "{}",
            text(&output.stderr)
        );
    }
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.path().join("mine")).unwrap().count(), 1);
}

#[test]
fn errors_have_no_colour_when_asked_or_not_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for no_color in [false, true] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_papercrates"));
        command.arg("--bogus").current_dir(folder.path());
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.output().unwrap();
        code(&output, 2);
        assert!(!text(&output.stderr).contains('\u{1b}'));
    }
}
