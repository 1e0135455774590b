//! VMDK: descriptors with several extents, COWD, and what is refused.

use super::util::{assert_media, first_difference};
use crate::util::{has, installed, run, stored, verify};
use hashmill_image::{
    Image, ImageVerdict, Look, Problem, ProblemKind, Resources, Window, export_sparse, look,
};
use hashmill_testing::Random;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::Path;

fn descriptor(folder: &Path, name: &str, lines: &[&str]) {
    let head =
        ["# Disk DescriptorFile", "version=1", "CID=fffffffe", "parentCID=ffffffff", "createType=\"custom\""];
    fs::write(folder.join(name), [&head[..], lines].concat().join("\n") + "\n").unwrap();
}

#[test]
fn extents_of_every_kind_follow_each_other() {
    if installed("qemu-img").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut random = Random(3);
    let sectors = 700;
    let source: Vec<u8> = (0..sectors)
        .flat_map(|sector| match sector / 200 % 2 {
            0 => random.bytes(512),
            _ => vec![0; 512],
        })
        .collect();
    fs::write(folder.join("in.raw"), &source).unwrap();
    for (name, kind) in [("a", "monolithicSparse"), ("b", "streamOptimized")] {
        let options = format!("subformat={kind}");
        let target = format!("{name}.vmdk");
        run(folder, "qemu-img", &["convert", "-f", "raw", "-O", "vmdk", "-o", &options, "in.raw", &target]);
    }
    // The second part of the flat file, an odd number of zeros, and both kinds of grains at odd offsets.
    descriptor(
        folder,
        "all.vmdk",
        &[
            "RW 300 FLAT \"in.raw\" 400",
            "RW 33 ZERO",
            "RW 700 SPARSE \"a.vmdk\"",
            "RW 700 SPARSE \"b.vmdk\"",
            "RW 1 FLAT \"in.raw\" 0",
        ],
    );
    let expected =
        [&source[400 * 512..], &[0; 33 * 512][..], &source[..], &source[..], &source[..512]].concat();
    let image = assert_media(&folder.join("all.vmdk"), &expected, "all");
    assert_eq!(image.segments().len(), 4);
    assert!(image.info().headers[0].text.contains("RW 33 ZERO"));
    assert_eq!(look(&folder.join("all.vmdk")).unwrap(), Look::Media);
}

#[test]
fn extents_are_parts_of_the_disk_that_lists_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let flat = hashmill_testing::paint(4096);
    fs::write(folder.join("x-flat.vmdk"), &flat).unwrap();
    assert_eq!(look(&folder.join("x-flat.vmdk")).unwrap(), Look::Other);
    descriptor(folder, "x.vmdk", &["RW 8 FLAT \"x-flat.vmdk\" 0"]);
    assert_eq!(
        look(&folder.join("x-flat.vmdk")).unwrap(),
        Look::Later { first: Some(folder.join("x.vmdk")) }
    );
    assert_media(&folder.join("x.vmdk"), &flat, "flat");
    fs::write(folder.join("y-flat.vmdk"), &flat).unwrap();
    descriptor(folder, "y.vmdk", &["RW 8 FLAT \"x-flat.vmdk\" 0"]);
    assert_eq!(look(&folder.join("y-flat.vmdk")).unwrap(), Look::Other);
}

#[test]
fn a_missing_extent_is_a_hole_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let flat = hashmill_testing::paint(1 << 20);
    fs::write(folder.join("a"), &flat).unwrap();
    descriptor(
        folder,
        "x.vmdk",
        &["RW 2048 FLAT \"a\" 0", "RW 2000000 FLAT \"b\" 0", "RW 2048 FLAT \"a\" 0"],
    );
    let image = Image::open(&folder.join("x.vmdk")).unwrap();
    assert!(image.findings().iter().any(|one| matches!(one.kind, ProblemKind::MissingSegments { .. })));
    let verification = verify(&image);
    assert_eq!(verification.verdict, ImageVerdict::Incomplete);
    assert_eq!(image.held(), (2 << 20) + 2000000 * 512 % (256 << 10));
    let out = File::create(folder.join("out")).unwrap();
    let summary = export_sparse(&image, Resources::default(), &|_| ControlFlow::Continue(()), &out).unwrap();
    assert!(
        summary.findings.iter().any(|one| one.kind == ProblemKind::ChunkMissing),
        "{:?}",
        summary.findings
    );
    let meta = out.metadata().unwrap();
    assert_eq!(meta.len(), image.media_size());
    assert!(stored(&meta) <= 3 << 20);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["/etc/passwd", "../x", "a/b", "..", ".", "", "C:\\x", "\\\\.\\PhysicalDrive0", "http://x"] {
        descriptor(folder.path(), "x.vmdk", &[&format!("RW 8 FLAT \"{name}\" 0")]);
        let error = Image::open(&folder.path().join("x.vmdk")).unwrap_err();
        assert!(matches!(&error.problem, Problem::FileName(found) if **found == *name), "{name}: {error}");
    }
}

