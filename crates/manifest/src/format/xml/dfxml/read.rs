//! Reads DFXML: a small state machine over the events of an XML parser.

use super::object::{EmptyFiles, Object, ObjectContent};
use crate::case::{Case, line};
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::read::lines::MAX_LINE;
use crate::format::values::draft::Key;
use crate::format::values::naming::{Naming, number};
use crate::format::values::partial_facts::PartialFacts;
use crate::format::xml::{Events, XmlEvent, attribute};
use crate::format::{Hint, Reader};
use crate::{Allocation, Metadata, Piece, Record, Status, Time};
use quick_xml::events::BytesStart;
use std::collections::VecDeque;
use std::io::Read;

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    let objects = Objects {
        line: 1,
        beyond: 0,
        capture: None,
        object: None,
        naming: Naming::new(hint),
        empties: EmptyFiles::default(),
        unallocated: None,
        case: Case::NONE,
        ready: VecDeque::new(),
    };
    Box::new(Dfxml { events: Events::new(input), objects })
}

struct Dfxml<'a> {
    events: Events<'a>,
    objects: Objects,
}

/// The objects of a document so far.
struct Objects {
    line: u64,
    /// The number of open elements with information about another document's object.
    beyond: usize,
    /// The element whose text is being collected.
    capture: Option<(Element, Vec<u8>)>,
    object: Option<Object>,
    naming: Naming,
    empties: EmptyFiles,
    /// The number of deleted files, and the first of them.
    unallocated: Option<(u64, Box<[u8]>)>,
    case: Case,
    ready: VecDeque<Result<Record, Malformed>>,
}

/// An element with significant text.
enum Element {
    /// Case data, in the document element.
    Case,
    Filename,
    PathB64,
    NameType,
    /// The file is deleted if the text is this digit.
    Deleted(u8),
    Filesize,
    Mtime,
    /// A number or a time of an entry inside of another file.
    Inside(Fact),
    /// A fact about content.
    Content(Key),
    Error,
    /// The value of its `type`.
    Hashdigest(Vec<u8>),
}

/// A fact about an entry inside of another file.
enum Fact {
    Inode,
    Ctime,
    Accessed,
    Created,
}

impl Iterator for Dfxml<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let Dfxml { events, objects } = self;
        while objects.ready.is_empty() && !events.ended {
            objects.line = events.line;
            if let Err(bad) = events.step(&mut |event| objects.take(event)) {
                objects.tell(Err(bad));
            }
        }
        objects.ready.pop_front()
    }
}

impl Reader for Dfxml<'_> {
    fn case(&self) -> &Case {
        &self.objects.case
    }
}

