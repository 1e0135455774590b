//! Recognises a format by a file's first bytes, and opens it.

pub(crate) mod documents;
pub(crate) mod packages;
pub(crate) mod packed;
pub(crate) mod signed;
pub(crate) mod title;

use super::document::Document;
use super::lines::alone;
use super::lines::alone::Names;
use super::lines::{rclone, sfv};
use super::malformed::Signed;
use super::read::content::content;
use super::read::lines::{MAX_LIKENESS_LINE, MAX_LINE, peek};
use super::read::list_line::{begins_with, digests_alone, is_sure, is_zero};
use super::read::utf16;
use super::read::utf16::Utf8;
use super::reader::Reader;
use super::registry::{FORMATS, find_format};
use super::row::{Base, Body, Format, NamedFiles, Sniff};
use super::unusable::Unusable;
use super::values::hint::Hint;
use super::whole;
use crate::case::line;
use hashmill_os::open_to_read;
use std::io::{Cursor, Read};
use std::path::Path;
use title::Titled;

/// Formats that are recognised by the first meaningful line.
const HEADED: [&str; 4] = ["jsonl", "nsrl", "hashkeeper", "ilook"];

/// Recognises a format by the first bytes of a file; [`super::SNIFFED`] bytes are enough. A signature around a list is
/// ignored; documents of other kinds ([`super::DOCUMENTS`]) have no format.
pub fn sniff(first: &[u8]) -> Option<&'static Format> {
    let text = utf16::order(first).map(|order| Utf8::new(first, order));
    let text = text.and_then(|mut text| {
        let mut bytes = Vec::new();
        text.read_to_end(&mut bytes).ok().map(|_| bytes)
    });
    match look(text.as_deref().unwrap_or(first)) {
        Recognition::Format(format) => Some(format),
        Recognition::Document(_) | Recognition::Nothing => None,
    }
}

/// The kind of a file according to its first bytes.
enum Recognition {
    Format(&'static Format),
    Document(&'static Document),
    Nothing,
}

fn look(first: &[u8]) -> Recognition {
    let text = signature(first).map(|kind| signed::inside(first, kind));
    let first = text.as_deref().unwrap_or(first);
    // Names may look like anything, so certain features come before similarities further on.
    let sure = || {
        named_by_start(first).map_or_else(
            || documents::recognise(first).map(Recognition::Document),
            |row| Some(Recognition::Format(row)),
        )
    };
    let magic = documents::by_magic(first).map(Recognition::Document);
    magic.or_else(sure).or_else(|| list(first).map(Recognition::Format)).unwrap_or(Recognition::Nothing)
}

/// Returns the signature around the text of a file. If the format is certain before it, it is inside a name.
fn signature(first: &[u8]) -> Option<Signed> {
    let (kind, before) = signed::find(first)?;
    let around = !is_zero(first) && headed(before).is_none();
    let says = |text: &[u8]| list(text).is_some() || documents::recognise(text).is_some();
    (around && says(&signed::inside(first, kind))).then_some(kind)
}

/// Returns the format that is certain from the beginning of a file or from its first line.
fn named_by_start(first: &[u8]) -> Option<&'static Format> {
    let line = || content(first).next().filter(|line| is_sure(line)).and_then(by_line);
    headed(first).or_else(|| line().map(|row| by_vote(first, row)))
}

/// Returns the format of a file with a characteristic beginning, a header or lines of JSON.
fn headed(first: &[u8]) -> Option<&'static Format> {
    let by_content = || content(first).find_map(by_line).filter(|row| HEADED.contains(&row.name));
    by_start(first).or_else(by_content)
}

fn by_start(first: &[u8]) -> Option<&'static Format> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    let starts =
        |row: &&Format| matches!(row.sniff, Sniff::Start(fits) | Sniff::Either(fits, _) if fits(first));
    FORMATS.iter().find(starts)
}

fn list(first: &[u8]) -> Option<&'static Format> {
    let voted = || content(first).find_map(by_line).map(|row| by_vote(first, row));
    let by_content = || voted().filter(|row| has_evidence(first, row));
    by_start(first).or_else(by_content).or_else(|| by_case(first))
}

/// Formats with independent lines.
const LINES: [&str; 8] = ["md5deep", "sums", "bsd", "record", "clamav", "sfv", "git", "plain"];

