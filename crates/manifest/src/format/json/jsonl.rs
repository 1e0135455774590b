//! `jsonl`: one JSON object per line. Keys: `path`, `path_b64` (only if the name is not UTF-8), `size`, `status`,
//! `strength` (only if stored), `reason` (only if not hashed), `version` (of an object in a store with versions),
//! `offset` and `length` (of a piece), one for each algorithm by its name, `NAME_leaves` (the leaf digests, if kept),
//! `type` (an object: `mime`, `name`, `extensions`), `mismatch`, `entropy`, `chi2`, `class`, `yara` (names of rules),
//! `yara_status`, `yara_matches`, `puid` (identifiers), `puid_formats` and `puid_signatures` (facts about
//! content),
//! `mtime`, `ctime`, `inode`, `device`, `read` and `reused` (the metadata, if kept), `atime`, `crtime`, `container` and
//! `allocation` (of an entry inside of another file), `bad_blocks` (if there are any), `category` and `set` (if sets of known digests were consulted). Case data
//! are lines of their own, see [`crate::case::line`]. A missing likeness digest is `null`, and `NAME_status` gives the
//! reason; it also marks sparse ones. The reader ignores other keys.

use crate::case::line::{CasePlace, json, write_json};
use crate::case::{About, End, Start};
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::values::base64;
use crate::format::values::draft::{Draft, Key};
use crate::format::values::naming::write_number;
use crate::format::values::{leaves, pronom, ranges, rule_matches, style};
use crate::format::{Hint, Layout, Reader, Writer};
use crate::{KeptLeaves, Likeness, Metadata, Named, Record, Time};
use hashmill_digest::Style;
use hashmill_facts::{ContentFacts, ContentType, Entropy};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Returns whether a line is a record or case data. Objects of other JSON documents have no path.
pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let has = |key: &[u8]| memchr::memmem::find(line, key).is_some();
    line.trim_ascii_start().starts_with(b"{") && (has(b"\"path\"") || has(b"\"case_start\""))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::long(input, Jsonl::default()))
}

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    let places = layout.likeness.iter().map(|(place, _)| *place).collect();
    Box::new(JsonlWriter { line: Vec::new(), places, style: layout.style, start: layout.case })
}

#[derive(Default)]
struct Jsonl {
    keys: Keys,
}

/// The most keys that are remembered, and the longest one in bytes.
const KEYS: usize = 64;
const KEY: usize = 64;

/// The keys of a line, in order. Nearly always, the next line has the same ones, so that they are not looked up again.
#[derive(Default)]
pub(super) struct Keys {
    known: Vec<(Box<str>, Key)>,
    /// The number of keys of this line so far.
    at: usize,
}

impl Keys {
    fn next(&mut self, name: &str) -> Key {
        let place = self.at;
        self.at += 1;
        match self.known.get(place) {
            Some((known, key)) if **known == *name => *key,
            _ => {
                let key = Key::from_name(name.as_bytes());
                self.known.truncate(place);
                if place == self.known.len() && place < KEYS && name.len() <= KEY {
                    self.known.push((name.into(), key));
                }
                key
            }
        }
    }
}

impl Parse for Jsonl {
    const CASE: CasePlace = CasePlace::Objects;

    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        (!line.trim_ascii().is_empty()).then(|| object(line, &mut self.keys))
    }
}

fn object(line: &[u8], keys: &mut Keys) -> Result<Record, Bad> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let read = RecordSeed(keys).deserialize(&mut json).and_then(|record| json.end().map(|()| record));
    read.map_err(|source| Bad::new("object", Why::Json(source)))?
}

/// Reads an object as a record.
pub(super) struct RecordSeed<'k>(pub &'k mut Keys);

impl<'de> DeserializeSeed<'de> for RecordSeed<'_> {
    type Value = Result<Record, Bad>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        let RecordSeed(keys) = self;
        keys.at = 0;
        let mut fill = DraftVisitor { draft: Draft::default(), bad: None, keys };
        json.deserialize_map(&mut fill)?;
        Ok(match fill.bad {
            Some(bad) => Err(bad),
            None => fill.draft.finish(),
        })
    }
}

/// Fills a draft from an object's members.
struct DraftVisitor<'k> {
    draft: Draft,
    /// The first invalid member.
    bad: Option<Bad>,
    keys: &'k mut Keys,
}

