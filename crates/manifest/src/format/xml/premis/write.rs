//! The writer of PREMIS documents, version 3.

use super::parts::{self, BY_HASHMILL, EventStart, element, named};
use super::{ALGORITHMS, HOLDS, IN_VOCABULARY};
use crate::format::made::{Made, date};
use crate::format::tables::facts;
use crate::format::values::naming::write_digest;
use crate::format::values::tags::tag;
use crate::format::writer::{cannot_carry, check_hashed, check_sound, without_likeness};
use crate::format::xml::name;
use crate::format::{Layout, Writer};
use crate::{Named, Record, Status};
use hashmill_facts::{ContentFacts, FactSet, PronomFormat};
use std::io::{self, Write};

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(PremisWriter { made: Made::default(), text: Vec::new() })
}

struct PremisWriter {
    made: Made,
    text: Vec<u8>,
}

impl Writer for PremisWriter {
    fn made(&mut self) -> Option<&mut Made> {
        Some(&mut self.made)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        parts::begin(out)
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check(record)?;
        self.text.clear();
        object(record, &mut self.text)?;
        out.write_all(&self.text)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.text.clear();
        let (id, at) = (self.made.id(), self.made.date());
        EventStart { id: &id, kind: ["mes", "message digest calculation"], at: &at }.write(&mut self.text);
        self.text.extend_from_slice(BY_HASHMILL.as_bytes());
        self.text.extend_from_slice(b"  </event>\n");
        out.write_all(&self.text)?;
        parts::end(out)
    }
}

/// Checks that an object can hold all of a record.
fn check(record: &Record) -> io::Result<()> {
    if record.piece.is_some() {
        return Err(cannot_carry("the format has no pieces"));
    }
    check_sound(record)?;
    check_hashed(record)?;
    without_likeness(record)?;
    let is_held = record.digests.iter().all(|named| HOLDS.contains(&named.algorithm.name));
    if is_held { Ok(()) } else { Err(cannot_carry("the format has no place for a digest by this algorithm")) }
}

/// Writes the object of a file, in the order of the schema.
fn object(record: &Record, text: &mut Vec<u8>) -> io::Result<()> {
    let path = name(&record.path)?;
    text.extend_from_slice(b"  <object xsi:type=\"file\">\n    <objectIdentifier><objectIdentifierType>path</objectIdentifierType>");
    element("objectIdentifierValue", path, text);
    text.extend_from_slice(
        b"</objectIdentifier>\n    <objectCharacteristics>\n      <compositionLevel>0</compositionLevel>\n",
    );
    record.digests.iter().for_each(|digest| fixity(digest, text));
    if let Some(size) = record.size {
        writeln!(text, "      <size>{size}</size>")?;
    }
    formats(record.facts.as_deref(), text);
    extension(record, text);
    text.extend_from_slice(b"    </objectCharacteristics>\n    ");
    element("originalName", path, text);
    text.extend_from_slice(b"\n  </object>\n");
    Ok(())
}

fn fixity(digest: &Named, text: &mut Vec<u8>) {
    let (own, label) = (digest.algorithm.name, tag(&ALGORITHMS, digest));
    text.extend_from_slice(b"      <fixity>");
    match ALGORITHMS[..IN_VOCABULARY].iter().any(|(name, _)| *name == own) {
        true => named("messageDigestAlgorithm", "cryptographicHashFunctions", [own, label], text),
        false => element("messageDigestAlgorithm", label, text),
    }
    text.extend_from_slice(b"<messageDigest>");
    write_digest(digest, text);
    text.extend_from_slice(b"</messageDigest></fixity>\n");
}

/// Writes the formats of an object, of which it must have one.
fn formats(facts: Option<&ContentFacts>, text: &mut Vec<u8>) {
    let formats = facts.and_then(|facts| facts.pronom.as_ref()).map_or(&[][..], |pronom| &pronom.formats);
    formats.iter().for_each(|format| pronom(format, text));
    if formats.is_empty() {
        let mime = facts.and_then(|facts| facts.content_type.as_ref()).map(|known| &*known.mime);
        format(mime.unwrap_or("unknown"), None, None, text);
    }
}

fn pronom(found: &PronomFormat, text: &mut Vec<u8>) {
    let name = if found.name.is_empty() { &found.puid } else { &found.name };
    format(name, Some(&*found.version).filter(|version| !version.is_empty()), Some(&found.puid), text);
}

fn format(name: &str, version: Option<&str>, puid: Option<&str>, text: &mut Vec<u8>) {
    text.extend_from_slice(b"      <format><formatDesignation>");
    element("formatName", name, text);
    version.iter().for_each(|version| element("formatVersion", version, text));
    text.extend_from_slice(b"</formatDesignation>");
    if let Some(puid) = puid {
        text.extend_from_slice(b"<formatRegistry><formatRegistryName>PRONOM</formatRegistryName>");
        element("formatRegistryKey", puid, text);
        text.extend_from_slice(b"</formatRegistry>");
    }
    text.extend_from_slice(b"</format>\n");
}

/// Writes the parts of a record for which the schema has no element.
fn extension(record: &Record, text: &mut Vec<u8>) {
    let mtime = record.mtime.and_then(date).map(|mtime| ("mtime", mtime));
    let facts = facts::keys(FactSet::all()).filter_map(|key| Some((key.name(), facts::text(key, record)?)));
    let mut fields = mtime.into_iter().chain(facts).peekable();
    if fields.peek().is_none() {
        return;
    }
    text.extend_from_slice(b"      <objectCharacteristicsExtension><hashmill:record>\n");
    for (name, value) in fields {
        text.extend_from_slice(b"        ");
        element(&format!("hashmill:{name}"), &value, text);
        text.push(b'\n');
    }
    text.extend_from_slice(b"      </hashmill:record></objectCharacteristicsExtension>\n");
}
