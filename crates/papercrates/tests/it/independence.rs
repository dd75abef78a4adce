//! A paper's crate depends on no other paper's crate, and a shared crate on no paper's.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Paper,
    Shared,
    Umbrella,
    Benches,
}

/// What a package is, by the folder of its manifest below the root of the workspace.
fn kind(manifest: &str, root: &str) -> Kind {
    let path = manifest.strip_prefix(root).unwrap().replace('\\', "/");
    match path.trim_start_matches('/').split('/').collect::<Vec<_>>()[..] {
        ["crates", "papercrates", _] => Kind::Umbrella,
        ["crates", _, _] => Kind::Paper,
        ["shared", _, _] => Kind::Shared,
        ["benches", _] => Kind::Benches,
        _ => panic!("{path} is in none of the workspace's folders"),
    }
}

/// Dependencies that must not be, as `from -> to`; of all kinds and behind any feature.
fn forbidden(metadata: &Value) -> Vec<String> {
    let root = metadata["workspace_root"].as_str().unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let kinds: BTreeMap<&str, Kind> = packages
        .iter()
        .map(|package| {
            let manifest = package["manifest_path"].as_str().unwrap();
            (package["name"].as_str().unwrap(), kind(manifest, root))
        })
        .collect();
    let mut found = Vec::new();
    for package in packages {
        let from = package["name"].as_str().unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let to = dependency["name"].as_str().unwrap();
            let bad = match (kinds[from], kinds.get(to)) {
                // Benches may use anything, and tests their own crate with other features.
                (_, None) | (Kind::Benches, _) => false,
                _ if from == to => false,
                (_, Some(Kind::Shared)) => false,
                (Kind::Umbrella, Some(Kind::Paper)) => false,
                (_, Some(_)) => true,
            };
            if bad {
                found.push(format!("{from} -> {to}"));
            }
        }
    }
    found
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn papers_are_independent_of_each_other_and_shared_crates_of_papers() {
    let metadata = metadata();
    let names: Vec<&str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| package["name"].as_str().unwrap())
        .collect();
    for name in [
        "papercrates",
        "dp-ridge",
        "papercrates-numeric",
        "papercrates-experiment",
    ] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert_eq!(forbidden(&metadata), Vec::<String>::new());
}

#[test]
fn the_check_finds_what_it_is_for() {
    let package = |folder: &str, name: &str, dependencies: &[&str]| {
        json!({
            "name": name,
            "manifest_path": format!("/w/{folder}/Cargo.toml"),
            "dependencies": dependencies.iter().map(|d| json!({ "name": d })).collect::<Vec<_>>(),
        })
    };
    let metadata = json!({
        "workspace_root": "/w",
        "packages": [
            package("crates/papercrates", "papercrates", &["a", "shared-x", "clap"]),
            package("crates/a", "a", &["shared-x", "serde", "b", "a"]),
            package("crates/b", "b", &["papercrates"]),
            package("shared/x", "shared-x", &["a", "shared-y"]),
            package("shared/y", "shared-y", &[]),
            package("benches", "benches", &["a", "b"]),
        ],
    });
    assert_eq!(
        forbidden(&metadata),
        ["a -> b", "b -> papercrates", "shared-x -> a"]
    );
}
