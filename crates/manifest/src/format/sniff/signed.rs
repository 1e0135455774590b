//! Lists inside a signature: clear-signed OpenPGP messages, and lists signed by signify.
//!
//! The signature is not part of the list and is not verified here. The text inside it is read like a list of its own,
//! with its line numbers in the file; lines outside the signed text are reported and skipped, because someone who
//! verifies the file would assume that they are signed.

use crate::Record;
use crate::case::Case;
use crate::format::Reader;
use crate::format::malformed::{Bad, Malformed, Signed, Why};
use crate::format::read::lines::Lines;
use crate::format::read::list_line::is_prose;
use crate::format::read::text::without_cr;
use hashmill_digest::Algorithm;
use hashmill_similar::Similar;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::rc::Rc;

const BEGIN: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END: &[u8] = b"-----END PGP SIGNATURE-----";
const UNTRUSTED: &[u8] = b"untrusted comment: ";

/// Returns the kind of signature in a file with these first bytes, and the text before it.
pub(in crate::format) fn find(first: &[u8]) -> Option<(Signed, &[u8])> {
    let begins = |at: &usize| {
        let line = first[*at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        (*at == 0 || first[*at - 1] == b'\n') && plain(line) == BEGIN
    };
    if let Some(at) = memchr::memmem::find_iter(first, BEGIN).find(begins) {
        return Some((Signed::Pgp, &first[..at]));
    }
    let mut lines = first.split(|byte| *byte == b'\n').map(plain);
    let signify = lines.next()?.starts_with(UNTRUSTED) && is_armour(lines.next()?);
    signify.then_some((Signed::Signify, &first[..0]))
}

/// Returns the signed text in the first bytes of a file, without the leading blank lines.
pub(in crate::format) fn inside(first: &[u8], kind: Signed) -> Vec<u8> {
    let mut text = Vec::new();
    let frame = Frame::new(Box::new(first), kind, crate::format::MAX_LINE, FrameNotes::default());
    // Bytes in memory can't fail.
    let _ = { frame }.read_to_end(&mut text);
    text.trim_ascii_start().to_vec()
}

/// Notes about the signature that the reader has not taken yet.
type FrameNotes = Rc<RefCell<VecDeque<Malformed>>>;

/// Returns the signed text of a file with all other lines blank, and an adapter that adds notes to its reader.
pub(in crate::format) fn unframed<'a>(
    input: Box<dyn Read + 'a>,
    kind: Signed,
    most: usize,
) -> (Box<dyn Read + 'a>, NoteAdder) {
    let told = FrameNotes::default();
    (Box::new(Frame::new(input, kind, most, Rc::clone(&told))), NoteAdder(told))
}

/// Adds notes about the signature to a reader.
pub(in crate::format) struct NoteAdder(FrameNotes);

impl NoteAdder {
    pub fn around<'a>(self, reader: Box<dyn Reader + 'a>) -> Box<dyn Reader + 'a> {
        Box::new(FramedReader { reader, told: self.0, held: None, ended: false })
    }
}

/// The reader of a signed text.
struct FramedReader<'a> {
    reader: Box<dyn Reader + 'a>,
    told: FrameNotes,
    /// An item that was read before a note; the note comes first.
    held: Option<Result<Record, Malformed>>,
    ended: bool,
}

impl Iterator for FramedReader<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.held.is_none() && !self.ended {
            self.held = self.reader.next();
            self.ended = self.held.is_none();
        }
        let told = self.told.borrow_mut().pop_front();
        told.map(Err).or_else(|| self.held.take())
    }
}

impl Reader for FramedReader<'_> {
    fn columns(&self) -> &[&'static Algorithm] {
        self.reader.columns()
    }

    fn likeness(&self) -> &[(usize, &'static Similar)] {
        self.reader.likeness()
    }

    fn case(&self) -> &Case {
        self.reader.case()
    }
}

/// The position of a line relative to the signed text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinePosition {
    /// Before the first signed text, or between two of them.
    Outside,
    /// In the headers of a signed text. `escaped`: lines of the text that start with a dash are escaped.
    Headers {
        escaped: bool,
    },
    Text {
        escaped: bool,
    },
    Signature,
    /// In the first or second line of a file signed by signify.
    Signify(u8),
    /// After them.
    Rest,
}

/// The classification of a line.
enum Part {
    /// Text, from this byte on.
    Text(usize),
    /// Part of the signature.
    Frame,
    /// Neither.
    Bad(&'static str, Why),
}

struct Frame<'a> {
    lines: Lines<'a>,
    place: LinePosition,
    told: FrameNotes,
    /// A line of the text, and the number of its bytes already returned.
    line: Vec<u8>,
    given: usize,
    number: u64,
}

