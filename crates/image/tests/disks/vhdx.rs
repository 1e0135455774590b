//! VHDX: the log, checksums, and what is refused.

use super::util::{assert_media, first_difference, media};
use crate::util::{has, installed, run, verify};
use hashmill_image::{Image, Problem, ProblemKind, Severity};
use hashmill_testing::Random;
use std::fs;
use std::path::Path;

const SECTOR: usize = 4096;

/// Sets the CRC-32C at byte 4.
pub fn seal(bytes: &mut [u8]) {
    bytes[4..8].fill(0);
    let digest = hashmill_digest::hash(hashmill_digest::find("crc32c").unwrap(), bytes);
    let mut sum: [u8; 4] = digest.as_bytes().try_into().unwrap();
    sum.reverse();
    bytes[4..8].copy_from_slice(&sum);
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Makes a disk by QEMU. Returns its bytes.
fn disk(folder: &Path, options: &str) -> Vec<u8> {
    let mut source = Random(5).bytes(2 << 20);
    source.resize(5 << 20, 0);
    fs::write(folder.join("in.raw"), source).unwrap();
    run(folder, "qemu-img", &["convert", "-f", "raw", "-O", "vhdx", "-o", options, "in.raw", "a.vhdx"]);
    fs::read(folder.join("a.vhdx")).unwrap()
}

/// Returns the offset of the current header.
fn header(bytes: &[u8]) -> usize {
    [64 << 10, 128 << 10].into_iter().max_by_key(|at| number(bytes, at + 8)).unwrap()
}

/// Returns the offset of the table of blocks, which the first entry of the regions is for.
fn table(bytes: &[u8]) -> usize {
    let entries = (192 << 10) + 16..(192 << 10) + 80;
    let is_table = |at: &usize| bytes[*at..*at + 4] == [0x66, 0x77, 0xc2, 0x2d];
    number(bytes, entries.step_by(32).find(is_table).unwrap() + 16) as usize
}

/// A change in the log.
enum Change<'a> {
    Data(u64, &'a [u8]),
    Zero(u64, u64),
}

/// Makes an entry of the log.
fn entry(number: u64, tail: u32, size: u64, changes: &[Change<'_>]) -> Vec<u8> {
    let (mut head, mut data) = (vec![0; 64], Vec::new());
    for change in changes {
        let mut descriptor = vec![0; 32];
        descriptor[24..32].copy_from_slice(&number.to_le_bytes());
        match change {
            Change::Zero(at, length) => {
                descriptor[..4].copy_from_slice(b"zero");
                descriptor[8..16].copy_from_slice(&length.to_le_bytes());
                descriptor[16..24].copy_from_slice(&at.to_le_bytes());
            }
            Change::Data(at, bytes) => {
                descriptor[..4].copy_from_slice(b"desc");
                descriptor[4..8].copy_from_slice(&bytes[4092..]);
                descriptor[8..16].copy_from_slice(&bytes[..8]);
                descriptor[16..24].copy_from_slice(&at.to_le_bytes());
                data.extend_from_slice(b"data");
                data.extend_from_slice(&((number >> 32) as u32).to_le_bytes());
                data.extend_from_slice(&bytes[8..4092]);
                data.extend_from_slice(&(number as u32).to_le_bytes());
            }
        }
        head.extend(descriptor);
    }
    head.resize(head.len().next_multiple_of(SECTOR), 0);
    let mut bytes = [head, data].concat();
    let length = bytes.len() as u32;
    bytes[..4].copy_from_slice(b"loge");
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes[12..16].copy_from_slice(&tail.to_le_bytes());
    bytes[16..24].copy_from_slice(&number.to_le_bytes());
    bytes[24..28].copy_from_slice(&(changes.len() as u32).to_le_bytes());
    bytes[32..48].fill(0x77);
    bytes[48..56].copy_from_slice(&size.to_le_bytes());
    bytes[56..64].copy_from_slice(&size.to_le_bytes());
    seal(&mut bytes);
    bytes
}

/// Marks the log as not empty, and writes entries at these offsets of it.
fn with_log(bytes: &[u8], entries: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let header = header(&bytes);
    bytes[header + 48..header + 64].fill(0x77);
    seal(&mut bytes[header..header + SECTOR]);
    let log = number(&bytes, header + 72) as usize;
    let length = u32::from_le_bytes(bytes[header + 68..header + 72].try_into().unwrap()) as usize;
    for (at, entry) in entries {
        for (index, byte) in entry.iter().enumerate() {
            bytes[log + (at + index) % length] = *byte;
        }
    }
    bytes
}

#[test]
fn the_log_is_replayed_as_qemu_replays_it() {
    if installed("qemu-img").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let clean = disk(folder, "subformat=dynamic,block_size=1M");
    let (size, table) = (clean.len() as u64, table(&clean));
    let first = number(&clean, table) & !0xf_ffff;
    let pattern = hashmill_testing::paint(SECTOR);
    // The second block is no longer stored.
    let mut entries = clean[table..table + SECTOR].to_vec();
    entries[8] = 2;
    let data =
        entry(7, 0, size, &[Change::Data(first + 8192, &pattern), Change::Data(table as u64, &entries)]);
    let zero = entry(8, 0, size, &[Change::Zero(first, 8192), Change::Data(first + 4096, &pattern)]);
    let old = entry(3, 0, size, &[Change::Zero(first, 1 << 20)]);
    let log_length = 1 << 20;
    let wrapped = entry(
        7,
        (log_length - SECTOR) as u32,
        size,
        &[Change::Data(first, &pattern), Change::Zero(first + 4096, 4096)],
    );
    for (name, changes, count) in [
        ("one", vec![(0, data.clone())], 1),
        ("two", vec![(0, data.clone()), (data.len(), zero.clone())], 2),
        ("older", vec![(0, data.clone()), (data.len(), zero.clone()), (1 << 19, old)], 2),
        ("wrapped", vec![(log_length - SECTOR, wrapped)], 1),
    ] {
        let bytes = with_log(&clean, &changes);
        let path = folder.join("x.vhdx");
        fs::write(&path, &bytes).unwrap();
        fs::write(folder.join("fixed.vhdx"), &bytes).unwrap();
        let _ = std::process::Command::new("qemu-img")
            .args(["check", "-q", "-r", "all", "-f", "vhdx", "fixed.vhdx"])
            .current_dir(folder)
            .output()
            .unwrap();
        run(folder, "qemu-img", &["convert", "-f", "vhdx", "-O", "raw", "fixed.vhdx", "out.raw"]);
        let expected = fs::read(folder.join("out.raw")).unwrap();
        let image = assert_media(&path, &expected, name);
        assert!(
            image.findings().iter().any(|one| one.kind == ProblemKind::LogReplayed { number: count }),
            "{name}: {:?}",
            image.findings()
        );
        assert!(first_difference(&expected, &fs::read(folder.join("in.raw")).unwrap()).is_some(), "{name}");
        assert!(fs::read(&path).unwrap() == bytes, "{name}: the file is never written");
    }
    // The newest entry is damaged: the older ones are still a sequence. Without any, the log is damaged.
    let mut torn = zero.clone();
    torn[4096 + 100] ^= 1;
    fs::write(folder.join("x.vhdx"), with_log(&clean, &[(0, data.clone()), (data.len(), torn)])).unwrap();
    let image = Image::open(&folder.join("x.vhdx")).unwrap();
    assert!(image.findings().iter().any(|one| one.kind == ProblemKind::LogReplayed { number: 1 }));
    let mut torn = data;
    torn[4096 + 100] ^= 1;
    fs::write(folder.join("x.vhdx"), with_log(&clean, &[(0, torn)])).unwrap();
    let image = Image::open(&folder.join("x.vhdx")).unwrap();
    assert!(image.findings().iter().any(|one| one.kind == ProblemKind::LogDamaged));
    assert_eq!(ProblemKind::LogDamaged.severity(), Severity::Damage);
}

#[test]
fn damaged_copies_are_named_and_the_others_used() {
    if installed("qemu-img").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let clean = disk(folder, "subformat=dynamic");
    let expected = fs::read(folder.join("in.raw")).unwrap();
    let changed = |places: &[usize]| {
        let mut bytes = clean.clone();
        places.iter().for_each(|at| bytes[*at] ^= 1);
        fs::write(folder.join("x.vhdx"), bytes).unwrap();
        Image::open(&folder.join("x.vhdx"))
    };
    for place in [(64 << 10) + 20, (128 << 10) + 20, (192 << 10) + 40, (256 << 10) + 40] {
        let image = changed(&[place]).unwrap();
        assert_eq!(first_difference(&media(&image), &expected), None, "{place}");
        assert!(image.findings().iter().any(|one| one.kind == ProblemKind::TableCopyUsed), "{place}");
    }
    for places in [[(64 << 10) + 20, (128 << 10) + 20], [(192 << 10) + 40, (256 << 10) + 40]] {
        assert!(matches!(changed(&places).unwrap_err().problem, Problem::Header(_)));
    }
    let table = table(&clean);
    let outside = changed(&[table + 6]).unwrap();
    assert!(has(&verify(&outside), |kind| matches!(kind, ProblemKind::BadEntry { .. })));
    let partial = changed(&[table]).unwrap();
    assert!(has(&verify(&partial), |kind| *kind == ProblemKind::ChunkUnsupported));
}

#[test]
fn a_differencing_disk_is_refused_by_its_parent() {
    if installed("qemu-img").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = disk(folder.path(), "subformat=dynamic");
    let parameters = b"\x37\x67\xa1\xca\x36\xfa\x43\x4d";
    let metadata = bytes.windows(8).position(|window| window == b"metadata").unwrap();
    let item = bytes.windows(8).position(|window| window == parameters).unwrap();
    let at = metadata + u32::from_le_bytes(bytes[item + 16..item + 20].try_into().unwrap()) as usize;
    bytes[at + 4] |= 2;
    let path = folder.path().join("x.vhdx");
    fs::write(&path, &bytes).unwrap();
    let error = Image::open(&path).unwrap_err();
    assert!(matches!(&error.problem, Problem::Parent(_)), "{error}");
    // A block of 3 MiB, and a disk of an exabyte.
    for (change, value) in [(at + 2, 0x30), (at + 8 + 7, 0x10)] {
        let mut bytes = fs::read(folder.path().join("a.vhdx")).unwrap();
        bytes[change] = value;
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(Image::open(&path).unwrap_err().problem, Problem::Header(_) | Problem::Geometry));
    }
}
