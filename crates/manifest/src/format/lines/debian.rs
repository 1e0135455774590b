//! `debian`: control files that list files with digests: `Packages` and `Sources` of an archive, `Release`, `.dsc`,
//! `.changes` and `.buildinfo`, also signed. Only read.
//!
//! A paragraph describes one file (`Filename`, `Size`, `SHA256`) or has a list of files for each algorithm
//! (`Checksums-Sha256`). Files of `Sources` are in the paragraph's `Directory`.
//! Source: deb-src-control(5), deb-buildinfo(5), the Debian wiki's "DebianRepository/Format".

use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::without_cr;
use crate::format::values::naming::{is_hex, named_as, number};
use crate::format::values::several::{Several, without_digest};
use crate::format::{Hint, Reader};
use std::collections::{HashMap, VecDeque};
use std::io::Read;

/// The lowercase names of fields with digests, and their algorithms.
const FIELDS: [(&[u8], &str); 9] = [
    (b"md5sum", "md5"),
    (b"sha1", "sha1"),
    (b"sha256", "sha256"),
    (b"sha512", "sha512"),
    (b"checksums-md5", "md5"),
    (b"checksums-sha1", "sha1"),
    (b"checksums-sha256", "sha256"),
    (b"checksums-sha512", "sha512"),
    (b"files", "md5"),
];

/// The maximum number of files kept until the end of a paragraph; beyond it, each digest is a record of its own.
const MAX_FILES: usize = 1 << 16;

/// Returns whether a text begins with a field and contains a list of files, or a file name with a digest.
pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let lines = || first.split(|byte| *byte == b'\n').map(without_cr);
    let begins = lines().find(|line| !line.is_empty()).is_some_and(|line| field(line).is_some());
    begins && (has_list(lines()) || has_file(lines()))
}

fn has_list<'a>(lines: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    let is_title =
        |line| field(line).is_some_and(|(name, value)| value.is_empty() && algorithm(&name).is_some());
    let is_entry = |line: &[u8]| line.strip_prefix(b" ").and_then(listed).is_some();
    lines.clone().zip(lines.skip(1)).any(|(title, entry)| is_entry(entry) && is_title(title))
}

fn has_file<'a>(lines: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    let is_name = |(name, value): (Vec<u8>, &[u8])| name == b"filename" && !value.is_empty();
    let is_digest = |(name, value): (Vec<u8>, &[u8])| algorithm(&name).is_some() && is_hex(value);
    lines.clone().filter_map(field).any(is_name) && lines.filter_map(field).any(is_digest)
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Control::default()))
}

/// Returns the algorithm of a field's digests.
fn algorithm(name: &[u8]) -> Option<&'static str> {
    FIELDS.iter().find(|(known, _)| *known == name).map(|(_, algorithm)| *algorithm)
}

/// Splits a field into its lowercase name and its value.
fn field(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let name = &line[..colon];
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
    is_name.then(|| (name.to_ascii_lowercase(), line[colon + 1..].trim_ascii()))
}

/// Parses an entry of a list: digest, size and name. `.changes` has two more words before the name.
fn listed(entry: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    let words = entry.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    match words.take(6).collect::<Vec<_>>()[..] {
        [digest, size, name] | [digest, size, _, _, name] if digest.len() >= 32 && is_hex(digest) => {
            Some((digest, number(size)?, name))
        }
        _ => None,
    }
}

#[derive(Default)]
struct Entry {
    name: Box<[u8]>,
    size: Option<u64>,
    digests: Several,
}

/// A paragraph that is being read.
#[derive(Default)]
struct Control {
    /// The algorithm of the current list.
    list: Option<&'static str>,
    /// The file described by the paragraph itself.
    own: Entry,
    directory: Box<[u8]>,
    entries: Vec<Entry>,
    places: HashMap<Box<[u8]>, usize>,
    ready: VecDeque<Result<Record, Bad>>,
}

impl Parse for Control {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        if line.trim_ascii().is_empty() {
            self.finish();
        } else if let Err(bad) = self.take(line) {
            return Some(Err(bad));
        }
        self.ready.pop_front()
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        self.finish();
        self.ready.pop_front()
    }
}

impl Control {
    fn take(&mut self, line: &[u8]) -> Result<(), Bad> {
        if let Some(entry) = line.strip_prefix(b" ").or_else(|| line.strip_prefix(b"\t")) {
            return match self.list {
                Some(algorithm) => self.entry(algorithm, entry),
                None => Ok(()),
            };
        }
        let (name, value) = field(line).ok_or(Bad::new("line", Why::Unrecognised))?;
        self.list = algorithm(&name).filter(|_| value.is_empty());
        match (name.as_slice(), algorithm(&name)) {
            (b"filename", _) if !self.own.name.is_empty() => return Err(Bad::new("filename", Why::Twice)),
            (b"filename", _) => self.own.name = value.into(),
            (b"directory", _) => self.directory = value.into(),
            (b"size", _) => self.own.size = Some(number(value).ok_or(Bad::new("size", Why::Number))?),
            (_, Some(algorithm)) if !value.is_empty() => {
                self.own.digests.add(named_as(algorithm, value))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn entry(&mut self, algorithm: &str, entry: &[u8]) -> Result<(), Bad> {
        let (text, size, name) = listed(entry).ok_or(Bad::new("line", Why::Unrecognised))?;
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                if self.entries.len() >= MAX_FILES {
                    self.release();
                }
                self.places.insert(name.into(), self.entries.len());
                self.entries.push(Entry { name: name.into(), size: Some(size), ..Entry::default() });
                self.entries.len() - 1
            }
        };
        let Some(entry) = self.entries.get_mut(place) else { return Ok(()) };
        if entry.size != Some(size) {
            return Err(Bad::new("size", Why::Alike).with_file(name));
        }
        entry.digests.add(named_as(algorithm, text)).map_err(|bad| bad.with_file(name))
    }

    fn finish(&mut self) {
        self.release();
        let Entry { name, size, digests } = std::mem::take(&mut self.own);
        match (name.is_empty(), digests.is_empty()) {
            (true, true) => {}
            (true, false) => self.ready.push_back(Err(Bad::new("filename", Why::Missing))),
            (false, true) => self.ready.push_back(Ok(without_digest(&name))),
            (false, false) => self.ready.push_back(digests.record(&name, size)),
        }
        (self.list, self.directory) = (None, Box::default());
    }

    /// Emits the records of the collected files.
    fn release(&mut self) {
        self.places.clear();
        for Entry { name, size, digests } in self.entries.drain(..) {
            let path = match &*self.directory {
                b"" => name,
                directory => [directory, b"/", &name].concat().into(),
            };
            self.ready.push_back(digests.record(&path, size));
        }
    }
}
