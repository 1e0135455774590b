//! Containers whose bytes are not the media's, so they must never pass as raw media: how they are recognised, and those
//! that can't be read. Virtual disks, which can be read, are in [`crate::disks`].

use crate::files::opener::{SharedFile, fill_at};
use std::fmt;
use std::io;

/// A format for media or files.
#[derive(Debug, PartialEq, Eq)]
pub struct Container {
    /// A one-word name.
    pub name: &'static str,
    /// A title with its article.
    pub title: &'static str,
    /// The purpose.
    pub family: Family,
    /// Usual file extensions, in lower case.
    extensions: &'static [&'static str],
    /// Byte patterns; any of them identifies the container.
    marks: &'static [Magic],
}

/// The purpose of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// An image of a device or of evidence.
    Image,
    /// An archive of any files.
    Archive,
}

/// Bytes at a position.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Magic {
    /// At an offset.
    Head(usize, &'static [u8]),
    /// At this distance from the end.
    Tail(usize, &'static [u8]),
    /// At the start of a text, in any case; a byte order mark and white space may come first.
    Text(&'static [u8]),
}

use Family::{Archive, Image};
use Magic::{Head, Tail, Text};

/// Makes the description of a container.
pub(crate) const fn row(
    name: &'static str,
    title: &'static str,
    family: Family,
    extensions: &'static [&'static str],
    marks: &'static [Magic],
) -> Container {
    Container { name, title, family, extensions, marks }
}

/// The containers that are recognised by bytes at a position. Others follow below.
static CONTAINERS: &[Container] = &[
    row("qed", "a QED image (QEMU)", Image, &["qed"], &[Head(0, b"QED\0")]),
    row(
        "parallels",
        "a Parallels image",
        Image,
        &["hdd", "hds"],
        &[Head(0, b"WithoutFreeSpace"), Head(0, b"WithouFreSpacExt")],
    ),
    row("bochs", "a Bochs image", Image, &[], &[Head(0, b"Bochs Virtual HD Image")]),
    row("cloop", "a cloop image", Image, &["cloop"], &[Head(0, b"#!/bin/sh\n#V2.0 Format")]),
    row("vma", "a VMA archive (Proxmox)", Image, &["vma"], &[Head(0, b"VMA\0\0\0\0\x01")]),
    row("chd", "a CHD image (MAME)", Image, &["chd"], &[Head(0, b"MComprHD")]),
    row("dmg", "a disk image of macOS (DMG)", Image, &["dmg"], &[Tail(512, b"koly"), Head(0, b"koly")]),
    row(
        "dmg-encrypted",
        "an encrypted disk image of macOS (DMG)",
        Image,
        &["dmg", "sparseimage"],
        &[Head(0, b"encrcdsa"), Tail(8, b"cdsaencr")],
    ),
    row("sparseimage", "a sparse image of macOS", Image, &["sparseimage"], &[Head(0, b"sprs")]),
    row(
        "android-sparse",
        "a sparse image of Android",
        Image,
        &["simg"],
        &[Head(0, b"\x3a\xff\x26\xed\x01\0")],
    ),
    row("aff", "an AFF image (AFFLIB)", Image, &["aff", "afm"], &[Head(0, b"AFF10\r\n\0")]),
    row(
        "ad1",
        "an AD1 image (AccessData)",
        Image,
        &["ad1"],
        &[Head(0, b"ADSEGMENTEDFILE"), Head(0, b"ADLOGICALIMAGE")],
    ),
    row("whx", "a WinHex backup", Image, &["whx"], &[Head(0, b"WHX Backup")]),
    row("partclone", "a partclone image", Image, &[], &[Head(0, b"partclone-image")]),
    row("ntfsclone", "an ntfsclone image", Image, &[], &[Head(0, b"\0ntfsclone-image")]),
    row("partimage", "a Partimage image", Image, &[], &[Head(0, b"PaRtImAgE-VoLuMe")]),
    row("nrg", "a Nero image", Image, &["nrg"], &[Tail(12, b"NER5"), Tail(8, b"NERO")]),
    row(
        "mds",
        "a description of Alcohol's disc images (MDS)",
        Image,
        &["mds"],
        &[Head(0, b"MEDIA DESCRIPTOR")],
    ),
    row("cso", "a compressed ISO image (CSO)", Image, &["cso", "ciso"], &[Head(0, b"CISO")]),
    row("isz", "a compressed ISO image (ISZ)", Image, &["isz"], &[Head(0, b"IsZ!")]),
    row(
        "wim",
        "a Windows image of files (WIM)",
        Archive,
        &["wim", "esd", "swm"],
        &[Head(0, b"MSWIM\0\0\0"), Head(0, b"WLPWM\0\0\0")],
    ),
    row("gzip", "compressed by gzip", Archive, &["gz"], &[Head(0, b"\x1f\x8b\x08")]),
    row("xz", "compressed by xz", Archive, &["xz"], &[Head(0, b"\xfd7zXZ\0")]),
    row("zstd", "compressed by zstd", Archive, &["zst"], &[Head(0, b"\x28\xb5\x2f\xfd")]),
    row("lz4", "compressed by lz4", Archive, &["lz4"], &[Head(0, b"\x04\x22\x4d\x18")]),
    row("lzip", "compressed by lzip", Archive, &["lz"], &[Head(0, b"LZIP\x01")]),
    row("7z", "a 7z archive", Archive, &["7z"], &[Head(0, b"7z\xbc\xaf\x27\x1c")]),
    row("rar", "a RAR archive", Archive, &["rar"], &[Head(0, b"Rar!\x1a\x07")]),
];

static GHOST: Container = row("ghost", "a Ghost image", Image, &["gho", "ghs"], &[]);
static OVA: Container = row("ova", "an OVA archive of a virtual machine", Archive, &["ova"], &[]);
static ZIP: Container = row("zip", "a zip archive", Archive, &["zip"], &[]);
static BZIP2: Container = row("bzip2", "compressed by bzip2", Archive, &["bz2"], &[]);

/// The bytes that are read at the start and at the end. A zip archive needs the longest possible comment and a
/// directory of usual length.
const HEAD: usize = 512;
const TAIL: usize = 512;
const ZIP_TAIL: usize = 256 << 10;

impl Container {
    /// Recognises a container that can't be read by its bytes.
    pub(crate) fn recognize(file: &dyn SharedFile, size: u64) -> io::Result<Option<&'static Container>> {
        let head = read(file, 0..size.min(HEAD as u64))?;
        let tail = |length: usize| read(file, size.saturating_sub(length as u64)..size);
        if is_zip(&head) {
            return Ok(Some(&ZIP));
        }
        match special(&head).or_else(|| find(&head, &[])) {
            Some(found) => Ok(Some(found)),
            None => Ok(find(&[], &tail(TAIL)?)),
        }
    }

    /// Whether one of the marks is in the first or the last bytes of a file.
    pub(crate) fn is_marked(&self, head: &[u8], tail: &[u8]) -> bool {
        self.marks.iter().any(|mark| mark.is_in(head, tail))
    }

    /// Whether the extension, in lower case, is a usual one.
    pub(crate) fn is_named(&self, extension: &[u8]) -> bool {
        self.extensions.iter().any(|known| known.as_bytes() == extension)
    }
}

