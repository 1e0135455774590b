//! The reader for formats whose records are objects in a list of a JSON document.

use super::elements::Elements;
use crate::Record;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::values::naming::Naming;
use crate::format::values::several::Several;
use crate::format::{Hint, Reader};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::Read;

/// The records of an object, possibly none.
pub(in crate::format) type ObjectRecords = Vec<Result<Record, Bad>>;

#[derive(Clone, Copy)]
pub(in crate::format) struct Objects {
    /// The path of the list whose objects are files, as in [`super::elements::Element::list`].
    pub list: &'static [u8],
    /// Converts an object to records.
    pub read: fn(&Value, &mut Naming) -> ObjectRecords,
}

/// Converts an object to records, by what it remembers of those before.
pub(in crate::format) type ReadObject = Box<dyn FnMut(&Value, &mut Naming) -> ObjectRecords>;

impl Objects {
    pub fn reader<'a>(self, input: Box<dyn Read + 'a>) -> Box<dyn Reader + 'a> {
        Objects::remembering(self.list, Box::new(self.read), input)
    }

    /// Creates a reader of the objects of a list, each of which may need what those before it said.
    pub fn remembering<'a>(
        list: &'static [u8],
        read: ReadObject,
        input: Box<dyn Read + 'a>,
    ) -> Box<dyn Reader + 'a> {
        Box::new(ObjectReader {
            list,
            read,
            elements: Elements::new(input),
            naming: Naming::new(Hint::None),
            ready: VecDeque::new(),
            met: false,
            told: false,
            ended: false,
        })
    }
}

struct ObjectReader<'a> {
    list: &'static [u8],
    read: ReadObject,
    elements: Elements<'a>,
    naming: Naming,
    ready: VecDeque<Result<Record, Malformed>>,
    /// Whether the list had objects, and whether any of them described a file.
    met: bool,
    told: bool,
    ended: bool,
}

impl Iterator for ObjectReader<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.ended {
            if let Err(bad) = self.step() {
                self.ended = true;
                self.ready.push_back(Err(bad.at(self.elements.line())));
            }
        }
        self.ready.pop_front()
    }
}

impl Reader for ObjectReader<'_> {}

impl ObjectReader<'_> {
    fn step(&mut self) -> Result<(), Bad> {
        let Some(element) = self.elements.next()? else {
            self.ended = true;
            self.check_rest()?;
            // A document without files must not pass as one whose files all match.
            return if self.met && !self.told { Err(Bad::new("files", Why::Missing)) } else { Ok(()) };
        };
        if *element.list != *self.list {
            return Ok(());
        }
        self.met = true;
        let found = match element.value() {
            Ok(value) => (self.read)(&value, &mut self.naming),
            Err(bad) => vec![Err(bad)],
        };
        self.told |= !found.is_empty();
        self.ready.extend(found.into_iter().map(|result| result.map_err(|bad| bad.at(element.line))));
        Ok(())
    }

    /// Checks the text around the objects: the list must contain only objects.
    fn check_rest(&self) -> Result<(), Bad> {
        let rest = self.elements.rest()?;
        let mut keys = self.list.split(|byte| *byte == b'.').filter(|key| !key.is_empty());
        let list = keys.try_fold(&rest, |value, key| value.get(str::from_utf8(key).ok()?));
        let has_others =
            list.and_then(Value::as_array).is_some_and(|list| list.iter().any(|entry| !entry.is_null()));
        if has_others { Err(Bad::new("list", Why::Type)) } else { Ok(()) }
    }
}

/// Returns whether a text has this key of an object.
pub(in crate::format) fn has_key(text: &[u8], key: &str) -> bool {
    let quoted = format!("\"{key}\"");
    memchr::memmem::find_iter(text, &quoted).any(|at| {
        let rest = text[at + quoted.len()..].trim_ascii_start();
        rest.starts_with(b":")
    })
}

/// Returns whether a document is an object with these keys.
pub(in crate::format) fn has_keys(text: &[u8], keys: &[&str]) -> bool {
    text.trim_ascii_start().starts_with(b"{") && keys.iter().all(|key| has_key(text, key))
}

/// Returns the text of a key.
pub(in crate::format) fn text<'a>(object: &'a Value, key: &'static str) -> Result<&'a str, Bad> {
    let value = object.get(key).ok_or(Bad::new(key, Why::Missing))?;
    let text = value.as_str().ok_or(Bad::new(key, Why::Type))?;
    if text.is_empty() { Err(Bad::new(key, Why::Missing)) } else { Ok(text) }
}

/// Returns the digests of an object like `{"sha256": "…"}`.
pub(in crate::format) fn map(object: &Value, naming: &mut Naming) -> Result<Several, Bad> {
    let mut several = Several::default();
    let map = object.as_object().ok_or(Bad::new("digest", Why::Type))?;
    for (name, digest) in map {
        let digest = digest.as_str().ok_or(Bad::new("digest", Why::Type))?;
        if !digest.is_empty() {
            several.add(naming.tagged(name.as_bytes(), digest.as_bytes()))?;
        }
    }
    Ok(several)
}

/// Returns the digests of a list of objects with name and digest under these keys.
pub(in crate::format) fn pairs(
    list: &Value,
    keys: [&'static str; 2],
    naming: &mut Naming,
) -> Result<Several, Bad> {
    let mut several = Several::default();
    for pair in list.as_array().ok_or(Bad::new("digest", Why::Type))? {
        let (name, digest) = (text(pair, keys[0])?, text(pair, keys[1])?);
        several.add(naming.tagged(name.as_bytes(), digest.as_bytes()))?;
    }
    Ok(several)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_told_from_a_text() {
        assert!(has_key(b"{\"bomFormat\" : \"CycloneDX\"}", "bomFormat"));
        assert!(!has_key(b"{\"path\":\"bomFormat\",\"x\":1}", "bomFormat"));
        assert!(!has_key(b"{\"path\":\"\\\"bomFormat\\\":\"}", "bomFormat"));
    }
}
