//! JSON of any shape: one document, or one object in each line.
//!
//! Digests are found by their keys (`MD5`, `hashes.sha256`), by the kind beside them (`{"type": "md5", "value": …}`, as
//! MISP and OTX write them), in patterns of STIX, and as the elements of a list that has nothing else. What is below
//! keys of other things than files, as sections and certificates, is not taken. Nothing but the objects that are open
//! is in memory.

use super::beginning::beginning;
use super::cell::{Bad, Cell, NamedDigest, Untagged, clean, is_shaped};
use super::counted::{Counted, Place};
use super::input::Notice;
use super::intake::Intake;
use super::meaning::{Meaning, ValueKind};
use super::stix;
use super::taken::{Taken, add_name};
use crate::build::{Annotation, DetailNumber};
use crate::error::Error;
use hashbrown::HashMap;
use hashmill_manifest::format::{self, Hint, Lines, Malformed};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::Read;

/// The most digests of one record, and the most values of an object that are kept until its kind is known.
const MAX_KEPT: usize = 64;

/// The most keys whose meanings are kept.
const MAX_MEANINGS: usize = 1024;

/// The longest value that may be a digest with a name before it, in bytes.
const MAX_VALUE: usize = 8 << 10;

/// The longest line in bytes, where each has an object.
const MAX_LINE: usize = 16 << 20;

/// Formats that are read here instead, since more can be read so.
const READ_HERE: [&str; 1] = ["json-list"];

/// The objects of STIX and MISP that have digests of something else than files.
const NOT_FILES: [&str; 5] = ["x509-certificate", "x509", "pe-section", "elf-section", "macho-section"];

/// Keys of parts of files, or of what is said elsewhere about them.
const PARTS: [&str; 4] =
    ["alternate_data_streams", "external_references", "file_header_hashes", "optional_header"];

/// Returns whether a file is JSON that no other reader has.
pub(super) fn is_json(first: &[u8]) -> bool {
    let text = without_mark(first).trim_ascii_start();
    let next = text.get(1..).unwrap_or_default().trim_ascii_start().first();
    let begins = match text.first() {
        Some(b'{') => matches!(next, Some(b'"')),
        Some(b'[') => matches!(next, Some(b'"' | b'{' | b'[')),
        _ => false,
    };
    begins
        && format::sniff(first)
            .is_none_or(|format| READ_HERE.contains(&format.name) || is_foreign(format, first))
}

/// Returns whether lines of JSON with paths are of another program: hashmill's say which files were not read whole.
fn is_foreign(format: &format::Format, first: &[u8]) -> bool {
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |key: &[u8]| line.windows(key.len()).any(|text| text == key);
    format.name == "jsonl" && !has(b"\"status\"") && !has(b"\"case_start\"")
}

fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Returns whether the first line is a whole object, and not the last one.
fn has_lines(first: &[u8]) -> bool {
    let text = without_mark(first).trim_ascii_start();
    let Some(end) = text.iter().position(|byte| *byte == b'\n') else { return false };
    let is_value = serde_json::from_slice::<de::IgnoredAny>(&text[..end]).is_ok();
    is_value && text[end..].trim_ascii_start().starts_with(b"{")
}

pub(super) fn import(stream: Box<dyn Read + '_>, hint: Hint, intake: &mut Intake<'_>) -> Result<(), Error> {
    intake.format("json");
    let (first, stream) = beginning(stream).map_err(Error::io(&intake.path, "read"))?;
    let detail = intake.number(&intake.detail());
    let untagged = Untagged::new(intake.algorithm, hint);
    let column = intake.column.clone();
    let mut sink = Sink {
        intake,
        untagged,
        column,
        detail,
        taken: Taken::default(),
        left: Vec::new(),
        place: Place::default(),
        meanings: HashMap::new(),
        failed: None,
    };
    match has_lines(&first) {
        true => sink.lines(Lines::bounded(stream, MAX_LINE))?,
        false => sink.document(stream, without_mark(&first).len() < first.len())?,
    }
    if !sink.left.is_empty() {
        sink.intake.leave(Notice::Columns(sink.left));
    }
    sink.intake.notice(Notice::Taken(sink.taken));
    Ok(())
}

