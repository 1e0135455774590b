//! The reader of PREMIS documents of any version.

use crate::Record;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::values::draft::{Draft, Key};
use crate::format::values::naming::{Naming, number};
use crate::format::values::several::{Several, without_digest};
use crate::format::xml::{Element, Elements, path_of};
use crate::format::{Hint, Reader};
use std::io::Read;

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let elements = Elements::new(input, &[b"object"]);
    Box::new(PremisReader { elements, naming: Naming::new(Hint::None), has_objects: false, has_files: false })
}

struct PremisReader<'a> {
    elements: Elements<'a>,
    naming: Naming,
    /// Whether there were objects, and whether any of them was a file.
    has_objects: bool,
    has_files: bool,
}

impl Iterator for PremisReader<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.elements.next() {
                Some(Ok((object, line))) => {
                    self.has_objects = true;
                    if is_file(&object) {
                        self.has_files = true;
                        return Some(file(&object, &mut self.naming).map_err(|bad| bad.at(line)));
                    }
                }
                Some(Err(bad)) => return Some(Err(bad)),
                // A document without files must not pass as one whose files all match.
                None if self.has_objects && !self.has_files => {
                    self.has_files = true;
                    return Some(Err(Bad::new("files", Why::Missing).at(1)));
                }
                None => return None,
            }
        }
    }
}

impl Reader for PremisReader<'_> {}

/// Returns whether an object is a file: by its type, or in version 1 by its category.
fn is_file(object: &Element) -> bool {
    let kind = object.attribute(b"type").or(object.child(b"objectCategory").map(|kind| kind.text.as_slice()));
    let kind = kind.map(|kind| kind.rsplit(|byte| *byte == b':').next().unwrap_or_default().trim_ascii());
    kind.map_or(object.child(b"objectCharacteristics").is_some(), |kind| kind.eq_ignore_ascii_case(b"file"))
}

/// Returns the record of a file.
fn file(object: &Element, naming: &mut Naming) -> Result<Record, Bad> {
    let path = path(object)?;
    let bare = Element::default();
    let stored = stored(object).unwrap_or(&bare);
    let size =
        stored.only(b"size")?.map(|size| number(size.text.trim_ascii()).ok_or(Bad::new("size", Why::Number)));
    let size = size.transpose()?;
    let mut several = Several::default();
    for fixity in stored.children.iter().filter(|child| child.name == b"fixity") {
        let part = |name| Ok(fixity.only(name)?.map(|part| part.text.trim_ascii()).unwrap_or_default());
        let (algorithm, digest) = (part(b"messageDigestAlgorithm")?, part(b"messageDigest")?);
        several.add(naming.tagged(algorithm, digest))?;
    }
    if several.is_empty() {
        return Ok(Record { size, ..without_digest(path) });
    }
    let mut draft = Draft::default();
    draft.text(Key::Path, path)?;
    size.map_or(Ok(()), |size| draft.number(Key::Size, size))?;
    draft.several(several)?;
    let own = stored.only(b"objectCharacteristicsExtension")?.and_then(|own| own.child(b"record"));
    for field in own.iter().flat_map(|own| &own.children) {
        let key = Key::from_name(&field.name);
        if key == Key::Mtime || key.is_fact() {
            draft.text(key, field.text.trim_ascii())?;
        }
    }
    draft.finish()
}

/// Returns the path: the name by which the file came, else its place, else its identifier.
fn path(object: &Element) -> Result<&[u8], Bad> {
    let place = || object.child(b"storage")?.child(b"contentLocation")?.child(b"contentLocationValue");
    let id = || object.child(b"objectIdentifier")?.child(b"objectIdentifierValue");
    let name = object.only(b"originalName")?.or_else(place).or_else(id);
    let path = name.map(|name| path_of(&name.text)).filter(|path| !path.trim_ascii().is_empty());
    path.ok_or(Bad::new("originalName", Why::Missing))
}

/// Returns the characteristics of the file as it is stored: those of the highest level of composition, as level 0 is
/// what is left when everything is unpacked and decrypted.
fn stored(object: &Element) -> Option<&Element> {
    let level = |of: &&Element| {
        of.child(b"compositionLevel").and_then(|level| number(level.text.trim_ascii())).unwrap_or_default()
    };
    // Of equal levels the first.
    object.children.iter().rev().filter(|child| child.name == b"objectCharacteristics").max_by_key(level)
}
