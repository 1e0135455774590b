//! Writes DFXML.

use super::readable;
use crate::case::{About, End, Start, line};
use crate::format::made::date;
use crate::format::tables::facts;
use crate::format::values::base64;
use crate::format::values::naming::{write_digest, write_number};
use crate::format::writer::{check_hashed, check_sound, without_likeness};
use crate::format::xml::escape;
use crate::format::{Layout, Writer};
use crate::{Allocation, Metadata, Named, Piece, Record, Status};
use hashmill_facts::FactSet;
use std::io::{self, Write};
use std::sync::Arc;

const HEAD: &str = "<?xml version='1.0' encoding='UTF-8'?>
<dfxml version='1.2.0'
  xmlns='http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML'
  xmlns:dc='http://purl.org/dc/elements/1.1/'
  xmlns:hashmill='urn:hashmill:dfxml'>
  <metadata>
    <dc:type>Hash List</dc:type>
";

/// The algorithms that the schema names.
const NAMED: [&str; 6] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

/// The maximum number of bytes of pieces that wait for the record of their file, because the schema wants the size
/// first. A file with more gets another `fileobject`.
const HELD: usize = 4 << 20;

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    Box::new(DfxmlWriter {
        start: layout.case,
        path: Box::default(),
        runs: Vec::new(),
        text: Vec::new(),
        end: None,
    })
}

struct DfxmlWriter {
    start: Option<Arc<Start>>,
    /// The file of the pending pieces.
    path: Box<[u8]>,
    /// The pending pieces as XML.
    runs: Vec<u8>,
    text: Vec<u8>,
    /// The end of the case data, which follows all files.
    end: Option<End>,
}

impl Writer for DfxmlWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let text = &mut self.text;
        text.extend_from_slice(HEAD.as_bytes());
        match self.start.as_deref() {
            Some(start) => case_start(start, text)?,
            None => creator("hashmill", env!("CARGO_PKG_VERSION"), text),
        }
        text.extend_from_slice(b"  </creator>\n");
        out.write_all(text)
    }

    fn conclude(&mut self, end: &End, _: &mut dyn Write) -> io::Result<()> {
        self.end = Some(end.clone());
        Ok(())
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        check_sound(record)?;
        check_hashed(record)?;
        without_likeness(record)?;
        self.text.clear();
        if self.path != record.path || self.runs.len() > HELD {
            self.pieces_alone();
        }
        match record.piece {
            Some(piece) => {
                self.path.clone_from(&record.path);
                run(record, piece, &mut self.runs);
            }
            None => self.whole(record),
        }
        out.write_all(&self.text)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.text.clear();
        self.pieces_alone();
        if let Some(end) = self.end.take() {
            about("case_end", &About::End(end), "  ", &mut self.text)?;
        }
        self.text.extend_from_slice(b"</dfxml>\n");
        out.write_all(&self.text)
    }
}

impl DfxmlWriter {
    /// Writes the pending pieces without a record of their file.
    fn pieces_alone(&mut self) {
        if !self.runs.is_empty() {
            let path = std::mem::take(&mut self.path);
            self.open(&path, None);
            self.close(None);
        }
    }

    fn whole(&mut self, record: &Record) {
        let inside = record.metadata.as_deref().filter(|metadata| metadata.container.is_some());
        self.open(&record.path, inside);
        if record.status != Status::Hashed {
            element("error", "    ", record.status.word().as_bytes(), &mut self.text);
        }
        if let Some(size) = record.size {
            element("filesize", "    ", size.to_string().as_bytes(), &mut self.text);
        }
        if let Some(metadata) = inside {
            self.entry(metadata);
        }
        let times = inside.map(|of| [("ctime", of.ctime), ("atime", of.accessed), ("crtime", of.created)]);
        for (name, time) in [("mtime", record.mtime)].into_iter().chain(times.into_iter().flatten()) {
            if let Some(time) = time.and_then(date) {
                element(name, "    ", time.as_bytes(), &mut self.text);
            }
        }
        self.close(Some(record));
    }

    /// Writes facts about content, which the schemas have at the end, where all elements of others may be.
    fn facts(&mut self, record: &Record) {
        for key in facts::keys(FactSet::all()) {
            if let Some(text) = facts::text(key, record) {
                element(&format!("hashmill:{}", key.name()), "    ", text.as_bytes(), &mut self.text);
            }
        }
    }

    /// Writes what tells an entry of a file system from others.
    fn entry(&mut self, metadata: &Metadata) {
        let allocated: &[u8] = if metadata.allocation.is_none() { b"1" } else { b"0" };
        element("alloc", "    ", allocated, &mut self.text);
        if let Some(inode) = metadata.inode {
            element("inode", "    ", inode.to_string().as_bytes(), &mut self.text);
        }
    }

