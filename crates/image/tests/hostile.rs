//! Files made to break a reader: each is refused or reported, in bounded time and memory.

use crate::util::{Writer, has, sample, verify};
use hashmill_image::{Format, Image, ImageVerdict, ProblemKind};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packer = libdeflater::Compressor::new(libdeflater::CompressionLvl::fastest());
    let mut packed = vec![0; packer.zlib_compress_bound(bytes.len())];
    let length = packer.zlib_compress(bytes, &mut packed).unwrap();
    packed.truncate(length);
    packed
}

#[test]
fn impossible_chunk_sizes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (per_chunk, per_sector) in [(0, 512), (64, 0), (8 << 20, 512), (u32::MAX, u32::MAX), (1 << 31, 2)] {
        let mut writer = Writer::new(1);
        writer.volume(1, per_chunk, per_sector, 64).section("done", &[]);
        assert!(Image::open(&writer.save(folder.path(), "x.E01")).is_err(), "{per_chunk} {per_sector}");
    }
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, u64::MAX).section("done", &[]);
    assert!(Image::open(&writer.save(folder.path(), "x.E01")).is_err(), "the media size overflows");
}

#[test]
fn counts_and_offsets_that_overflow_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let tables: [(u32, u64, &[u32]); 4] = [
        (u32::MAX, 0, &[0x8000_0000]),
        (1, u64::MAX - 3, &[0x8000_0010]),
        (1, 1 << 62, &[0x7fff_ffff]),
        (2, 0, &[0x7fff_0000, 0x0000_0001]),
    ];
    for (count, base, entries) in tables {
        let mut writer = Writer::new(1);
        writer.volume(count, 64, 512, 64 * u64::from(count)).section("sectors", &[0; 100]);
        writer.table(count, base, entries).section("done", &[]);
        let image = Image::open(&writer.save(folder.path(), "x.E01")).unwrap();
        let verdict = verify(&image).verdict;
        assert!(
            matches!(verdict, ImageVerdict::Damaged | ImageVerdict::Incomplete),
            "{count} {base}: {verdict:?}"
        );
    }
}

#[test]
fn a_claim_of_an_exabyte_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(1);
    writer.volume(u32::MAX, 64, 512, 1 << 50).section("done", &[]);
    let image = Image::open(&writer.save(folder.path(), "x.E01")).unwrap();
    let done = AtomicU64::new(0);
    let note = |bytes| {
        done.fetch_max(bytes, Relaxed);
        ControlFlow::Continue(())
    };
    let verification = hashmill_image::verify(&image, &crate::util::options(), &note).unwrap();
    assert_eq!(verification.verdict, ImageVerdict::Incomplete);
    assert_eq!((verification.read, done.into_inner()), (0, 0), "nothing is there to read");
}

#[test]
fn bombs_are_cut_at_the_chunk_size() {
    let folder = tempfile::tempdir().unwrap();
    let bomb = zlib(&vec![0; 1 << 20]);
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, 64);
    let at = writer.bytes.len() as u32 + 76;
    writer.section("header", &zlib(&vec![b'x'; 17 << 20])).section("done", &[]);
    assert!(has(&verify(&Image::open(&writer.save(folder.path(), "h.E01")).unwrap()), |kind| *kind
        == ProblemKind::Malformed));
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, 64).section("sectors", &bomb).table(1, 0, &[at | 1 << 31]).section("done", &[]);
    let verification = verify(&Image::open(&writer.save(folder.path(), "c.E01")).unwrap());
    assert_eq!(verification.verdict, ImageVerdict::Damaged);
    assert!(has(&verification, |kind| *kind == ProblemKind::ChunkLength));
}

#[test]
fn cyclic_and_endless_chains_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, 64);
    let at = writer.bytes.len() as u64;
    for next in [0, 13, at, at - 1, at + 75, u64::MAX] {
        let mut writer = Writer { bytes: writer.bytes.clone() };
        writer.raw_section("ltypes", next, 0, &[]);
        let image = Image::open(&writer.save(folder.path(), "x.E01")).unwrap();
        assert_eq!(verify(&image).verdict, ImageVerdict::Incomplete, "{next}");
    }
    for _ in 0..100_000 {
        writer.section("ltypes", &[]);
    }
    assert!(Image::open(&writer.save(folder.path(), "x.E01")).is_ok());
}

