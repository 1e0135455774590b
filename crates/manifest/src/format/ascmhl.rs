//! `ascmhl`: a manifest of the ASC media hash list, version 2.0: paths below the folder that the folder `ascmhl` lies in.
//!
//! We write a single manifest, as the first generation of a history: every digest is `original`. The chain of a history
//! ([`super::ascmhl_chain`]) is read; making it, and digests of folders, are left to `ascmhl`. A digest by C4 is a SHA-512 in letters of its own.
//! Source: ASC MHL Specification 2.0, and its schema.

use super::element_list::ElementList;
use super::made::date;
use super::naming::write_digest;
use super::writer::{below, check_whole};
use super::xml::escape;
use super::{Hint, Layout, Made, Reader, Writer, ascmhl_chain, c4, mhl, xml};
use crate::{Named, Record, Status};
use std::io::{self, Read, Write};

pub(super) const HOLDS: &[&str] = &["md5", "sha1", "sha512", "xxh64", "xxh3", "xxh128"];

pub(super) fn sniff(first: &[u8]) -> bool {
    mhl::is_list(first)
        && !ascmhl_chain::sniff(first)
        && memchr::memmem::find(first, b"urn:ASC:MHL").is_some()
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    ElementList { element: b"hash", read: mhl::read }.reader(input)
}

pub(super) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(ManifestWriter { made: Made::default(), text: Vec::new(), any: false })
}

struct ManifestWriter {
    made: Made,
    text: Vec<u8>,
    /// There was a file: the schema wants one in a list of them.
    any: bool,
}

impl Writer for ManifestWriter {
    fn made(&mut self) -> Option<&mut Made> {
        Some(&mut self.made)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (date, version) = (self.made.date(), env!("CARGO_PKG_VERSION"));
        write!(
            self.text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n  \
             <creatorinfo>\n    <creationdate>{date}</creationdate>\n    <hostname>"
        )?;
        escape(&xml::readable(&self.made.host), &mut self.text);
        write!(
            self.text,
            "</hostname>\n    <tool version=\"{version}\">hashloom</tool>\n  </creatorinfo>\n  <processinfo>\n    \
             <process>in-place</process>\n  </processinfo>\n"
        )?;
        out.write_all(&self.text)
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check_whole(record, HOLDS)?;
        let name = xml::name(below(&record.path))?;
        self.text.clear();
        self.text.extend_from_slice(if self.any { b"" } else { b"  <hashes>\n" });
        self.text.extend_from_slice(b"    <hash>\n      <path");
        if let Some(size) = record.size {
            write!(self.text, " size=\"{size}\"")?;
        }
        if let Some(time) = record.mtime.and_then(date) {
            write!(self.text, " lastmodificationdate=\"{time}\"")?;
        }
        self.text.push(b'>');
        escape(name, &mut self.text);
        self.text.extend_from_slice(b"</path>\n");
        for named in &record.digests {
            element(named, &mut self.text)?;
        }
        self.text.extend_from_slice(b"    </hash>\n");
        out.write_all(&self.text)?;
        self.any = true;
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.any { b"  </hashes>\n</hashlist>\n" } else { b"</hashlist>\n" })
    }
}

/// Appends the element of a digest.
fn element(named: &Named, text: &mut Vec<u8>) -> io::Result<()> {
    let is_c4 = named.algorithm.name == "sha512";
    let tag = if is_c4 { "c4" } else { named.algorithm.name };
    write!(text, "      <{tag} action=\"original\">")?;
    match is_c4 {
        true => c4::encode(&named.digest, text),
        false => write_digest(named, text),
    }
    writeln!(text, "</{tag}>")
}
