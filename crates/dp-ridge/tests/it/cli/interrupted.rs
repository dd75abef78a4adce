//! A run that is killed leaves its ledger uncharged and no part of an output.
#![cfg(unix)]

use super::{Desk, FIT, table};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn killed_while_reading() {
    let desk = Desk::new();
    let fifo = desk.path().join("rows.csv");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .expect("mkfifo")
            .success()
    );
    let line = format!("{FIT} --ledger ledger.json --out m.json --coef-csv c.csv")
        .replace("data.csv", "rows.csv");
    let args: Vec<&str> = line.split(' ').collect();
    let mut child = desk
        .command(&args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    // Opens when the reader has opened its end. A pipe holds 64 KiB, so when these rows are
    // written the run has read more than half of them and waits for the rest.
    let mut pipe = std::fs::File::options()
        .write(true)
        .open(&fifo)
        .expect("the reader opens");
    pipe.write_all(table(8000).as_bytes())
        .expect("the reader reads");
    child.kill().expect("a running child");
    let status = child.wait().expect("an end");
    assert_eq!(
        status.code(),
        None,
        "it was killed, it did not end by itself"
    );
    assert_eq!(desk.files(), ["data.csv", "ledger.json.lock", "rows.csv"]);

    // The lock went with the process.
    let fit = format!("{FIT} --ledger ledger.json --out m.json");
    desk.ok(&fit);
}
