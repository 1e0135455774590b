//! Recognises the types of which ZIP is the container: by the names in its directory, as far as the last bytes have it, and by its
//! first members.

/// The most members whose names are looked at.
const MOST: usize = 4096;

/// The types by the name of a member: exact names, and those that begin so. The first row that fits counts.
const NAMES: [(&str, &str); 23] = [
    ("AndroidManifest.xml", "application/vnd.android.package-archive"),
    ("BundleConfig.pb", "application/vnd.android.aab"),
    ("AppxManifest.xml", "application/vnd.ms-appx"),
    ("AppxMetadata/AppxBundleManifest.xml", "application/vnd.ms-appx.bundle"),
    ("AppManifest.xaml", "application/x-silverlight-app"),
    ("extension.vsixmanifest", "application/vsix"),
    ("META-INF/AIR/application.xml", "application/vnd.adobe.air-application-installer-package+zip"),
    ("META-INF/mozilla.rsa", "application/x-xpinstall"),
    ("install.rdf", "application/x-xpinstall"),
    ("META-INF/MANIFEST.MF", "application/java-archive"),
    ("doc.kml", "application/vnd.google-earth.kmz"),
    ("DOMDocument.xml", "application/vnd.adobe.fla"),
    ("Payload/", "application/x-ios-app"),
    ("3D/3dmodel.model", "application/vnd.ms-package.3dmanufacturing-3dmodel+xml"),
    ("Index/Slide.iwa", "application/vnd.apple.keynote"),
    ("Index/CalculationEngine.iwa", "application/vnd.apple.numbers"),
    ("Index/Document.iwa", "application/vnd.apple.pages"),
    ("index.apxl", "application/vnd.apple.keynote"),
    ("circuitdiagram/", "application/vnd.circuitdiagram.document.main+xml"),
    ("dwf/", "model/vnd.dwfx+xps"),
    ("FusionAssetName[Active]/", "model/x-f3d"),
    ("SpaceClaim/", "model/x-scdoc"),
    ("canvas.fig", "image/x-figma"),
];

/// The types of Office Open XML and its relatives, whose packages have `[Content_Types].xml`, by the folder of a member.
const PACKAGES: [(&str, &str); 5] = [
    ("word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("visio/", "application/vnd.ms-visio.drawing.main+xml"),
    ("Documents/", "application/oxps"),
];

/// The member that names the type of OpenDocument, EPUB and others. It is the first, and not compressed.
const TYPE_MEMBER: &[u8] = b"mimetype";

/// Returns the MIME type of a ZIP archive.
pub(super) fn mime(head: &[u8], tail: &[u8], size: u64) -> &'static str {
    if let Some(mime) = named_by_itself(head) {
        return mime;
    }
    let (names, _) = names_and_entries(head, tail, size);
    let begins = |start: &str| names.iter().any(|name| name.starts_with(start.as_bytes()));
    let fits = |name: &str| names.contains(&name.as_bytes()) || name.ends_with('/') && begins(name);
    let package = PACKAGES.iter().find(|(folder, _)| begins(folder));
    if let Some((_, mime)) = package.filter(|_| fits("[Content_Types].xml")) {
        return mime;
    }
    NAMES.iter().find(|(name, _)| fits(name)).map_or("application/zip", |(_, mime)| mime)
}

/// Returns the type that an archive's first member names, if it is one that is known.
fn named_by_itself(head: &[u8]) -> Option<&'static str> {
    let member = Member::parse(head)?;
    if member.name != TYPE_MEMBER || member.is_compressed {
        return None;
    }
    let content = member.rest.get(..usize::try_from(member.size).ok()?.min(member.rest.len()).min(128))?;
    let named = str::from_utf8(content.trim_ascii()).ok()?;
    super::types::known_mime(named)
}

/// Returns the names of members: those at the start of the archive, and those in its directory; and the entries of that.
pub(crate) fn names_and_entries<'a>(
    head: &'a [u8],
    tail: &'a [u8],
    size: u64,
) -> (Vec<&'a [u8]>, Vec<&'a [u8]>) {
    let mut names = Vec::new();
    let mut rest = head;
    while let Some(member) = Member::parse(rest).filter(|_| names.len() < MOST) {
        names.push(member.name);
        let next = usize::try_from(member.size).ok().filter(|_| !member.is_open);
        let Some(next) = next.and_then(|size| member.rest.get(size..)) else { break };
        rest = next;
    }
    let entries = directory(tail, size);
    names.extend(entries.iter().filter_map(|entry| {
        let length = usize::try_from(number(entry, 28, 2)?).ok()?;
        entry.get(46..46 + length)
    }));
    (names, entries)
}

/// Returns the entries of the directory, from where the last bytes have it. Each is followed by the rest.
fn directory(tail: &[u8], size: u64) -> Vec<&[u8]> {
    let mut entries = Vec::new();
    let Some(end) = rfind(tail, b"PK\x05\x06") else { return entries };
    let start = number(&tail[end..], 16, 4).and_then(|offset| {
        let before = size - tail.len() as u64;
        usize::try_from(offset.checked_sub(before)?).ok()
    });
    let is_entry = |at: &usize| tail.get(*at..).is_some_and(|rest| rest.starts_with(ENTRY));
    // Archives may have something in front of them, and directories begin before the last bytes.
    let start = start.filter(is_entry).or_else(|| find(tail, ENTRY));
    let mut rest = start.and_then(|start| tail.get(start..end)).unwrap_or_default();
    while rest.starts_with(ENTRY) && entries.len() < MOST {
        let length = |at| number(rest, at, 2).and_then(|length| usize::try_from(length).ok());
        let (Some(name), Some(extra), Some(comment)) = (length(28), length(30), length(32)) else { break };
        if rest.len() < 46 + name {
            break;
        }
        entries.push(rest);
        rest = rest.get(46 + name + extra + comment..).unwrap_or_default();
    }
    entries
}

/// The signature of an entry of the directory.
const ENTRY: &[u8] = b"PK\x01\x02";

/// A member, by its header in front of its content.
struct Member<'a> {
    name: &'a [u8],
    is_compressed: bool,
    /// Whether its size follows its content.
    is_open: bool,
    /// The size of its content, as it is stored.
    size: u64,
    /// The bytes after the header.
    rest: &'a [u8],
}

impl<'a> Member<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Member<'a>> {
        if !bytes.starts_with(b"PK\x03\x04") {
            return None;
        }
        let (flags, method) = (number(bytes, 6, 2)?, number(bytes, 8, 2)?);
        let (name, extra) = (number(bytes, 26, 2)? as usize, number(bytes, 28, 2)? as usize);
        Some(Member {
            name: bytes.get(30..30 + name)?,
            is_compressed: method != 0,
            is_open: flags & 8 != 0,
            size: number(bytes, 18, 4)?,
            rest: bytes.get(30 + name + extra..)?,
        })
    }
}

/// Returns the number in `length` bytes, the least significant first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}

fn rfind(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).rposition(|window| window == pattern)
}