/// The sink for what is found.
struct Sink<'s, 'i> {
    intake: &'s mut Intake<'i>,
    untagged: Untagged,
    /// The key that the user named.
    column: Option<Box<str>>,
    detail: DetailNumber,
    taken: Taken,
    /// The keys of what looks like digests and was not taken.
    left: Vec<Box<str>>,
    place: Place,
    /// The meanings of the keys so far.
    meanings: HashMap<String, Meaning>,
    failed: Option<Error>,
}

impl Sink<'_, '_> {
    fn lines(&mut self, mut lines: Lines<'_>) -> Result<(), Error> {
        while let Some(line) = lines.next() {
            let (number, line) = match line {
                Ok(line) => line,
                Err(malformed) => {
                    self.intake.malformed(malformed)?;
                    continue;
                }
            };
            self.place.set_line(number);
            if !line.trim_ascii().is_empty() {
                let mut input = serde_json::Deserializer::from_slice(line);
                let read = Node::root(self).deserialize(&mut input).and_then(|()| input.end());
                self.check("object", read)?;
            }
        }
        Ok(())
    }

    fn document(&mut self, stream: Box<dyn Read + '_>, has_mark: bool) -> Result<(), Error> {
        let mut stream = Counted::new(stream, &self.place);
        if has_mark {
            stream.skip(3).map_err(Error::io(&self.intake.path, "read"))?;
        }
        let mut input = serde_json::Deserializer::from_reader(stream);
        // One value may follow another.
        loop {
            let read = Node::root(self).deserialize(&mut input);
            let is_whole = read.is_ok();
            self.check("document", read)?;
            if !is_whole || input.end().is_ok() {
                return Ok(());
            }
        }
    }

    /// Reports why JSON can't be read on.
    fn check(&mut self, part: &'static str, read: serde_json::Result<()>) -> Result<(), Error> {
        let Err(error) = read else { return Ok(()) };
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let why = match self.place.too_long() {
            Some(most) => format::Why::TooLong(most),
            None if error.is_io() => format::Why::Io(error.into()),
            None => format::Why::Json(error),
        };
        self.intake.malformed(Malformed { line: self.place.line(), part, why })
    }

    /// Adds the digests of an object, and ends the reading if that fails.
    fn emit<E: de::Error>(&mut self, found: FoundDigests) -> Result<(), E> {
        self.try_emit(found).map_err(|error| {
            self.failed = Some(error);
            E::custom("ended")
        })
    }

    fn try_emit(&mut self, found: FoundDigests) -> Result<(), Error> {
        let is_bad = !found.bad.is_empty();
        for (part, why) in found.bad {
            self.intake.malformed(Malformed { line: self.place.line(), part, why })?;
        }
        if !found.digests.is_empty() {
            for (key, named, by_length) in &found.digests {
                self.taken.add(key, named, *by_length);
            }
            let digests =
                found.digests.iter().map(|(_, (algorithm, digest), _)| (*algorithm, digest.as_bytes()));
            let annotation = Annotation { detail: self.detail, size: found.size };
            return self.intake.record(digests, annotation);
        }
        if found.expected && !is_bad {
            self.taken.add_without();
            self.intake.skip();
        }
        Ok(())
    }

    fn meaning(&mut self, key: &str) -> Meaning {
        if let Some(meaning) = self.meanings.get(key) {
            return *meaning;
        }
        let meaning = self.new_meaning(key);
        if self.meanings.len() < MAX_MEANINGS && key.len() < MAX_KEPT {
            self.meanings.insert(key.to_string(), meaning);
        }
        meaning
    }

