//! The journal against crashes: cut at every byte, flipped bits, a killed process, a full disk.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use papercrates_experiment::{Error, Plan, Reproduction, Verdict};

use crate::demo::{Demo, Trouble, findings_in, journal_of, run_in};

#[test]
fn a_journal_cut_at_any_byte_resumes_to_the_same_report() {
    let demo = Demo::new(3);
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &[demo.paper()], Plan::quick(1));
    let (whole, expected) = (
        fs::read(journal_of(folder.path())).unwrap(),
        findings_in(folder.path()),
    );
    demo.take_runs();
    for length in 0..=whole.len() {
        fs::write(journal_of(folder.path()), &whole[..length]).unwrap();
        let run = run_in(folder.path(), &[demo.paper()], Plan::quick(1));
        let lines = whole[..length].iter().filter(|b| **b == b'\n').count();
        let kept = lines.saturating_sub(1);
        assert_eq!(demo.take_runs(), 3 - kept, "cut at {length}");
        assert_eq!(
            (run.ran(), run.resumed()),
            (3 - kept, kept),
            "cut at {length}"
        );
        assert_eq!(findings_in(folder.path()), expected, "cut at {length}");
    }
}

#[test]
fn a_flipped_bit_is_a_named_error_or_harmless() {
    let demo = Demo::new(3);
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &[demo.paper()], Plan::quick(1));
    let journal = journal_of(folder.path());
    let (whole, expected) = (fs::read(&journal).unwrap(), findings_in(folder.path()));
    let ends: Vec<usize> = (0..whole.len()).filter(|i| whole[*i] == b'\n').collect();
    let (mut named, mut harmless) = (0, 0);
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x02;
        fs::write(&journal, &flipped).unwrap();
        match Reproduction::new(Plan::quick(1))
            .out(folder.path())
            .run(&[demo.paper()])
        {
            Ok(_) => {
                harmless += 1;
                assert_eq!(findings_in(folder.path()), expected, "flipped {at}");
            }
            Err(Error::CorruptJournal { line, .. }) => {
                named += 1;
                let before = ends.iter().filter(|end| **end < at).count();
                assert_eq!(line, before + 1, "flipped {at}");
                assert_eq!(fs::read(&journal).unwrap(), flipped, "evidence is kept");
            }
            Err(Error::NotAJournal { .. }) => {
                named += 1;
                assert!(at <= ends[0], "flipped {at}");
            }
            Err(other) => panic!("flipped {at}: {other}"),
        }
    }
    // Every bit of the first three lines is watched over.
    assert!(named >= ends[2] - 2, "{named} named, {harmless} harmless");
}

#[test]
fn garbage_after_the_last_line_is_dropped() {
    let demo = Demo::new(4);
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &[demo.paper()], Plan::quick(1));
    let journal = journal_of(folder.path());
    let (whole, expected) = (fs::read(&journal).unwrap(), findings_in(folder.path()));
    for garbage in [
        &b"\0\0\0\0"[..],
        b"{\"sum\":\"",
        b"no line of ours\n",
        b"\xff\xfe\n",
        b"\n",
    ] {
        demo.take_runs();
        fs::write(&journal, [&whole, garbage].concat()).unwrap();
        run_in(folder.path(), &[demo.paper()], Plan::quick(1));
        assert_eq!(demo.take_runs(), 0);
        assert_eq!(fs::read(&journal).unwrap(), whole);
        assert_eq!(findings_in(folder.path()), expected);
    }
}

#[test]
fn two_writers_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::new(2);
    run_in(folder.path(), &[demo.paper()], Plan::quick(1));
    let other = File::open(journal_of(folder.path())).unwrap();
    other.lock().unwrap();
    let error = Reproduction::new(Plan::quick(1))
        .out(folder.path())
        .run(&[demo.paper()]);
    let error = error.unwrap_err();
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    assert!(error.to_string().contains("another run"), "{error}");
    drop(other);
    run_in(folder.path(), &[demo.paper()], Plan::quick(1));
}

