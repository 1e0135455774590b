//! RPM packages (LSB Core 5.0, "Package File Format"; `docs/manual/format_v4.md` of rpm): a lead, a header with
//! signatures, a header with the facts, and a payload, which is a compressed cpio archive.
//!
//! The members are those of the payload, with the paths that it has: `./usr/bin/a`. If a package has a file of 4
//! GiB or more its payload has no sizes and names, but indexes into the header; the paths are made the same way
//! then. Files that a package owns without bringing them (`%ghost`) are no members.

mod files;
mod statements;
mod table;

pub use statements::{RpmDigest, RpmFile, RpmPart, RpmPartDigest, RpmStatements, rpm_statements};

use crate::cpio::source::Source;
use crate::cpio::{Cpio, HeaderForm};
use crate::{Compression, Limits, Members, Problem, decoder};
use files::StrippedFiles;
use std::io::{Cursor, Read};
use table::{TagTable, tag};

/// The bytes that a lead begins with.
const MAGIC: [u8; 4] = [0xed, 0xab, 0xee, 0xdb];
/// The bytes of a lead.
const LEAD: u64 = 96;

/// Returns whether a package begins so.
pub(crate) fn recognizes(first: &[u8]) -> bool {
    first.starts_with(&MAGIC)
}

/// Opens a package.
pub(crate) fn open(bytes: Box<dyn Read + Send>, limits: &Limits) -> Result<Box<dyn Members>, Problem> {
    let mut source = Source::new(bytes);
    let header = Package::read(&mut source, limits)?.header;
    if let Some(format) = header.string(tag::PAYLOAD_FORMAT).filter(|format| *format != b"cpio") {
        let what = format!("a payload in the format {}", String::from_utf8_lossy(format));
        return Err(Problem::Unsupported(what.into()));
    }
    let payload = payload(source, &header, limits)?;
    Ok(Box::new(Cpio::new(Source::new(payload), Some(Box::new(StrippedFiles::new(header, limits))), limits)))
}

/// Returns a reader of the payload as it was before it was compressed.
fn payload(mut source: Source, header: &TagTable, limits: &Limits) -> Result<Box<dyn Read + Send>, Problem> {
    let mut first = [0; Compression::FIRST];
    let filled = source.fill(&mut first)?;
    let first = first.get(..filled).unwrap_or_default().to_vec();
    let is_plain = HeaderForm::new(&first).is_some();
    let compressor = header.string(tag::PAYLOAD_COMPRESSOR);
    // An LZMA stream has no magic: it can't be recognised for sure.
    let stated = (compressor == Some(b"lzma")).then_some(Compression::Lzma);
    let compression = Compression::of(&first).or(stated).filter(|_| !is_plain);
    let bytes = Box::new(Cursor::new(first).chain(source.into_rest()));
    match (compression, compressor) {
        (Some(compression), _) => decoder(compression, bytes, limits),
        (None, Some(name)) if !is_plain && filled > 0 => {
            let what = format!("a payload compressed by {}", String::from_utf8_lossy(name));
            Err(Problem::Unsupported(what.into()))
        }
        (None, _) => Ok(bytes),
    }
}

/// The parts before the payload.
struct Package {
    signature: TagTable,
    header: TagTable,
    /// The positions of the header and of the payload.
    header_at: u64,
    payload_at: u64,
}

impl Package {
    fn read<R: Read>(source: &mut Source<R>, limits: &Limits) -> Result<Package, Problem> {
        let lead = source.vec(LEAD)?;
        if !lead.starts_with(&MAGIC) {
            return Err(Problem::damaged("the first bytes are not those of an RPM package"));
        }
        let signature = TagTable::read(source, limits.memory)?;
        let padding = signature.length().wrapping_neg() % 8;
        source.pass(padding)?;
        let header = TagTable::read(source, limits.memory.saturating_sub(signature.length()))?;
        let header_at = LEAD + signature.length() + padding;
        let payload_at = header_at + header.length();
        Ok(Package { signature, header, header_at, payload_at })
    }
}

#[cfg(test)]
mod tests;
