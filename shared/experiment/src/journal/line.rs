//! A line of a journal: `{"sum":"<16 hex digits>","len":<bytes>,"body":<JSON>}`.

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct Line<'a> {
    sum: &'a str,
    len: usize,
    #[serde(borrow)]
    body: &'a RawValue,
}

/// The first 16 hex digits of SHA-256.
pub(crate) fn digest(bytes: &[u8]) -> String {
    short_hex(&Sha256::digest(bytes))
}

pub(crate) fn short_hex(hash: &[u8]) -> String {
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A body (one line of JSON) with its length and checksum, and a line end.
pub(super) fn framed(body: &str) -> String {
    format!(
        "{{\"sum\":\"{}\",\"len\":{},\"body\":{body}}}\n",
        digest(body.as_bytes()),
        body.len()
    )
}

/// The body of a line, or what is wrong with the line.
pub(super) fn content(line: &[u8]) -> Result<&str, String> {
    let line = line.strip_suffix(b"\n").ok_or("it has no line end")?;
    let line: Line<'_> =
        serde_json::from_slice(line).map_err(|error| format!("it is not a record ({error})"))?;
    let body = line.body.get();
    if body.len() != line.len {
        return Err(format!(
            "its content has {} bytes and should have {}",
            body.len(),
            line.len
        ));
    }
    let sum = digest(body.as_bytes());
    if sum != line.sum {
        return Err(format!(
            "its content has the checksum {sum} and should have {}",
            line.sum
        ));
    }
    Ok(body)
}

/// Whether a damaged line may be the beginning of one of ours.
pub(super) fn may_begin(text: &[u8]) -> bool {
    const BEGIN: &[u8] = b"{\"sum\":\"";
    let shared = text.len().min(BEGIN.len());
    text[..shared] == BEGIN[..shared]
}
