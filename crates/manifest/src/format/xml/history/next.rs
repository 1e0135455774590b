//! The writer of a generation.

use super::{GenerationFolder, Merged};
use crate::format::made::date;
use crate::format::values::c4;
use crate::format::values::naming::write_digest;
use crate::format::writer::{below, check_whole};
use crate::format::xml;
use crate::format::xml::escape;
use crate::format::{Made, Writer};
use crate::{Named, Record, Status, Time};
use hashmill_digest::{Algorithm, Digest};
use std::io::{self, Write};
use std::sync::Arc;

/// The algorithms that a generation can hold.
pub(crate) const HOLDS: &[&str] = &["md5", "sha1", "sha512", "xxh64", "xxh3", "xxh128"];

/// The input for the next generation; the default makes the first one.
#[derive(Debug, Clone, Default)]
pub struct Next {
    /// The union of the earlier generations.
    pub known: Arc<Merged>,
    /// The requested algorithms; if empty, all that records have. Others are used for files with known digests by them.
    pub asked: Vec<&'static Algorithm>,
    /// The exclusion patterns.
    pub patterns: Vec<Box<[u8]>>,
}

/// The action that a generation records for a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is the first digest of its file.
    Original,
    /// It is unchanged, or the file is unchanged by another digest.
    Verified,
    /// It differs.
    Failed,
}

impl Action {
    fn word(self) -> &'static str {
        match self {
            Action::Original => "original",
            Action::Verified => "verified",
            Action::Failed => "failed",
        }
    }
}

impl Next {
    /// Returns the digests of a file in the generation, each with its action. A new digest of a file with known digests
    /// is only added if all those are unchanged.
    pub fn entries(&self, path: &[u8], digests: &[Named]) -> Vec<(Named, Action)> {
        let before = self.known.digests(path);
        let known = |named: &Named| before.iter().find(|known| known.algorithm == named.algorithm);
        let judged = |named: &Named| {
            let action = if known(named)?.digest == named.digest { Action::Verified } else { Action::Failed };
            Some((*named, action))
        };
        let mut entries: Vec<(Named, Action)> = digests.iter().filter_map(judged).collect();
        let action = match before {
            [] => Action::Original,
            _ if entries.iter().any(|(_, action)| *action == Action::Failed) || entries.is_empty() => {
                return entries;
            }
            _ => Action::Verified,
        };
        let is_asked = |named: &&Named| self.asked.is_empty() || self.asked.contains(&named.algorithm);
        let new = digests.iter().filter(is_asked).filter(|named| known(named).is_none());
        entries.extend(new.map(|named| (*named, action)));
        entries
    }
}

/// Writes a generation.
pub struct GenerationWriter {
    next: Next,
    made: Made,
    text: Vec<u8>,
    /// Whether a file was written: the schema requires one in the list of files.
    any: bool,
    references: Vec<(Box<[u8]>, Digest)>,
}

impl GenerationWriter {
    /// Begins a generation.
    pub fn new(next: Next) -> GenerationWriter {
        GenerationWriter { next, made: Made::default(), text: Vec::new(), any: false, references: Vec::new() }
    }

    /// Adds a reference to the new manifest of a nested history, with its SHA-512; to be called before the end.
    pub fn refer(&mut self, path: &[u8], digest: Digest) {
        self.references.push((path.into(), digest));
    }