impl<'de> Visitor<'de> for &mut DraftVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Name(self.keys))? {
            let taken = match key {
                Key::Other => {
                    map.next_value::<IgnoredAny>()?;
                    Ok(())
                }
                Key::Size | Key::Offset | Key::Length => match map.next_value::<Option<u64>>()? {
                    Some(value) => self.draft.number(key, value),
                    None => Ok(()),
                },
                Key::Likeness(_) => match map.next_value::<Option<Cow<'_, str>>>()? {
                    Some(text) => self.draft.text(key, text.as_bytes()),
                    None => Ok(()),
                },
                Key::BadBlocks => match map.next_value::<Option<Vec<(u64, u64)>>>()? {
                    Some(pairs) => self.draft.bad_blocks(pairs),
                    None => Ok(()),
                },
                key if key.is_fact() => fact(&mut self.draft, key, &map.next_value::<serde_json::Value>()?),
                key if key.is_metadata() => match map.next_value::<serde_json::Value>()? {
                    serde_json::Value::Number(value) => {
                        value.as_u64().map_or(Ok(()), |value| self.draft.number(key, value))
                    }
                    serde_json::Value::String(text) => self.draft.text(key, text.as_bytes()),
                    serde_json::Value::Bool(true) => self.draft.text(key, b"true"),
                    _ => Ok(()),
                },
                // Lists of other programs use these words for other things.
                Key::Category | Key::Set | Key::Reason | Key::Version | Key::Strength | Key::Foreign(_) => {
                    match map.next_value::<serde_json::Value>()? {
                        serde_json::Value::String(text) => self.draft.text(key, text.as_bytes()),
                        _ => Ok(()),
                    }
                }
                _ => self.draft.text(key, map.next_value_seed(Text)?.as_bytes()),
            };
            self.bad = self.bad.take().or(taken.err());
        }
        Ok(())
    }
}

/// Takes a fact about content. Lists of other programs use these words for other things.
fn fact(draft: &mut Draft, key: Key, value: &serde_json::Value) -> Result<(), Bad> {
    match value {
        serde_json::Value::Object(parts) if key == Key::Type => {
            let text = |name| parts.get(name).and_then(serde_json::Value::as_str);
            let all = parts.get("extensions").and_then(serde_json::Value::as_array);
            draft.extensions(all.into_iter().flatten().filter_map(serde_json::Value::as_str))?;
            for (key, name) in [(Key::Type, "mime"), (Key::TypeName, "name")] {
                text(name).map_or(Ok(()), |text| draft.text(key, text.as_bytes()))?;
            }
            Ok(())
        }
        array @ serde_json::Value::Array(_) if key == Key::YaraMatches => draft.rule_matches(array),
        serde_json::Value::Array(_) if key == Key::PuidFormats => {
            draft.text(key, value.to_string().as_bytes())
        }
        serde_json::Value::String(text) => draft.text(key, text.as_bytes()),
        serde_json::Value::Bool(is_so) => draft.text(key, is_so.to_string().as_bytes()),
        serde_json::Value::Number(number) => number.as_f64().map_or(Ok(()), |number| draft.real(key, number)),
        _ => Ok(()),
    }
}

/// Reads a key without copying it.
struct Name<'k>(&'k mut Keys);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Key, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
        Ok(self.0.next(name))
    }
}

/// Reads a string without copying it, unless it has escapes.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_string()))
    }
}

struct JsonlWriter {
    line: Vec<u8>,
    /// The indices of likeness digests among all digests; indices beyond them are appended.
    places: Vec<usize>,
    style: Style,
    start: Option<Arc<Start>>,
}

impl Writer for JsonlWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(start) = self.start.as_deref() else { return Ok(()) };
        out.write_all(&[&json(&About::Start(start.clone()))?[..], b"\n"].concat())
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        self.line.clear();
        self.line.extend_from_slice(b"{\"path\":");
        write_json(&mut self.line, &*String::from_utf8_lossy(&record.path))?;
        if let Some(base64) = base64::for_name(&record.path) {
            self.text("path_b64", base64.as_bytes());
        }
        self.number("size", record.size);
        self.text("status", record.status.word().as_bytes());
        if let Some(strength) = record.status.strength() {
            self.text("strength", strength.word().as_bytes());
        }
        if let Some(reason) = &record.reason {
            self.key("reason");
            write_json(&mut self.line, reason)?;
        }
        if let Some(version) = &record.version {
            self.key("version");
            write_json(&mut self.line, version)?;
        }
        self.number("offset", record.piece.map(|piece| piece.offset));
        self.number("length", record.piece.map(|piece| piece.length));
        self.digests(record)?;
        if let Some(facts) = &record.facts {
            self.facts(facts)?;
        }
        self.time("mtime", record.mtime);
        if let Some(metadata) = &record.metadata {
            self.metadata(metadata)?;
        }
        if !record.bad_blocks.is_empty() {
            self.key("bad_blocks");
            ranges::write(&record.bad_blocks, &mut self.line);
        }
        if let Some(label) = &record.label {
            self.key("category");
            write_json(&mut self.line, &label.category)?;
            if !label.set.is_empty() {
                self.key("set");
                write_json(&mut self.line, &label.set)?;
            }
        }
        self.line.extend_from_slice(b"}\n");
        out.write_all(&self.line)
    }

    fn conclude(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&[&json(&About::End(end.clone()))?[..], b"\n"].concat())
    }
}

