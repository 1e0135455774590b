//! `mhl`: media hash lists of film productions, version 1.1, with paths below the list's folder, and MD5, SHA-1, XXH32
//! (as `xxhash`, in decimal) and XXH64 (as `xxhash64be`; `xxhash64` has the last byte first).
//!
//! Those of ASC-MHL ([`super::ascmhl`]) have elements of the same names. A digest with the action `failed` was found
//! instead of the expected one, so it is ignored. Source: mediahashlist.org, schema 1.1.

use super::element_list::ElementList;
use super::{Element, escape, has_element, path_of};
use crate::format::file_list::FileList;
use crate::format::made::date;
use crate::format::malformed::{Bad, Why};
use crate::format::values::c4;
use crate::format::values::naming::{Naming, number, write_digest};
use crate::format::values::several::Several;
use crate::format::writer::{below, cannot_carry};
use crate::format::xml;
use crate::format::{Hint, Layout, Made, Reader, Writer};
use crate::{Named, Record, Time};
use std::io::{self, Read, Write};

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let text = first.trim_ascii_start();
    let is_asc = memchr::memmem::find(text, b"urn:ASC:MHL").is_some();
    is_list(text) && !is_asc && (has_element(text, b"creatorinfo") || has_element(text, b"hash"))
}

/// Returns whether a document is a media hash list of any version.
pub(in crate::format) fn is_list(first: &[u8]) -> bool {
    let text = first.trim_ascii_start();
    text.starts_with(b"<") && has_element(text, b"hashlist")
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    ElementList { elements: &[b"hash"], read }.reader(input)
}

/// Returns the record of a file in a list of any version.
pub(in crate::format) fn read(hash: &Element, naming: &mut Naming) -> Result<Record, Bad> {
    let name = hash.only(b"path")?.or(hash.only(b"file")?).ok_or(Bad::new("path", Why::Missing))?;
    let path = path_of(&name.text);
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
            several.add(named.map_err(|bad| bad.with_file(path)))?;
        }
    }
    Ok(Record { mtime, ..several.record_or_bare(path, size)? })
}

/// Returns the digest of an element, if it is one.
pub(in crate::format) fn named(naming: &mut Naming, name: &[u8], text: &[u8]) -> Option<Result<Named, Bad>> {
    Some(match name {
        b"md5" | b"sha1" | b"xxh32" | b"xxh64" | b"xxh128" => naming.tagged(name, text),
        b"xxh3" => naming.tagged(b"XXH3", text),
        b"xxhash64be" => naming.tagged(b"XXH64", text),
        b"xxhash64" => naming.tagged(b"XXH64_LE", text),
        b"xxhash" => match number(text).and_then(|value| u32::try_from(value).ok()) {
            Some(value) => naming.tagged(b"XXH32", format!("{value:08x}").as_bytes()),
            None => Err(Bad::new("xxhash", Why::Number)),
        },
        b"c4" => match c4::decoded(text) {
            Some(digest) => naming.tagged(b"SHA512", digest.to_string().as_bytes()),
            None => Err(Bad::new("c4", Why::Unrecognised)),
        },
        _ => return None,
    })
}

/// Parses a time; times without an offset, which some programs write, are ignored.
fn time_of(text: &[u8]) -> Option<Time> {
    str::from_utf8(text).ok().and_then(Time::from_rfc3339)
}

pub(in crate::format) const HOLDS: &[&str] = &["md5", "sha1", "xxh32", "xxh64"];

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    let end = |_, out: &mut dyn Write| out.write_all(b"</hashlist>\n");
    FileList { holds: HOLDS, begin, between: "", item, end }.writer()
}

fn begin(made: &Made, text: &mut Vec<u8>) -> io::Result<()> {
    let (date, version) = (made.date(), env!("CARGO_PKG_VERSION"));
    text.extend_from_slice(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"1.1\">\n  <creatorinfo>\n    <hostname>",
    );
    escape(&xml::readable(&made.host), text);
    write!(
        text,
        "</hostname>\n    <tool>hashmill {version}</tool>\n    <startdate>{date}</startdate>\n    \
         <finishdate>{date}</finishdate>\n  </creatorinfo>\n"
    )
}

fn item(record: &Record, _: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let name = xml::name(below(&record.path))?;
    let size = record.size.ok_or_else(|| cannot_carry("a media hash list needs the size"))?;
    text.extend_from_slice(b"  <hash>\n    <file>");
    escape(name, text);
    writeln!(text, "</file>\n    <size>{size}</size>")?;
    if let Some(time) = record.mtime.and_then(date) {
        writeln!(text, "    <lastmodificationdate>{time}</lastmodificationdate>")?;
    }
    record.digests.iter().try_for_each(|named| element(named, text))?;
    text.extend_from_slice(b"  </hash>\n");
    Ok(())
}

fn element(named: &Named, text: &mut Vec<u8>) -> io::Result<()> {
    let tag = match named.algorithm.name {
        "xxh32" => "xxhash",
        "xxh64" => "xxhash64be",
        name => name,
    };
    write!(text, "    <{tag}>")?;
    match <[u8; 4]>::try_from(named.digest.as_bytes()) {
        Ok(bytes) => write!(text, "{:010}", u32::from_be_bytes(bytes))?,
        Err(_) => write_digest(named, text),
    }
    writeln!(text, "</{tag}>")
}
