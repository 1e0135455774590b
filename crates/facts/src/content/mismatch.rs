//! Whether the extension of a name is that of another type.
//!
//! The answer has three values: an extension that no known type has, or that a container may rightly have whose inside
//! was not seen, says nothing.

use super::ContentType;
use super::types::of_extension;

/// The longest extension that is looked up.
const LONGEST: usize = 16;

/// Types that contain each other, so that the one may be taken for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Zip,
    Compound,
    Text,
    Xml,
    Iso,
    Ogg,
    Matroska,
    Asf,
    Program,
    Gzip,
    Riff,
    Tiff,
    Pem,
}

/// The families of MIME types. Those that begin with one of the words, or end with it if it begins with `+`.
const FAMILIES: [(Family, &[&str]); 13] = [
    (
        Family::Zip,
        &[
            "application/zip",
            "application/vnd.openxmlformats",
            "application/vnd.oasis.opendocument",
            "application/vnd.sun.xml",
            "application/epub+zip",
            "application/java-archive",
            "application/vnd.android.package-archive",
            "application/vnd.android.aab",
            "application/x-xpinstall",
            "application/vsix",
            "application/vnd.google-earth.kmz",
            "application/vnd.ms-appx",
            "application/vnd.adobe.air",
            "application/vnd.adobe.indesign-idml",
            "application/oxps",
            "application/x-silverlight-app",
            "application/x-ios-app",
            "application/vnd.apple.",
            "application/vnd.ms-package",
            "application/vnd.ms-visio.drawing.main",
            "application/vnd.circuitdiagram",
            "application/vnd.recordare.musicxml",
            "application/x-fbz",
            "image/openraster",
            "image/x-figma",
            "image/x-sketch",
            "model/vnd.dwfx",
            "model/vnd.usdz",
            "model/x-f3d",
            "model/x-scdoc",
            "application/vnd.adobe.fla",
            "application/vnd.comicbook+zip",
            "application/x-python-wheel",
        ],
    ),
    (
        Family::Compound,
        &[
            "application/x-cfb",
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
            "application/vnd.visio",
            "application/vnd.ms-outlook",
            "application/vnd.ms-publisher",
            "application/vnd.ms-project",
            "application/vnd.ms-works",
            "application/x-msi",
            "application/x-ms-patch",
            "application/x-hwp",
            "application/encrypted",
            "application/vnd.stardivision",
            "application/vnd.wordperfect",
            "application/x-corelpresentations",
            "model/x-i",
            "model/x-sld",
            "application/x-max",
        ],
    ),
    // In front of text, some of which has such a suffix.
    (
        Family::Xml,
        &[
            "text/xml",
            "application/xml",
            "+xml",
            "application/vnd.jgraph.mxfile",
            "application/x-abiword",
            "application/x-usf",
            "video/x-ms-asx",
        ],
    ),
    (
        Family::Text,
        &[
            "text/",
            "application/json",
            "application/feed+json",
            "application/javascript",
            "application/x-subrip",
            "application/x-dxf",
            "application/rtf",
            "application/postscript",
            "application/x-maya-ascii",
            "application/x-figlet",
            "application/x-angelcode",
            "application/vnd.ms-developer",
            "application/vnd.ms-wpl",
            "audio/x-mpegurl",
            "audio/x-scpls",
            "image/x-eps",
            "image/x-xpixmap",
            "image/x-xbitmap",
            "image/x-portable",
            "model/vrml",
            "model/step",
            "model/iges",
            "model/x-stl-ascii",
            "model/x-ply-ascii",
            "model/x-iqe",
        ],
    ),
    (Family::Pem, &["application/x-pem", "application/pgp", "application/x-x509"]),
    (
        Family::Iso,
        &[
            "video/mp4",
            "audio/mp4",
            "application/mp4",
            "video/quicktime",
            "audio/x-m4a",
            "video/x-m4v",
            "video/3gpp",
            "image/hei",
            "image/avif",
            "image/jp",
            "video/mj2",
        ],
    ),
    (Family::Ogg, &["audio/ogg", "video/ogg", "application/ogg", "audio/opus"]),
    (
        Family::Matroska,
        &["video/matroska", "audio/matroska", "application/x-matroska", "video/webm", "application/x-ebml"],
    ),
    (Family::Asf, &["application/vnd.ms-asf", "video/x-ms-", "audio/x-ms-"]),
    (
        Family::Program,
        &[
            "application/x-dosexec",
            "application/vnd.microsoft.portable-executable",
            "application/x-ms-ne-executable",
            "application/x-executable",
            "application/x-sharedlib",
            "application/x-object",
            "application/x-coredump",
            "application/x-mach-binary",
            "application/x-appimage",
            "application/x-coff",
            "application/x-archive",
            "application/vnd.debian.binary-package",
        ],
    ),
    (Family::Gzip, &["application/gzip"]),
    (Family::Riff, &["audio/vnd.wave", "video/x-msvideo", "image/webp", "application/x-navi-animation"]),
    (
        Family::Tiff,
        &[
            "image/tiff",
            "image/x-canon",
            "image/x-nikon",
            "image/x-sony",
            "image/x-olympus",
            "image/x-panasonic",
        ],
    ),
];

