//! The reader of documents of the Elastic Common Schema: fields in objects within each other or with dots in their
//! names, also below `_source`, as exports of Elasticsearch have them.

use super::{HASHES, LIKENESS, OWN, algorithm, hashes};
use crate::Record;
use crate::format::json::jsonl::{Keys, RecordSeed};
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::values::draft::{Draft, Key};
use crate::format::values::several::without_digest;
use crate::format::{Hint, Reader};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::Read;

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::long(input, Documents::default()))
}

#[derive(Default)]
struct Documents {
    keys: Keys,
}

impl Parse for Documents {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        if line.trim_ascii().is_empty() {
            return None;
        }
        let mut fields = Fields::new(&mut self.keys);
        let mut json = serde_json::Deserializer::from_slice(line);
        let parsed =
            FieldSeed { fields: &mut fields, name: "" }.deserialize(&mut json).and_then(|()| json.end());
        match parsed {
            Err(source) => Some(Err(Bad::new("object", Why::Json(source)))),
            Ok(()) => fields.finish(),
        }
    }
}

/// The fields of a document that describe its file.
struct Fields<'k> {
    keys: &'k mut Keys,
    path: Option<String>,
    name: Option<String>,
    size: Option<u64>,
    mtime: Option<String>,
    /// The names and digests below `file.hash`.
    hashes: Vec<(String, String)>,
    own: Option<Result<Record, Bad>>,
    /// The first field that is invalid.
    bad: Option<Bad>,
}

impl<'k> Fields<'k> {
    fn new(keys: &'k mut Keys) -> Self {
        let (path, name, mtime) = (None, None, None);
        Fields { keys, path, name, size: None, mtime, hashes: Vec::new(), own: None, bad: None }
    }

    fn text(&mut self, name: &str, text: &str) {
        let taken = match name {
            "file.path" => once(&mut self.path, text.to_owned(), "path"),
            "file.name" => once(&mut self.name, text.to_owned(), "name"),
            "file.mtime" => once(&mut self.mtime, text.to_owned(), "mtime"),
            "file.size" => match text.parse() {
                Ok(size) => once(&mut self.size, size, "size"),
                Err(_) => Err(Bad::new("size", Why::Number)),
            },
            _ => match name.strip_prefix(HASHES) {
                Some(hash) if self.hashes.iter().any(|(known, _)| known == hash) => {
                    Err(Bad::new("digest", Why::Twice))
                }
                Some(hash) => {
                    self.hashes.push((hash.to_owned(), text.to_owned()));
                    Ok(())
                }
                None => Ok(()),
            },
        };
        self.bad = self.bad.take().or(taken.err());
    }

    fn number(&mut self, name: &str, value: u64) {
        if name == "file.size" {
            let taken = once(&mut self.size, value, "size");
            self.bad = self.bad.take().or(taken.err());
        }
    }

    /// Returns the record; `None` if the document is not about a file.
    fn finish(mut self) -> Option<Result<Record, Bad>> {
        let own = self.own.take();
        let path = self.path.take().or(self.name.take()).filter(|path| !path.is_empty());
        match (self.bad.take(), own, path) {
            (Some(bad), _, _) | (None, Some(Err(bad)), _) => Some(Err(bad)),
            (None, Some(Ok(record)), path) => Some(self.same(record, path.as_deref())),
            (None, None, Some(path)) => Some(self.record(&path)),
            (None, None, None) => None,
        }
    }

    /// Returns the record by the fields of the schema.
    fn record(self, path: &str) -> Result<Record, Bad> {
        if self.hashes.is_empty() {
            return Ok(Record { size: self.size, ..without_digest(path.as_bytes()) });
        }
        let mut draft = Draft::default();
        draft.text(Key::Path, path.as_bytes())?;
        self.size.map_or(Ok(()), |size| draft.number(Key::Size, size))?;
        self.mtime.map_or(Ok(()), |mtime| draft.text(Key::Mtime, mtime.as_bytes()))?;
        for (name, text) in &self.hashes {
            draft.text(Key::from_name(algorithm(name).as_bytes()), text.as_bytes())?;
        }
        draft.finish()
    }

    /// Returns a whole record, if the fields of the schema don't say anything else: other programs go by these.
    fn same(self, record: Record, path: Option<&str>) -> Result<Record, Bad> {
        let differs = |part| Err(Bad::new(part, Why::Disagrees(OWN)));
        if path.is_some_and(|path| path != String::from_utf8_lossy(&record.path)) {
            return differs("path");
        }
        if self.size.is_some() && self.size != record.size {
            return differs("size");
        }
        let is_likeness = |(name, _): &&(String, String)| LIKENESS.contains(&name.as_str());
        let (said, known) = (&self.hashes, hashes(&record));
        // Texts of likeness digests may have names, whose lost bytes are another text.
        let of = |all: &[(String, String)]| {
            all.iter().filter(|hash| !is_likeness(hash)).cloned().collect::<Vec<_>>()
        };
        if !said.is_empty() && of(said) != of(&known) { differs("digest") } else { Ok(record) }
    }
}

fn once<T>(place: &mut Option<T>, value: T, part: &'static str) -> Result<(), Bad> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Bad::new(part, Why::Twice)),
    }
}

/// The value of the field of this name, or of the whole document if it is empty.
struct FieldSeed<'a, 'k> {
    fields: &'a mut Fields<'k>,
    name: &'a str,
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        if self.name.is_empty() { json.deserialize_map(self) } else { json.deserialize_any(self) }
    }
}

impl<'de> Visitor<'de> for FieldSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let name = match self.name {
                "" | "_source" => key,
                above => format!("{above}.{key}"),
            };
            if name == OWN {
                let twice = self.fields.own.is_some();
                let own = map.next_value_seed(RecordSeed(self.fields.keys))?;
                self.fields.own = Some(if twice { Err(Bad::new(OWN, Why::Twice)) } else { own });
            } else if is_of_interest(&name) {
                map.next_value_seed(FieldSeed { fields: self.fields, name: &name })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        // Any field may have several values, and an export has each in a list.
        while items.next_element_seed(FieldSeed { fields: &mut *self.fields, name: self.name })?.is_some() {}
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.fields.text(self.name, text);
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.fields.number(self.name, value);
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Returns whether fields of files may lie below this name.
fn is_of_interest(name: &str) -> bool {
    name == "_source" || name == "file" || name.starts_with("file.")
}