    /// Writes all that comes before the files, with the digests of the whole tree if there are any to write.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn head(&mut self, tree: Option<&GenerationFolder>, out: &mut dyn Write) -> io::Result<()> {
        let (date, version) = (self.made.date(), env!("CARGO_PKG_VERSION"));
        self.text.clear();
        write!(
            self.text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n  \
             <creatorinfo>\n    <creationdate>{date}</creationdate>\n    <hostname>"
        )?;
        escape(&xml::readable(&self.made.host), &mut self.text);
        write!(
            self.text,
            "</hostname>\n    <tool version=\"{version}\">hashmill</tool>\n  </creatorinfo>\n  <processinfo>\n    \
             <process>in-place</process>\n"
        )?;
        if let Some(tree) = tree {
            self.text.extend_from_slice(b"    <roothash>\n");
            folder_digests(tree, &mut self.text)?;
            self.text.extend_from_slice(b"    </roothash>\n");
        }
        self.patterns();
        self.text.extend_from_slice(b"  </processinfo>\n");
        out.write_all(&self.text)
    }

    /// Writes a file, with its previous path if it was renamed.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn file(&mut self, record: &Record, before: Option<&[u8]>, out: &mut dyn Write) -> io::Result<()> {
        check_whole(record, HOLDS)?;
        let path = below(&record.path);
        let name = xml::name(path)?;
        self.open("hash");
        if let Some(size) = record.size {
            write!(self.text, " size=\"{size}\"")?;
        }
        self.close_path(name, record.mtime)?;
        let mut entries = self.next.entries(path, &record.digests);
        // The order that the schema requires.
        entries.sort_by_key(|(named, _)| tag(named));
        for (named, action) in &entries {
            element(named, Some(*action), &mut self.text)?;
        }
        self.end_item("hash", before, out)
    }

    /// Writes a folder.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn folder(&mut self, folder: &GenerationFolder, out: &mut dyn Write) -> io::Result<()> {
        let name = xml::name(&folder.path)?;
        self.open("directoryhash");
        self.close_path(name, folder.mtime)?;
        folder_digests(folder, &mut self.text)?;
        self.end_item("directoryhash", folder.before.as_deref(), out)
    }

    fn open(&mut self, tag: &str) {
        self.text.clear();
        self.text.extend_from_slice(if self.any { b"" } else { b"  <hashes>\n" });
        self.text.extend_from_slice(format!("    <{tag}>\n      <path").as_bytes());
    }

    fn close_path(&mut self, name: &str, time: Option<Time>) -> io::Result<()> {
        if let Some(time) = time.and_then(date) {
            write!(self.text, " lastmodificationdate=\"{time}\"")?;
        }
        self.text.push(b'>');
        escape(name, &mut self.text);
        self.text.extend_from_slice(b"</path>\n");
        Ok(())
    }

    fn end_item(&mut self, tag: &str, before: Option<&[u8]>, out: &mut dyn Write) -> io::Result<()> {
        if let Some(before) = before {
            self.text.extend_from_slice(b"      <previousPath>");
            escape(xml::name(before)?, &mut self.text);
            self.text.extend_from_slice(b"</previousPath>\n");
        }
        writeln!(self.text, "    </{tag}>")?;
        out.write_all(&self.text)?;
        self.any = true;
        Ok(())
    }

    fn patterns(&mut self) {
        if self.next.patterns.is_empty() {
            return;
        }
        self.text.extend_from_slice(b"    <ignore>\n");
        for pattern in &self.next.patterns {
            self.text.extend_from_slice(b"      <pattern>");
            escape(&xml::readable(pattern), &mut self.text);
            self.text.extend_from_slice(b"</pattern>\n");
        }
        self.text.extend_from_slice(b"    </ignore>\n");
    }
}

impl Writer for GenerationWriter {
    fn made(&mut self) -> Option<&mut Made> {
        Some(&mut self.made)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.head(None, out)
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed { Ok(()) } else { self.file(record, None, out) }
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.text.clear();
        self.text.extend_from_slice(if self.any { b"  </hashes>\n" } else { b"" });
        if !self.references.is_empty() {
            self.text.extend_from_slice(b"  <references>\n");
            for (path, digest) in &self.references {
                self.text.extend_from_slice(b"    <hashlistreference>\n      <path>");
                escape(xml::name(path)?, &mut self.text);
                self.text.extend_from_slice(b"</path>\n      <c4>");
                c4::encode(digest, &mut self.text);
                self.text.extend_from_slice(b"</c4>\n    </hashlistreference>\n");
            }
            self.text.extend_from_slice(b"  </references>\n");
        }
        self.text.extend_from_slice(b"</hashlist>\n");
        out.write_all(&self.text)
    }
}

/// Returns the element name of a digest: a SHA-512 is written as C4.
fn tag(named: &Named) -> &'static str {
    if named.algorithm.name == "sha512" { "c4" } else { named.algorithm.name }
}

