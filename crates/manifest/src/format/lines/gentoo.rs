//! `gentoo`: a Manifest of Gentoo: kind, path, size, then pairs of algorithm and digest. hashmill writes the kind DATA.
//!
//! Source: GLEP 74, "Full-tree verification using Manifest files"; GLEP 44 for the kinds of older files.

use crate::format::file_list::{FileList, no_beginning, no_end};
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::{without_cr, words};
use crate::format::values::naming::{Naming, is_hex, number, write_digest};
use crate::format::values::tags::{TagRow, algorithms, tag};
use crate::format::writer::{cannot_carry, text_name};
use crate::format::{Hint, Layout, Reader, Writer};
use crate::{Named, Record};
use std::io::{self, Read, Write};

/// Kinds of lines with digests of a file.
const FILES: [&[u8]; 6] = [b"DIST", b"EBUILD", b"MISC", b"AUX", b"DATA", b"MANIFEST"];
/// Kinds of lines without digests: the time of creation, and exclusions.
const OTHERS: [&[u8]; 3] = [b"TIMESTAMP", b"IGNORE", b"OPTIONAL"];
/// The folder of files of the kind AUX.
const AUX: &[u8] = b"files/";

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let mut words = words(line);
    let kind = words.next().unwrap_or_default();
    let time = || line.starts_with(b"TIMESTAMP 2") && without_cr(line).ends_with(b"Z");
    let mut file = || words.nth(1).and_then(number).is_some() && words.nth(1).is_some_and(is_hex);
    kind == b"TIMESTAMP" && time() || FILES.contains(&kind) && file()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Manifest { naming: Naming::new(Hint::None) }))
}

struct Manifest {
    naming: Naming,
}

impl Parse for Manifest {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        let kind = words(line).next()?;
        (!OTHERS.contains(&kind)).then(|| self.record(kind, line))
    }
}

impl Manifest {
    fn record(&mut self, kind: &[u8], line: &[u8]) -> Result<Record, Bad> {
        if !FILES.contains(&kind) {
            return Err(Bad::new("line", Why::Unrecognised));
        }
        let mut words = words(line).skip(1);
        let name = words.next().ok_or(Bad::new("name", Why::Missing))?;
        let name = unescaped(name).ok_or(Bad::new("name", Why::Escape))?;
        let path = if kind == b"AUX" { [AUX, &name].concat() } else { name };
        let size = words.next().ok_or(Bad::new("size", Why::Missing))?;
        let size = number(size).ok_or(Bad::new("size", Why::Number))?;
        let (mut digests, mut foreign): (Vec<Named>, _) = (Vec::new(), None);
        while let Some(tag) = words.next() {
            let text = words.next().ok_or(Bad::new("digest", Why::Missing))?;
            match self.naming.tagged(tag, text) {
                Ok(named) if digests.iter().any(|known| known.algorithm == named.algorithm) => {
                    return Err(Bad::new("digest", Why::Alike));
                }
                Ok(named) => digests.push(named),
                // The other digests suffice.
                Err(bad) if matches!(bad.why, Why::Unsupported { .. }) => foreign = Some(bad),
                Err(bad) => return Err(bad),
            }
        }
        match foreign {
            Some(foreign) if digests.is_empty() => Err(foreign.with_file(&path)),
            None if digests.is_empty() => Err(Bad::new("digest", Why::Missing)),
            _ => Ok(Record::hashed(path.into(), Some(size), digests)),
        }
    }
}

/// The algorithms of GLEP 74 and of Portage, and their names in Manifests.
const TAGS: [TagRow; 12] = [
    ("md5", "MD5"),
    ("sha1", "SHA1"),
    ("ripemd160", "RMD160"),
    ("sha256", "SHA256"),
    ("sha512", "SHA512"),
    ("whirlpool", "WHIRLPOOL"),
    ("blake2b-512", "BLAKE2B"),
    ("blake2s-256", "BLAKE2S"),
    ("sha3-256", "SHA3_256"),
    ("sha3-512", "SHA3_512"),
    ("streebog256", "STREEBOG256"),
    ("streebog512", "STREEBOG512"),
];

/// hashmill's names of these algorithms.
pub(in crate::format) const HOLDS: &[&str] = &algorithms(&TAGS);

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    FileList { holds: HOLDS, begin: no_beginning, between: "", item: line, end: no_end }.writer()
}

fn line(record: &Record, _: u64, line: &mut Vec<u8>) -> io::Result<()> {
    let size = record.size.ok_or_else(|| cannot_carry("a line of a Manifest needs the size"))?;
    let name = text_name(&record.path, "a Manifest")?;
    line.extend_from_slice(b"DATA ");
    escaped(name, line);
    write!(line, " {size}")?;
    for named in &record.digests {
        write!(line, " {} ", tag(&TAGS, named))?;
        write_digest(named, line);
    }
    line.push(b'\n');
    Ok(())
}

/// Appends a name with blanks, control characters and backslashes escaped according to GLEP 74.
fn escaped(name: &str, line: &mut Vec<u8>) {
    for letter in name.chars() {
        let code = u32::from(letter);
        let plain = !letter.is_whitespace() && !letter.is_control() && letter != '\\';
        let text = match code {
            _ if plain => letter.to_string(),
            0..=0x7f => format!("\\x{code:02X}"),
            0x80..=0xffff => format!("\\u{code:04X}"),
            _ => format!("\\U{code:08X}"),
        };
        line.extend_from_slice(text.as_bytes());
    }
}

/// Decodes a name with the escapes `\x20`, `\u0020` and `\U00000020`.
fn unescaped(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let (kind, after) = rest.split_first()?;
        let digits = match kind {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let text = str::from_utf8(after.get(..digits)?).ok()?;
        let code =
            text.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(text, 16).ok());
        let letter = char::from_u32(code??)?;
        out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &after[digits..];
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unescaped() {
        for (name, wanted) in [
            ("a", Some("a")),
            (r"a\x20b\u0020c\U00000020d", Some("a b c d")),
            (r"\x5c\u00fc", Some("\\\u{fc}")),
            (r"\x2", None),
            (r"\n", None),
            (r"\u+123", None),
            (r"\UFFFFFFFF", None),
            ("\\", None),
        ] {
            assert_eq!(unescaped(name.as_bytes()).as_deref(), wanted.map(str::as_bytes), "{name}");
        }
    }
}
