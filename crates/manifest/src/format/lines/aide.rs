//! `aide`: an AIDE database. Digests are in base64; those with a byte order of AIDE's own are skipped. Only read.
//!
//! Source: aide.conf(5), and databases that AIDE 0.18 wrote.

use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::values::naming::{Naming, number};
use crate::format::values::percent;
use crate::format::values::several::Several;
use crate::format::{Hint, Reader};
use crate::{Record, Status};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_digest::{Digest, MAX_BYTES};
use std::io::Read;

/// Columns with the same digests as other programs.
const DIGESTS: [&[u8]; 8] =
    [b"md5", b"sha1", b"sha256", b"sha512", b"rmd160", b"whirlpool", b"stribog256", b"stribog512"];

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    line.starts_with(b"@@begin_db") || line.starts_with(b"@@db_spec ")
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(
        input,
        Database { naming: Naming::new(Hint::None), columns: Vec::new(), open: false },
    ))
}

struct Database {
    naming: Naming,
    columns: Vec<Vec<u8>>,
    /// The end of the database was not reached yet.
    open: bool,
}

impl Parse for Database {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        if line.starts_with(b"@@begin_db") {
            self.open = true;
        } else if line.starts_with(b"@@end_db") {
            self.open = false;
        } else if let Some(columns) = line.strip_prefix(b"@@db_spec ") {
            self.columns = words(columns).map(<[u8]>::to_vec).collect();
        } else if !line.starts_with(b"#") && !line.trim_ascii().is_empty() {
            return self.row(line).transpose();
        }
        None
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        std::mem::take(&mut self.open).then(|| Err(Bad::new("file", Why::Truncated)))
    }
}

impl Database {
    fn row(&mut self, line: &[u8]) -> Result<Option<Record>, Bad> {
        let fields: Vec<&[u8]> = words(line).collect();
        if fields.len() != self.columns.len() {
            return Err(Bad::new(
                "fields",
                Why::Fields { found: fields.len(), expected: self.columns.len() },
            ));
        }
        let column =
            |name: &[u8]| self.columns.iter().position(|known| known == name).map(|place| fields[place]);
        let name = column(b"name").ok_or(Bad::new("name", Why::Missing))?;
        let path = percent::decoded(name);
        let size =
            column(b"size").map(|size| number(size).ok_or(Bad::new("size", Why::Number))).transpose()?;
        let kind = column(b"perm").and_then(kind);
        match kind {
            Some("folder") => return Ok(None),
            Some("file") | None => {}
            Some(reason) => {
                let entry = Record::bare(path.into(), Status::Skipped);
                return Ok(Some(Record { reason: Some(reason.into()), ..entry }));
            }
        }
        let mut several = Several::default();
        for (column, field) in self.columns.iter().zip(&fields).filter(|(_, field)| **field != b"0") {
            if DIGESTS.contains(&column.as_slice()) {
                let bytes = STANDARD.decode(field).ok().filter(|bytes| bytes.len() <= MAX_BYTES);
                let digest = Digest::new(&bytes.ok_or(Bad::new("digest", Why::Base64))?);
                several.add(self.naming.tagged(column, digest.to_string().as_bytes()))?;
            }
        }
        several.record_or_bare(&path, size).map(Some)
    }
}

/// Returns the kind of an entry from its mode in octal digits.
fn kind(mode: &[u8]) -> Option<&'static str> {
    let mode = u32::from_str_radix(str::from_utf8(mode).ok()?, 8).ok()?;
    Some(match mode & 0o170_000 {
        0o100_000 => "file",
        0o040_000 => "folder",
        0o120_000 => "symlink",
        0o010_000 => "fifo",
        0o140_000 => "socket",
        0o020_000 | 0o060_000 => "device",
        _ => return None,
    })
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| *byte == b' ').filter(|word| !word.is_empty())
}