impl Family {
    /// Returns the family of a MIME type, if it has one.
    pub(super) fn from_mime(mime: &str) -> Option<Family> {
        let fits =
            |word: &&str| if word.starts_with('+') { mime.ends_with(word) } else { mime.starts_with(word) };
        FAMILIES.iter().find(|(_, words)| words.iter().any(fits)).map(|(family, _)| *family)
    }

    /// Returns whether types of it are text.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Family::Text | Family::Xml | Family::Pem)
    }

    /// Returns the type of its containers of which nothing more is known.
    fn container(self) -> Option<&'static str> {
        match self {
            Family::Zip => Some("application/zip"),
            Family::Compound => Some("application/x-cfb"),
            Family::Xml => Some("text/xml"),
            Family::Gzip => Some("application/gzip"),
            _ => None,
        }
    }

    /// Returns whether its types are told from each other by their names only.
    fn is_loose(self) -> bool {
        !matches!(self, Family::Zip | Family::Compound | Family::Riff)
    }

    /// Returns whether types of both are parts of one.
    fn is_near(self, other: Family) -> bool {
        self == other || self.is_text() && other.is_text()
    }
}

/// Returns whether the extension of a name, which may be a path, is that of another type; `None` if nothing can be said.
pub fn is_mismatch(content: &ContentType, name: &[u8]) -> Option<bool> {
    let extension = extension(name)?;
    if content.extensions.iter().any(|own| **own == *extension) {
        return Some(false);
    }
    let claimed = of_extension(&extension);
    // Tags stand in front of audio of any kind.
    if claimed.is_empty() || &*content.mime == "application/x-id3v2" {
        return None;
    }
    let family = Family::from_mime(&content.mime);
    let container = family.and_then(Family::container);
    let near =
        |mime: &str| Family::from_mime(mime).zip(family).is_some_and(|(one, other)| one.is_near(other));
    if claimed.iter().any(|mime| container == Some(mime)) {
        return Some(false);
    }
    let has_kin = claimed.iter().any(|mime| near(mime));
    let is_unclear = has_kin && (container == Some(&*content.mime) || family.is_some_and(Family::is_loose));
    (!is_unclear).then_some(true)
}

/// Returns the extension of a name, in lower case.
fn extension(name: &[u8]) -> Option<String> {
    let name = name.rsplit(|byte| *byte == b'/').next()?;
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0)?;
    let extension = str::from_utf8(&name[dot + 1..]).ok()?;
    let is_word =
        (1..=LONGEST).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_graphic());
    is_word.then(|| extension.to_ascii_lowercase())
}