/// Writes the digests of a folder, in the order that the schema requires.
fn folder_digests(folder: &GenerationFolder, text: &mut Vec<u8>) -> io::Result<()> {
    for (kind, digests) in [("content", &folder.content), ("structure", &folder.structure)] {
        writeln!(text, "      <{kind}>")?;
        let mut digests: Vec<&Named> = digests.iter().collect();
        digests.sort_by_key(|named| tag(named));
        for named in digests {
            text.extend_from_slice(b"  ");
            element(named, None, text)?;
        }
        writeln!(text, "      </{kind}>")?;
    }
    Ok(())
}

fn element(named: &Named, action: Option<Action>, text: &mut Vec<u8>) -> io::Result<()> {
    let tag = tag(named);
    write!(text, "      <{tag}")?;
    if let Some(action) = action {
        write!(text, " action=\"{}\"", action.word())?;
    }
    text.push(b'>');
    match tag {
        "c4" => c4::encode(&named.digest, text),
        _ => write_digest(named, text),
    }
    writeln!(text, "</{tag}>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::xml::history::GenerationPart;
    use hashmill_digest::{find, hash};

    fn named(name: &str, content: &str) -> Named {
        let algorithm = find(name).unwrap();
        Named { algorithm, digest: hash(algorithm, content.as_bytes()), guessed: false }
    }

    fn next(known: &[Named], asked: &[&str]) -> Next {
        let mut merged = Merged::default();
        if !known.is_empty() {
            let record = Record::hashed(b"a".as_slice().into(), None, known.to_vec());
            merged.take(GenerationPart::File(Box::new(record), None));
        }
        let asked = asked.iter().map(|name| find(name).unwrap()).collect();
        Next { known: Arc::new(merged), asked, patterns: Vec::new() }
    }

    fn said(next: &Next, content: &str) -> Vec<String> {
        let digests = [named("md5", content), named("xxh128", content)];
        let entries = next.entries(b"a", &digests);
        entries.iter().map(|(named, action)| format!("{} {}", named.algorithm.name, action.word())).collect()
    }

    #[test]
    fn folders_are_written_as_they_are_read() {
        let digest = |text: &str| vec![named("sha512", text), named("md5", text)];
        let folder = |path: &str| GenerationFolder {
            path: path.as_bytes().into(),
            content: digest("content"),
            structure: digest("structure"),
            before: (!path.is_empty()).then(|| b"old & <name>".as_slice().into()),
            ..GenerationFolder::default()
        };
        let mut writer = GenerationWriter::new(Next::default());
        let mut text = Vec::new();
        writer.head(Some(&folder("")), &mut text).unwrap();
        writer.folder(&folder("A/B"), &mut text).unwrap();
        writer.end(&mut text).unwrap();
        let parts: Vec<_> = crate::format::xml::history::Parts::new(Box::new(&text[..])).collect();
        let read: Vec<&GenerationFolder> = parts
            .iter()
            .filter_map(|part| match part {
                Ok(GenerationPart::Folder(folder)) => Some(&**folder),
                _ => None,
            })
            .collect();
        assert_eq!(read.len(), 2);
        for (read, path) in read.into_iter().zip(["", "A/B"]) {
            let wanted = folder(path);
            assert_eq!((&read.path, &read.before), (&wanted.path, &wanted.before));
            assert_eq!([&read.content, &read.structure], [&wanted.content, &wanted.structure]);
        }
    }

    #[test]
    fn a_new_algorithm_counts_only_beside_one_that_is_verified() {
        assert_eq!(said(&next(&[], &["xxh128"]), "x"), ["xxh128 original"]);
        let known = next(&[named("md5", "x")], &["xxh128"]);
        assert_eq!(said(&known, "x"), ["md5 verified", "xxh128 verified"]);
        assert_eq!(said(&known, "y"), ["md5 failed"]);
        let both = next(&[named("md5", "x"), named("xxh128", "x")], &["md5"]);
        assert_eq!(said(&both, "y"), ["md5 failed", "xxh128 failed"]);
        assert_eq!(said(&next(&[named("sha1", "x")], &["md5"]), "x"), [""; 0]);
    }
}