impl Magic {
    fn is_in(&self, head: &[u8], tail: &[u8]) -> bool {
        match self {
            Head(at, bytes) => head.get(*at..).is_some_and(|rest| rest.starts_with(bytes)),
            Tail(back, bytes) => tail
                .len()
                .checked_sub(*back)
                .and_then(|at| tail.get(at..))
                .is_some_and(|end| end.starts_with(bytes)),
            Text(line) => {
                let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
                text.get(..line.len()).is_some_and(|start| start.eq_ignore_ascii_case(line))
            }
        }
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title)
    }
}

/// Whether the extension, in lower case, is that of an image that can't be read.
pub(crate) fn is_named_so(extension: &[u8]) -> bool {
    let images = CONTAINERS.iter().chain([&GHOST]).filter(|container| container.family == Image);
    images.into_iter().any(|container| container.is_named(extension))
}

/// Recognises a container that can't be read by the end of a file.
pub(crate) fn of_tail(tail: &[u8]) -> Option<&'static Container> {
    find(&[], tail)
}

/// Reads the first bytes of a file, in which marks may be.
pub(crate) fn head_of(file: &dyn SharedFile, size: u64) -> io::Result<Vec<u8>> {
    read(file, 0..size.min(HEAD as u64))
}

/// Reads the last bytes of a file, in which marks may be.
pub(crate) fn tail_of(file: &dyn SharedFile, size: u64) -> io::Result<Vec<u8>> {
    read(file, size.saturating_sub(TAIL as u64)..size)
}

fn read(file: &dyn SharedFile, range: std::ops::Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    let filled = fill_at(file, range.start, &mut bytes)?;
    bytes.truncate(filled);
    Ok(bytes)
}

fn find(head: &[u8], tail: &[u8]) -> Option<&'static Container> {
    CONTAINERS.iter().find(|container| container.is_marked(head, tail))
}

/// Recognises containers that need more than bytes at one position.
fn special(head: &[u8]) -> Option<&'static Container> {
    match head {
        // The type and compression of the first record.
        [0xfe, 0xef, 1..=9, 0..=10, ..] => Some(&GHOST),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..] => Some(&BZIP2),
        _ if is_ova(head) => Some(&OVA),
        _ => None,
    }
}

