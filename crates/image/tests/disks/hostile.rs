//! Small files that claim to be large: each is refused or read in bounded time and memory.

use crate::util::{has, stored, verify};
use hashmill_image::{Image, Problem, ProblemKind, Resources, export_sparse};
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Makes a QCOW2 header of version 3 with clusters of 64 KiB and an L1 table in the second cluster.
fn qcow2(size: u64, l1_entries: u32) -> Vec<u8> {
    let mut bytes = vec![0; 5 << 16];
    bytes[..4].copy_from_slice(b"QFI\xfb");
    for (at, value) in [(4, 3_u32), (20, 16), (36, l1_entries), (56, 1), (96, 4), (100, 104)] {
        bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
    }
    for (at, value) in [(24, size), (40, 1 << 16), (48, 2 << 16)] {
        bytes[at..at + 8].copy_from_slice(&value.to_be_bytes());
    }
    bytes
}

fn saved(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn sizes_without_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (size, entries) in
        [(u64::MAX, 8), (1 << 61, 8), (1 << 33, 8), (1 << 40, u32::MAX), (1 << 40, 1 << 21)]
    {
        let path = saved(folder.path(), "x", &qcow2(size, entries));
        let problem = Image::open(&path).unwrap_err().problem;
        assert!(matches!(problem, Problem::Header(_) | Problem::Geometry), "{size} {entries}: {problem:?}");
    }
}

/// Four terabytes of nothing: nothing is read or written.
#[test]
fn an_empty_disk_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let image = Image::open(&saved(folder.path(), "x", &qcow2(4 << 40, 8192))).unwrap();
    assert_eq!((image.media_size(), image.held()), (4 << 40, 0));
    assert_eq!(verify(&image).read, 0);
    let out = File::create(folder.path().join("out")).unwrap();
    let summary = export_sparse(&image, Resources::default(), &|_| ControlFlow::Continue(()), &out).unwrap();
    assert_eq!((summary.bytes, summary.findings.len()), (0, 0));
    let meta = out.metadata().unwrap();
    assert_eq!((meta.len(), stored(&meta)), (4 << 40, 0));
}

/// The L1 table points to itself as an L2 table, many times, and that to itself as data.
#[test]
fn tables_that_point_to_themselves_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = qcow2(8192 << 16, 1);
    bytes[1 << 16..2 << 16]
        .chunks_mut(8)
        .for_each(|entry| entry.copy_from_slice(&(1_u64 << 16).to_be_bytes()));
    let image = Image::open(&saved(folder.path(), "x", &bytes)).unwrap();
    let verification = verify(&image);
    assert!(has(&verification, |kind| *kind == ProblemKind::UsedTwice { target: 1 << 16 }));
    assert!(has(&verification, |kind| *kind == ProblemKind::NoReference { target: 1 << 16 }));
}

/// Snapshots that share one table of 8 MiB, each with a million entries for the same L2 table.
#[test]
fn snapshots_without_end_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = qcow2(1 << 20, 1);
    bytes[60..64].copy_from_slice(&u32::MAX.to_be_bytes());
    bytes[64..72].copy_from_slice(&(3_u64 << 16).to_be_bytes());
    let image = Image::open(&saved(folder.path(), "x", &bytes)).unwrap();
    let snapshots = image.findings().iter().filter(|one| matches!(one.kind, ProblemKind::Snapshot { .. }));
    assert!(snapshots.count() <= 65536);
    let _ = verify(&image);
}

/// A compressed cluster that becomes a thousand times larger than a cluster.
#[test]
fn bombs_are_cut_at_the_size_of_a_block() {
    let folder = tempfile::tempdir().unwrap();
    let mut packer = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut packed = vec![0; 1 << 20];
    let length = packer.deflate_compress(&vec![0; 8 << 20], &mut packed).unwrap();
    let mut bytes = qcow2(1 << 16, 1);
    bytes[1 << 16..][..8].copy_from_slice(&(3_u64 << 16).to_be_bytes());
    let at = 4_u64 << 16;
    let entry = 1 << 62 | 0xff << (62 - 8) | at;
    bytes[3 << 16..][..8].copy_from_slice(&entry.to_be_bytes());
    bytes.truncate(at as usize);
    bytes.extend_from_slice(&packed[..length]);
    let image = Image::open(&saved(folder.path(), "x", &bytes)).unwrap();
    assert!(has(&verify(&image), |kind| *kind == ProblemKind::ChunkLength));
}
