//! The binary, run for real.

mod bad_input;
mod interrupted;
mod journeys;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with tables, in which the binary runs.
pub(crate) struct Desk(TempDir);

/// What the binary did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Desk {
    /// With `data.csv`: 400 rows of `a`, `b` (norm at most 1) and `y = 0.5 a − 0.3 b` rounded.
    pub(crate) fn new() -> Self {
        let desk = Self(TempDir::new().expect("a temporary folder"));
        desk.write("data.csv", &table(400));
        desk
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("a file is written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect("a file is read")
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    /// Names of all files, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dp-ridge"));
        command.args(args).current_dir(self.path());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Done {
        done(self.command(args).output().expect("the binary runs"))
    }

    /// Run a command line; words are separated by single spaces.
    pub(crate) fn line(&self, line: &str) -> Done {
        self.run(&line.split(' ').collect::<Vec<_>>())
    }

    /// Run it, and require success.
    pub(crate) fn ok(&self, line: &str) -> Done {
        let done = self.line(line);
        assert_eq!(done.code, 0, "{line}: {}", done.stderr);
        done
    }
}

pub(crate) fn done(output: Output) -> Done {
    Done {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// `fit` with everything it needs, without `--out`.
pub(crate) const FIT: &str =
    "fit data.csv --target y --x-norm 1 --y-abs 1 --eps 1 --delta 1e-6 --seed 7";

/// Deterministic rows in the unit disc.
pub(crate) fn table(n: usize) -> String {
    let mut text = "a,b,y\n".to_owned();
    for i in 0..n {
        let (angle, radius) = (i as f64 * 2.399_963, ((i % 97) as f64 / 97.0).sqrt());
        let (a, b) = (radius * angle.cos(), radius * angle.sin());
        writeln!(text, "{a:.6},{b:.6},{:.6}", 0.5 * a - 0.3 * b).expect("a String grows");
    }
    text
}