#[test]
fn what_failed_is_recorded_and_tried_again() {
    for trouble in [Trouble::Fails, Trouble::Skips, Trouble::Panics] {
        let folder = tempfile::tempdir().unwrap();
        let demo = Demo::new(5).with_trouble(2, trouble);
        let run = run_in(folder.path(), &[demo.paper()], Plan::quick(1));
        let report = run.report().unwrap();
        let failures: Vec<_> = report.papers()[0].failures().collect();
        assert_eq!(failures.len(), 1);
        assert_eq!(failures[0].cell(), Some("{\"k\":2}"));
        assert_eq!(failures[0].is_skipped(), trouble == Trouble::Skips);
        assert_eq!(report.is_sound(), trouble == Trouble::Skips);
        let message = match trouble {
            Trouble::Fails => "out of luck",
            Trouble::Skips => "no data; fetch them",
            _ => "panicked: lost my head",
        };
        assert_eq!(failures[0].message(), message);
        let claim = report.papers()[0].claims().next().unwrap();
        assert_eq!(claim.estimate().unwrap().n(), 4, "the others went on");
        let json = findings_in(folder.path());
        assert_eq!(json["papers"][0]["failures"][0]["message"], message);
        let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
        assert!(page.contains(message));

        let mended = Demo {
            trouble: (0, Trouble::None),
            ..demo.clone()
        };
        demo.take_runs();
        let run = run_in(folder.path(), &[mended.paper()], Plan::quick(1));
        assert_eq!(mended.take_runs(), 1, "only what had no outcome");
        assert!(run.report().unwrap().is_sound());
        let fresh = tempfile::tempdir().unwrap();
        run_in(fresh.path(), &[Demo::new(5).paper()], Plan::quick(1));
        assert_eq!(findings_in(folder.path()), findings_in(fresh.path()));
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let mut seen = Vec::new();
    for threads in [1, 2, 4] {
        let folder = tempfile::tempdir().unwrap();
        let demo = Demo::new(40);
        run_in(
            folder.path(),
            &[demo.paper()],
            Plan::quick(9).with_threads(threads),
        );
        let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
        let (findings, _) = page.split_once("<section id=\"provenance\"").unwrap();
        let table = fs::read(folder.path().join("tables/demo-crate--values.csv")).unwrap();
        seen.push((findings_in(folder.path()), findings.to_owned(), table));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    let memory = Reproduction::new(Plan::quick(9))
        .run(&[Demo::new(40).paper()])
        .unwrap();
    let memory: serde_json::Value =
        serde_json::from_str(&memory.report().unwrap().to_json().unwrap()).unwrap();
    assert_eq!(
        memory["papers"], seen[0].0["papers"],
        "also without a folder"
    );
    let other = Reproduction::new(Plan::quick(10))
        .run(&[Demo::new(40).paper()])
        .unwrap();
    let other: serde_json::Value =
        serde_json::from_str(&other.report().unwrap().to_json().unwrap()).unwrap();
    assert_ne!(memory["papers"], other["papers"], "the seed matters");
}

/// Runs the experiment of [`child`] in a process of its own.
fn child_in(folder: &Path, mode: &str, prefix: &[&str]) -> Command {
    let program = std::env::current_exe().unwrap();
    let mut command = match prefix {
        [] => Command::new(program),
        [shell, rest @ ..] => {
            let mut command = Command::new(shell);
            command.args(rest).arg(program);
            command
        }
    };
    command
        .args(["--exact", "journal::child", "--nocapture"])
        .env("PAPERCRATES_TEST_CHILD", mode)
        .env("PAPERCRATES_TEST_FOLDER", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Not a test by itself: what [`child_in`] runs, and nothing without its variables.
#[test]
fn child() {
    let (Ok(mode), Ok(folder)) = (
        std::env::var("PAPERCRATES_TEST_CHILD"),
        std::env::var("PAPERCRATES_TEST_FOLDER"),
    ) else {
        return;
    };
    let plan = Plan::quick(1).with_threads(1);
    let papers = match mode.as_str() {
        "hang" => [hanging::Hanging { hang: true }.paper()],
        _ => [Demo::new(200).paper()],
    };
    if let Err(error) = Reproduction::new(plan).out(folder).run(&papers) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

mod hanging {
    use papercrates_experiment::{
        CellContext, CellError, Experiment, Findings, Paper, Plan, Table,
    };

    /// Cells that square their number; the fourth never ends while `hang`.
    pub(super) struct Hanging {
        pub(super) hang: bool,
    }

    impl Hanging {
        pub(super) fn paper(self) -> Paper {
            Paper::new("demo-crate", "1.2.3", "Hangs").experiment(self)
        }
    }

    impl Experiment for Hanging {
        type Cell = u64;
        type Outcome = u64;

        fn id(&self) -> &'static str {
            "demo"
        }
        fn title(&self) -> &str {
            "Squares"
        }
        fn cuts(&self, _: &Plan) -> String {
            String::new()
        }
        fn cells(&self, _: &Plan) -> Vec<u64> {
            (0..6).collect()
        }
        fn run(&self, cell: &u64, _: &CellContext) -> Result<u64, CellError> {
            if self.hang && *cell == 3 {
                loop {
                    std::thread::park();
                }
            }
            Ok(cell * cell)
        }
        fn conclude(&self, results: &[(u64, u64)]) -> Result<Findings, CellError> {
            let table = Table::new("squares", "Squares", ["k", "k²"]);
            Ok(
                Findings::new().table(results.iter().fold(table, |t, (k, square)| {
                    t.row([(*k).into(), (*square).into()])
                })),
            )
        }
    }
}

#[test]
fn a_killed_run_loses_the_cell_in_hand_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = child_in(folder.path(), "hang", &[]).spawn().unwrap();
    let journal = journal_of(folder.path());
    let lines =
        || fs::read(&journal).map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count());
    while lines() < 4 {
        assert!(child.try_wait().unwrap().is_none(), "the child ended early");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(lines(), 4);
    let paper = hanging::Hanging { hang: false }.paper();
    let run = run_in(folder.path(), &[paper], Plan::quick(1));
    assert_eq!((run.ran(), run.resumed()), (3, 3));
    let table = fs::read_to_string(folder.path().join("tables/demo-crate--squares.csv")).unwrap();
    assert_eq!(table, "k,k²\n0,0\n1,1\n2,4\n3,9\n4,16\n5,25\n");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_named_and_finished_cells_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    // Files of at most 8 blocks of 512 bytes; what is over fails as a full disk does.
    let limited = ["sh", "-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""];
    let output = child_in(folder.path(), "count", &limited).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("no room to write the journal"),
        "{message}"
    );
    assert!(message.contains("free some space"), "{message}");
    assert!(
        !folder.path().join("index.html").exists(),
        "no partial report"
    );

    let demo = Demo::new(200);
    let run = run_in(folder.path(), &[demo.paper()], Plan::quick(1));
    assert!(run.resumed() > 10, "{} kept", run.resumed());
    assert_eq!(demo.take_runs(), 200 - run.resumed());
    let fresh = tempfile::tempdir().unwrap();
    run_in(fresh.path(), &[Demo::new(200).paper()], Plan::quick(1));
    assert_eq!(findings_in(folder.path()), findings_in(fresh.path()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("journal")).unwrap();
    std::os::unix::fs::symlink("/dev/full", journal_of(folder.path())).unwrap();
    let demo = Demo::new(2);
    let error = Reproduction::new(Plan::quick(1))
        .out(folder.path())
        .run(&[demo.paper()]);
    let error = error.unwrap_err();
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    assert_eq!(demo.take_runs(), 0);
}

#[test]
fn another_plan_or_seed_is_refused_and_force_starts_over() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::new(3);
    run_in(folder.path(), &[demo.paper()], Plan::quick(1));
    let more = Demo {
        cells: 4,
        ..demo.clone()
    };
    for (paper, plan, word) in [
        (demo.paper(), Plan::quick(2), "seed 1"),
        (demo.paper(), Plan::full(1), "quick"),
        (more.paper(), Plan::quick(1), "3 cells"),
    ] {
        let error = Reproduction::new(plan)
            .out(folder.path())
            .run(&[paper])
            .unwrap_err();
        assert!(matches!(error, Error::OtherPlan { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(word) && text.contains("--force"), "{text}");
    }
    demo.take_runs();
    let forced = Reproduction::new(Plan::quick(2))
        .out(folder.path())
        .force(true);
    assert_eq!(forced.run(&[demo.paper()]).unwrap().ran(), 3);
    assert_eq!(demo.take_runs(), 3);
}

#[test]
fn another_build_starts_a_quick_study_over_and_is_refused_for_a_full_one() {
    for plan in [Plan::quick(1), Plan::full(1)] {
        let folder = tempfile::tempdir().unwrap();
        let demo = Demo::new(3);
        run_in(folder.path(), &[demo.paper()], plan);
        let journal = journal_of(folder.path());
        let text = fs::read_to_string(&journal).unwrap();
        fs::write(&journal, with_other_build(&text)).unwrap();
        demo.take_runs();
        let run = Reproduction::new(plan)
            .out(folder.path())
            .run(&[demo.paper()]);
        if plan.is_quick() {
            assert_eq!(run.unwrap().ran(), 3);
        } else {
            let error = run.unwrap_err();
            assert!(matches!(error, Error::OtherBuild { .. }), "{error}");
            assert!(error.to_string().contains("0123456789abcdef"), "{error}");
            assert_eq!(demo.take_runs(), 0);
        }
    }
}

/// Rewrites the header line, checksum and all, as the format in the README has it.
fn with_other_build(journal: &str) -> String {
    use std::fmt::Write;

    use sha2::{Digest, Sha256};

    let (header, rest) = journal.split_once('\n').unwrap();
    let line: serde_json::Value = serde_json::from_str(header).unwrap();
    let build = line["body"]["build"].as_str().unwrap();
    let (_, body) = header.split_once("\"body\":").unwrap();
    let body = body
        .strip_suffix('}')
        .unwrap()
        .replace(build, "0123456789abcdef");
    let mut sum = String::new();
    for byte in &Sha256::digest(body.as_bytes())[..8] {
        write!(sum, "{byte:02x}").unwrap();
    }
    let length = body.len();
    format!("{{\"sum\":\"{sum}\",\"len\":{length},\"body\":{body}}}\n{rest}")
}

#[test]
fn verdicts_come_from_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let shifted = Demo {
        shift: 10.0,
        ..Demo::new(8)
    };
    let run = run_in(folder.path(), &[shifted.paper()], Plan::quick(1));
    assert_eq!(
        run.report().unwrap().papers()[0].count(Verdict::NotReproduced),
        1
    );
}