/// Returns the format of most lines, if the first line is one of a list: one damaged line at the start must not decide
/// how all others are read. `sums` and `bsd` have the same reader, so they vote together.
fn by_vote(first: &[u8], found: &'static Format) -> &'static Format {
    if !LINES.contains(&found.name) {
        return found;
    }
    let family = |row: &Format| if row.name == "bsd" { "sums" } else { row.name };
    let mut votes: Vec<(&'static Format, usize)> = Vec::new();
    for row in content(first).filter_map(by_line).filter(|row| LINES.contains(&row.name)) {
        match votes.iter_mut().find(|(known, _)| family(known) == family(row)) {
            Some((_, lines)) => *lines += 1,
            None => votes.push((row, 1)),
        }
    }
    // In a tie the first one counts, unless it may be a damaged line: almost any line that ends in a digest looks like
    // SFV.
    let likely = |row: &Format| (family(row) == family(found)) != (found.name == "sfv");
    let winner = votes.iter().max_by_key(|(row, lines)| (*lines, likely(row)));
    winner.map_or(found, |(row, _)| *row)
}

/// Returns whether a file is a list of lines and not just similar by chance. Any text may have a line that begins or
/// ends with a digest or a similar word: without a line that is certainly one of a list, half of all lines must match.
fn has_evidence(first: &[u8], found: &Format) -> bool {
    if !LINES.contains(&found.name) || content(first).any(is_certain) {
        return true;
    }
    // Lines of rclone for files without a digest say nothing for or against it.
    let lines = || content(first).filter(|line| rclone::without_digest(line, None).is_none());
    let fits = |line: &&[u8]| by_line(line).is_some_and(|row| LINES.contains(&row.name));
    2 * lines().filter(fits).count() >= lines().count()
}

/// Returns whether a line is certainly one of a list: a long digest, two spaces and a name, or a tagged digest.
fn is_certain(line: &[u8]) -> bool {
    let is_long = line.trim_ascii_start().iter().take_while(|byte| byte.is_ascii_hexdigit()).count() >= 32;
    is_sure(line) && (is_long || by_line(line).is_some_and(|row| row.name == "bsd"))
}

/// Returns the format whose form a line has.
pub(super) fn by_line(line: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|row| matches!(row.sniff, Sniff::Line(fits) | Sniff::Either(_, fits) if fits(line)))
}

/// Recognises a list with case data and no record, which both list formats read.
fn by_case(first: &[u8]) -> Option<&'static Format> {
    let mut lines = first.split(|byte| *byte == b'\n');
    lines.find(|line| line::is_comment(line)).and_then(|_| find_format("sums"))
}

/// An open manifest of a recognised format.
pub struct Opened<'a> {
    /// Its format.
    pub format: &'static Format,
    /// Its records.
    pub reader: Box<dyn Reader + 'a>,
    /// The starting point of its paths.
    pub base: Base,
    names: Names,
}

impl<'a> Opened<'a> {
    /// Creates the open manifest of a reader whose records have names.
    pub fn new(format: &'static Format, reader: Box<dyn Reader + 'a>) -> Self {
        Opened { format, reader, base: format.base, names: Names::InLines }
    }

    /// Checks that the list with this name is of files with a location and not a set of known digests. A digest alone is
    /// of the file that the list's name tells.
    ///
    /// # Errors
    /// Returns [`Unusable::Set`] if it is one, and [`Unusable::Nameless`] if the name doesn't tell it.
    pub fn of_files(self, list: &[u8]) -> Result<Self, Unusable> {
        match self.names {
            _ if !self.format.places_files() => Err(Unusable::Set(self.format)),
            Names::Nowhere => Err(Unusable::Set(self.format)),
            Names::InTitle if alone::title(list).is_none() => Err(Unusable::Nameless),
            _ => Ok(self.titled(list)),
        }
    }

    /// Gives a digest alone the name of its file, if the name of the list tells it: `x.iso` for `x.iso.sha256`. The file
    /// is in the list's folder.
    #[must_use]
    pub fn titled(self, list: &[u8]) -> Self {
        match alone::title(list).filter(|_| self.names == Names::InTitle) {
            Some(title) => {
                let reader = Box::new(Titled { reader: self.reader, title: title.into() });
                Opened { reader, base: Base::Folder, ..self }
            }
            None => self,
        }
    }
}

/// Recognises a file's format and opens it.
///
/// The hint also decides between formats: with CRC-32 from a `.sfv` file's name, a line `name digest` is SFV.
///
/// # Errors
/// [`Unusable`] if it can't be read, is empty, or has no known format.
pub fn open<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Result<Opened<'a>, Unusable> {
    open_stream(input, &NamedFiles::Nowhere, hint)
}

/// Like [`open`], for a copy of a verified list from this folder: files that it names must match its checksums.
///
/// # Errors
/// As [`open`].
pub fn open_verified<'a>(
    input: Box<dyn Read + 'a>,
    folder: &Path,
    hint: Hint,
) -> Result<Opened<'a>, Unusable> {
    open_stream(input, &NamedFiles::Verified(folder), hint)
}

fn open_stream<'a>(
    input: Box<dyn Read + 'a>,
    files: &NamedFiles<'_>,
    hint: Hint,
) -> Result<Opened<'a>, Unusable> {
    let (input, is_packed) = packed::unpacked(input)?;
    let opened = open_text(input, files, hint);
    if is_packed { opened.map_err(packed::reason) } else { opened }
}

