//! The parts of a generation: its files, its exclusion patterns, and the manifests of nested histories.

use super::super::malformed::{Bad, Malformed, Why};
use super::super::naming::Naming;
use super::super::xml::{Element, Elements};
use super::super::{Hint, Reader, mhl};
use crate::Record;
use hashmill_os::names;
use std::io::Read;

/// A part of a generation.
#[derive(Debug)]
pub enum GenerationPart {
    /// A file, and its previous path if it was renamed. Has no digests if all failed.
    File(Box<Record>, Option<Box<[u8]>>),
    /// Exclusion patterns in gitignore syntax.
    Patterns(Vec<Box<[u8]>>),
    /// The manifest of a nested history, with its C4.
    Reference(Box<Record>),
}

/// The parts of a generation, in order.
pub struct Parts<'a> {
    elements: Elements<'a>,
    naming: Naming,
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
        let elements = Elements::new(input, &[b"hash", b"ignore", b"hashlistreference"]);
        Parts { elements, naming: Naming::new(Hint::None), inside: false }
    }

    fn part(&mut self, element: &Element) -> Result<GenerationPart, Bad> {
        if element.name == b"ignore" {
            let patterns = element.children.iter().filter(|child| child.name == b"pattern");
            return Ok(GenerationPart::Patterns(
                patterns.map(|pattern| pattern.text.as_slice().into()).collect(),
            ));
        }
        let record = Box::new(mhl::read(element, &mut self.naming)?);
        if self.inside && leads_out(&record.path) {
            return Err(Bad::new("path", Why::LeadsOut(record.path)));
        }
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
        Some(
            self.elements.next()?.and_then(|(element, line)| self.part(&element).map_err(|bad| bad.at(line))),
        )
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
                Ok(GenerationPart::Reference(_)) => {}
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
