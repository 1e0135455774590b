//! `json-list`: JSON lists of objects with a path and a digest, as written by scripts and PowerShell's
//! `ConvertTo-Json`; PowerShell writes a single object without a list. Only read.
//!
//! Keys have the same meanings as titles of tables ([`crate::format::tables::titles`]): `{"Algorithm": …, "Hash": …, "Path": …}`,
//! `{"path": …, "sha256": …}`, `{"file": …, "hashes": {"md5": …}}`, `{"name": …, "digest": "sha256:…"}`.

use super::elements::Elements;
use super::objects::{ObjectRecords, Objects, map};
use crate::Record;
use crate::format::json;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::read::lines::peek;
use crate::format::tables::titles;
use crate::format::values::draft::{Draft, Key};
use crate::format::values::naming::Naming;
use crate::format::{Hint, Reader};
use serde_json::{Map, Value};
use std::io::Read;

/// The maximum number of bytes of a single object.
const MAX_OBJECT: u64 = 1 << 20;

/// Keys of objects that map algorithm names to digests.
const MAPS: [&str; 6] = ["hash", "hashes", "digest", "digests", "checksum", "checksums"];

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let text = without_mark(first);
    match text.first() {
        Some(b'[') => begins_with_file(text),
        Some(b'{') => json::parse(text.trim_ascii_end()).is_ok_and(|value| is_single(&value)),
        _ => false,
    }
}

/// Strips a byte order mark and leading blanks.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start()
}

/// Returns whether the first object of a list is a file with a digest.
fn begins_with_file(text: &[u8]) -> bool {
    let mut elements = Elements::new(Box::new(text));
    let Ok(Some(element)) = elements.next() else { return false };
    let is_file = |value: &Value| value.as_object().is_some_and(|object| keys(object).is_some());
    element.list.is_empty() && element.value().is_ok_and(|value| is_file(&value))
}

/// Returns whether a document is one object with PowerShell's three keys.
fn is_single(value: &Value) -> bool {
    let has = |object: &Map<String, Value>| {
        ["Algorithm", "Hash", "Path"].iter().all(|key| object.contains_key(*key))
    };
    value.as_object().is_some_and(|object| object.len() == 3 && has(object))
}

/// Returns the meanings of an object's keys, if it is a file with a digest.
fn keys(object: &Map<String, Value>) -> Option<Vec<Key>> {
    let mut keys = titles::keys(object.keys().map(String::as_bytes));
    for (key, (name, value)) in keys.iter_mut().zip(object) {
        if value.is_object() && MAPS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            *key = Key::Hash;
        } else if !matches!(value, Value::String(_) | Value::Number(_) | Value::Null) {
            *key = Key::Other;
        }
    }
    titles::is_clear(&keys).then_some(keys)
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    let (first, mut input) = peek(input);
    if without_mark(&first).starts_with(b"[") {
        return Objects { list: b"", read }.reader(input);
    }
    let mut text = Vec::new();
    let record = match input.by_ref().take(MAX_OBJECT).read_to_end(&mut text) {
        Err(source) => Err(Bad::new("document", Why::Io(source))),
        Ok(_) => match json::parse(without_mark(&text).trim_ascii_end()) {
            Err(source) => Err(Bad::new("document", Why::Json(source))),
            Ok(value) => file(&value, &mut Naming::new(hint)),
        },
    };
    Box::new(Single(Some(record)))
}

/// The reader of a document with a single object.
struct Single(Option<Result<Record, Bad>>);

impl Iterator for Single {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|result| result.map_err(|bad| bad.at(1)))
    }
}

impl Reader for Single {}

fn read(value: &Value, naming: &mut Naming) -> ObjectRecords {
    vec![file(value, naming)]
}

fn file(value: &Value, naming: &mut Naming) -> Result<Record, Bad> {
    let object = value.as_object().ok_or(Bad::new("object", Why::Type))?;
    let keys = keys(object).ok_or(Bad::new("path", Why::Missing))?;
    let mut draft = Draft::default();
    let algorithm = text_of(Key::Algorithm, &keys, object).map(str::as_bytes);
    for (key, (_, value)) in keys.iter().zip(object) {
        match (key, value) {
            (_, Value::Null) | (Key::Other | Key::Algorithm, _) => {}
            (Key::Hash, Value::Object(_)) => draft.several(map(value, naming)?)?,
            (Key::Hash, value) => {
                let hash = value.as_str().ok_or(Bad::new("hash", Why::Type))?;
                if !hash.is_empty() {
                    draft.untagged(naming.beside(algorithm, hash.as_bytes()))?;
                }
            }
            (Key::Size | Key::Offset | Key::Length, value) => {
                let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
                draft.number(*key, number.ok_or(Bad::new(key.name(), Why::Number))?)?;
            }
            (key, value) => {
                let text = value.as_str().ok_or(Bad::new(key.name(), Why::Type))?;
                if !text.is_empty() {
                    draft.text(*key, text.as_bytes())?;
                }
            }
        }
    }
    draft.finish()
}

/// Returns the text behind the first key of a kind.
fn text_of<'a>(wanted: Key, keys: &[Key], object: &'a Map<String, Value>) -> Option<&'a str> {
    let mut pairs = keys.iter().zip(object.values());
    pairs.find(|(key, _)| **key == wanted)?.1.as_str().filter(|text| !text.is_empty())
}