#[test]
fn ten_thousand_segments_are_read() {
    // Ten thousand files take long on a disk.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, 64).section("next", &[]).save(folder.path(), "x.E01");
    let letter = |number: u32| char::from(b'A' + (number % 26) as u8);
    for number in 2..=10_000_u32 {
        let high = number.saturating_sub(100);
        let name = match number {
            ..100 => format!("x.E{number:02}"),
            _ => format!("x.{}{}{}", char::from(b'E' + (high / 676) as u8), letter(high / 26), letter(high)),
        };
        let mut writer = Writer::new(number as u16);
        writer.section(if number == 10_000 { "done" } else { "next" }, &[]).save(folder.path(), &name);
    }
    let image = Image::open(&folder.path().join("x.E01")).unwrap();
    assert_eq!(image.segments().len(), 10_000);
    assert_eq!(verify(&image).verdict, ImageVerdict::Incomplete);
}

#[test]
fn files_that_only_look_like_images_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("a.E01", &b""[..]),
        ("b.E01", b"EVF\x09\x0d\x0a\xff\x00"),
        ("c.L01", b"hello"),
        ("d.Ex01", b"EVF2\x0d\x0a\x81\x00"),
        (
            "e.Ex01",
            &[
                0x45, 0x56, 0x46, 0x32, 13, 10, 0x81, 0, 2, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 0,
            ],
        ),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        assert!(Image::open(&path).is_err(), "{name}");
    }
    assert!(Image::open(&folder.path().join("none.E01")).is_err());
    fs::create_dir(folder.path().join("dir.E01")).unwrap();
    assert!(Image::open(&folder.path().join("dir.E01")).is_err());
}

#[test]
fn cut_ex01_files_are_incomplete() {
    let Some(path) = sample("ex01/libewf20260924-deflate-best-sha1.Ex01") else { return };
    let bytes = fs::read(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x.Ex01");
    for cut in [1, 63, 64, 65, 200, 1000, 5000, bytes.len() / 2] {
        fs::write(&target, &bytes[..bytes.len() - cut]).unwrap();
        if let Ok(image) = Image::open(&target) {
            assert_eq!(verify(&image).verdict, ImageVerdict::Incomplete, "{cut}");
        }
    }
    let grown = [&bytes[..], &[7; 100]].concat();
    fs::write(&target, grown).unwrap();
    let verification = verify(&Image::open(&target).unwrap());
    assert_eq!(verification.verdict, ImageVerdict::VerifiedWithNotes);
    assert!(has(&verification, |kind| *kind == ProblemKind::TrailingBytes { bytes: 100 }));
}

#[test]
fn a_foreign_or_missing_segment_of_ex01_is_named() {
    let (Some(one), Some(two), Some(other)) = (
        sample("ex01/libewf20260924-split-sha1.Ex01"),
        sample("ex01/libewf20260924-split-sha1.Ex02"),
        sample("ex01/zeros_128s.Ex01"),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("x.Ex01");
    fs::copy(one, &first).unwrap();
    let alone = verify(&Image::open(&first).unwrap());
    assert_eq!(alone.verdict, ImageVerdict::Incomplete);
    let mut bytes = fs::read(two).unwrap();
    bytes[16] ^= 1;
    fs::write(folder.path().join("x.Ex02"), bytes).unwrap();
    let foreign = verify(&Image::open(&first).unwrap());
    assert_eq!(foreign.verdict, ImageVerdict::DigestsMatch);
    assert!(has(&foreign, |kind| *kind == ProblemKind::ForeignSegment));
    fs::copy(other, folder.path().join("x.Ex02")).unwrap();
    assert_eq!(verify(&Image::open(&first).unwrap()).verdict, ImageVerdict::Incomplete);
}

/// Flips, cuts and copies bytes of the small samples, from fixed seeds. Nothing panics, and different media are never
/// verified.
#[test]
#[ignore = "campaign: takes long"]
fn mutated_samples_never_verify_with_other_media() {
    let Some(folder) = sample("e01").and_then(|_| sample("")) else { return };
    let names = [
        "e01/plaso-image.E01",
        "e01/dissect-ewf.E01",
        "e01/ewfgo-fat16-encase25-zlib-slack.E01",
        "ex01/zeros_128s_compressed.Ex01",
        "l01/exfat-docx.L01",
        "l01/ewfimage061-files.L01",
        "lx01/ewfimage061-files.Lx01",
    ];
    let target = tempfile::tempdir().unwrap();
    for (number, name) in names.iter().cycle().take(hashmill_testing::cases(MUTATIONS)).enumerate() {
        mutate(&folder.join(name), target.path(), number as u64 + 1);
    }
}

/// Enough to take some seconds.
const MUTATIONS: usize = 420;

fn mutate(path: &Path, folder: &Path, seed: u64) {
    let mut bytes = fs::read(path).unwrap();
    let target = folder.join(format!("m.{}", path.extension().unwrap().to_string_lossy()));
    let intact = media(path);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for _ in 0..1 + random(4) {
        let at = random(bytes.len());
        match random(5) {
            0 => bytes[at] ^= 1 << random(8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random(5)],
            2 => bytes.truncate(at.max(40)),
            3 => {
                let length = random(64).min(bytes.len() - at);
                let from = random(bytes.len() - length);
                bytes.copy_within(from..from + length, at);
            }
            _ => {
                let number = [0, u64::MAX, 1 << 63, 1 << 31, 76][random(5)].to_le_bytes();
                let length = number.len().min(bytes.len() - at);
                bytes[at..at + length].copy_from_slice(&number[..length]);
            }
        }
    }
    fs::write(&target, &bytes).unwrap();
    let Ok(image) = Image::open(&target) else { return };
    if image.media_size() > 64 << 20 {
        return;
    }
    let verdict = verify(&image).verdict;
    let claimed = !matches!(image.format(), Format::Ewf1Logical | Format::Ewf2Logical);
    if claimed && matches!(verdict, ImageVerdict::Verified | ImageVerdict::VerifiedWithNotes) {
        assert_eq!(media(&target), intact, "seed {seed} of {}", path.display());
    }
}

/// Returns the MD5 of the media.
fn media(path: &Path) -> Option<String> {
    let verification = verify(&Image::open(path).unwrap());
    crate::util::digest_of(&verification, "md5").filter(|_| !verification.claims.is_empty())
}

/// Thousands of notes, then a missing segment: the stored digest can't be compared, and no number of notes may hide
/// that.
#[test]
fn notes_do_not_hide_that_media_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(1);
    writer.volume(2, 64, 512, 128);
    for _ in 0..10_100 {
        writer.section("unheard-of", &[]);
    }
    let chunk = [7; 64 * 512];
    writer.chunks(&[&chunk]).md5(&[&chunk[..], &chunk].concat()).section("done", &[]);
    let image = Image::open(&writer.save(folder.path(), "x.E01")).unwrap();
    let verification = verify(&image);
    assert_eq!(verification.verdict, ImageVerdict::Incomplete);
    assert!(has(&verification, |kind| *kind == ProblemKind::ChunkMissing));
    assert!(verification.omitted_findings > 0);
}

#[test]
#[ignore = "campaign: takes long"]
fn texts_that_grow_without_end_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, 64);
    for number in 0..40_u8 {
        writer.section("header", &zlib(&vec![b'a' + number; 12 << 20]));
    }
    let image = Image::open(&writer.section("done", &[]).save(folder.path(), "x.E01")).unwrap();
    let kept: usize = image.info().headers.iter().map(|header| header.text.len()).sum();
    assert!(kept <= 32 << 20, "{kept}");
    assert!(image.findings().iter().any(|finding| finding.kind == ProblemKind::ExtraText));
}