    fn open(&mut self, path: &[u8], inside: Option<&Metadata>) {
        self.text.extend_from_slice(b"  <fileobject>\n    <filename");
        let name = readable(path);
        if name.as_bytes() != path {
            self.text.extend_from_slice(b" hashmill:path_b64='");
            self.text.extend_from_slice(base64::encode(path).as_bytes());
            self.text.push(b'\'');
        }
        let container = inside.and_then(|metadata| metadata.container.as_deref());
        let allocation = inside.and_then(|metadata| metadata.allocation).map(Allocation::word);
        let is_word = |text: &&str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        for (name, word) in [("container", container.filter(is_word)), ("allocation", allocation)] {
            if let Some(word) = word {
                self.text.extend_from_slice(format!(" hashmill:{name}='{word}'").as_bytes());
            }
        }
        self.text.push(b'>');
        escape(&name, &mut self.text);
        self.text.extend_from_slice(b"</filename>\n");
    }

    /// Closes the object of a file, whose record may be missing.
    fn close(&mut self, record: Option<&Record>) {
        if !self.runs.is_empty() {
            self.text.extend_from_slice(b"    <byte_runs>\n");
            self.text.append(&mut self.runs);
            self.text.extend_from_slice(b"    </byte_runs>\n");
        }
        if let Some(record) = record {
            hashdigests(&record.digests, "    ", &mut self.text);
            self.facts(record);
        }
        self.text.extend_from_slice(b"  </fileobject>\n");
    }
}

/// Writes case data: everything as JSON, and the items that DFXML has elements for. Leaves `creator` open.
fn case_start(start: &Start, out: &mut Vec<u8>) -> io::Result<()> {
    let who = [("identifier", &start.case), ("creator", &start.examiner), ("description", &start.evidence)];
    for (name, text) in who {
        if let Some(text) = text {
            shown(&format!("dc:{name}"), "    ", text.as_bytes(), out);
        }
    }
    about("case_start", &About::Start(start.clone()), "    ", out)?;
    creator(&start.tool, &start.version, out);
    out.extend_from_slice(b"    <execution_environment>\n");
    shown("host", "      ", &start.host, out);
    shown("command_line", "      ", &start.command.join(&b' '), out);
    if let Some(time) = date(start.started) {
        element("start_time", "      ", time.as_bytes(), out);
    }
    out.extend_from_slice(b"    </execution_environment>\n");
    Ok(())
}

fn creator(program: &str, version: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"  </metadata>\n  <creator>\n");
    shown("program", "    ", program.as_bytes(), out);
    shown("version", "    ", version.as_bytes(), out);
}

/// Writes a part of the case data as JSON.
fn about(name: &str, about: &About, indent: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let json = line::json(about)?;
    // The two characters that JSON does not escape and XML can't carry.
    let text = String::from_utf8_lossy(&json).replace('\u{fffe}', "\\ufffe").replace('\u{ffff}', "\\uffff");
    element(&format!("hashmill:{name}"), indent, text.as_bytes(), out);
    Ok(())
}

fn run(record: &Record, piece: Piece, out: &mut Vec<u8>) {
    out.extend_from_slice(b"      <byte_run file_offset='");
    write_number(piece.offset, out);
    out.extend_from_slice(b"' len='");
    write_number(piece.length, out);
    if record.status != Status::Hashed {
        out.extend_from_slice(b"' hashmill:status='");
        out.extend_from_slice(record.status.word().as_bytes());
    }
    for key in facts::keys(FactSet::all()).filter(|key| key.is_real()) {
        if let Some(text) = facts::text(key, record) {
            out.extend_from_slice(format!("' hashmill:{}='{text}", key.name()).as_bytes());
        }
    }
    out.extend_from_slice(b"'>\n");
    hashdigests(&record.digests, "        ", out);
    out.extend_from_slice(b"      </byte_run>\n");
}

fn hashdigests(digests: &[Named], indent: &str, out: &mut Vec<u8>) {
    for named in digests {
        let name = named.algorithm.name;
        let kind = match NAMED.contains(&name) {
            true => format!("type='{}'", name.to_ascii_uppercase()),
            false => format!("type='OTHER' hashmill:algorithm='{name}'"),
        };
        out.extend_from_slice(format!("{indent}<hashdigest {kind}>").as_bytes());
        write_digest(named, out);
        out.extend_from_slice(b"</hashdigest>\n");
    }
}

/// Writes an element for display, with control characters replaced.
fn shown(name: &str, indent: &str, text: &[u8], out: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(text);
    element(name, indent, text.replace(line::is_hidden, "\u{fffd}").as_bytes(), out);
}

/// Writes an element with text; characters that XML can't carry are replaced.
fn element(name: &str, indent: &str, text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{indent}<{name}>").as_bytes());
    escape(&readable(text), out);
    out.extend_from_slice(format!("</{name}>\n").as_bytes());
}
