//! `mtree`: specifications of BSD's mtree, of libarchive, and those with a path per line (`mtree -C`, `mtree -D`).
//!
//! Only files are read; links, folders and devices have no digest. hashmill writes a line for each file, as `mtree -C`
//! does, with a path below `.`. Source: mtree(5) of NetBSD and FreeBSD, vis(3).

use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::lines::MAX_LINE;
use crate::format::read::text::{without_cr, words};
use crate::format::values::naming::{Naming, number, write_digest};
use crate::format::values::several::Several;
use crate::format::values::vis;
use crate::format::writer::{cannot_carry, check_whole};
use crate::format::{Hint, Layout, Reader, Writer};
use crate::{Record, Status, Time};
use std::io::{self, Read, Write};

pub(in crate::format) const HOLDS: &[&str] = &["md5", "sha1", "ripemd160", "sha256", "sha384", "sha512"];

/// Keywords of digests, which may also have the suffix `digest`.
const DIGESTS: [&[u8]; 6] = [b"md5", b"sha1", b"rmd160", b"sha256", b"sha384", b"sha512"];

const KINDS: [&[u8]; 7] = [b"file", b"dir", b"link", b"fifo", b"socket", b"block", b"char"];

/// Keywords without a value, and the mark of a line that continues.
const FLAGS: [&[u8]; 4] = [b"ignore", b"nochange", b"optional", b"\\"];

/// The maximum number of bytes of a written name, and of folders above it with lines of their own.
const MAX_NAME: usize = 16 << 10;
const FOLDERS: usize = 256;

/// The first lines of a written specification: libarchive's mark, and the top folder, which BSD's mtree expects.
const START: &[u8] = b"#mtree\n. type=dir\n";

pub(in crate::format) fn starts(first: &[u8]) -> bool {
    first.starts_with(b"#mtree")
}

/// Returns whether a line is an entry: its kind, other pairs, and one word as the path, unlike settings and prose.
pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let kind = |word: &[u8]| word.strip_prefix(b"type=").is_some_and(|kind| KINDS.contains(&kind));
    let is_keyword =
        |word: &&[u8]| FLAGS.contains(word) || memchr::memchr(b'=', word).is_some_and(|equals| equals > 0);
    let mut paths = words(line).filter(|word| !is_keyword(word));
    let is_path = |path: &[u8]| !path.ends_with(b":") && !path.starts_with(b"=") && path != b"-";
    let has_path = paths.next().is_some_and(is_path) && paths.next().is_none();
    words(line).any(kind) && (has_path || line.starts_with(b"/set "))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let spec = Spec {
        naming: Naming::new(Hint::None),
        kind: Vec::new(),
        folders: Vec::new(),
        pending: Vec::new(),
        lost: false,
    };
    Box::new(LineReader::new(input, spec))
}

/// The state after the lines so far.
struct Spec {
    naming: Naming,
    /// The default kind of entries.
    kind: Vec<u8>,
    /// The folders of entries without a slash.
    folders: Vec<Vec<u8>>,
    /// The pending lines that end with a backslash.
    pending: Vec<u8>,
    /// The name of a folder could not be read, so the paths of entries inside it are unknown.
    lost: bool,
}

impl Parse for Spec {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        let (part, more) = line.strip_suffix(b"\\").map_or((line, false), |part| (part, true));
        if self.pending.len() + part.len() > MAX_LINE {
            self.pending.clear();
            return Some(Err(Bad::new("line", Why::TooLong(MAX_LINE))));
        }
        self.pending.extend_from_slice(part);
        if more {
            return None;
        }
        let whole = std::mem::take(&mut self.pending);
        self.entry(&whole).transpose()
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        let rest = std::mem::take(&mut self.pending);
        (!rest.is_empty()).then(|| Err(Bad::new("line", Why::Truncated)))
    }
}

impl Spec {
    fn entry(&mut self, line: &[u8]) -> Result<Option<Record>, Bad> {
        let mut words: Vec<&[u8]> = words(line).collect();
        match words.as_slice() {
            [] => return Ok(None),
            [first, ..] if first.starts_with(b"#") => return Ok(None),
            [b"..", ..] => {
                self.folders.pop().ok_or(Bad::new("folder", Why::Unrecognised))?;
                return Ok(None);
            }
            [b"/set", rest @ ..] => {
                if let Some(kind) = rest.iter().find_map(|word| word.strip_prefix(b"type=")) {
                    self.kind = kind.to_vec();
                }
                return Ok(None);
            }
            [b"/unset", rest @ ..] => {
                if rest.iter().any(|word| matches!(*word, b"type" | b"all")) {
                    self.kind.clear();
                }
                return Ok(None);
            }
            _ => {}
        }
        // `mtree -D` writes the path after the keywords.
        let last = words.len() > 1 && words[0].starts_with(b"type=");
        let name = if last { words.pop() } else { Some(words.remove(0)) };
        self.named(name.unwrap_or_default(), &words)
    }

