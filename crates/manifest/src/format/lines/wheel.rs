//! `record`: the RECORD of a Python package: path, digest and size separated by commas, the digest as `sha256=` and
//! URL-safe base64 without `=`. hashmill writes SHA-256.
//!
//! Files without a digest (RECORD itself, bytecode) are skipped. Source: the Binary Distribution Format and the
//! Recording Installed Packages specification of PyPA (PEP 427, PEP 376).

use crate::Record;
use crate::format::file_list::{FileList, no_beginning, no_end};
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::without_cr;
use crate::format::values::naming::{Naming, number};
use crate::format::writer::cannot_carry;
use crate::format::{Hint, Layout, Reader, Writer};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hashmill_digest::{Digest, MAX_BYTES};
use std::io::{self, Read, Write};

/// The parts of a line, as text.
struct Line<'a> {
    path: Vec<u8>,
    digest: &'a [u8],
    size: &'a [u8],
}

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let line = without_cr(line);
    split(line).is_some_and(|line| {
        let size = line.size.is_empty() || number(line.size).is_some();
        size && decode(line.digest).is_some()
    })
}

/// Returns whether a folder has the name of a package's metadata: the paths of a RECORD are relative to its parent.
pub(in crate::format) fn is_info(folder: &[u8]) -> bool {
    folder.ends_with(b".dist-info")
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Installed { naming: Naming::new(Hint::None) }))
}

struct Installed {
    naming: Naming,
}

impl Parse for Installed {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        if line.is_empty() {
            return None;
        }
        match split(line) {
            None => Some(Err(Bad::new("line", Why::Unrecognised))),
            Some(line) if line.digest.is_empty() && line.size.is_empty() => None,
            Some(line) => Some(self.record(line)),
        }
    }
}

impl Installed {
    fn record(&mut self, Line { path, digest, size }: Line<'_>) -> Result<Record, Bad> {
        if path.is_empty() {
            return Err(Bad::new("name", Why::Missing));
        }
        let size = match size {
            b"" => None,
            size => Some(number(size).ok_or(Bad::new("size", Why::Number))?),
        };
        let (tag, bytes) = decode(digest).ok_or(Bad::new("digest", Why::Base64))?;
        let named =
            self.naming.tagged(tag, bytes.to_string().as_bytes()).map_err(|bad| bad.with_file(&path))?;
        Ok(Record::hashed(path.into(), size, vec![named]))
    }
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: &["sha256"], begin: no_beginning, between: "", item: line, end: no_end }.writer()
}

fn line(record: &Record, _: u64, line: &mut Vec<u8>) -> io::Result<()> {
    let [named] = record.digests.as_slice() else {
        return Err(cannot_carry("RECORD holds a SHA-256 of each file"));
    };
    if record.path.contains(&b'\n') {
        return Err(cannot_carry("a line of RECORD can't hold a name with a line feed"));
    }
    quoted(&record.path, line);
    write!(line, ",sha256={},", URL_SAFE_NO_PAD.encode(named.digest.as_bytes()))?;
    if let Some(size) = record.size {
        write!(line, "{size}")?;
    }
    line.push(b'\n');
    Ok(())
}

/// Appends a path, quoted unless it is plain.
fn quoted(path: &[u8], line: &mut Vec<u8>) {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'-' | b'+');
    if path.iter().all(plain) {
        line.extend_from_slice(path);
        return;
    }
    line.push(b'"');
    for byte in path {
        line.extend_from_slice(if *byte == b'"' { b"\"\"" } else { std::slice::from_ref(byte) });
    }
    line.push(b'"');
}

/// Splits a digest into the name of the algorithm and the value.
fn decode(text: &[u8]) -> Option<(&[u8], Digest)> {
    let equals = memchr::memchr(b'=', text).filter(|at| *at > 0)?;
    let (tag, digest) = (&text[..equals], &text[equals + 1..]);
    let bytes = URL_SAFE_NO_PAD.decode(digest).ok()?;
    let fits = (16..=MAX_BYTES).contains(&bytes.len())
        && tag.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    fits.then(|| (tag, Digest::new(&bytes)))
}

/// Splits a line of CSV into three fields, of which only the first may be quoted.
fn split(line: &[u8]) -> Option<Line<'_>> {
    let last = memchr::memrchr(b',', line)?;
    let middle = memchr::memrchr(b',', &line[..last])?;
    let (path, digest, size) = (&line[..middle], &line[middle + 1..last], &line[last + 1..]);
    let path = match path.strip_prefix(b"\"") {
        Some(rest) => unquoted(rest.strip_suffix(b"\"")?)?,
        None if path.contains(&b',') || path.contains(&b'"') => return None,
        None => path.to_vec(),
    };
    Some(Line { path, digest, size })
}

/// Unquotes a field, in which quotes are doubled.
fn unquoted(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        if *byte == b'"' && bytes.next() != Some(&b'"') {
            return None;
        }
        out.push(*byte);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_path_may_be_quoted() {
        let path = |line: &str| split(line.as_bytes()).map(|line| String::from_utf8(line.path).unwrap());
        assert_eq!(path("a/b.py,sha256=x,3").as_deref(), Some("a/b.py"));
        assert_eq!(path("\"a,\"\"b\"\".py\",sha256=x,3").as_deref(), Some("a,\"b\".py"));
        assert_eq!(path("RECORD,,").as_deref(), Some("RECORD"));
        for line in ["a", "a,b", "a,b,c,3", "\"a,b,3", "\"a\"b\",c,3"] {
            assert_eq!(path(line), None, "{line}");
        }
    }

    #[test]
    fn lines_of_other_tables_are_none() {
        assert!(sniff(b"a/__init__.py,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\r"));
        for line in [
            &b"RECORD,,"[..],
            b"a,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,x",
            b"a,ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad,3",
            b"path,sha256,size",
            b"a,sha256=+++,3",
        ] {
            assert!(!sniff(line), "{}", line.escape_ascii());
        }
    }
}
