//! VHD: footers, bitmaps, and what is refused.

use super::util::{assert_media, first_difference, media};
use crate::util::{has, installed, run, verify};
use hashmill_image::{Format, Image, Look, Problem, ProblemKind, Severity, look};
use std::fs;
use std::path::{Path, PathBuf};

const BLOCK: usize = 4096;

/// Sets the checksum of a structure.
fn seal(bytes: &mut [u8], at: usize) {
    bytes[at..at + 4].fill(0);
    let sum = bytes.iter().fold(0_u32, |sum, byte| sum.wrapping_add((*byte).into()));
    bytes[at..at + 4].copy_from_slice(&(!sum).to_be_bytes());
}

fn footer(kind: u32, size: u64) -> Vec<u8> {
    let mut footer = vec![0; 512];
    footer[..8].copy_from_slice(b"conectix");
    footer[16..24].copy_from_slice(&if kind == 2 { u64::MAX } else { 512 }.to_be_bytes());
    footer[48..56].copy_from_slice(&size.to_be_bytes());
    footer[60..64].copy_from_slice(&kind.to_be_bytes());
    seal(&mut footer, 64);
    footer
}

/// Makes a dynamic disk of four blocks, of which the second and the last are stored. Returns its bytes and media.
fn dynamic(kind: u32) -> (Vec<u8>, Vec<u8>) {
    let mut header = vec![0; 1024];
    header[..8].copy_from_slice(b"cxsparse");
    header[16..24].copy_from_slice(&1536_u64.to_be_bytes());
    header[28..32].copy_from_slice(&4_u32.to_be_bytes());
    header[32..36].copy_from_slice(&(BLOCK as u32).to_be_bytes());
    header[64..72].copy_from_slice(b"\0p\0.\0v\0h");
    seal(&mut header, 36);
    let mut table = vec![0xff; 512];
    table[4..8].copy_from_slice(&4_u32.to_be_bytes());
    table[12..16].copy_from_slice(&13_u32.to_be_bytes());
    let footer = footer(kind, 4 * BLOCK as u64);
    let mut bytes = [footer.clone(), header, table].concat();
    let mut media = vec![0; 4 * BLOCK];
    for (block, bits) in [(1, 0xff_u8), (3, 0b1010_0001)] {
        bytes.push(bits);
        bytes.resize(bytes.len() + 511, 0);
        for sector in 0..8 {
            let written = bits << sector & 0x80 != 0;
            let at = block * BLOCK + sector * 512;
            media[at..at + 512].fill(if written { block as u8 * 16 + sector as u8 } else { 0 });
            bytes.extend_from_slice(&media[at..at + 512]);
        }
    }
    bytes.extend(footer);
    (bytes, media)
}

fn saved(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join("x.vhd");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn the_footer_at_the_end_is_replaced_by_its_copy_if_it_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, media) = dynamic(3);
    let image = assert_media(&saved(folder.path(), &bytes), &media, "dynamic");
    assert_eq!((image.format(), image.media_size()), (Format::Vhd, media.len() as u64));
    assert_eq!(look(&folder.path().join("x.vhd")).unwrap(), Look::Media);
    let end = bytes.len() - 512;
    for (at, kind) in [(end, ProblemKind::TableCopyUsed), (end + 48, ProblemKind::TableCopyUsed)] {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        let image = Image::open(&saved(folder.path(), &bytes)).unwrap();
        assert!(image.findings().iter().any(|finding| finding.kind == kind), "{:?}", image.findings());
        assert_eq!(super::util::media(&image), media);
    }
    // The copy is damaged, or both are.
    let mut copy = bytes.clone();
    copy[50] ^= 1;
    let image = Image::open(&saved(folder.path(), &copy)).unwrap();
    assert!(image.findings().iter().any(|finding| finding.kind == ProblemKind::ContentChecksum));
    copy[end + 30] ^= 1;
    let image = Image::open(&saved(folder.path(), &copy)).unwrap();
    assert!(image.findings().iter().any(|finding| finding.kind.severity() == Severity::Structure));
    assert_eq!(super::util::media(&image), media);
    // The checksum of the dynamic header, which can be read nevertheless.
    let mut header = bytes.clone();
    header[512 + 100] ^= 1;
    let image = Image::open(&saved(folder.path(), &header)).unwrap();
    assert!(image.findings().iter().any(|finding| finding.kind == ProblemKind::ContentChecksum));
}

#[test]
fn a_fixed_disk_is_told_from_raw_media_by_its_footer() {
    let folder = tempfile::tempdir().unwrap();
    let source = hashmill_testing::paint(10 * 512);
    for cut in [0, 1] {
        let footer = footer(2, source.len() as u64);
        let bytes = [&source[..], &footer[..512 - cut]].concat();
        let image = assert_media(&saved(folder.path(), &bytes), &source, "fixed");
        assert_eq!(image.format(), Format::Vhd);
    }
    let bytes = [&source[512..], &footer(2, source.len() as u64)].concat();
    let image = Image::open(&saved(folder.path(), &bytes)).unwrap();
    assert!(has(&verify(&image), |kind| *kind == ProblemKind::ChunkOutside), "the media are cut off");
}

#[test]
fn sectors_that_are_stored_but_never_written_are_zeros_and_noted() {
    let folder = tempfile::tempdir().unwrap();
    let (mut bytes, expected) = dynamic(3);
    let hidden = bytes.len() - 512 - BLOCK + 512;
    bytes[hidden] = 1;
    let image = Image::open(&saved(folder.path(), &bytes)).unwrap();
    assert_eq!(first_difference(&media(&image), &expected), None);
    assert!(has(&verify(&image), |kind| *kind == ProblemKind::HiddenSectors { extra: 1 }));
}

#[test]
fn entries_that_are_impossible_or_equal_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, _) = dynamic(3);
    for (entry, target) in [(1_u32 << 30, 1_u64 << 39), (0, 0)] {
        let mut bytes = bytes.clone();
        bytes[1536 + 12..][..4].copy_from_slice(&entry.to_be_bytes());
        let found = verify(&Image::open(&saved(folder.path(), &bytes)).unwrap());
        assert!(has(&found, |kind| *kind == ProblemKind::BadEntry { target }), "{:?}", found.findings);
    }
    let mut twice = bytes.clone();
    twice[1536 + 12..][..4].copy_from_slice(&4_u32.to_be_bytes());
    let found = verify(&Image::open(&saved(folder.path(), &twice)).unwrap());
    assert!(has(&found, |kind| *kind == ProblemKind::UsedTwice { target: 2048 }), "{:?}", found.findings);
}

#[test]
fn a_differencing_disk_is_refused_by_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let error = Image::open(&saved(folder.path(), &dynamic(4).0)).unwrap_err();
    assert!(matches!(&error.problem, Problem::Parent(name) if &**name == "'p.vh'"), "{error}");
}

#[test]
fn the_dynamic_disk_made_here_is_that_of_qemu() {
    if installed("qemu-img").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (bytes, media) = dynamic(3);
    // QEMU ignores bitmaps: the sectors that were never written are zeros here.
    saved(folder.path(), &bytes);
    run(folder.path(), "qemu-img", &["convert", "-f", "vpc", "-O", "raw", "x.vhd", "out.raw"]);
    let read = fs::read(folder.path().join("out.raw")).unwrap();
    assert!(read.len() <= media.len() && read[..] == media[..read.len()]);
}
