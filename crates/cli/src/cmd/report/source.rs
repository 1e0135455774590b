//! A file that a report is made of: what kind it is, its bytes, and the digest of them, so that a page says
//! which file it is about.

use crate::message::{self, Shown, count};
use anyhow::Context;
use hashloom_digest::{Bank, Part, Slot, find};
use hashloom_job::signatures::guard::Guard;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Bytes of the start by which kinds are told apart.
const LOOKED_AT: usize = 64 << 10;
/// The digest that identifies the file in the page.
const ALGORITHM: &str = "sha256";

/// Keys that only the result of an audit has, of those that a document in JSON starts with.
const AUDIT: [&[u8]; 3] = [b"entries", b"counts", b"run"];

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A manifest, or nothing that is known.
    Manifest,
    /// JSON of `audit`, `check` or `diff`.
    Audit,
    /// JSON lines of these.
    AuditLines,
    /// JSON of `dupes`.
    Dupes,
    /// JSON of `image verify`.
    Image,
}

/// An open file.
pub struct Source {
    /// Where it lies.
    pub path: PathBuf,
    size: u64,
    start: Vec<u8>,
    file: File,
}

/// The digest of the bytes that were read.
pub struct Seal(Rc<RefCell<Hashing>>);

struct Hashing {
    bank: Box<dyn Bank>,
    slot: Slot,
    bytes: u64,
}

impl Source {
    /// Opens the file and reads its start.
    ///
    /// # Errors
    /// If it can't be read, or a signature beside it is not as it has to be.
    pub fn open(path: &Path, guard: &Guard) -> anyhow::Result<Source> {
        let list = guard.open(path.as_os_str(), &mut |notice| message::say(notice))?;
        let mut file = match list.into_copy().context("cannot read")? {
            Some(copy) => copy,
            None => File::open(path).context("cannot open")?,
        };
        let mut start = Vec::new();
        (&mut file).take(LOOKED_AT as u64).read_to_end(&mut start).context("cannot read")?;
        let size = file.metadata().context("cannot open")?.len();
        Ok(Source { path: path.to_path_buf(), size, start, file })
    }

    /// Its name, as it is shown.
    pub fn name(&self) -> String {
        Shown(self.path.as_os_str().as_bytes()).to_string()
    }

    /// Returns the kind of the file, by its first bytes.
    pub fn kind(&self) -> Kind {
        let text = self.start.trim_ascii_start();
        // Of several images there is a list.
        let first = text.strip_prefix(b"[").map_or(text, <[u8]>::trim_ascii_start);
        let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let keys = top_keys(text);
        let has = |wanted: &[u8]| keys.contains(&wanted);
        if has(b"groups") {
            Kind::Dupes
        } else if has(b"path") && !has(b"verdict") && (has(b"known_path") || has(b"result")) {
            Kind::AuditLines
        } else if !has(b"path") && keys.iter().any(|key| AUDIT.contains(key)) {
            // An image has entries, too, but a path.
            Kind::Audit
        } else if is_verification(line) {
            Kind::Image
        } else {
            Kind::Manifest
        }
    }

    /// Its bytes, and what will know their digest when they are read.
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

    /// Facts that say which file it is.
    pub fn facts(&self) -> Vec<(String, String)> {
        vec![("file".into(), self.name()), ("size".into(), count(self.size, "byte", "bytes"))]
    }
}

/// Returns the keys of the object that a text begins with, as far as the text goes; none where it is no object.
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

/// Returns where a string in JSON ends: at its closing quote, or with the text.
fn string_end(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at.min(text.len())
}

/// Returns whether a line is JSON of a verification. Segments stand before the verdict, and may be many. A record has a
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
        hashing.bank.update(&[Part { slot, bytes: b"", last: true }]);
        Ok((format!("{ALGORITHM} of the file"), hashing.bank.close(slot).to_string()))
    }
}

/// Bytes that are hashed as they go by.
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
        hashing.bank.update(&[Part { slot, bytes: &buffer[..read], last: false }]);
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
