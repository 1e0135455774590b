//! Canonical lines of JSON: a line is only accepted if hashmill would write exactly the same bytes.

use crate::error::{Error, invalid};
use crate::seal::Seal;
use hashmill_digest::Digest;
use hashmill_manifest::format::{Format, Hint, Layout, find_format};
use hashmill_manifest::{Record, json_fault};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::io;

pub(crate) const RECORD_MISSING: &str = "a record must follow this line";
pub(crate) const NOT_CANONICAL: &str = "not written as hashmill writes it";

/// A digest as lower-case hexadecimal text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hex(pub Digest);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Hex, D::Error> {
        let text = String::deserialize(input)?;
        Digest::from_hex(text.as_bytes()).map(Hex).map_err(D::Error::custom)
    }
}

/// Writes a value as a line.
pub(crate) fn line(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    line.push(b'\n');
    Ok(line)
}

/// Parses a line without its end.
pub(crate) fn parse<T: Serialize + DeserializeOwned>(text: &[u8], number: u64) -> Result<T, Error> {
    let value = serde_json::from_slice(text).map_err(|source| invalid(number, json_fault(&source)))?;
    same(&line(&value)?, text, number)?;
    Ok(value)
}

/// Parses the seal that is quoted in the first line.
pub(crate) fn seal(text: &str) -> Result<Seal, Error> {
    Seal::from_text(text.as_bytes()).map_err(|error| match error {
        Error::Invalid { fault, .. } => invalid(1, format!("its seal: {fault}")),
        other => other,
    })
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

pub(crate) fn record_line(record: &Record) -> Result<Vec<u8>, Error> {
    let mut line = Vec::new();
    let writer = jsonl().writer.expect("hashmill writes jsonl");
    writer(Layout::default()).record(record, &mut line)?;
    Ok(line)
}

/// Parses a record in a line without its end. `guessed`: the manifest does not name the algorithms of its digests.
pub(crate) fn parse_record(text: &[u8], guessed: bool, number: u64) -> Result<Record, Error> {
    let mut reader = (jsonl().reader)(Box::new(text), Hint::None);
    let mut record = match (reader.next(), reader.next()) {
        (Some(Ok(record)), None) => record,
        (Some(Err(malformed)), _) => return Err(invalid(number, malformed.why.to_string())),
        _ => return Err(invalid(number, RECORD_MISSING)),
    };
    same(&record_line(&record)?, text, number)?;
    record.digests.iter_mut().for_each(|named| named.guessed = guessed);
    Ok(record)
}

/// Returns whether the digests of a record are unnamed in its manifest. Lists have one digest per record, and other
/// formats name all algorithms.
pub(crate) fn is_guessed(record: &Record) -> bool {
    record.digests.iter().any(|named| named.guessed)
}

fn jsonl() -> &'static Format {
    find_format("jsonl").expect("the registry has jsonl")
}

fn same(line: &[u8], text: &[u8], number: u64) -> Result<(), Error> {
    if line.strip_suffix(b"\n") == Some(text) { Ok(()) } else { Err(invalid(number, NOT_CANONICAL)) }
}