    fn named(&mut self, text: &[u8], words: &[&[u8]]) -> Result<Option<Record>, Bad> {
        let value = |key: &[u8]| words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix(b"="));
        let kind = value(b"type").map_or_else(|| self.kind.clone(), <[u8]>::to_vec);
        let inside = !text.contains(&b'/');
        let folder = inside && kind == b"dir";
        let Some(name) = vis::decode(text) else {
            // Its entries have no known path.
            self.lost |= folder;
            return Err(Bad::new("name", Why::Escape));
        };
        let has_digest = words.iter().any(|word| digest(word).is_some());
        let contradicts = || Bad::new("type", Why::Contradicts);
        if folder {
            self.folders.push(if name == b"." { Vec::new() } else { name });
            return if has_digest { Err(contradicts()) } else { Ok(None) };
        }
        if words.iter().filter(|word| word.starts_with(b"type=")).count() > 1 {
            return Err(Bad::new("type", Why::Twice));
        }
        if self.lost && inside {
            return Err(Bad::new("folder", Why::Missing));
        }
        let path =
            if inside { self.below(&name) } else { name.strip_prefix(b"./").unwrap_or(&name).to_vec() };
        let skipped = |reason: &str| {
            Ok(Some(Record {
                reason: Some(reason.into()),
                ..Record::bare(path.as_slice().into(), Status::Skipped)
            }))
        };
        match kind.as_slice() {
            b"dir" | b"link" | b"fifo" | b"socket" | b"block" | b"char" if has_digest => {
                return Err(contradicts());
            }
            b"dir" => return Ok(None),
            b"link" => return skipped("symlink"),
            b"fifo" => return skipped("fifo"),
            b"socket" => return skipped("socket"),
            b"block" | b"char" => return skipped("device"),
            b"file" | b"" => {}
            _ => return Err(Bad::new("type", Why::Unrecognised)),
        }
        if path.is_empty() {
            return Err(Bad::new("name", Why::Missing));
        }
        let size =
            value(b"size").map(|size| number(size).ok_or(Bad::new("size", Why::Number))).transpose()?;
        let mtime = value(b"time").map(|text| time(text).ok_or(Bad::new("time", Why::Time))).transpose()?;
        let several = self.digests(words)?;
        Ok(Some(Record { mtime, ..several.record_or_bare(&path, size)? }))
    }

    /// Returns the path of an entry of the current folder.
    fn below(&self, name: &[u8]) -> Vec<u8> {
        let parts = self.folders.iter().map(Vec::as_slice).filter(|part| !part.is_empty()).chain([name]);
        parts.collect::<Vec<_>>().join(&b'/')
    }

    fn digests(&mut self, words: &[&[u8]]) -> Result<Several, Bad> {
        let mut several = Several::default();
        for word in words {
            let Some((tag, text)) = digest(word) else { continue };
            several.add(self.naming.tagged(tag, text))?;
        }
        Ok(several)
    }
}

/// Splits a keyword of a digest into the tag of its algorithm and the digest.
fn digest(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let equals = memchr::memchr(b'=', word)?;
    let key = word[..equals].strip_suffix(b"digest").unwrap_or(&word[..equals]);
    let key = if key == b"ripemd160" { b"rmd160" } else { key };
    DIGESTS.contains(&key).then_some((key, &word[equals + 1..]))
}

/// Parses seconds and nanoseconds; the number after the point is not a fraction.
fn time(text: &[u8]) -> Option<Time> {
    let point = memchr::memchr(b'.', text);
    let (whole, rest) = point.map_or((text, &b"0"[..]), |at| (&text[..at], &text[at + 1..]));
    let seconds = str::from_utf8(whole).ok()?.parse().ok()?;
    let nanoseconds = u32::try_from(number(rest)?).ok().filter(|rest| *rest < 1_000_000_000)?;
    Some(Time { seconds, nanoseconds })
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(SpecWriter { line: Vec::new(), folder: Vec::new() })
}

struct SpecWriter {
    line: Vec<u8>,
    /// The folder of the last file, with a trailing slash.
    folder: Vec<u8>,
}

impl SpecWriter {
    /// Appends lines for the folders of a file that are not those of the file before, which BSD's mtree expects first.
    fn folders(&mut self, path: &[u8]) {
        if path.starts_with(b"/") || memchr::memchr_iter(b'/', path).count() > FOLDERS {
            return;
        }
        for slash in memchr::memchr_iter(b'/', path) {
            if !self.folder.starts_with(&path[..=slash]) {
                self.line.extend_from_slice(b"./");
                vis::encode(&path[..slash], &mut self.line);
                self.line.extend_from_slice(b" type=dir\n");
            }
        }
        let end = memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1);
        path[..end].clone_into(&mut self.folder);
    }
}

impl Writer for SpecWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(START)
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check_whole(record, HOLDS)?;
        if record.path.len() > MAX_NAME {
            return Err(cannot_carry("the name is too long for a line of mtree"));
        }
        self.line.clear();
        self.folders(&record.path);
        // A path without a slash would be relative to the current folder of the specification.
        self.line.extend_from_slice(if record.path.starts_with(b"/") { b"" } else { b"./" });
        vis::encode(&record.path, &mut self.line);
        self.line.extend_from_slice(b" type=file");
        if let Some(size) = record.size {
            write!(self.line, " size={size}")?;
        }
        if let Some(time) = record.mtime.filter(|time| time.to_rfc3339().is_some()) {
            write!(self.line, " time={}.{:09}", time.seconds, time.nanoseconds)?;
        }
        for named in &record.digests {
            let key = if named.algorithm.name == "ripemd160" { "rmd160" } else { named.algorithm.name };
            write!(self.line, " {key}=")?;
            write_digest(named, &mut self.line);
        }
        self.line.push(b'\n');
        out.write_all(&self.line)
    }
}
