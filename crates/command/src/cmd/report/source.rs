//! An input file of a report: its kind, its bytes, and their digest, so that a page identifies the file.

use super::document;
use crate::words::message;
use crate::words::message::{Shown, count};
use anyhow::Context;
use hashmill_digest::{Bank, Slot, StreamPart, find};
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::open_to_read;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The bytes at the start that determine the kind.
const LOOKED_AT: usize = 64 << 10;
/// The digest that identifies the file in the page.
const ALGORITHM: &str = "sha256";

/// Keys at the start of a JSON document that only the result of an audit has.
const AUDIT: [&[u8]; 3] = [b"entries", b"counts", b"run"];

/// The bytes at the end in which a document may name its schema.
const TAIL: u64 = 4 << 10;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A manifest, or an unknown kind.
    Manifest,
    /// JSON of `audit`, `check` or `diff`.
    Audit,
    /// JSON lines of these.
    AuditLines,
    /// JSON of any other command.
    Document,
    /// JSON of `dupes`.
    Dupes,
    /// JSON of `image verify`.
    Image,
    /// A state of `scrub`.
    State,
}

/// An open file.
pub struct ReportInput {
    /// Its path.
    pub path: PathBuf,
    size: u64,
    start: Vec<u8>,
    end: Vec<u8>,
    file: File,
    /// The results of verifying the signatures beside it.
    signatures: Vec<String>,
}

/// The digest of the bytes that were read.
pub struct Seal(Rc<RefCell<Hashing>>);

struct Hashing {
    bank: Box<dyn Bank>,
    slot: Slot,
    bytes: u64,
}

impl ReportInput {
    /// Opens the file and reads its start.
    ///
    /// # Errors
    /// If it can't be read, or a signature beside it does not meet the requirements.
    pub fn open(path: &Path, guard: &Guard) -> anyhow::Result<ReportInput> {
        let mut signatures = Vec::new();
        let list = guard.open(path.as_os_str(), &mut |notice| {
            signatures.push(Shown(notice.to_string().as_bytes()).to_string());
            message::say(notice);
        })?;
        let mut file = match list.into_copy().context("cannot read")? {
            Some(copy) => copy,
            None => open_to_read(path).context("cannot open")?,
        };
        let mut start = Vec::new();
        (&mut file).take(LOOKED_AT as u64).read_to_end(&mut start).context("cannot read")?;
        let size = file.metadata().context("cannot open")?.len();
        let end = tail(&mut file, size).context("cannot read")?;
        Ok(ReportInput { path: path.to_path_buf(), size, start, end, file, signatures })
    }

    /// Returns its name, as it is shown.
    pub fn name(&self) -> String {
        Shown::path(&self.path).to_string()
    }

    /// Returns the kind of the file, by its first bytes.
    pub fn kind(&self) -> SourceKind {
        if is_state(&self.start) {
            return SourceKind::State;
        }
        let text = self.start.trim_ascii_start();
        // Several images are in a list.
        let first = text.strip_prefix(b"[").map_or(text, <[u8]>::trim_ascii_start);
        let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let keys = top_keys(text);
        let has = |wanted: &[u8]| keys.contains(&wanted);
        if self.is_document() || has(b"a") && has(b"b") && has(b"score") {
            SourceKind::Document
        } else if has(b"groups") {
            SourceKind::Dupes
        } else if has(b"path") && !has(b"verdict") && (has(b"known_path") || has(b"result")) {
            SourceKind::AuditLines
        } else if !has(b"path") && keys.iter().any(|key| AUDIT.contains(key)) {
            // An image has entries as well, but also a path.
            SourceKind::Audit
        } else if is_verification(line) {
            SourceKind::Image
        } else {
            SourceKind::Manifest
        }
    }

    /// Returns whether it is JSON with a schema, and no kind that has a page of its own.
    fn is_document(&self) -> bool {
        let named = [&self.end, &self.start].into_iter().find_map(|text| schema(text));
        matches!(self.start.trim_ascii_start(), [b'{' | b'[', ..])
            && named.is_some_and(|name| document::shows(&name))
    }

