//! Common parts of XML formats: events of bounded size, and extraction of elements one by one.

pub(crate) mod ascmhl;
pub(crate) mod ascmhl_chain;
pub(crate) mod declared;
pub(crate) mod dfxml;
pub(crate) mod element_list;
pub(crate) mod fciv;
pub mod history;
pub(crate) mod mhl;
pub(crate) mod premis;

use super::malformed::{Bad, Malformed, Why};
use super::read::lines::{MAX_LINE, peek, read};
use super::writer::cannot_carry;
use declared::Declared;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

/// The maximum depth of nested elements. No format here needs more than a dozen.
const MAX_DEPTH: usize = 64;

/// A stream that fails when one event would take more memory than a line may.
struct Limited<'a> {
    input: Box<dyn Read + 'a>,
    /// The number of bytes read since the last event.
    pending: Rc<Cell<usize>>,
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.pending.get() > MAX_LINE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let read = read(&mut *self.input, buffer)?;
        self.pending.set(self.pending.get() + read);
        Ok(read)
    }
}

/// The events of a document, within the limits of all documents.
pub(super) struct Events<'a> {
    xml: quick_xml::Reader<BufReader<Limited<'a>>>,
    pending: Rc<Cell<usize>>,
    buffer: Vec<u8>,
    /// The current line.
    pub line: u64,
    /// The number of open elements.
    depth: usize,
    /// The declared encoding, if it is not known.
    unknown: Option<Box<str>>,
    /// Whether nothing follows: it is the end, or the document is not well-formed.
    pub ended: bool,
}