    fn new_meaning(&self, key: &str) -> Meaning {
        match &self.column {
            None => Meaning::of_name(key),
            Some(column) if column.eq_ignore_ascii_case(key) => match Meaning::of_name(key) {
                Meaning::Of(algorithm) => Meaning::Of(algorithm),
                _ => Meaning::Any,
            },
            Some(_) => Meaning::NotOfFile,
        }
    }
}

/// The digests and other values that were found in an object.
#[derive(Default)]
struct FoundDigests {
    /// The key, the digest, and whether its length alone named the algorithm.
    digests: Vec<(String, NamedDigest, bool)>,
    bad: Vec<Bad>,
    size: Option<u64>,
    /// Whether it has a key of a digest, even without a value.
    expected: bool,
    kind: Option<String>,
    values: Vec<(Key, String)>,
    names: Vec<String>,
    is_medium: bool,
    /// A piece has an offset and a length.
    has_offset: bool,
    has_length: bool,
    category: Option<String>,
    /// Whether it is an object of something else than a file.
    is_other: bool,
}

/// A key, and what it says of the values below.
#[derive(Clone)]
struct Key {
    name: String,
    meaning: Meaning,
    /// Whether nothing below is of a file.
    is_skipped: bool,
}

impl Key {
    fn new(name: String, parent: &Key, object: &FoundDigests, sink: &mut Sink<'_, '_>) -> Key {
        let meaning = sink.meaning(&name);
        if is_shaped(name.as_bytes()) && sink.column.is_none() {
            add_name(&mut sink.left, "keys of objects");
        }
        let is_part = meaning == Meaning::NotOfFile && sink.column.is_none()
            || PARTS.contains(&&*name)
            || object.is_other;
        Key { meaning, is_skipped: parent.is_skipped || is_part, name }
    }
}

/// A value to be read.
struct Node<'n, 's, 'i> {
    sink: &'n mut Sink<'s, 'i>,
    key: Key,
    /// Whether it is an element of a list.
    is_element: bool,
    parent: Option<&'n mut FoundDigests>,
}

