//! Common parts of XML formats: events of bounded size, and extraction of elements one by one.

use super::lines::{MAX_LINE, read};
use super::malformed::{Bad, Malformed, Why};
use super::writer::cannot_carry;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

/// The maximum depth of nested elements. No format here needs more than a dozen.
pub(super) const MAX_DEPTH: usize = 64;

/// A stream that fails when one event would take more memory than a line may.
pub(super) struct Limited<'a> {
    input: Box<dyn Read + 'a>,
    /// The number of bytes read since the last event.
    pending: Rc<Cell<usize>>,
}

impl<'a> Limited<'a> {
    /// The caller must set `pending` to 0 after each event.
    pub fn new(input: Box<dyn Read + 'a>, pending: Rc<Cell<usize>>) -> Self {
        Limited { input, pending }
    }
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

pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<Vec<u8>>, Bad> {
    let found = start.try_get_attribute(name);
    let found = found.map_err(|source| Bad::new("attribute", Why::Xml(source.into())))?;
    Ok(found.map(|attribute| attribute.value.into_owned()))
}

/// Returns the character of a reference.
pub(super) fn letter(reference: &BytesRef<'_>) -> Result<char, Bad> {
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
pub(super) fn why(source: quick_xml::Error) -> Why {
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

/// Replaces the characters of a name that XML 1.0 can't carry.
pub(super) fn readable(name: &[u8]) -> String {
    let allowed = |letter: char| matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    let text = String::from_utf8_lossy(name);
    text.chars().map(|letter| if allowed(letter) { letter } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Returns a name as the text of an element, for formats without other names. Readers ignore a name of only blanks.
pub(super) fn name(path: &[u8]) -> io::Result<&str> {
    let name =
        str::from_utf8(path).ok().filter(|name| readable(path) == **name && !path.trim_ascii().is_empty());
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

    /// Returns the raw value of an attribute.
    pub fn attribute(&self, name: &[u8]) -> Option<&[u8]> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    }
}

/// Extracts the elements with some names from a document.
pub(super) struct Elements<'a> {
    xml: quick_xml::Reader<BufReader<Limited<'a>>>,
    pending: Rc<Cell<usize>>,
    buffer: Vec<u8>,
    names: &'static [&'static [u8]],
    /// The number of open elements around and inside the one being collected.
    depth: usize,
    /// The open elements being collected, each inside the previous one.
    open: Vec<Element>,
    /// Their size in bytes.
    held: usize,
    line: u64,
    ended: bool,
}

impl<'a> Elements<'a> {
    /// Creates an iterator over the elements of these names, at any depth.
    pub fn new(input: Box<dyn Read + 'a>, names: &'static [&'static [u8]]) -> Self {
        let pending = Rc::new(Cell::new(0));
        let limited = Limited::new(input, Rc::clone(&pending));
        Elements {
            xml: quick_xml::Reader::from_reader(BufReader::new(limited)),
            pending,
            buffer: Vec::new(),
            names,
            depth: 0,
            open: Vec::new(),
            held: 0,
            line: 1,
            ended: false,
        }
    }

    /// Returns the next element, and the line on which it ends. After an error nothing follows.
    pub fn next(&mut self) -> Option<Result<(Element, u64), Malformed>> {
        while !self.ended {
            match self.step() {
                Ok(None) => {}
                Ok(Some(element)) => return Some(Ok((element, self.line))),
                Err(bad) => {
                    self.ended = true;
                    return Some(Err(bad.at(self.line)));
                }
            }
        }
        None
    }

    fn step(&mut self) -> Result<Option<Element>, Bad> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let event = self.xml.read_event_into(&mut buffer);
        self.pending.set(0);
        let done = match event {
            Ok(event) => self.event(event),
            Err(source) => Err(Bad::new("document", why(source))),
        };
        self.line += memchr::memchr_iter(b'\n', &buffer).count() as u64;
        self.buffer = buffer;
        done
    }

    fn event(&mut self, event: Event<'_>) -> Result<Option<Element>, Bad> {
        match event {
            Event::Start(start) => self.start(&start)?,
            Event::Empty(start) => {
                self.start(&start)?;
                return Ok(self.close());
            }
            Event::End(_) => return Ok(self.close()),
            Event::DocType(text) if text.contains(&b'[') => {
                return Err(Bad::new("document", Why::Definitions));
            }
            Event::Text(text) => self.text(&text)?,
            Event::CData(text) => self.text(&text)?,
            Event::GeneralRef(reference) => {
                let letter = letter(&reference)?;
                self.text(letter.encode_utf8(&mut [0; 4]).as_bytes())?;
            }
            Event::Eof => {
                self.ended = true;
                if self.depth > 0 {
                    return Err(Bad::new("document", Why::Truncated));
                }
            }
            _ => {}
        }
        Ok(None)
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), Bad> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Bad::new("document", Why::Deep(MAX_DEPTH)));
        }
        let name = start.local_name();
        if self.open.is_empty() && !self.names.contains(&name.as_ref()) {
            return Ok(());
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

    /// Closes an element; returns it if it is the outermost one being collected.
    fn close(&mut self) -> Option<Element> {
        self.depth = self.depth.saturating_sub(1);
        let element = self.open.pop()?;
        match self.open.last_mut() {
            Some(parent) => {
                parent.children.push(element);
                None
            }
            None => {
                self.held = 0;
                Some(element)
            }
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