impl JsonlWriter {
    fn digests(&mut self, record: &Record) -> io::Result<()> {
        let (mut digests, mut likeness) = (record.digests.iter(), record.likeness.iter());
        for place in 0..record.digests.len() + record.likeness.len() {
            let turn = self.places.contains(&place) || digests.len() == 0;
            let next = if turn { likeness.next() } else { None };
            if let Some(likeness) = next {
                self.likeness(likeness, &record.path)?;
            } else if let Some(named) = digests.next() {
                self.digest(named);
                let leaves = record.leaves.iter().filter(|leaves| leaves.algorithm == named.algorithm);
                leaves.for_each(|leaves| self.leaves(leaves));
            }
        }
        Ok(())
    }

    fn digest(&mut self, named: &Named) {
        self.key(&[named.algorithm.name, style::suffix(self.style, named.algorithm)].concat());
        self.line.push(b'"');
        style::write(self.style, named, &mut self.line);
        self.line.push(b'"');
    }

    fn leaves(&mut self, kept: &KeptLeaves) {
        self.key(&[kept.algorithm.name, leaves::SUFFIX].concat());
        self.line.push(b'"');
        leaves::write(kept, &mut self.line);
        self.line.push(b'"');
    }

    fn likeness(&mut self, likeness: &Likeness, path: &[u8]) -> io::Result<()> {
        self.key(likeness.algorithm.name);
        // Names in digests may need escapes.
        write_json(&mut self.line, &likeness.text(path))?;
        if let Some(word) = likeness.status() {
            self.text(&format!("{}_status", likeness.algorithm.name), word.as_bytes());
        }
        Ok(())
    }

    fn facts(&mut self, facts: &ContentFacts) -> io::Result<()> {
        if let Some(content) = &facts.content_type {
            let ContentType { mime, name, extensions } = &**content;
            self.key("type");
            self.line.extend_from_slice(b"{\"mime\":");
            write_json(&mut self.line, mime)?;
            self.key("name");
            write_json(&mut self.line, name)?;
            self.key("extensions");
            write_json(&mut self.line, extensions)?;
            self.line.push(b'}');
        }
        if let Some(is_mismatch) = facts.mismatch {
            self.raw("mismatch", is_mismatch);
        }
        if let Some(Entropy { bits, chi_square }) = facts.entropy {
            self.raw("entropy", bits);
            chi_square.iter().for_each(|chi_square| self.raw("chi2", chi_square));
        }
        if let Some(class) = facts.class {
            self.text("class", class.word().as_bytes());
        }
        if let Some(rules) = &facts.rules {
            self.key("yara");
            write_json(&mut self.line, &rules.names())?;
            self.text("yara_status", rules.status.word().as_bytes());
            if !rules.matches.is_empty() {
                self.raw("yara_matches", rule_matches::to_json(&rules.matches));
            }
        }
        if let Some(found) = &facts.pronom {
            self.key("puid");
            write_json(&mut self.line, &found.puids())?;
            if !found.formats.is_empty() {
                self.raw("puid_formats", pronom::to_json(&found.formats));
            }
            self.text("puid_signatures", found.signatures.as_bytes());
        }
        Ok(())
    }

    fn metadata(&mut self, metadata: &Metadata) -> io::Result<()> {
        self.time("ctime", metadata.ctime);
        self.number("inode", metadata.inode);
        self.number("device", metadata.device);
        self.time("read", metadata.read);
        if metadata.reused {
            self.key("reused");
            self.line.extend_from_slice(b"true");
        }
        self.time("atime", metadata.accessed);
        self.time("crtime", metadata.created);
        if let Some(container) = &metadata.container {
            self.key("container");
            write_json(&mut self.line, container)?;
        }
        if let Some(allocation) = metadata.allocation {
            self.text("allocation", allocation.word().as_bytes());
        }
        if !metadata.attributes.is_empty() {
            self.text("attributes", metadata.attributes.to_string().as_bytes());
        }
        Ok(())
    }

    fn time(&mut self, name: &str, time: Option<Time>) {
        if let Some(time) = time.and_then(Time::to_rfc3339) {
            self.text(name, time.as_bytes());
        }
    }

    fn key(&mut self, name: &str) {
        self.line.extend_from_slice(b",\"");
        self.line.extend_from_slice(name.as_bytes());
        self.line.extend_from_slice(b"\":");
    }

    /// Adds text that needs no escaping.
    fn text(&mut self, name: &str, text: &[u8]) {
        self.key(name);
        self.line.push(b'"');
        self.line.extend_from_slice(text);
        self.line.push(b'"');
    }

    /// Adds a value whose text is JSON.
    fn raw(&mut self, name: &str, value: impl fmt::Display) {
        self.key(name);
        self.line.extend_from_slice(value.to_string().as_bytes());
    }

    fn number(&mut self, name: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.key(name);
            write_number(value, &mut self.line);
        }
    }
}