impl<'n, 's, 'i> Node<'n, 's, 'i> {
    fn root(sink: &'n mut Sink<'s, 'i>) -> Self {
        let key = Key { name: String::new(), meaning: Meaning::Other, is_skipped: false };
        Node { sink, key, is_element: false, parent: None }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.sink.place.advance();
        if let (Some(parent), Meaning::Of(_)) = (self.parent, self.key.meaning) {
            parent.expected = true;
        }
        Ok(())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<(), E> {
        self.visit_str(&number.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.sink.place.advance();
        if self.key.is_skipped {
            self.sink.taken.add_other(&self.key.name, clean(text.as_bytes()));
            return Ok(());
        }
        match self.parent {
            Some(parent) if !self.is_element => {
                parent.take(self.key, text, self.sink);
                Ok(())
            }
            // Each element of a list is of another file.
            _ => {
                let mut found = FoundDigests::default();
                let is_list = matches!(&*self.key.name, "" | "list");
                let meaning = if is_list { Meaning::Any } else { self.key.meaning };
                found.take(Key { meaning, ..self.key }, text, self.sink);
                found.settle(self.sink);
                self.sink.emit(found)
            }
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        self.sink.place.advance();
        loop {
            let parent = self.parent.as_deref_mut();
            let node = Node { sink: &mut *self.sink, key: self.key.clone(), is_element: true, parent };
            if list.next_element_seed(node)?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let sink = self.sink;
        let mut object = FoundDigests::default();
        while let Some(name) = map.next_key::<String>()? {
            sink.place.advance();
            let key = Key::new(name, &self.key, &object, sink);
            object.note_key(&key);
            let node = Node { sink: &mut *sink, key, is_element: false, parent: Some(&mut object) };
            map.next_value_seed(node)?;
        }
        object.settle(sink);
        // Digests below such a key are of the object above.
        match self.parent {
            Some(parent) if self.key.meaning == Meaning::Any && parent.digests.len() < MAX_KEPT => {
                parent.join(object);
                Ok(())
            }
            _ => sink.emit(object),
        }
    }
}

impl FoundDigests {
    /// Notes a key; one that names a digest must not be there twice, as readers differ in which they take.
    fn note_key(&mut self, key: &Key) {
        if !matches!(key.meaning, Meaning::Of(_)) || key.is_skipped {
            return;
        }
        if self.names.contains(&key.name) {
            self.bad.push(("object", format::Why::Twice));
        } else if self.names.len() < MAX_KEPT {
            self.names.push(key.name.clone());
        }
    }

    /// Takes the value of a key.
    fn take(&mut self, key: Key, text: &str, sink: &mut Sink<'_, '_>) {
        let cell = clean(text.as_bytes());
        match key.meaning {
            Meaning::Of(_) => {
                self.expected = true;
                self.read(&key, cell, sink);
            }
            Meaning::Any | Meaning::Value if text.len() <= MAX_VALUE && self.values.len() < MAX_KEPT => {
                self.values.push((key, text.to_string()));
            }
            Meaning::Kind if text.len() <= MAX_VALUE => {
                self.is_other |= NOT_FILES.contains(&text);
                self.kind = Some(text.to_string());
            }
            Meaning::Size => self.size = text.parse().ok(),
            _ => match &*key.name {
                "pattern" => self.take_pattern(text, sink),
                "@odata.context" | "odata.metadata" => sink.taken.take_model(text),
                "name" => self.is_other |= NOT_FILES.contains(&text),
                "MediaID" => self.is_medium = true,
                "offset" => self.has_offset = true,
                "length" => self.has_length = true,
                "Category" if text.len() < 64 => self.category = Some(text.to_string()),
                name if is_shaped(cell) && sink.column.is_none() => add_name(&mut sink.left, name),
                _ => {}
            },
        }
    }

    fn take_pattern(&mut self, pattern: &str, sink: &mut Sink<'_, '_>) {
        for (name, value) in stix::digests(pattern) {
            let meaning = Meaning::of_name(name);
            let key = Key { name: format!("pattern {name}"), meaning, is_skipped: false };
            self.read(&key, value.as_bytes(), sink);
            self.expected = true;
        }
    }

    fn read(&mut self, key: &Key, text: &[u8], sink: &mut Sink<'_, '_>) {
        match Cell::read(key.meaning, self.kind.as_deref(), text, sink.untagged) {
            Cell::Digest(named, by_length) => {
                let name = if key.name.is_empty() { "the list" } else { &key.name };
                self.digests.push((name.to_string(), named, by_length));
            }
            Cell::Bad(bad) => self.bad.push(bad),
            Cell::NotOfFile => sink.taken.add_other(self.kind.as_deref().unwrap_or(&key.name), text),
            Cell::Unknown(kind) => add_name(&mut sink.left, &format!("{} of type {kind}", key.name)),
            Cell::Nothing => {}
        }
    }

    /// Reads the values, once the kind beside them is known.
    fn settle(&mut self, sink: &mut Sink<'_, '_>) {
        for (key, value) in std::mem::take(&mut self.values) {
            let is_other = self.kind.as_deref().map(ValueKind::parse) == Some(ValueKind::NotOfFile);
            self.expected |= key.meaning == Meaning::Any && !is_other;
            self.read(&key, clean(value.as_bytes()), sink);
        }
        let is_piece = self.has_offset && self.has_length;
        if (self.is_other || is_piece) && !self.digests.is_empty() {
            self.digests.clear();
            self.expected = is_piece;
            let kind = if is_piece { Some("pieces") } else { self.kind.as_deref() };
            add_name(&mut sink.taken.others, kind.unwrap_or_default());
        }
        if let Some(category) = self.category.take().filter(|_| self.is_medium) {
            sink.taken.add_category(&category);
        }
    }

    fn join(&mut self, other: FoundDigests) {
        self.digests.extend(other.digests);
        self.bad.extend(other.bad);
        self.expected |= other.expected;
    }
}