    /// Returns its bytes, and a handle that has their digest once they are read.
    ///
    /// # Errors
    /// If the digest can't be computed.
    pub fn read(self) -> anyhow::Result<(impl Read, Seal)> {
        let mut bank = (find(ALGORITHM)?.alone)();
        let slot = bank.open();
        let hashing = Rc::new(RefCell::new(Hashing { bank, slot, bytes: 0 }));
        let input = io::Cursor::new(self.start).chain(self.file);
        Ok((Watched { input, hashing: Rc::clone(&hashing) }, Seal(hashing)))
    }

    /// Returns facts that identify the file.
    pub fn facts(&self) -> Vec<(String, String)> {
        let mut facts =
            vec![("file".into(), self.name()), ("size".into(), count(self.size, "byte", "bytes"))];
        if !self.signatures.is_empty() {
            facts.push(("signatures".into(), self.signatures.join("\n")));
        }
        facts
    }
}

/// Returns the last bytes of a file, and goes back to where it was; none of a pipe.
fn tail(file: &mut File, size: u64) -> io::Result<Vec<u8>> {
    if !file.metadata()?.is_file() {
        return Ok(Vec::new());
    }
    let here = file.stream_position()?;
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL)))?;
    file.take(TAIL).read_to_end(&mut end)?;
    file.seek(SeekFrom::Start(here))?;
    Ok(end)
}

/// Returns the name of the schema that a text names last, without its version.
fn schema(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let value = text[text.rfind("\"schema\"")?..].split('"').nth(3)?;
    value.rsplit_once('-').map(|(name, _)| name.to_string())
}

/// Returns whether a file is a state of `scrub`: a database of SQLite with its mark.
fn is_state(start: &[u8]) -> bool {
    start.starts_with(b"SQLite format 3\0") && start.get(68..72) == Some(b"hmsc")
}

/// Returns the keys of the object that a text begins with, as far as the text goes; none if it is not an object.
fn top_keys(text: &[u8]) -> Vec<&[u8]> {
    let (mut depth, mut keys, mut at) = (0, Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let end = at + 1 + string_end(&text[at + 1..]);
                let is_key =
                    text.get(end + 1..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"));
                if depth == 1 && is_key {
                    keys.push(&text[at + 1..end]);
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
        if depth < 1 {
            break;
        }
    }
    keys
}

/// Returns the end of a string in JSON: its closing quote, or the end of the text.
fn string_end(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at.min(text.len())
}

/// Returns whether a line is JSON of a verification. Segments come before the verdict, and may be many. A record has a
/// status; quotes within strings are escaped, so names don't look like keys.
fn is_verification(line: &[u8]) -> bool {
    let holds = |what: &[u8]| line.windows(what.len()).any(|part| part == what);
    let told = holds(b"\"verdict\":") || holds(b"\"segments\":[");
    line.starts_with(b"{") && told && !holds(b"\"status\":")
}

impl Seal {
    /// Returns the digest of all bytes; reads those that were not read yet.
    ///
    /// # Errors
    /// If the rest can't be read.
    pub fn fact(self, mut rest: impl Read) -> io::Result<(String, String)> {
        io::copy(&mut rest, &mut io::sink())?;
        let mut hashing = self.0.borrow_mut();
        let slot = hashing.slot;
        hashing.bank.update(&[StreamPart { slot, bytes: b"", last: true }]);
        Ok((format!("{ALGORITHM} of the file"), hashing.bank.close(slot).to_string()))
    }
}

/// A reader that hashes the bytes that pass through.
struct Watched<R> {
    input: R,
    hashing: Rc<RefCell<Hashing>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let mut hashing = self.hashing.borrow_mut();
        let slot = hashing.slot;
        hashing.bytes += read as u64;
        hashing.bank.update(&[StreamPart { slot, bytes: &buffer[..read], last: false }]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_first_object_alone() {
        let keys = |text: &str| {
            let keys = top_keys(text.as_bytes()).into_iter();
            keys.map(|key| String::from_utf8_lossy(key).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(keys(r#"{"a\"b":{"c":[{"d":1}]}, "e" : "f:", "g":2} {"h":1}"#), ["a\\\"b", "e", "g"]);
        assert_eq!(keys(r#"{"run":{"operands":["counts\":"#), ["run"]);
        for none in ["", "[{\"a\":1}]", "text \"a\":1", "{", "{\"", "{\"a\\", "}{"] {
            assert_eq!(keys(none), [] as [&str; 0], "{none}");
        }
    }
}