/// A table that claims to have 2^31 entries, in a file of some kilobytes.
#[test]
fn tables_longer_than_their_file_are_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    for count in [1 << 31, u32::MAX, 1001] {
        let mut writer = Writer::new(1);
        writer.volume(count, 64, 512, 64 * u64::from(count)).section("sectors", &[0; 100]);
        writer.table(count, 0, &[1 << 31; 999]).section("done", &[]);
        let image = Image::open(&writer.save(folder.path(), "x.E01")).unwrap();
        assert_eq!(image.held(), 0, "{count}");
        assert!(image.findings().iter().any(|finding| finding.kind == ProblemKind::ChunkMissing), "{count}");
        assert_eq!(verify(&image).verdict, ImageVerdict::Incomplete, "{count}");
    }
}

/// The chain of Ex01 runs from the end to the start. Here descriptors point forward or at themselves.
#[test]
fn chains_of_ex01_that_turn_back_end() {
    let Some(path) = sample("ex01/zeros_128s_compressed.Ex01") else { return };
    let bytes = fs::read(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x.Ex01");
    let last = bytes.len() - 64;
    for previous in [last as u64, last as u64 + 64, u64::MAX, 31, 1, last as u64 - 1] {
        let mut bytes = bytes.clone();
        bytes[last + 8..last + 16].copy_from_slice(&previous.to_le_bytes());
        let sum = crate::util::adler(&bytes[last..last + 60]);
        bytes[last + 60..].copy_from_slice(&sum);
        fs::write(&target, &bytes).unwrap();
        if let Ok(image) = Image::open(&target) {
            assert_eq!(verify(&image).verdict, ImageVerdict::Incomplete, "{previous}");
        }
    }
}
