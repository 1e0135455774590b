//! `spdx-tag`: the files of an SPDX 2 document in tags and values. hashmill writes version 2.3.
//!
//! A line is `Tag: value`; a value between `<text>` and `</text>` may have several lines. `FileName` begins a file,
//! whose `FileChecksum`s follow before the next file, package or other section. Source: the specification of SPDX 2.3
//! (ISO/IEC 5962), chapter 8.

use crate::Record;
use crate::format::file_list::{FileList, no_end};
use crate::format::json::spdx::{ALGORITHMS, CREATOR, HOLDS, LICENCE, NAME, VERSION, file_name, namespace};
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::without_cr;
use crate::format::values::naming::{Naming, write_digest};
use crate::format::values::several::Several;
use crate::format::values::tags::tag;
use crate::format::writer::cannot_carry;
use crate::format::{Hint, Layout, Made, Reader, Writer};
use std::io::{self, Read, Write};

const FILE: &[u8] = b"FileName";
const CHECKSUM: &[u8] = b"FileChecksum";

/// Tags that begin another section.
const PARTS: [&[u8]; 5] = [b"PackageName", b"SnippetSPDXID", b"LicenseID", b"Reviewer", b"Annotator"];

const OPENS: &[u8] = b"<text>";
const CLOSES: &[u8] = b"</text>";

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let version = line.strip_prefix(b"SPDXVersion:");
    version.is_some_and(|version| version.trim_ascii().starts_with(b"SPDX-"))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Tags::default()))
}

/// The state after the lines so far.
struct Tags {
    naming: Naming,
    /// The current file and its digests; the name is empty if it can't be read.
    file: Option<(Vec<u8>, Several)>,
    /// A digest of the file can't be read, which was already reported.
    broken: bool,
    /// A multi-line value has not ended yet.
    text: bool,
    /// Whether there were packages, and files.
    packages: bool,
    files: bool,
}

impl Default for Tags {
    fn default() -> Self {
        let naming = Naming::new(Hint::None);
        Tags { naming, file: None, broken: false, text: false, packages: false, files: false }
    }
}

impl Parse for Tags {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line).trim_ascii_start();
        if self.text || line.is_empty() || line.starts_with(b"#") {
            self.text &= memchr::memmem::find(line, CLOSES).is_none();
            return None;
        }
        let Some(colon) = memchr::memchr(b':', line) else {
            return Some(Err(Bad::new("line", Why::Unrecognised)));
        };
        let (tag, value) = (line[..colon].trim_ascii_end(), line[colon + 1..].trim_ascii());
        self.text = value.starts_with(OPENS) && memchr::memmem::find(value, CLOSES).is_none();
        match tag {
            FILE => self.open(value).transpose(),
            CHECKSUM => self.checksum(value).err().map(Err),
            tag if PARTS.contains(&tag) => {
                self.packages |= tag == PARTS[0];
                self.close().transpose()
            }
            _ => None,
        }
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        if std::mem::take(&mut self.text) {
            return Some(Err(Bad::new("value", Why::Truncated)));
        }
        // A document without files must not pass as one whose files all match.
        if std::mem::take(&mut self.packages) && !self.files {
            return Some(Err(Bad::new("files", Why::Missing)));
        }
        self.close().transpose()
    }
}

impl Tags {
    /// Begins a file, and returns the record of the previous one.
    fn open(&mut self, value: &[u8]) -> Result<Option<Record>, Bad> {
        let done = self.close();
        let name = value.strip_prefix(OPENS).map_or(Some(value), |text| text.strip_suffix(CLOSES));
        self.file = Some((name.unwrap_or_default().to_vec(), Several::default()));
        self.files = true;
        done
    }

    fn checksum(&mut self, value: &[u8]) -> Result<(), Bad> {
        if self.broken {
            return Ok(());
        }
        let (path, several) = self.file.as_mut().ok_or(Bad::new("name", Why::Missing))?;
        let colon = memchr::memchr(b':', value).ok_or(Bad::new("digest", Why::Unrecognised));
        let named = colon
            .and_then(|at| self.naming.tagged(value[..at].trim_ascii_end(), value[at + 1..].trim_ascii()));
        let added = several.add(named).map_err(|bad| bad.with_file(path));
        self.broken = added.is_err();
        added
    }

    /// Returns the record of the current file.
    fn close(&mut self) -> Result<Option<Record>, Bad> {
        let Some((path, several)) = self.file.take() else { return Ok(None) };
        if std::mem::take(&mut self.broken) {
            return Ok(None);
        }
        if path.is_empty() {
            return Err(Bad::new("name", Why::Missing));
        }
        several.record_or_bare(&path, None).map(Some)
    }
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: HOLDS, begin, between: "", item, end: no_end }.writer()
}

fn begin(made: &Made, text: &mut Vec<u8>) -> io::Result<()> {
    write!(
        text,
        "SPDXVersion: {VERSION}\nDataLicense: {LICENCE}\nSPDXID: SPDXRef-DOCUMENT\nDocumentName: {NAME}\n\
         DocumentNamespace: {}\nCreator: {CREATOR}\nCreated: {}\n",
        namespace(made),
        made.date()
    )
}

fn item(record: &Record, number: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let path = file_name(record)?;
    // Readers strip blanks around a value, and treat a value of several lines as text.
    let blank = |letter: char| letter.is_whitespace() || letter.is_control();
    if path.contains(['\n', '\r']) || path.trim_matches(blank) != path || path.starts_with("<text>") {
        return Err(cannot_carry("a line of SPDX can't hold the name"));
    }
    write!(text, "\nFileName: {path}\nSPDXID: SPDXRef-File-{number}\n")?;
    for named in &record.digests {
        write!(text, "FileChecksum: {}: ", tag(&ALGORITHMS, named))?;
        write_digest(named, text);
        text.push(b'\n');
    }
    writeln!(text, "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-File-{number}")
}
