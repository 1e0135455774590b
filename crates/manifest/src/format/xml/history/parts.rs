//! The parts of a generation: its files, its exclusion patterns, and the manifests of nested histories.

use super::folders::{Folders, GenerationFolder, digest, unknown};
use crate::Record;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::values::naming::Naming;
use crate::format::xml::mhl;
use crate::format::xml::{Element, Elements};
use crate::format::{Hint, Reader};
use hashmill_os::names;
use std::io::Read;
use std::vec::IntoIter;

/// The elements that are read.
const NAMES: &[&[u8]] = &[b"hash", b"ignore", b"hashlistreference", b"directoryhash", b"roothash"];

/// The elements of a file beside its digests.
const OF_FILE: &[&[u8]] =
    &[b"path", b"previousPath", b"metadata", b"size", b"creationdate", b"lastmodificationdate", b"hashdate"];

/// A part of a generation.
#[derive(Debug)]
pub enum GenerationPart {
    /// A file, and its previous path if it was renamed. Has no digests if all failed.
    File(Box<Record>, Option<Box<[u8]>>),
    /// A folder, or the whole tree.
    Folder(Box<GenerationFolder>),
    /// Exclusion patterns in gitignore syntax.
    Patterns(Vec<Box<[u8]>>),
    /// The manifest of a nested history, with its C4.
    Reference(Box<Record>),
}

/// The parts of a generation, in order.
pub struct Parts<'a> {
    elements: Elements<'a>,
    naming: Naming,
    /// The digests of folders, until they are compared at the end; none if something could not be read.
    folders: Option<Folders>,
    /// The folders whose digests are wrong.
    wrong: IntoIter<Box<[u8]>>,
    /// The error of an element that was read for the most part; it comes next.
    rest: Option<Malformed>,
    /// Whether paths that lead out of the history's folder are refused.
    inside: bool,
}

impl<'a> Parts<'a> {
    /// Creates a reader of a history's generation, whose paths are all in one folder.
    pub fn new(input: Box<dyn Read + 'a>) -> Parts<'a> {
        Parts { inside: true, ..Parts::anywhere(input) }
    }

    /// Creates a reader of a manifest with any paths.
    fn anywhere(input: Box<dyn Read + 'a>) -> Parts<'a> {
        let elements = Elements::new(input, NAMES);
        let (naming, wrong) = (Naming::new(Hint::None), Vec::new().into_iter());
        Parts { elements, naming, folders: Some(Folders::default()), wrong, rest: None, inside: false }
    }

    /// Takes what an element says of the digests of folders.
    fn note(&mut self, element: &Element) {
        let Some(folders) = &mut self.folders else { return };
        match &*element.name {
            b"hash" => folders.file(element, &mut self.naming),
            b"hashlistreference" => {
                let path = element.child(b"path").map(|path| path.text.as_slice());
                folders.reference(path.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn folder(&mut self, element: &Element) -> Result<GenerationPart, Bad> {
        let folder = GenerationFolder::read(element, &mut self.naming)?;
        self.check(&folder.path)?;
        if let Some(folders) = &mut self.folders {
            folders.folder(&folder);
        }
        Ok(GenerationPart::Folder(Box::new(folder)))
    }

    fn check(&self, path: &[u8]) -> Result<(), Bad> {
        if self.inside && leads_out(path) {
            return Err(Bad::new("path", Why::LeadsOut(path.into())));
        }
        Ok(())
    }

    /// Returns the error of a file that has a digest and something that is not known.
    fn rest(&mut self, element: &Element, part: &GenerationPart) -> Option<Bad> {
        let GenerationPart::File(record, _) = part else { return None };
        let mut is_unknown =
            |child: &&Element| !OF_FILE.contains(&&*child.name) && digest(child, &mut self.naming).is_none();
        let child = element.children.iter().find(|child| is_unknown(child));
        child.filter(|_| !record.digests.is_empty()).map(unknown)
    }

    fn part(&mut self, element: &Element) -> Result<GenerationPart, Bad> {
        self.note(element);
        if matches!(&*element.name, b"directoryhash" | b"roothash") {
            return self.folder(element);
        }
        if element.name == b"ignore" {
            let patterns = element.children.iter().filter(|child| child.name == b"pattern");
            return Ok(GenerationPart::Patterns(
                patterns.map(|pattern| pattern.text.as_slice().into()).collect(),
            ));
        }
        let record = Box::new(mhl::read(element, &mut self.naming)?);
        self.check(&record.path)?;
        if element.name == b"hashlistreference" {
            return Ok(GenerationPart::Reference(record));
        }
        let before = element.child(b"previousPath").map(|path| path.text.as_slice().into());
        Ok(GenerationPart::File(record, before))
    }
}

impl Iterator for Parts<'_> {
    type Item = Result<GenerationPart, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(rest) = self.rest.take() {
            return Some(Err(rest));
        }
        let part = match self.elements.next() {
            None => {
                let folders = self.folders.take().map(Folders::wrong);
                self.wrong = folders.map_or_else(|| std::mem::take(&mut self.wrong), Vec::into_iter);
                let why = Why::Folder(self.wrong.next()?);
                return Some(Err(Malformed { line: 0, part: "directoryhash", why }));
            }
            Some(Ok((element, line))) => {
                let part = self.part(&element).map_err(|bad| bad.at(line));
                let rest = part.as_ref().ok().and_then(|part| self.rest(&element, part));
                self.rest = rest.map(|bad| bad.at(line));
                part
            }
            Some(Err(malformed)) => Err(malformed),
        };
        if part.is_err() {
            self.folders = None;
        }
        Some(part)
    }
}

/// Returns whether a path leads out of the folder that it starts in.
fn leads_out(path: &[u8]) -> bool {
    // `C:a` is relative, but to the working folder of a drive.
    let has_drive = matches!(path, [drive, b':', ..] if names::is_from_root(&[*drive, b':', b'/']));
    names::is_from_root(path) || has_drive || path.split(|byte| *byte == b'/').any(|part| part == b"..")
}

/// Creates a reader of the files of a generation.
pub(crate) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(Files { parts: Parts::anywhere(input), patterns: Vec::new() })
}

/// The files of a generation.
struct Files<'a> {
    parts: Parts<'a>,
    patterns: Vec<Box<[u8]>>,
}

impl Iterator for Files<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.parts.next()? {
                Ok(GenerationPart::File(record, _)) => return Some(Ok(*record)),
                Ok(GenerationPart::Patterns(patterns)) => self.patterns.extend(patterns),
                Ok(GenerationPart::Reference(_) | GenerationPart::Folder(_)) => {}
                Err(malformed) => return Some(Err(malformed)),
            }
        }
    }
}

impl Reader for Files<'_> {
    fn patterns(&self) -> &[Box<[u8]>] {
        &self.patterns
    }
}
