//! The formats of a signature file, with their signatures.

use super::compile::sequences;
use super::element::Element;
use super::error::SignatureError;
use super::matcher::{Bytes, Sequence};
use std::collections::HashMap;

/// A format of PRONOM.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) puid: Box<str>,
    pub(super) name: Box<str>,
    pub(super) version: Box<str>,
    pub(super) mime: Box<str>,
    /// The places of the formats that are left out beside this one.
    priority_over: Vec<usize>,
    has_signature: bool,
}

/// A signature, each of whose sequences must match.
#[derive(Debug)]
struct Signature {
    sequences: Vec<Sequence>,
    formats: Vec<usize>,
}

/// The formats of a signature file.
#[derive(Debug, Default)]
pub(super) struct Formats {
    pub(super) version: Box<str>,
    pub(super) all: Vec<Format>,
    signatures: Vec<Signature>,
    /// The signatures by the first byte of streams, where they have one, and the others.
    by_first_byte: Vec<Vec<usize>>,
    others: Vec<usize>,
    /// The formats without signatures, by an extension in lower case.
    by_extension: HashMap<Box<str>, Vec<usize>>,
}

impl Formats {
    /// Compiles the file.
    pub(super) fn new(root: &Element) -> Result<Formats, SignatureError> {
        let mut formats =
            Formats { version: root.attribute("Version").unwrap_or("?").into(), ..Formats::default() };
        let mut places = HashMap::new();
        for signature in root.below("InternalSignatureCollection", "InternalSignature") {
            let id =
                signature.number("ID")?.ok_or_else(|| signature.error("the signature has no ID".into()))?;
            if places.insert(id, formats.signatures.len()).is_some() {
                return Err(signature.error(format!("two signatures have the ID {id}")));
            }
            formats.signatures.push(Signature { sequences: sequences(signature)?, formats: Vec::new() });
        }
        let mut ids = HashMap::new();
        let mut elements = Vec::new();
        for format in root.below("FileFormatCollection", "FileFormat") {
            let id = format.number("ID")?.ok_or_else(|| format.error("the format has no ID".into()))?;
            let Some(puid) = format.attribute("PUID") else { continue };
            if ids.insert(id, formats.all.len()).is_some() {
                return Err(format.error(format!("two formats have the ID {id}")));
            }
            let text = |name| format.attribute(name).unwrap_or_default().into();
            formats.all.push(Format {
                puid: puid.into(),
                name: text("Name"),
                version: text("Version"),
                mime: text("MIMEType"),
                priority_over: Vec::new(),
                has_signature: false,
            });
            elements.push(format);
        }
        for (place, element) in elements.into_iter().enumerate() {
            for id in element.all("InternalSignatureID") {
                let id = (id.number_inside()?, id);
                let signature = places
                    .get(&id.0)
                    .ok_or_else(|| id.1.error(format!("no signature has the ID {}", id.0)))?;
                formats.signatures[*signature].formats.push(place);
                formats.all[place].has_signature = true;
            }
            for id in element.all("HasPriorityOverFileFormatID") {
                formats.all[place].priority_over.extend(ids.get(&id.number_inside()?));
            }
            for extension in element.all("Extension").filter(|_| !formats.all[place].has_signature) {
                let extension = extension.text.trim().to_lowercase().into();
                formats.by_extension.entry(extension).or_default().push(place);
            }
        }
        formats.sort_signatures();
        Ok(formats)
    }

    fn sort_signatures(&mut self) {
        self.by_first_byte = vec![Vec::new(); 256];
        for (place, signature) in self.signatures.iter().enumerate() {
            match signature.sequences.iter().find_map(|sequence| sequence.prefix().first()) {
                Some(byte) => self.by_first_byte[usize::from(*byte)].push(place),
                None => self.others.push(place),
            }
        }
    }

    /// Returns the places of the formats whose signatures match, without those over which another has priority.
    pub(super) fn by_signature(&self, bytes: Bytes<'_>) -> Vec<usize> {
        let of_byte = bytes.head.first().and_then(|byte| self.by_first_byte.get(usize::from(*byte)));
        let signatures =
            of_byte.into_iter().flatten().chain(&self.others).map(|place| &self.signatures[*place]);
        let matching = signatures.filter(|signature| {
            let begins = |sequence: &Sequence| bytes.head.starts_with(sequence.prefix());
            signature.sequences.iter().all(begins)
                && signature.sequences.iter().all(|sequence| sequence.matches(bytes))
        });
        self.without_lower(matching.flat_map(|signature| &signature.formats).copied().collect())
    }

    /// Returns the places of the formats without a signature that have this extension.
    pub(super) fn by_extension(&self, extension: &str) -> Vec<usize> {
        let found = self.by_extension.get(extension).cloned().unwrap_or_default();
        self.without_lower(found)
    }

    /// Returns the place of the format with this identifier.
    pub(super) fn find(&self, puid: &str) -> Option<usize> {
        self.all.iter().position(|format| *format.puid == *puid)
    }

    /// Leaves out formats over which another one has priority, and repeated ones.
    pub(super) fn without_lower(&self, mut places: Vec<usize>) -> Vec<usize> {
        places.sort_unstable();
        places.dedup();
        let is_lower =
            |place: &usize| places.iter().any(|other| self.all[*other].priority_over.contains(place));
        places.iter().filter(|place| !is_lower(place)).copied().collect()
    }
}