fn open_text<'a>(
    input: Box<dyn Read + 'a>,
    files: &NamedFiles<'_>,
    hint: Hint,
) -> Result<Opened<'a>, Unusable> {
    let (first, input) = utf16::beginning(input).map_err(Unusable::Io)?;
    let found = recognise(first, hint)?;
    if let NamedFiles::Below(folder) | NamedFiles::Verified(folder) = files {
        (found.format.beside)(&found.first, folder)?;
    }
    let input = Box::new(Cursor::new(found.first).chain(input));
    let reader = match found.format.body {
        Body::Text => text_reader(found.format, found.signed, input, hint),
        Body::Naming(open) => open(input, files)?,
        Body::Whole(open) | Body::Database(open) => whole::spooled(input, open)?,
    };
    Ok(Opened { names: found.names, ..Opened::new(found.format, reader) })
}

/// Like [`open`], for a path. Formats that need random access read the file itself without a copy, but open it a second
/// time: if that matters, open the file and use [`open`]. Compressed lists are read by [`open`] alone. A folder of Parquet
/// files is one list.
///
/// # Errors
/// As [`open`], and [`Unusable::Packed`].
pub fn open_path(path: &Path, hint: Hint) -> Result<Opened<'static>, Unusable> {
    // Of the formats that read whole files, one also reads folders.
    if path.is_dir()
        && let Some(format) = find_format("parquet")
        && let Body::Whole(open) = format.body
    {
        return Ok(Opened::new(format, open(path)?));
    }
    let file = open_to_read(path).map_err(Unusable::Open)?;
    if !file.metadata().map_err(Unusable::Io)?.is_file() {
        return open(Box::new(file), hint);
    }
    let (first, file) = peek(Box::new(file));
    if packed::is_packed(&first) {
        return Err(Unusable::Packed);
    }
    let (first, file) = utf16::beginning(file).map_err(Unusable::Io)?;
    let found = recognise(first, hint)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    (found.format.beside)(&found.first, folder)?;
    let reader = match found.format.body {
        Body::Text => {
            let input = Box::new(Cursor::new(found.first).chain(file));
            text_reader(found.format, found.signed, input, hint)
        }
        Body::Naming(open) => {
            let input = Box::new(Cursor::new(found.first).chain(file));
            open(input, &NamedFiles::Below(folder))?
        }
        Body::Whole(open) | Body::Database(open) => open(path)?,
    };
    Ok(Opened { names: found.names, ..Opened::new(found.format, reader) })
}

/// Creates a reader of text, inside a signature if there is one.
fn text_reader<'a>(
    format: &'static Format,
    signed: Option<Signed>,
    input: Box<dyn Read + 'a>,
    hint: Hint,
) -> Box<dyn Reader + 'a> {
    let Some(kind) = signed else { return (format.reader)(input, hint) };
    let most = if format.carries.likeness { MAX_LIKENESS_LINE } else { MAX_LINE };
    let (text, wrap) = signed::unframed(input, kind, most);
    wrap.around((format.reader)(text, hint))
}

/// A recognised file.
struct RecognisedFile {
    format: &'static Format,
    signed: Option<Signed>,
    names: Names,
    /// The bytes that were read for recognition.
    first: Vec<u8>,
}

/// Returns the format of a list of lines with the digests that the list's name tells: at the end, as in SFV, or at the
/// start. Names may look like shorter or longer digests.
fn by_hint(first: &[u8], hint: Hint) -> Option<&'static Format> {
    let (Hint::Name(algorithm) | Hint::Forced(algorithm)) = hint else { return None };
    let digits = algorithm.bits as usize / 4;
    let all = |fits: fn(&[u8], usize) -> bool| content(first).all(|line| fits(line, digits));
    match algorithm.name {
        "crc32" if matches!(hint, Hint::Name(_)) && all(sfv::ends_in) => find_format("sfv"),
        _ if content(first).all(|line| digests_alone(line).is_some()) && content(first).nth(1).is_some() => {
            None
        }
        _ if all(begins_with) => find_format("sums"),
        _ => None,
    }
}

fn recognise(first: Vec<u8>, hint: Hint) -> Result<RecognisedFile, Unusable> {
    if first.is_empty() {
        return Err(Unusable::Empty);
    }
    let signed = signature(&first);
    match look(&first) {
        Recognition::Format(format) if signed.is_none() || matches!(format.body, Body::Text) => {
            let inside = signed.map(|kind| signed::inside(&first, kind));
            let text = inside.as_deref().unwrap_or(&first);
            let by_hint = || by_hint(text, hint).filter(|_| LINES.contains(&format.name));
            let format = by_hint().unwrap_or(format);
            let names = Names::find(text, format);
            Ok(RecognisedFile { format, signed, names, first })
        }
        Recognition::Document(document) => Err(Unusable::Document(document)),
        Recognition::Format(_) | Recognition::Nothing => Err(Unusable::Unrecognised),
    }
}
