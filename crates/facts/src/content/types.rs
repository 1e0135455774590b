//! The types that are known: those of the crate `file-format`, and more.

use super::extensions::{EXTENSIONS, MORE};
use file_format::{FileFormat, Kind};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// A type of content.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContentType {
    /// The MIME type.
    pub mime: Box<str>,
    /// The name for people.
    pub name: Box<str>,
    /// The usual extensions of names, in lower case and without the dot.
    pub extensions: Box<[Box<str>]>,
}

/// The kinds of formats in the order of preference where two have one MIME type: more general ones come later.
const KINDS: [Kind; 24] = [
    Kind::Archive,
    Kind::Audio,
    Kind::Compressed,
    Kind::Database,
    Kind::Diagram,
    Kind::Disk,
    Kind::Document,
    Kind::Ebook,
    Kind::Executable,
    Kind::Font,
    Kind::Formula,
    Kind::Geospatial,
    Kind::Image,
    Kind::Metadata,
    Kind::Model,
    Kind::Other,
    Kind::Package,
    Kind::Playlist,
    Kind::Presentation,
    Kind::Rom,
    Kind::Spreadsheet,
    Kind::Subtitle,
    Kind::Video,
    Kind::Other,
];

/// Kinds of formats whose content is usually compressed.
const COMPRESSED: [Kind; 10] = [
    Kind::Archive,
    Kind::Audio,
    Kind::Compressed,
    Kind::Document,
    Kind::Ebook,
    Kind::Image,
    Kind::Package,
    Kind::Presentation,
    Kind::Spreadsheet,
    Kind::Video,
];

/// All types.
struct Types {
    of_format: HashMap<FileFormat, Arc<ContentType>>,
    of_mime: HashMap<Box<str>, Arc<ContentType>>,
    /// The MIME types that have an extension.
    of_extension: HashMap<Box<str>, Vec<Box<str>>>,
}

static TYPES: LazyLock<Types> = LazyLock::new(Types::new);

impl Types {
    fn new() -> Types {
        let formats = KINDS.iter().flat_map(|kind| FileFormat::from_kind(*kind));
        let formats: Vec<&FileFormat> = formats.filter(|format| is_type(**format)).collect();
        let rows =
            formats.iter().map(|format| (format.media_type(), format.extension().to_ascii_lowercase()));
        let own = MORE.iter().map(|(mime, _)| (*mime, String::new()));
        let more =
            EXTENSIONS.iter().flat_map(|(mime, all)| all.split(' ').map(|one| (*mime, one.to_string())));
        let mut extensions: HashMap<&str, Vec<Box<str>>> = HashMap::new();
        let mut of_extension: HashMap<Box<str>, Vec<Box<str>>> = HashMap::new();
        for (mime, extension) in rows.chain(own).chain(more) {
            let known = extensions.entry(mime).or_default();
            if !extension.is_empty() && !known.iter().any(|own| **own == *extension) {
                known.push(extension.as_str().into());
                of_extension.entry(extension.into()).or_default().push(mime.into());
            }
        }
        let make = |mime: &str, name: &str| {
            let extensions = extensions.get(mime).cloned().unwrap_or_default().into();
            Arc::new(ContentType { mime: mime.into(), name: name.into(), extensions })
        };
        let of_format = formats.iter().map(|format| (**format, make(format.media_type(), format.name())));
        let named = formats.iter().rev().map(|format| (format.media_type(), format.name()));
        let of_mime = named.chain(MORE.iter().copied()).map(|(mime, name)| (mime.into(), make(mime, name)));
        Types { of_format: of_format.collect(), of_mime: of_mime.collect(), of_extension }
    }
}

/// Returns whether a format is a type, and not the lack of one.
fn is_type(format: FileFormat) -> bool {
    !matches!(format, FileFormat::ArbitraryBinaryData | FileFormat::Empty)
}

/// Returns the type of a format.
pub(super) fn of_format(format: FileFormat) -> Option<Arc<ContentType>> {
    TYPES.of_format.get(&format).cloned()
}

/// Returns the type with this MIME type.
pub(super) fn of_mime(mime: &str) -> Option<Arc<ContentType>> {
    TYPES.of_mime.get(mime).cloned()
}

/// Returns a MIME type as the table has it, if it is there.
pub(super) fn known_mime(mime: &str) -> Option<&'static str> {
    TYPES.of_mime.get_key_value(mime).map(|(own, _)| &**own)
}

/// Returns the MIME types that have an extension, which is in lower case.
pub(super) fn of_extension(extension: &str) -> &'static [Box<str>] {
    TYPES.of_extension.get(extension).map_or(&[], Vec::as_slice)
}

impl ContentType {
    /// Returns whether the content is text of some kind.
    pub fn is_text(&self) -> bool {
        super::mismatch::Family::from_mime(&self.mime).is_some_and(|family| family.is_text())
    }

    /// Returns whether the content is usually compressed.
    pub fn is_compressed(&self) -> bool {
        let formats = FileFormat::from_media_type(&self.mime);
        formats.iter().any(|format| COMPRESSED.contains(&format.kind()))
    }
}
