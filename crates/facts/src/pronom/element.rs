//! Elements of a signature file, each with its line.

use super::error::SignatureError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The longest signature file.
const MAX_BYTES: usize = 64 << 20;
/// The deepest nesting of elements.
const MAX_DEPTH: usize = 32;
/// Elements for other programs' search tables, which are not kept.
const UNUSED: [&[u8]; 2] = [b"Shift", b"DefaultShift"];

/// An element.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: Box<[u8]>,
    pub(super) line: usize,
    attributes: Vec<(Box<[u8]>, String)>,
    pub(super) text: String,
    children: Vec<Element>,
}

impl Element {
    /// Reads a whole file.
    pub(super) fn read(bytes: &[u8]) -> Result<Element, SignatureError> {
        if bytes.len() > MAX_BYTES {
            return Err(SignatureError::new(1, format!("the file is longer than {} MiB", MAX_BYTES >> 20)));
        }
        let mut reader = Reader::from_reader(bytes);
        let mut lines = Lines { bytes, at: 0, line: 1 };
        let mut open = vec![Element::default()];
        loop {
            let line = lines.at(reader.buffer_position());
            let event = reader.read_event();
            let failed =
                |error: &dyn std::fmt::Display| SignatureError::new(line, format!("not XML: {error}"));
            match event.map_err(|error| failed(&error))? {
                Event::Start(start) => {
                    if open.len() > MAX_DEPTH {
                        return Err(SignatureError::new(
                            line,
                            format!("elements are nested more than {MAX_DEPTH} deep"),
                        ));
                    }
                    open.push(Element::start(&start, lines.at(reader.buffer_position()))?);
                }
                Event::Empty(start) => {
                    let element = Element::start(&start, lines.at(reader.buffer_position()))?;
                    add(&mut open, element);
                }
                Event::End(_) => {
                    let Some(element) = open.pop() else { continue };
                    add(&mut open, element);
                }
                Event::Text(text) => {
                    let text = text.decode().map_err(|error| failed(&error))?;
                    open.iter_mut().last().into_iter().for_each(|last| last.text.push_str(&text));
                }
                Event::CData(text) => {
                    let text = text.decode().map_err(|error| failed(&error))?;
                    open.iter_mut().last().into_iter().for_each(|last| last.text.push_str(&text));
                }
                Event::GeneralRef(name) => {
                    let name = name.decode().map_err(|error| failed(&error))?;
                    let text = quick_xml::escape::unescape(&format!("&{name};"))
                        .map_err(|error| failed(&error))?
                        .into_owned();
                    open.iter_mut().last().into_iter().for_each(|last| last.text.push_str(&text));
                }
                Event::DocType(_) => {
                    return Err(SignatureError::new(line, "a document type is not read".into()));
                }
                Event::Eof => break,
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            }
        }
        if open.len() != 1 {
            return Err(SignatureError::new(
                lines.at(bytes.len() as u64),
                "the file ends inside of an element".into(),
            ));
        }
        let root = open.pop().and_then(|mut outer| outer.children.pop());
        root.ok_or_else(|| SignatureError::new(1, "the file has no element".into()))
    }

    fn start(start: &BytesStart<'_>, line: usize) -> Result<Element, SignatureError> {
        let failed = |error: &dyn std::fmt::Display| SignatureError::new(line, format!("not XML: {error}"));
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| failed(&error))?;
            let value = str::from_utf8(&attribute.value).map_err(|error| failed(&error))?;
            let value = quick_xml::escape::unescape(value).map_err(|error| failed(&error))?;
            attributes.push((attribute.key.local_name().as_ref().into(), value.into_owned()));
        }
        let name = start.local_name().as_ref().into();
        Ok(Element { name, line, attributes, ..Element::default() })
    }

    /// Returns the children of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| *child.name == *name.as_bytes())
    }

    /// Returns the grandchildren of a name, below children of another.
    pub(super) fn below<'a>(&'a self, outer: &'a str, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.all(outer).flat_map(move |child| child.all(name))
    }

    /// Returns an attribute that is there and not empty.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| **own == *name.as_bytes());
        found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns an attribute that is a number.
    pub(super) fn number(&self, name: &str) -> Result<Option<u32>, SignatureError> {
        let parse = |text: &str| {
            text.parse().map_err(|_| self.error(format!("{name} is no number: '{}'", text.escape_debug())))
        };
        self.attribute(name).map(parse).transpose()
    }

    /// Returns the text as a number.
    pub(super) fn number_inside(&self) -> Result<u32, SignatureError> {
        let text = self.text.trim();
        text.parse().map_err(|_| self.error(format!("the number '{}' is none", text.escape_debug())))
    }

    /// Makes an error about this element.
    pub(super) fn error(&self, what: String) -> SignatureError {
        SignatureError::new(self.line, what)
    }
}

/// Adds an element to the one that is open.
fn add(open: &mut [Element], element: Element) {
    if let Some(outer) = open.last_mut().filter(|_| !UNUSED.contains(&&*element.name)) {
        outer.children.push(element);
    }
}

/// Counts lines up to offsets that ascend.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn at(&mut self, offset: u64) -> usize {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(self.bytes.len());
        self.line += memchr::memchr_iter(b'\n', &self.bytes[self.at.min(offset)..offset]).count();
        self.at = self.at.max(offset);
        self.line
    }
}
