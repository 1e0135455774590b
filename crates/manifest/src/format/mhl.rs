//! `mhl`: media hash lists of film productions: MHL 1.1, and ASC-MHL 2.0. Only read: both want to say when and by whom
//! they were made.
//!
//! Paths of MHL 1.1 lie below the folder of the list, those of ASC-MHL below the folder that `ascmhl` lies in. In MHL 1.1
//! `xxhash` is an XXH32 in decimal digits, `xxhash64` an XXH64 with its last byte first. A digest by C4 is a SHA-512 in
//! letters of its own. A digest with the action `failed` is what a verification found instead of the right one: it does
//! not count. Digests of folders (`directoryhash`) are left out.
//!
//! Source: mediahashlist.org, schema 1.1; ASC MHL Specification 2.0; SMPTE ST 2114 (C4 ID).

use super::element_list::ElementList;
use super::malformed::{Bad, Why};
use super::naming::{Naming, number};
use super::several::{Several, without_digest};
use super::xml::Element;
use super::{Hint, Reader};
use crate::{Named, Record, Time};
use hashloom_digest::Digest;
use std::io::Read;

pub(super) fn sniff(first: &[u8]) -> bool {
    let text = first.trim_ascii_start();
    let has = |part: &[u8]| memchr::memmem::find(text, part).is_some();
    text.starts_with(b"<")
        && has(b"<hashlist")
        && (has(b"urn:ASC:MHL") || has(b"<creatorinfo") || has(b"<hash>"))
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    ElementList { element: b"hash", read }.reader(input)
}

fn read(hash: &Element, naming: &mut Naming) -> Result<Record, Bad> {
    let name = hash.child(b"path").or(hash.child(b"file")).ok_or(Bad::new("path", Why::Missing))?;
    let path = name.text.as_slice();
    if path.trim_ascii().is_empty() {
        return Err(Bad::new("path", Why::Missing));
    }
    let size = hash.child(b"size").map(|size| size.text.trim_ascii()).or(name.attribute(b"size"));
    let size = size.map(|size| number(size).ok_or(Bad::new("size", Why::Number))).transpose()?;
    let time = hash.child(b"lastmodificationdate").map(|time| time.text.trim_ascii());
    let mtime = time.or(name.attribute(b"lastmodificationdate")).and_then(time_of);
    let mut several = Several::default();
    for digest in hash.children.iter().filter(|digest| digest.attribute(b"action") != Some(b"failed")) {
        if let Some(named) = named(naming, &digest.name, digest.text.trim_ascii()) {
            several.add(named.map_err(|bad| bad.of(path)))?;
        }
    }
    if several.is_empty() {
        return Ok(Record { size, mtime, ..without_digest(path) });
    }
    Ok(Record { mtime, ..several.record(path, size)? })
}

/// The digest of an element, if it is one.
fn named(naming: &mut Naming, name: &[u8], text: &[u8]) -> Option<Result<Named, Bad>> {
    Some(match name {
        b"md5" | b"sha1" | b"xxh32" | b"xxh64" | b"xxh128" => naming.tagged(name, text),
        b"xxh3" => naming.tagged(b"XXH3", text),
        b"xxhash64be" => naming.tagged(b"XXH64", text),
        b"xxhash64" => naming.tagged(b"XXH64_LE", text),
        b"xxhash" => match number(text).and_then(|value| u32::try_from(value).ok()) {
            Some(value) => naming.tagged(b"XXH32", format!("{value:08x}").as_bytes()),
            None => Err(Bad::new("xxhash", Why::Number)),
        },
        b"c4" => match c4(text) {
            Some(digest) => naming.tagged(b"SHA512", digest.to_string().as_bytes()),
            None => Err(Bad::new("c4", Why::Unrecognised)),
        },
        _ => return None,
    })
}

/// Some programs write times without an offset, which say nothing.
fn time_of(text: &[u8]) -> Option<Time> {
    str::from_utf8(text).ok().and_then(Time::from_rfc3339)
}

/// The SHA-512 of a C4 ID: `c4`, and 88 digits of base 58.
fn c4(text: &[u8]) -> Option<Digest> {
    const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let digits = text.strip_prefix(b"c4").filter(|digits| digits.len() == 88)?;
    let mut bytes = [0_u8; 64];
    for digit in digits {
        let mut carry = DIGITS.iter().position(|known| known == digit)? as u32;
        for byte in bytes.iter_mut().rev() {
            carry += u32::from(*byte) * 58;
            *byte = carry as u8;
            carry >>= 8;
        }
        if carry > 0 {
            return None;
        }
    }
    Some(Digest::new(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_c4_id_is_a_sha512() {
        // Of no bytes, from the standard.
        let empty =
            b"c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT";
        let sha512 = "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                      47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e";
        assert_eq!(c4(empty).map(|digest| digest.to_string()).as_deref(), Some(sha512));
        assert_eq!(c4(&[b"c4", [b'z'; 88].as_slice()].concat()), None);
        assert_eq!(c4(b"c40"), None);
    }
}
