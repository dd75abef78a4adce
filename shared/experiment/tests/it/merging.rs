//! Shards and merge.

use std::path::PathBuf;

use papercrates_experiment::{Error, Plan, merge};

use crate::demo::{Demo, Trouble, findings_in, run_in};

/// Folders of the parts of a run.
struct Parts {
    base: tempfile::TempDir,
}

impl Parts {
    fn new() -> Self {
        Self {
            base: tempfile::tempdir().unwrap(),
        }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    fn run(&self, name: &str, demo: &Demo, plan: Plan, shard: &str) -> PathBuf {
        let folder = self.folder(name);
        let run = run_in(
            &folder,
            &[demo.paper()],
            plan.with_shard(shard.parse().unwrap()),
        );
        assert!(run.report().is_none(), "a part has no report");
        assert!(!folder.join("index.html").exists());
        folder
    }
}

#[test]
fn parts_merge_to_the_report_of_the_whole() {
    let parts = Parts::new();
    let demo = Demo::new(7).with_trouble(3, Trouble::Fails);
    let folders: Vec<PathBuf> = ["1/3", "2/3", "3/3"]
        .iter()
        .map(|shard| parts.run(&shard.replace('/', "-"), &demo, Plan::quick(5), shard))
        .collect();
    assert_eq!(demo.take_runs(), 7, "each cell once");
    let out = parts.folder("out");
    let run = merge(vec![demo.paper()], &folders, &out, false).unwrap();
    assert_eq!((run.ran(), run.resumed()), (0, 7));
    assert_eq!(demo.take_runs(), 0);
    let whole = parts.folder("whole");
    run_in(&whole, &[demo.paper()], Plan::quick(5));
    assert_eq!(findings_in(&out), findings_in(&whole));
    // The merged folder is a run like any other: only what failed is tried again.
    demo.take_runs();
    run_in(&out, &[demo.paper()], Plan::quick(5));
    assert_eq!(demo.take_runs(), 1);
    assert_eq!(findings_in(&out), findings_in(&whole));
}

#[test]
fn parts_can_share_a_folder_one_after_the_other() {
    let parts = Parts::new();
    let demo = Demo::new(6);
    parts.run("same", &demo, Plan::quick(1), "1/2");
    parts.run("same", &demo, Plan::quick(1), "2/2");
    let run = run_in(&parts.folder("same"), &[demo.paper()], Plan::quick(1));
    assert_eq!((run.ran(), run.resumed()), (0, 6));
}

#[test]
fn a_merge_into_one_of_its_parts_keeps_everything() {
    let parts = Parts::new();
    let demo = Demo::new(6);
    let a = parts.run("a", &demo, Plan::quick(1), "1/2");
    let b = parts.run("b", &demo, Plan::quick(1), "2/2");
    let run = merge(vec![demo.paper()], &[a.clone(), b], &a, false).unwrap();
    assert_eq!(run.resumed(), 6);
}

#[test]
fn mixed_plans_are_refused() {
    let parts = Parts::new();
    let demo = Demo::new(6);
    let a = parts.run("a", &demo, Plan::quick(1), "1/2");
    let b = parts.run("b", &demo, Plan::quick(2), "2/2");
    let out = parts.folder("out");
    let error = merge(vec![demo.paper()], &[a, b], &out, false).unwrap_err();
    assert!(matches!(error, Error::OtherPlan { .. }), "{error}");
    assert!(error.to_string().contains("seed 2"), "{error}");
    assert!(!out.exists(), "nothing was written");
}

#[test]
fn a_missing_part_is_named() {
    let parts = Parts::new();
    let demo = Demo::new(6);
    let a = parts.run("a", &demo, Plan::quick(1), "1/3");
    let b = parts.run("b", &demo, Plan::quick(1), "3/3");
    let error = merge(vec![demo.paper()], &[a, b], &parts.folder("out"), false).unwrap_err();
    assert!(
        matches!(
            error,
            Error::MissingCells {
                missing: 2,
                total: 6,
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("{\"k\":1}"), "{error}");
}

#[test]
fn equal_overlaps_pass_and_different_ones_are_refused() {
    let parts = Parts::new();
    let demo = Demo::new(4);
    let other = Demo {
        shift: 0.5,
        ..demo.clone()
    };
    let a = parts.run("a", &demo, Plan::quick(1), "1/2");
    let b = parts.run("b", &demo, Plan::quick(1), "2/2");
    let again = parts.run("again", &demo, Plan::quick(1), "1/2");
    let differs = parts.run("differs", &other, Plan::quick(1), "1/2");
    let out = parts.folder("out");
    merge(
        vec![demo.paper()],
        &[a.clone(), b.clone(), again],
        &out,
        false,
    )
    .unwrap();
    let error = merge(vec![demo.paper()], &[a, b, differs], &out, false).unwrap_err();
    assert!(matches!(error, Error::Overlap { .. }), "{error}");
    // Part 1 of 2 holds cells 0 and 2, and a journal has them in the order in which they ended.
    let named = ["{\"k\":0}", "{\"k\":2}"].map(|cell| error.to_string().contains(cell));
    assert!(named[0] || named[1], "{error}");
}

#[test]
fn an_outcome_wins_over_a_failure() {
    let parts = Parts::new();
    let sick = Demo::new(4).with_trouble(2, Trouble::Fails);
    let well = Demo::new(4);
    let a = parts.run("a", &sick, Plan::quick(1), "1/2");
    let b = parts.run("b", &well, Plan::quick(1), "2/2");
    let c = parts.run("c", &well, Plan::quick(1), "1/2");
    for (name, order) in [("x", [&a, &b, &c]), ("y", [&c, &b, &a])] {
        let folders = order.map(Clone::clone);
        let run = merge(vec![well.paper()], &folders, &parts.folder(name), false).unwrap();
        assert!(run.report().unwrap().is_sound());
    }
}

#[test]
fn a_run_of_another_plan_is_not_merged_over() {
    let parts = Parts::new();
    let demo = Demo::new(4);
    let a = parts.run("a", &demo, Plan::quick(1), "1/1");
    let other = parts.folder("other");
    run_in(&other, &[demo.paper()], Plan::quick(2));
    let before = findings_in(&other);
    let folders = [a];
    let error = merge(vec![demo.paper()], &folders, &other, false).unwrap_err();
    assert!(matches!(error, Error::OtherPlan { .. }), "{error}");
    let again = run_in(&other, &[demo.paper()], Plan::quick(2));
    assert_eq!(again.resumed(), 4, "its journal is whole");
    assert_eq!(findings_in(&other), before);
    merge(vec![demo.paper()], &folders, &other, true).unwrap();
    assert_ne!(findings_in(&other), before);
}