impl<'a> Frame<'a> {
    fn new(input: Box<dyn Read + 'a>, kind: Signed, most: usize, told: FrameNotes) -> Self {
        let place = match kind {
            Signed::Pgp => LinePosition::Outside,
            Signed::Signify => LinePosition::Signify(1),
        };
        Frame { lines: Lines::bounded(input, most), place, told, line: Vec::new(), given: 0, number: 0 }
    }

    /// Prepares the next line; returns false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.given = 0;
        match self.lines.next() {
            Some(Ok((number, line))) => {
                self.number = number;
                let (part, next) = step(self.place, line);
                self.place = next;
                match part {
                    Part::Text(from) => self.line.extend_from_slice(&line[from..]),
                    Part::Frame => {}
                    Part::Bad(part, why) => {
                        self.told.borrow_mut().push_back(Bad::new(part, why).at(number));
                    }
                }
            }
            Some(Err(Malformed { why: Why::Io(source), .. })) => return Err(source),
            Some(Err(malformed)) => self.told.borrow_mut().push_back(malformed),
            None => {
                self.end();
                return Ok(false);
            }
        }
        self.line.push(b'\n');
        Ok(true)
    }

    fn end(&mut self) {
        if matches!(
            self.place,
            LinePosition::Headers { .. } | LinePosition::Text { .. } | LinePosition::Signature
        ) {
            let cut = Bad::new("signature", Why::Truncated).at(self.number);
            self.told.borrow_mut().push_back(cut);
            self.place = LinePosition::Outside;
        }
    }
}

impl Read for Frame<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.line.len() && !self.fill()? {
            return Ok(0);
        }
        let length = buffer.len().min(self.line.len() - self.given);
        buffer[..length].copy_from_slice(&self.line[self.given..self.given + length]);
        self.given += length;
        Ok(length)
    }
}

/// Classifies a line at this place, and returns the place of the next one.
fn step(place: LinePosition, line: &[u8]) -> (Part, LinePosition) {
    let text = plain(line);
    match place {
        LinePosition::Outside if text == BEGIN => {
            (Part::Bad("signature", Why::Signature(Signed::Pgp)), LinePosition::Headers { escaped: true })
        }
        LinePosition::Outside if crate::format::read::text::is_comment(text) => (Part::Frame, place),
        LinePosition::Outside if is_prose(text) => (Part::Bad("line", Why::Prose), place),
        LinePosition::Outside => (Part::Bad("line", Why::Outside), place),
        LinePosition::Headers { escaped } => header(text, escaped),
        LinePosition::Text { .. } if text == SIGNATURE => (Part::Frame, LinePosition::Signature),
        LinePosition::Text { escaped: true } if line.starts_with(b"- ") => (Part::Text(2), place),
        LinePosition::Text { .. } => (Part::Text(0), place),
        LinePosition::Signature if text == END => (Part::Frame, LinePosition::Outside),
        LinePosition::Signature if text.is_empty() || is_armour(text) || is_header(text) => {
            (Part::Frame, place)
        }
        LinePosition::Signature => (Part::Bad("signature", Why::Unrecognised), place),
        LinePosition::Signify(1) => {
            (Part::Bad("signature", Why::Signature(Signed::Signify)), LinePosition::Signify(2))
        }
        LinePosition::Signify(_) => (Part::Frame, LinePosition::Rest),
        LinePosition::Rest => (Part::Text(0), place),
    }
}

fn header(text: &[u8], escaped: bool) -> (Part, LinePosition) {
    if text.is_empty() {
        return (Part::Frame, LinePosition::Text { escaped });
    }
    let escaped = escaped && !text.starts_with(b"NotDashEscaped:");
    let known = is_header(text);
    let part = if known { Part::Frame } else { Part::Bad("signature", Why::Unrecognised) };
    (part, LinePosition::Headers { escaped })
}

/// Recognises a header of OpenPGP's armour. Unknown ones are not accepted, as lines of the list could hide there.
fn is_header(text: &[u8]) -> bool {
    let names: [&[u8]; 6] =
        [b"Hash: ", b"Charset: ", b"NotDashEscaped: ", b"Version: ", b"Comment: ", b"MessageID: "];
    names.iter().any(|name| text.starts_with(name))
}

/// Returns whether a line is base64, without a space, which every line of a list has.
fn is_armour(text: &[u8]) -> bool {
    let digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    !text.is_empty() && text.iter().all(digit)
}

/// Strips trailing white space, which OpenPGP does not sign.
fn plain(line: &[u8]) -> &[u8] {
    without_cr(line).trim_ascii_end()
}