#[test]
fn other_kinds_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let refused = |lines: &[&str]| {
        descriptor(folder, "x.vmdk", lines);
        Image::open(&folder.join("x.vmdk")).unwrap_err().problem
    };
    assert!(matches!(refused(&["RW 8 SESPARSE \"a\""]), Problem::Feature(what) if what.contains("SESPARSE")));
    assert!(matches!(refused(&["RW 8 VMFSRDM \"a\""]), Problem::Feature(_)));
    assert!(matches!(refused(&[]), Problem::Header(_)));
    assert!(matches!(refused(&["encryption.keySafe = \"x\""]), Problem::Encrypted("VMware")));
    let lines = ["parentCID=12345678", "parentFileNameHint=\"base.vmdk\"", "RW 8 ZERO"];
    assert!(matches!(refused(&lines), Problem::Parent(name) if &*name == "'base.vmdk'"));
    assert!(matches!(refused(&["RW 18446744073709551615 ZERO"]), Problem::Geometry));
    assert!(matches!(refused(&["RW 2000000000000000 ZERO"; 9]), Problem::Geometry));
    fs::write(folder.join("se.vmdk"), b"\xbe\xba\xfe\xca\0\0\0\0\x01\0\0\0\x02\0\0\0").unwrap();
    let error = Image::open(&folder.join("se.vmdk")).unwrap_err();
    assert!(matches!(&error.problem, Problem::Feature(what) if what.contains("SE sparse")), "{error}");
}

/// A sparse extent of ESX, with a grain in the second of two tables.
#[test]
fn cowd_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut head = vec![0; 2048];
    head[..4].copy_from_slice(b"COWD");
    // Version, flags, sectors, sectors of a grain, directory, tables.
    for (at, value) in [(4, 1_u32), (8, 3), (12, 4100), (16, 1), (20, 4), (24, 2)] {
        head[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    let mut directory = vec![0; 512];
    directory[4..8].copy_from_slice(&5_u32.to_le_bytes());
    let mut table = vec![0; 4096 * 4];
    table[8..12].copy_from_slice(&37_u32.to_le_bytes());
    let path = folder.path().join("x-delta.vmdk");
    fs::write(&path, [head, directory, table, vec![7; 512]].concat()).unwrap();
    let mut expected = vec![0; 4100 * 512];
    expected[4098 * 512..4099 * 512].fill(7);
    let image = Image::open(&path).unwrap();
    assert_eq!(first_difference(&super::util::media(&image), &expected), None);
    assert!(image.findings().iter().any(|one| one.kind == ProblemKind::NoDescriptor));
    descriptor(folder.path(), "x.vmdk", &["RW 4100 VMFSSPARSE \"x-delta.vmdk\""]);
    assert_media(&folder.path().join("x.vmdk"), &expected, "described");
}

#[test]
fn damaged_tables_of_grains_are_named() {
    if installed("qemu-img").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("in.raw"), Random(1).bytes(300 << 10)).unwrap();
    for kind in ["monolithicSparse", "streamOptimized"] {
        let options = format!("subformat={kind}");
        run(folder, "qemu-img", &["convert", "-f", "raw", "-O", "vmdk", "-o", &options, "in.raw", "a.vmdk"]);
        let bytes = fs::read(folder.join("a.vmdk")).unwrap();
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize * 512;
        let stated = u64::from_le_bytes(bytes[56..64].try_into().unwrap());
        let header = if stated == u64::MAX { bytes.len() - 1024 } else { 0 };
        let table = number(number(header + 56));
        let changed = |value: u32| {
            let mut bytes = bytes.clone();
            bytes[table + 4..table + 8].copy_from_slice(&value.to_le_bytes());
            fs::write(folder.join("x.vmdk"), bytes).unwrap();
            verify(&Image::open(&folder.join("x.vmdk")).unwrap())
        };
        let outside = changed(1 << 30);
        assert!(has(&outside, |kind| *kind == ProblemKind::BadEntry { target: 1 << 39 }), "{kind}");
        let first = number(table);
        let twice = changed((first / 512) as u32);
        assert!(has(&twice, |found| *found == ProblemKind::UsedTwice { target: first as u64 }), "{kind}");
        if kind == "monolithicSparse" {
            assert!(has(&twice, |kind| matches!(kind, ProblemKind::TableCopyDiffers { .. })));
        }
    }
    // A download that was cut off lacks the footer.
    let bytes = fs::read(folder.join("a.vmdk")).unwrap();
    if u64::from_le_bytes(bytes[56..64].try_into().unwrap()) == u64::MAX {
        fs::write(folder.join("x.vmdk"), &bytes[..bytes.len() - 2048]).unwrap();
        assert!(matches!(Image::open(&folder.join("x.vmdk")).unwrap_err().problem, Problem::Header(_)));
    }
}

/// Files of two gigabytes, almost all of them holes: the place where one ends and the next begins is read right.
#[test]
fn disks_are_read_across_their_files() {
    if installed("qemu-img").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (size, noise) = ((2 << 30) + (100 << 20), Random(9).bytes(2 << 20));
    let mut source = File::create(folder.join("in.raw")).unwrap();
    source.set_len(size).unwrap();
    let places = [0, (2 << 30) - (1 << 20), size - (2 << 20)];
    for at in places {
        source.seek(SeekFrom::Start(at)).unwrap();
        source.write_all(&noise).unwrap();
    }
    for kind in ["twoGbMaxExtentSparse", "twoGbMaxExtentFlat"] {
        let options = format!("subformat={kind}");
        run(folder, "qemu-img", &["convert", "-f", "raw", "-O", "vmdk", "-o", &options, "in.raw", "x.vmdk"]);
        let image = Image::open(&folder.join("x.vmdk")).unwrap();
        assert_eq!((image.media_size(), image.segments().len()), (size, 3), "{kind}");
        for segment in image.segments().iter().skip(1) {
            let path = segment.path.as_ref().unwrap();
            assert_eq!(look(path).unwrap(), Look::Later { first: Some(folder.join("x.vmdk")) });
        }
        let (mut window, mut read) = (Window::default(), vec![0; noise.len()]);
        for at in places {
            image.read_at(at, &mut read, &mut window).unwrap();
            assert_eq!(first_difference(&read, &noise), None, "{kind} at {at}");
        }
    }
}