/// Recognises a tar archive with the description of a virtual machine as its first file.
fn is_ova(head: &[u8]) -> bool {
    let name = head.get(..100).map(|name| name.split(|byte| *byte == 0).next().unwrap_or_default());
    let tar = head.get(257..262).is_some_and(|magic| magic == b"ustar");
    tar && name.is_some_and(|name| name.to_ascii_lowercase().ends_with(b".ovf"))
}

/// Recognises an AFF4 image, which is a zip archive.
pub(crate) fn is_aff4(file: &dyn SharedFile, size: u64) -> io::Result<bool> {
    let head = head_of(file, size)?;
    Ok(is_zip(&head) && is_of_aff4(&head, &read(file, size.saturating_sub(ZIP_TAIL as u64)..size)?))
}

fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x07\x08PK\x03\x04")
}

/// Recognises a zip archive of an AFF4 writer: by the comment, the first file, or the metadata file.
fn is_of_aff4(head: &[u8], tail: &[u8]) -> bool {
    const END: &[u8] = b"PK\x05\x06";
    const ENTRY: &[u8] = b"PK\x01\x02";
    let ends = tail.windows(END.len()).rposition(|window| window == END);
    let comment = ends.and_then(|at| tail.get(at + 22..));
    let first = head.get(30..).is_some_and(|name| name.starts_with(b"container.description"));
    let listed = || {
        let entries = tail.windows(ENTRY.len()).enumerate().filter(|(_, window)| *window == ENTRY);
        entries
            .filter_map(|(at, _)| tail.get(at + 46..))
            .any(|name| name.starts_with(b"information.turtle") || name.starts_with(b"container.description"))
    };
    comment.is_some_and(|comment| comment.starts_with(b"aff4://")) || first || listed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn name(bytes: &[u8]) -> Option<&'static str> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        match is_aff4(&file, bytes.len() as u64).unwrap() {
            true => Some("aff4"),
            false => Container::recognize(&file, bytes.len() as u64).unwrap().map(|found| found.name),
        }
    }

    #[test]
    fn every_mark_is_found_where_it_stands_and_nowhere_else() {
        for container in CONTAINERS {
            for mark in container.marks {
                let mut bytes = vec![0x11; 4096];
                let (at, mark) = match mark {
                    Head(at, mark) => (*at, mark),
                    Tail(back, mark) => (bytes.len() - back, mark),
                    Text(_) => continue,
                };
                bytes[at..at + mark.len()].copy_from_slice(mark);
                assert_eq!(name(&bytes), Some(container.name));
                bytes.rotate_right(3);
                assert_ne!(name(&bytes), Some(container.name), "three bytes off");
                assert_eq!(name(&mark[..mark.len() - 1]), None, "a part of the mark");
            }
        }
    }

    #[test]
    fn what_needs_more_than_a_mark_is_found() {
        let tar = |name: &str| {
            let mut bytes = vec![0; 512];
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            bytes[257..262].copy_from_slice(b"ustar");
            bytes
        };
        for (bytes, expected) in [
            (&b"\xfe\xef\x01\x02\0\0"[..], Some("ghost")),
            (b"\xfe\xef\0\0", None),
            (b"BZh91AY&SY", Some("bzip2")),
            (b"BZh9 of somebody", None),
            (&tar("machine.OVF"), Some("ova")),
            (&tar("readme.txt"), None),
            (b"", None),
            (b"\0", None),
        ] {
            assert_eq!(name(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    /// Makes a zip archive with one empty file and a comment.
    fn zip(file: &str, comment: &str) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend_from_slice(&[0; 22]);
        bytes.extend_from_slice(&(file.len() as u32).to_le_bytes());
        bytes.extend_from_slice(file.as_bytes());
        bytes.extend_from_slice(b"PK\x01\x02");
        bytes.extend_from_slice(&[0; 42]);
        bytes.extend_from_slice(file.as_bytes());
        bytes.extend_from_slice(b"PK\x05\x06");
        bytes.extend_from_slice(&[0; 18]);
        bytes.extend_from_slice(comment.as_bytes());
        bytes
    }

    #[test]
    fn aff4_is_told_from_other_zip_archives() {
        assert_eq!(name(&zip("information.turtle", "")), Some("aff4"));
        assert_eq!(name(&zip("container.description", "")), Some("aff4"));
        assert_eq!(name(&zip("version.txt", "aff4://8811872a-3fab-45b0-be31-daad6ab4fa70")), Some("aff4"));
        assert_eq!(name(&zip("version.txt", "about aff4://")), Some("zip"));
        assert_eq!(name(&[&b"PK\x03\x04"[..], b"information.turtle"].concat()), Some("zip"));
    }
}
