//! Virtual disks that can be read. To add a format: its folder with an `open` function, a row here, and a variant of
//! [`crate::Format`].

pub(crate) mod aff4;
pub(crate) mod blocks;
pub(crate) mod qcow2;
pub(crate) mod vdi;
pub(crate) mod vhd;
pub(crate) mod vhdx;
pub(crate) mod vmdk;

use crate::container::{self, Container, Family, Magic, head_of, row, tail_of};
use crate::error::Error;
use crate::files::opener::SharedFile;
use blocks::Opening;

use hashmill_os::names;
use std::io;
use std::path::Path;

/// A format of virtual disks.
pub(crate) struct Disk {
    /// The name, and the marks by which it is recognised.
    pub(crate) container: Container,
    /// Opens a disk whose first file has a mark.
    pub(crate) open: fn(&Opening<'_>) -> Result<crate::Image, Error>,
}

/// The outcome of recognition.
pub(crate) enum Recognized {
    /// A virtual disk that can be read.
    Disk(&'static Disk),
    /// A container that can't be read.
    Refused(&'static Container),
}

use Family::Image;
use Magic::{Head, Tail, Text};

const SE_SPARSE: &[u8] = b"\xbe\xba\xfe\xca\0\0\0\0\x01\0\0\0\x02\0\0\0";

static DISKS: &[Disk] = &[
    Disk {
        container: row(
            "qcow",
            "a QCOW image (QEMU)",
            Image,
            &["qcow", "qcow2", "qcow3"],
            &[Head(0, b"QFI\xfb")],
        ),
        open: qcow2::open,
    },
    Disk {
        container: row(
            "vmdk",
            "a VMDK image (VMware)",
            Image,
            &["vmdk"],
            &[Head(0, b"KDMV"), Head(0, b"COWD"), Head(0, SE_SPARSE), Text(b"# disk descriptorfile")],
        ),
        open: vmdk::open,
    },
    // A fixed VHD is raw media and a footer of 512 bytes, or 511 in old ones. Other kinds repeat the footer at the
    // start.
    Disk {
        container: row(
            "vhd",
            "a VHD image (Virtual PC, Hyper-V)",
            Image,
            &["vhd", "avhd", "vpc"],
            &[Head(0, b"conectix"), Tail(512, b"conectix"), Tail(511, b"conectix")],
        ),
        open: vhd::open,
    },
    Disk {
        container: row(
            "vhdx",
            "a VHDX image (Hyper-V)",
            Image,
            &["vhdx", "avhdx", "vhdpmem"],
            &[Head(0, b"vhdxfile")],
        ),
        open: vhdx::open,
    },
    Disk {
        container: row(
            "vdi",
            "a VDI image (VirtualBox)",
            Image,
            &["vdi"],
            &[Head(0x40, b"\x7f\x10\xda\xbe")],
        ),
        open: vdi::open,
    },
];

/// An AFF4 image is a zip archive with certain segments, which no mark at one position shows.
static AFF4: Disk =
    Disk { container: row("aff4", "an AFF4 image", Image, &["aff4", "af4"], &[]), open: aff4::open };

/// Recognises a virtual disk, or a container that can't be read, by its bytes.
pub(crate) fn recognize(file: &dyn SharedFile, size: u64) -> io::Result<Option<Recognized>> {
    let (head, tail) = (head_of(file, size)?, tail_of(file, size)?);
    let disk = |tail: &[u8]| DISKS.iter().find(|disk| disk.container.is_marked(&head, tail));
    // The start decides before the end does.
    if let Some(found) = disk(&[]) {
        return Ok(Some(Recognized::Disk(found)));
    }
    if container::is_aff4(file, size)? {
        return Ok(Some(Recognized::Disk(&AFF4)));
    }
    match Container::recognize(file, size)? {
        Some(found) => Ok(Some(Recognized::Refused(found))),
        None => Ok(disk(&tail).map(Recognized::Disk)),
    }
}

/// Recognises a container by the end of the last file of split raw media.
pub(crate) fn of_tail(file: &dyn SharedFile, size: u64) -> io::Result<Option<&'static Container>> {
    let tail = tail_of(file, size)?;
    let disk = DISKS.iter().find(|disk| disk.container.is_marked(&[], &tail));
    Ok(disk.map(|disk| &disk.container).or_else(|| container::of_tail(&tail)))
}

/// Whether the extension is that of a virtual disk, or of an image that can't be read.
pub(crate) fn is_named_so(path: &Path) -> bool {
    let Some(extension) = path.extension().map(|text| names::bytes(text).to_ascii_lowercase()) else {
        return false;
    };
    DISKS.iter().chain([&AFF4]).any(|disk| disk.container.is_named(&extension))
        || container::is_named_so(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn name(bytes: &[u8]) -> Option<&'static str> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        match recognize(&file, bytes.len() as u64).unwrap()? {
            Recognized::Disk(disk) => Some(disk.container.name),
            Recognized::Refused(container) => Some(container.name),
        }
    }

    #[test]
    fn marks_are_found_where_they_stand() {
        let sparse = [0xcafe_babe_u64.to_le_bytes(), 0x2_0000_0001_u64.to_le_bytes()].concat();
        let footer = |back: usize| {
            let mut bytes = vec![0x11; 4096];
            bytes[4096 - back..][..8].copy_from_slice(b"conectix");
            bytes
        };
        for (bytes, expected) in [
            (&b"KDMV\x01\0\0\0"[..], Some("vmdk")),
            (b"COWD\x01\0\0\0", Some("vmdk")),
            (&sparse, Some("vmdk")),
            (b"# Disk DescriptorFile\nversion=1\n", Some("vmdk")),
            (b"\xef\xbb\xbf\r\n# disk descriptorfile\r\n", Some("vmdk")),
            (b"# Disk Descriptor", None),
            (b"\xca\xfe\xba\xbe\0\0\0\x34 a class of Java", None),
            (b"QFI\xfb", Some("qcow")),
            (b"QFI", None),
            (&footer(512), Some("vhd")),
            (&footer(511), Some("vhd")),
            (&footer(513), None),
            (b"QED\0", Some("qed")),
            (b"", None),
        ] {
            assert_eq!(name(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn names_are_known_in_any_case() {
        for known in ["a.vmdk", "a.VHD", "a.aff4", "a.gho", "a.dmg", "a.QCOW2", "a.vdi"] {
            assert!(is_named_so(Path::new(known)), "{known}");
        }
        for other in ["a.zip", "a.gz", "vmdk", "a.dd", "a.E01", "a.wim"] {
            assert!(!is_named_so(Path::new(other)), "{other}");
        }
    }
}
