//! The writer of documents of the Elastic Common Schema.

use super::{OWN, VERSION, hashes};
use crate::case::line::write_json;
use crate::format::json::jsonl;
use crate::format::made::Made;
use crate::format::{Layout, Writer};
use crate::{Record, Status, Time};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    let own = jsonl::writer(Layout { case: None, ..layout });
    Box::new(EcsWriter { own, made: Made::default(), date: String::new(), line: Vec::new() })
}

struct EcsWriter {
    /// The writer of whole records.
    own: Box<dyn Writer>,
    made: Made,
    /// The time of the documents.
    date: String,
    line: Vec<u8>,
}

impl Writer for EcsWriter {
    fn made(&mut self) -> Option<&mut Made> {
        Some(&mut self.made)
    }

    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        self.date = self.made.date();
        Ok(())
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        self.line.clear();
        write!(
            self.line,
            "{{\"@timestamp\":\"{}\",\"ecs\":{{\"version\":\"{VERSION}\"}},\"event\":",
            self.date
        )?;
        write_json(&mut self.line, &event(record))?;
        self.line.extend_from_slice(b",\"file\":");
        write_json(&mut self.line, &file(record))?;
        let hashes = hashes(record);
        if !hashes.is_empty() {
            // Their order is that of the columns, which a map would sort.
            self.line.pop();
            for (place, (name, text)) in hashes.iter().enumerate() {
                let before = if place == 0 { ",\"hash\":{" } else { "," };
                write!(self.line, "{before}\"{name}\":")?;
                write_json(&mut self.line, text)?;
            }
            self.line.extend_from_slice(b"}}");
        }
        if !is_held(record) {
            write!(self.line, ",\"{OWN}\":")?;
            self.own.record(record, &mut self.line)?;
            self.line.pop();
        }
        self.line.extend_from_slice(b"}\n");
        out.write_all(&self.line)
    }
}

/// Returns whether the fields of the schema hold a record.
fn is_held(record: &Record) -> bool {
    let Record { path, status, reason, version, piece, metadata, likeness, facts, .. } = record;
    let is_plain = *status == Status::Hashed && reason.is_none() && version.is_none() && piece.is_none();
    let has_no_more =
        metadata.is_none() && likeness.is_empty() && facts.is_none() && record.leaves.is_empty();
    let is_whole = record.bad_blocks.is_empty() && record.label.is_none() && str::from_utf8(path).is_ok();
    is_plain && has_no_more && is_whole
}

/// Returns what happened: whether the file was hashed, or why not.
fn event(record: &Record) -> Value {
    let outcome = match record.status {
        Status::Hashed => "success",
        Status::Unreadable | Status::Changed => "failure",
        Status::Skipped | Status::Stored(_) => "unknown",
    };
    let mut event = json!({"kind": "state", "category": ["file"], "type": ["info"], "outcome": outcome});
    if let Some(reason) = &record.reason {
        event["reason"] = json!(reason);
    }
    event
}

/// Returns the fields of the file but for its digests.
fn file(record: &Record) -> Map<String, Value> {
    let path = String::from_utf8_lossy(&record.path);
    let (folder, name) = path.rsplit_once('/').map_or((None, &*path), |(folder, name)| (Some(folder), name));
    let extension =
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    let kind = match (record.status, record.reason.as_deref()) {
        (Status::Hashed, _) => Some("file"),
        (Status::Skipped, Some("symlink")) => Some("symlink"),
        _ => None,
    };
    let size = record.size.filter(|_| record.piece.is_none());
    let mime = record.facts.as_ref().and_then(|facts| facts.content_type.as_ref());
    let date = |time: Option<Time>| time.and_then(Time::to_rfc3339).map(Value::from);
    let metadata = record.metadata.as_deref();
    let fields = [
        ("path", Some(json!(path))),
        ("name", Some(json!(name))),
        ("directory", folder.filter(|folder| !folder.is_empty()).map(|folder| json!(folder))),
        ("extension", extension.filter(|text| !text.is_empty()).map(|text| json!(text))),
        ("type", kind.map(|kind| json!(kind))),
        ("size", size.map(|size| json!(size))),
        ("mime_type", mime.map(|mime| json!(mime.mime))),
        ("mtime", date(record.mtime)),
        ("ctime", date(metadata.and_then(|metadata| metadata.ctime))),
        ("accessed", date(metadata.and_then(|metadata| metadata.accessed))),
        ("created", date(metadata.and_then(|metadata| metadata.created))),
        ("inode", metadata.and_then(|metadata| metadata.inode).map(|inode| json!(inode.to_string()))),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