/// An event that matters.
pub(super) enum XmlEvent<'e> {
    Open(&'e BytesStart<'e>),
    /// The end of the element with this name, without a prefix.
    Close(&'e [u8]),
    Text(&'e [u8]),
    End,
}

type TakeEvent<'t> = &'t mut dyn FnMut(XmlEvent<'_>) -> Result<(), Bad>;

impl<'a> Events<'a> {
    pub fn new(input: Box<dyn Read + 'a>) -> Self {
        let (first, input) = peek(input);
        let (input, unknown): (Box<dyn Read + 'a>, _) = match declared::encoding(&first) {
            Declared::Utf8 => (input, None),
            Declared::Other(encoding) => (Box::new(declared::Decoded::new(input, encoding)), None),
            Declared::Unknown(name) => (input, Some(name)),
        };
        let pending = Rc::new(Cell::new(0));
        let limited = Limited { input, pending: Rc::clone(&pending) };
        let xml = quick_xml::Reader::from_reader(BufReader::new(limited));
        Events { xml, pending, buffer: Vec::new(), line: 1, depth: 0, unknown, ended: false }
    }

    /// Passes the next event, if it matters; two of an element without content.
    pub fn step(&mut self, take: TakeEvent<'_>) -> Result<(), Bad> {
        if let Some(name) = self.unknown.take() {
            return self.end(Why::Encoding(name));
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let event = self.xml.read_event_into(&mut buffer);
        self.pending.set(0);
        let taken = match event {
            Ok(event) => self.event(event, take),
            Err(source) => self.end(why(source)),
        };
        self.line += memchr::memchr_iter(b'\n', &buffer).count() as u64;
        self.buffer = buffer;
        taken
    }

    fn event(&mut self, event: Event<'_>, take: TakeEvent<'_>) -> Result<(), Bad> {
        match event {
            Event::Start(start) => self.open(&start, take),
            Event::Empty(start) => {
                let opened = self.open(&start, take);
                self.close(start.local_name().as_ref(), take).and(opened)
            }
            Event::End(end) => self.close(end.local_name().as_ref(), take),
            Event::DocType(text) if text.contains(&b'[') => self.end(Why::Definitions),
            Event::Text(text) => take(XmlEvent::Text(&text)),
            Event::CData(text) => take(XmlEvent::Text(&text)),
            Event::GeneralRef(reference) => {
                let letter = letter(&reference)?;
                take(XmlEvent::Text(letter.encode_utf8(&mut [0; 4]).as_bytes()))
            }
            Event::Eof => {
                self.ended = true;
                take(XmlEvent::End)?;
                if self.depth > 0 { self.end(Why::Truncated) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, start: &BytesStart<'_>, take: TakeEvent<'_>) -> Result<(), Bad> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.end(Why::Deep(MAX_DEPTH));
        }
        take(XmlEvent::Open(start))
    }

    fn close(&mut self, name: &[u8], take: TakeEvent<'_>) -> Result<(), Bad> {
        self.depth = self.depth.saturating_sub(1);
        take(XmlEvent::Close(name))
    }

    fn end(&mut self, why: Why) -> Result<(), Bad> {
        self.ended = true;
        Err(Bad::new("document", why))
    }
}

pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<Vec<u8>>, Bad> {
    let found = start.try_get_attribute(name);
    let found = found.map_err(|source| Bad::new("attribute", Why::Xml(source.into())))?;
    Ok(found.map(|attribute| attribute.value.into_owned()))
}

/// Returns the character of a reference.
fn letter(reference: &BytesRef<'_>) -> Result<char, Bad> {
    let letter = match &**reference {
        b"amp" => Some('&'),
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        _ => reference.resolve_char_ref().map_err(|source| Bad::new("document", Why::Xml(source)))?,
    };
    letter.ok_or(Bad::new("reference", Why::Unrecognised))
}

/// Converts an error of the parser.
fn why(source: quick_xml::Error) -> Why {
    match source {
        quick_xml::Error::Io(source) if source.kind() == io::ErrorKind::FileTooLarge => {
            Why::TooLong(MAX_LINE)
        }
        quick_xml::Error::Io(source) => {
            // The parser shares its error, so the inner error of a custom one is lost.
            Why::Io(source.raw_os_error().map_or_else(|| source.kind().into(), io::Error::from_raw_os_error))
        }
        other => Why::Xml(other),
    }
}

/// Returns whether a document has an element of this name, whatever its prefix.
pub(super) fn has_element(text: &[u8], name: &[u8]) -> bool {
    memchr::memmem::find_iter(text, name).any(|at| {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        let is_prefix = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let start = match text[..at].strip_suffix(b":") {
            Some(before) => before.len() - before.iter().rev().take_while(is_prefix).count(),
            None => at,
        };
        text[..start].ends_with(b"<") && text.get(at + name.len()).is_some_and(is_end)
    })
}

/// Replaces the characters of a name that XML 1.0 can't carry.
pub(super) fn readable(name: &[u8]) -> String {
    let allowed = |letter: char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    let text = String::from_utf8_lossy(name);
    text.chars().map(|letter| if allowed(letter) { letter } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Returns the text of a path without the lines and blanks that an indented document has around it.
pub(super) fn path_of(text: &[u8]) -> &[u8] {
    let inner = text.trim_ascii();
    let start = text.len() - text.trim_ascii_start().len();
    let around = [&text[..start], &text[start + inner.len()..]];
    if around.iter().any(|blanks| blanks.contains(&b'\n')) { inner } else { text }
}

/// Returns a name as the text of an element, for formats without other names. Readers ignore a name of only blanks, and lines
/// around a name.
pub(super) fn name(path: &[u8]) -> io::Result<&str> {
    let is_read = readable(path).as_bytes() == path && path_of(path) == path && !path.trim_ascii().is_empty();
    let name = str::from_utf8(path).ok().filter(|_| is_read);
    name.ok_or_else(|| cannot_carry("XML has no place for bytes of the name"))
}

/// Escapes XML text. A carriage return must be a reference, because parsers convert it to a line feed.
pub(super) fn escape(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'\r' => out.extend_from_slice(b"&#13;"),
            _ => out.push(byte),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Element {
    /// Its name without a prefix.
    pub name: Vec<u8>,
    /// The text between its tags, outside other elements.
    pub text: Vec<u8>,
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
    pub children: Vec<Element>,
}

impl Element {
    /// Returns the first child of this name.
    pub fn child(&self, name: &[u8]) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the only child of this name.
    ///
    /// # Errors
    /// If there are two: other programs may take the other one.
    pub fn only(&self, name: &[u8]) -> Result<Option<&Element>, Bad> {
        let twice = self.children.iter().filter(|child| child.name == name).count() > 1;
        if twice { Err(Bad::new("element", Why::Twice)) } else { Ok(self.child(name)) }
    }

    /// Returns the raw value of an attribute.
    pub fn attribute(&self, name: &[u8]) -> Option<&[u8]> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    }
}

/// Extracts the elements with some names from a document.
pub(super) struct Elements<'a> {
    events: Events<'a>,
    collected: Collected,
}

/// The element that is being collected.
struct Collected {
    names: &'static [&'static [u8]],
    /// The open elements, each inside the previous one.
    open: Vec<Element>,
    /// Their size in bytes.
    held: usize,
    whole: Option<Element>,
}

impl<'a> Elements<'a> {
    /// Creates an iterator over the elements of these names, at any depth.
    pub fn new(input: Box<dyn Read + 'a>, names: &'static [&'static [u8]]) -> Self {
        let collected = Collected { names, open: Vec::new(), held: 0, whole: None };
        Elements { events: Events::new(input), collected }
    }

    /// Returns the next element, and the line on which it ends. After an error nothing follows.
    pub fn next(&mut self) -> Option<Result<(Element, u64), Malformed>> {
        let Elements { events, collected } = self;
        while !events.ended {
            if let Err(bad) = events.step(&mut |event| collected.take(event)) {
                events.ended = true;
                return Some(Err(bad.at(events.line)));
            }
            if let Some(element) = collected.whole.take() {
                return Some(Ok((element, events.line)));
            }
        }
        None
    }
}

impl Collected {
    fn take(&mut self, event: XmlEvent<'_>) -> Result<(), Bad> {
        match event {
            XmlEvent::Open(start) => self.start(start),
            XmlEvent::Close(_) => {
                self.close();
                Ok(())
            }
            XmlEvent::Text(text) => self.text(text),
            XmlEvent::End => Ok(()),
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), Bad> {
        let name = start.local_name();
        if self.open.is_empty() && !self.names.contains(&name.as_ref()) {
            return Ok(());
        }
        if !self.open.is_empty() && self.names.contains(&name.as_ref()) {
            return Err(Bad::new("element", Why::Truncated));
        }
        let mut element = Element { name: name.as_ref().to_vec(), ..Element::default() };
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|source| Bad::new("attribute", Why::Xml(source.into())))?;
            element
                .attributes
                .push((attribute.key.local_name().as_ref().to_vec(), attribute.value.into_owned()));
        }
        self.hold(start.len())?;
        self.open.push(element);
        Ok(())
    }

    /// Closes an element. The outermost one is complete.
    fn close(&mut self) {
        let Some(element) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => (self.held, self.whole) = (0, Some(element)),
        }
    }

    fn text(&mut self, text: &[u8]) -> Result<(), Bad> {
        if let Some(element) = self.open.last_mut() {
            element.text.extend_from_slice(text);
            self.hold(text.len())?;
        }
        Ok(())
    }

    fn hold(&mut self, bytes: usize) -> Result<(), Bad> {
        // An element without a name or text takes memory, too.
        self.held += bytes + size_of::<Element>();
        if self.held > 2 * MAX_LINE { Err(Bad::new("element", Why::TooLong(2 * MAX_LINE))) } else { Ok(()) }
    }
}