impl Objects {
    fn take(&mut self, event: XmlEvent<'_>) -> Result<(), Bad> {
        match event {
            XmlEvent::Open(start)
                if self.beyond > 0 || start.local_name().as_ref() == b"original_fileobject" =>
            {
                self.beyond += 1;
                Ok(())
            }
            XmlEvent::Open(start) => self.start(start),
            XmlEvent::Close(_) if self.beyond > 0 => {
                self.beyond -= 1;
                Ok(())
            }
            XmlEvent::Close(name) => {
                self.text()?;
                self.close(name)
            }
            XmlEvent::Text(text) => self.collect(text),
            XmlEvent::End => {
                let rest = self.empties.rest();
                self.ready.extend(rest.into_iter().map(Ok));
                if let Some((files, first)) = self.unallocated.take() {
                    let first = String::from_utf8_lossy(&first).into();
                    self.tell(Err(Bad::new("entries", Why::Unallocated { files, first })));
                }
                Ok(())
            }
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), Bad> {
        let name = start.local_name();
        if self.capture.take().is_some() {
            return Err(Bad::new("element", Why::Unrecognised));
        }
        if name.as_ref() == b"fileobject" {
            // The part that was read of the outer one is not a whole object.
            let is_nested = self.object.replace(Object::default()).is_some_and(|object| !object.told);
            return if is_nested { Err(Bad::new("fileobject", Why::Truncated)) } else { Ok(()) };
        }
        let ours = name.as_ref().starts_with(b"case_") && start.name().prefix().is_some();
        if ours && matches!(name.as_ref(), b"case_start" | b"case_end") {
            self.capture = Some((Element::Case, Vec::new()));
            return Ok(());
        }
        let Some(object) = self.object.as_mut() else { return Ok(()) };
        let element = match name.as_ref() {
            b"byte_run" => return self.run(start),
            b"filename" => {
                object.path_b64 = own(start, b"path_b64")?.or(object.path_b64.take());
                object.inside = inside(start)?;
                object.is_ours |= object.inside.is_some() || own(start, b"allocation")?.is_some();
                Element::Filename
            }
            b"name_type" => Element::NameType,
            b"alloc" | b"alloc_inode" | b"alloc_name" => Element::Deleted(b'0'),
            b"unalloc" => Element::Deleted(b'1'),
            b"path_b64" => Element::PathB64,
            b"filesize" => Element::Filesize,
            b"mtime" => Element::Mtime,
            b"inode" if object.inside.is_some() => Element::Inside(Fact::Inode),
            b"ctime" if object.inside.is_some() => Element::Inside(Fact::Ctime),
            b"atime" if object.inside.is_some() => Element::Inside(Fact::Accessed),
            b"crtime" if object.inside.is_some() => Element::Inside(Fact::Created),
            b"error" => Element::Error,
            b"hashdigest" => {
                let named =
                    own(start, b"algorithm")?.map_or_else(|| attribute(start, "type"), |name| Ok(Some(name)));
                Element::Hashdigest(named?.unwrap_or_default())
            }
            name if start.name().prefix().is_some() && Key::from_name(name).is_fact() => {
                Element::Content(Key::from_name(name))
            }
            _ => return Ok(()),
        };
        self.capture = Some((element, Vec::new()));
        Ok(())
    }

    /// Starts a piece. If the digests of its file precede it, the file's record is emitted first.
    fn run(&mut self, start: &BytesStart<'_>) -> Result<(), Bad> {
        let value = |name| attribute(start, name).map(|text| text.and_then(|text| number(&text)));
        let (offset, length) = (value("file_offset")?, value("len")?);
        let status = own(start, b"status")?.map(|word| status(&word));
        let mut facts = PartialFacts::default();
        for (key, name) in [(Key::Entropy, &b"entropy"[..]), (Key::ChiSquare, b"chi2")] {
            own(start, name)?.map_or(Ok(()), |text| facts.text(key, &text))?;
        }
        let Some(object) = self.object.as_mut() else { return Ok(()) };
        let whole = (!object.whole.digests.is_empty()).then(|| std::mem::take(&mut object.whole));
        let first = whole.map(|content| object.record(content, None));
        let piece = offset.zip(length).map(|(offset, length)| Piece { offset, length });
        object.run = piece.map(|piece| (piece, ObjectContent { status, facts, ..ObjectContent::default() }));
        if let Some(record) = first {
            self.tell(record);
        }
        Ok(())
    }

    fn collect(&mut self, text: &[u8]) -> Result<(), Bad> {
        let Some((_, collected)) = &mut self.capture else { return Ok(()) };
        if collected.len() + text.len() > MAX_LINE {
            self.capture = None;
            return Err(Bad::new("text", Why::TooLong(MAX_LINE)));
        }
        collected.extend_from_slice(text);
        Ok(())
    }

    /// Evaluates the collected text of an element.
    fn text(&mut self) -> Result<(), Bad> {
        let Some((element, text)) = self.capture.take() else { return Ok(()) };
        if matches!(element, Element::Case) {
            return line::read(&text, &mut self.case);
        }
        let Some(object) = self.object.as_mut() else { return Ok(()) };
        let trimmed = text.trim_ascii();
        match element {
            Element::Case => {}
            Element::Filename if !object.path.is_empty() => return Err(Bad::new("filename", Why::Twice)),
            Element::Filename => object.path = text,
            Element::PathB64 => object.path_b64 = Some(trimmed.into()),
            Element::NameType => object.kind = trimmed.first().copied(),
            Element::Deleted(digit) => object.deleted |= trimmed == [digit],
            // Walks leave elements empty if they have no value.
            Element::Filesize | Element::Mtime if trimmed.is_empty() => {}
            Element::Filesize => {
                object.content().size = Some(number(trimmed).ok_or(Bad::new("filesize", Why::Number))?);
            }
            Element::Mtime => {
                object.content().mtime = Some(time(trimmed).ok_or(Bad::new("mtime", Why::Time))?);
            }
            Element::Inside(fact) => {
                if let Some(metadata) = &mut object.inside {
                    fact.read(trimmed, metadata)?;
                }
            }
            Element::Content(key) => object.content().facts.text(key, trimmed)?,
            Element::Error => {
                object.content().status = Some(status(trimmed));
            }
            Element::Hashdigest(tag) => {
                let named = self.naming.tagged(&tag, trimmed)?;
                self.empties.note(named.algorithm);
                object.content().add(named)?;
            }
        }
        Ok(())
    }

    fn close(&mut self, name: &[u8]) -> Result<(), Bad> {
        match name {
            b"byte_run" => {
                let Some(object) = self.object.as_mut() else { return Ok(()) };
                // Runs without digests are locations on a disk, which are ignored.
                let run = object.run.take().filter(|(_, content)| content.says_something());
                let run = run.filter(|_| object.is_file() && !object.is_unallocated());
                if let Some(record) = run.map(|(piece, content)| object.record(content, Some(piece))) {
                    self.tell(record);
                }
            }
            b"fileobject" => {
                let Some(mut object) = self.object.take().filter(Object::is_file) else { return Ok(()) };
                if object.is_unallocated() && object.whole.says_something() {
                    self.unallocated.get_or_insert((0, object.name()?)).0 += 1;
                    return Ok(());
                }
                if object.whole.says_something() || !object.told {
                    let empty = object.is_empty();
                    let content = std::mem::take(&mut object.whole);
                    match object.record(content, None) {
                        Ok(record) if empty => self.ready.extend(self.empties.pass(record).map(Ok)),
                        result => self.tell(result),
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn tell(&mut self, result: Result<Record, Bad>) {
        if let Some(object) = self.object.as_mut() {
            object.told = true;
        }
        let line = self.line;
        let waited = self.empties.known();
        self.ready.extend(waited.into_iter().map(Ok));
        self.ready.push_back(result.map_err(|bad| bad.at(line)));
    }
}

impl Fact {
    /// Reads the fact from a text.
    fn read(&self, text: &[u8], metadata: &mut Metadata) -> Result<(), Bad> {
        let moment = || time(text).map(Some).ok_or(Bad::new("time", Why::Time));
        match self {
            Fact::Inode => metadata.inode = Some(number(text).ok_or(Bad::new("inode", Why::Number))?),
            Fact::Ctime => metadata.ctime = moment()?,
            Fact::Accessed => metadata.accessed = moment()?,
            Fact::Created => metadata.created = moment()?,
        }
        Ok(())
    }
}

/// Returns the first facts about an entry inside of another file, if the document is one of ours and this is one.
fn inside(filename: &BytesStart<'_>) -> Result<Option<Box<Metadata>>, Bad> {
    let Some(container) = own(filename, b"container")? else { return Ok(None) };
    let container = String::from_utf8_lossy(&container).into_owned().into_boxed_str();
    let allocation = own(filename, b"allocation")?.and_then(|word| Allocation::from_word(&word));
    Ok(Some(Box::new(Metadata { container: Some(container), allocation, ..Metadata::default() })))
}

/// Parses a time: RFC 3339, or seconds since 1970 as in older documents.
fn time(text: &[u8]) -> Option<Time> {
    let seconds = || number(text).and_then(|seconds| i64::try_from(seconds).ok());
    let written = str::from_utf8(text).ok().and_then(Time::from_rfc3339);
    written.or_else(|| seconds().map(|seconds| Time { seconds, nanoseconds: 0 }))
}

/// Returns the value of an attribute of our namespace, whatever its prefix.
fn own(start: &BytesStart<'_>, name: &[u8]) -> Result<Option<Vec<u8>>, Bad> {
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|source| Bad::new("attribute", Why::Xml(source.into())))?;
        if attribute.key.prefix().is_some() && attribute.key.local_name().as_ref() == name {
            return Ok(Some(attribute.value.into_owned()));
        }
    }
    Ok(None)
}

/// Parses a status; words that don't apply here mean that the file could not be read.
fn status(word: &[u8]) -> Status {
    let found = Status::from_word(word).filter(|status| status.strength().is_none());
    found.unwrap_or(Status::Unreadable)
}
