//! The writer of bundles.

use super::{ALGORITHMS, HOLDS, id, is_of_windows, split};
use crate::case::line::write_json;
use crate::format::made::{Made, date};
use crate::format::values::tags::tag;
use crate::format::writer::{cannot_carry, check_whole, text_name};
use crate::format::{Layout, Writer};
use crate::{Record, Status};
use std::io::{self, Write};

/// The number of folders after which one is written again, as a reader remembers no more than some of them.
const REMEMBERED: u64 = super::read::FOLDERS as u64 / 2;

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(BundleWriter {
        made: Made::default(),
        open: Vec::new(),
        folders: 0,
        objects: 0,
        text: Vec::new(),
    })
}

struct BundleWriter {
    made: Made,
    /// The folders around the last file, from the outermost one.
    open: Vec<OpenFolder>,
    /// The number of folders and of all objects that were written.
    folders: u64,
    objects: u64,
    text: Vec<u8>,
}

struct OpenFolder {
    path: String,
    id: String,
    /// The number of folders that were written before it.
    at: u64,
}

impl Writer for BundleWriter {
    fn made(&mut self) -> Option<&mut Made> {
        Some(&mut self.made)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let id = id::of_bundle(&self.made.id());
        writeln!(out, "{{\"type\":\"bundle\",\"id\":\"{id}\",\"objects\":[")
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check_whole(record, HOLDS)?;
        let (folder, name) = split(text_name(&record.path, "STIX")?);
        if name.is_empty() || folder.as_deref().is_some_and(is_of_windows) {
            return Err(cannot_carry("its path would be another one in STIX"));
        }
        self.text.clear();
        let folder = folder.map(|folder| self.folder(folder)).transpose()?;
        self.file(record, name, folder.as_deref())?;
        out.write_all(&self.text)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.objects > 0 { b"\n]}\n" } else { b"]}\n" })
    }
}

impl BundleWriter {
    /// Returns the identifier of a folder, which is written unless it was a short time ago.
    fn folder(&mut self, path: String) -> io::Result<String> {
        let is_around = |open: &OpenFolder| path == open.path || path.starts_with(&format!("{}/", open.path));
        self.open.truncate(self.open.iter().take_while(|open| is_around(open)).count());
        let last = self.open.last().filter(|open| open.path == path && self.folders - open.at < REMEMBERED);
        if let Some(open) = last {
            return Ok(open.id.clone());
        }
        self.open.pop_if(|open| open.path == path);
        let id = id::of_folder(&path);
        self.object("directory", &id)?;
        self.text.extend_from_slice(b",\"path\":");
        write_json(&mut self.text, &path)?;
        self.text.push(b'}');
        self.folders += 1;
        self.open.push(OpenFolder { path, id: id.clone(), at: self.folders });
        Ok(id)
    }

    fn file(&mut self, record: &Record, name: &str, folder: Option<&str>) -> io::Result<()> {
        let of = |named| (tag(&ALGORITHMS, named), named.digest.to_string());
        let hashes: Vec<(&str, String)> = record.digests.iter().map(of).collect();
        self.object("file", &id::of_file(&hashes, name, folder))?;
        for (place, (algorithm, text)) in hashes.iter().enumerate() {
            let before = if place == 0 { ",\"hashes\":{" } else { "," };
            write!(self.text, "{before}\"{algorithm}\":\"{text}\"")?;
        }
        self.text.extend_from_slice(if hashes.is_empty() { b"" } else { b"}" });
        if let Some(size) = record.size {
            write!(self.text, ",\"size\":{size}")?;
        }
        self.text.extend_from_slice(b",\"name\":");
        write_json(&mut self.text, name)?;
        if let Some(mtime) = record.mtime.and_then(date) {
            write!(self.text, ",\"mtime\":\"{mtime}\"")?;
        }
        if let Some(folder) = folder {
            write!(self.text, ",\"parent_directory_ref\":\"{folder}\"")?;
        }
        self.text.push(b'}');
        Ok(())
    }

    /// Appends the beginning of an object.
    fn object(&mut self, kind: &str, id: &str) -> io::Result<()> {
        let between = if self.objects > 0 { ",\n" } else { "" };
        self.objects += 1;
        write!(self.text, "{between}{{\"type\":\"{kind}\",\"spec_version\":\"2.1\",\"id\":\"{id}\"")
    }
}
