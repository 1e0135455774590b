//! Writing DFXML.

use super::super::{Layout, Writer, base64, check_sound, without_likeness};
use super::readable;
use crate::format::naming::{write_digest, write_number};
use crate::{Piece, Record, Status};
use std::io::{self, Write};

const HEAD: &str = concat!(
    "<?xml version='1.0' encoding='UTF-8'?>\n",
    "<dfxml version='1.0'\n",
    "  xmlns='http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML'\n",
    "  xmlns:dc='http://purl.org/dc/elements/1.1/'\n",
    "  xmlns:hashloom='urn:hashloom:dfxml'>\n",
    "  <metadata>\n    <dc:type>Hash List</dc:type>\n  </metadata>\n",
    "  <creator version='1.0'>\n    <program>hashloom</program>\n    <version>",
    env!("CARGO_PKG_VERSION"),
    "</version>\n  </creator>\n",
);

pub(in super::super) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(DfxmlWriter { open: None, text: Vec::new() })
}

struct DfxmlWriter {
    open: Option<Open>,
    text: Vec<u8>,
}

/// The `fileobject` that is not closed yet, because pieces of the same file may follow.
struct Open {
    path: Box<[u8]>,
    /// The record of the whole file is in it.
    whole: bool,
}

impl Writer for DfxmlWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(HEAD.as_bytes())
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        check_sound(record)?;
        without_likeness(record)?;
        self.text.clear();
        self.enter(record);
        match record.piece {
            Some(piece) => self.run(record, piece),
            None => self.whole(record),
        }
        out.write_all(&self.text)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.text.clear();
        self.close();
        self.text.extend_from_slice(b"</dfxml>\n");
        out.write_all(&self.text)
    }
}

impl DfxmlWriter {
    /// Goes on in the open object if the record belongs there, else opens one.
    fn enter(&mut self, record: &Record) {
        let whole = record.piece.is_none();
        let same = self.open.as_mut().filter(|open| open.path == record.path && !(open.whole && whole));
        if let Some(open) = same {
            open.whole |= whole;
            return;
        }
        self.close();
        self.open = Some(Open { path: record.path.clone(), whole });
        self.text.extend_from_slice(b"  <fileobject>\n");
        let text = readable(&record.path);
        self.element("filename", &text);
        if text.as_bytes() != &*record.path {
            self.element("hashloom:path_b64", &base64::encode(&record.path));
        }
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.text.extend_from_slice(b"  </fileobject>\n");
        }
    }

    fn whole(&mut self, record: &Record) {
        if let Some(size) = record.size {
            self.element("filesize", &size.to_string());
        }
        if let Some(time) = record.mtime.and_then(crate::Time::to_rfc3339) {
            self.element("mtime", &time);
        }
        self.content(record, "    ");
    }

    fn run(&mut self, record: &Record, piece: Piece) {
        self.text.extend_from_slice(b"    <byte_run file_offset='");
        write_number(piece.offset, &mut self.text);
        self.text.extend_from_slice(b"' len='");
        write_number(piece.length, &mut self.text);
        self.text.extend_from_slice(b"'>\n");
        self.content(record, "      ");
        self.text.extend_from_slice(b"    </byte_run>\n");
    }

    /// The digests, or why there are none.
    fn content(&mut self, record: &Record, indent: &str) {
        if record.status != Status::Hashed {
            let line = format!("{indent}<error>{}</error>\n", record.status.word());
            self.text.extend_from_slice(line.as_bytes());
        }
        for named in &record.digests {
            let open = format!("{indent}<hashdigest type='{}'>", named.algorithm.name.to_ascii_uppercase());
            self.text.extend_from_slice(open.as_bytes());
            write_digest(named, &mut self.text);
            self.text.extend_from_slice(b"</hashdigest>\n");
        }
    }

    fn element(&mut self, name: &str, text: &str) {
        self.text.extend_from_slice(format!("    <{name}>").as_bytes());
        escape(text, &mut self.text);
        self.text.extend_from_slice(format!("</{name}>\n").as_bytes());
    }
}

/// Escapes what XML text may not hold as it is. A parser turns a carriage return into a line feed unless it
/// is a reference.
fn escape(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'\r' => out.extend_from_slice(b"&#13;"),
            _ => out.push(byte),
        }
    }
}
