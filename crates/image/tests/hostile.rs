//! Files that are made to break a reader: each is refused or reported, in bounded time and memory.

#[path = "../../../fuzz/src/image.rs"]
mod fuzz;
mod util;

use hashloom_image::{Format, Image, Kind, Verdict};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use util::{has, sample, verify};

/// Writes segment files section by section.
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn new(number: u16) -> Self {
        let mut bytes = b"EVF\x09\x0d\x0a\xff\x00\x01".to_vec();
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend_from_slice(&[0, 0]);
        Writer { bytes }
    }

    /// A section whose descriptor points where it likes.
    fn raw_section(&mut self, name: &str, next: u64, size: u64, content: &[u8]) {
        let mut descriptor = vec![0; 76];
        descriptor[..name.len()].copy_from_slice(name.as_bytes());
        descriptor[16..24].copy_from_slice(&next.to_le_bytes());
        descriptor[24..32].copy_from_slice(&size.to_le_bytes());
        let sum = adler(&descriptor[..72]);
        descriptor[72..].copy_from_slice(&sum);
        self.bytes.extend_from_slice(&descriptor);
        self.bytes.extend_from_slice(content);
    }

    fn section(&mut self, name: &str, content: &[u8]) -> &mut Self {
        let at = self.bytes.len() as u64;
        let size = 76 + content.len() as u64;
        let next = if ["done", "next"].contains(&name) { at } else { at + size };
        self.raw_section(name, next, size, content);
        self
    }

    /// A volume of so many sectors of 512 bytes.
    fn volume(&mut self, chunks: u32, per_chunk: u32, per_sector: u32, sectors: u64) -> &mut Self {
        let mut content = vec![0; 1048];
        content[4..8].copy_from_slice(&chunks.to_le_bytes());
        content[8..12].copy_from_slice(&per_chunk.to_le_bytes());
        content[12..16].copy_from_slice(&per_sector.to_le_bytes());
        content[16..24].copy_from_slice(&sectors.to_le_bytes());
        let sum = adler(&content);
        content.extend_from_slice(&sum);
        self.section("volume", &content)
    }

    fn table(&mut self, count: u32, base: u64, entries: &[u32]) -> &mut Self {
        let mut content = vec![0; 20];
        content[..4].copy_from_slice(&count.to_le_bytes());
        content[8..16].copy_from_slice(&base.to_le_bytes());
        let sum = adler(&content);
        content.extend_from_slice(&sum);
        let entries: Vec<u8> = entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
        content.extend_from_slice(&entries);
        content.extend_from_slice(&adler(&entries));
        self.section("table", &content)
    }

    fn save(&self, folder: &TempDir, name: &str) -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, &self.bytes).unwrap();
        path
    }
}

fn adler(bytes: &[u8]) -> [u8; 4] {
    simd_adler32::adler32(&bytes).to_le_bytes()
}

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
        assert!(Image::open(&writer.save(&folder, "x.E01")).is_err(), "{per_chunk} {per_sector}");
    }
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, u64::MAX).section("done", &[]);
    assert!(Image::open(&writer.save(&folder, "x.E01")).is_err(), "the media size overflows");
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
        let image = Image::open(&writer.save(&folder, "x.E01")).unwrap();
        let verdict = verify(&image).verdict;
        assert!(matches!(verdict, Verdict::Damaged | Verdict::Incomplete), "{count} {base}: {verdict:?}");
    }
}

#[test]
fn a_claim_of_an_exabyte_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(1);
    writer.volume(u32::MAX, 64, 512, 1 << 50).section("done", &[]);
    let image = Image::open(&writer.save(&folder, "x.E01")).unwrap();
    let start = Instant::now();
    assert_eq!(verify(&image).verdict, Verdict::Incomplete);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn bombs_are_cut_at_the_chunk_size() {
    let folder = tempfile::tempdir().unwrap();
    let bomb = zlib(&vec![0; 1 << 20]);
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, 64);
    let at = writer.bytes.len() as u32 + 76;
    writer.section("header", &zlib(&vec![b'x'; 17 << 20])).section("done", &[]);
    assert!(
        has(&verify(&Image::open(&writer.save(&folder, "h.E01")).unwrap()), |kind| *kind == Kind::Malformed)
    );
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, 64).section("sectors", &bomb).table(1, 0, &[at | 1 << 31]).section("done", &[]);
    let verification = verify(&Image::open(&writer.save(&folder, "c.E01")).unwrap());
    assert_eq!(verification.verdict, Verdict::Damaged);
    assert!(has(&verification, |kind| *kind == Kind::ChunkLength));
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
        let image = Image::open(&writer.save(&folder, "x.E01")).unwrap();
        assert_eq!(verify(&image).verdict, Verdict::Incomplete, "{next}");
    }
    for _ in 0..100_000 {
        writer.section("ltypes", &[]);
    }
    assert!(Image::open(&writer.save(&folder, "x.E01")).is_ok());
}

#[test]
fn ten_thousand_segments_are_read() {
    // So many files take long on a disk.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let mut writer = Writer::new(1);
    writer.volume(1, 64, 512, 64).section("next", &[]).save(&folder, "x.E01");
    let letter = |number: u32| char::from(b'A' + (number % 26) as u8);
    for number in 2..=10_000_u32 {
        let high = number.saturating_sub(100);
        let name = match number {
            ..100 => format!("x.E{number:02}"),
            _ => format!("x.{}{}{}", char::from(b'E' + (high / 676) as u8), letter(high / 26), letter(high)),
        };
        let mut writer = Writer::new(number as u16);
        writer.section(if number == 10_000 { "done" } else { "next" }, &[]).save(&folder, &name);
    }
    let image = Image::open(&folder.path().join("x.E01")).unwrap();
    assert_eq!(image.segments().len(), 10_000);
    assert_eq!(verify(&image).verdict, Verdict::Incomplete);
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
            assert_eq!(verify(&image).verdict, Verdict::Incomplete, "{cut}");
        }
    }
    let grown = [&bytes[..], &[7; 100]].concat();
    fs::write(&target, grown).unwrap();
    let verification = verify(&Image::open(&target).unwrap());
    assert_eq!(verification.verdict, Verdict::VerifiedWithNotes);
    assert!(has(&verification, |kind| *kind == Kind::TrailingBytes { bytes: 100 }));
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
    assert_eq!(alone.verdict, Verdict::Incomplete);
    let mut bytes = fs::read(two).unwrap();
    bytes[16] ^= 1;
    fs::write(folder.path().join("x.Ex02"), bytes).unwrap();
    let foreign = verify(&Image::open(&first).unwrap());
    assert_eq!(foreign.verdict, Verdict::DigestsMatch);
    assert!(has(&foreign, |kind| *kind == Kind::ForeignSegment));
    fs::copy(other, folder.path().join("x.Ex02")).unwrap();
    assert_eq!(verify(&Image::open(&first).unwrap()).verdict, Verdict::Incomplete);
}

/// Flips, cuts and copies bytes of the small samples, from fixed seeds. Whatever comes out: no panic, and
/// media that differ are never verified.
#[test]
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
    let deadline = Instant::now() + Duration::from_secs(6);
    for (number, name) in names.iter().cycle().enumerate() {
        if Instant::now() > deadline {
            break;
        }
        mutate(&folder.join(name), target.path(), number as u64 + 1);
    }
}

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
    fuzz::image(&bytes);
    let Ok(image) = Image::open(&target) else { return };
    if image.media_size() > 64 << 20 {
        return;
    }
    let verdict = verify(&image).verdict;
    let claimed = !matches!(image.format(), Format::Ewf1Logical | Format::Ewf2Logical);
    if claimed && matches!(verdict, Verdict::Verified | Verdict::VerifiedWithNotes) {
        assert_eq!(media(&target), intact, "seed {seed} of {}", path.display());
    }
}

/// The MD5 of the media.
fn media(path: &Path) -> Option<String> {
    let verification = verify(&Image::open(path).unwrap());
    util::digest_of(&verification, "md5").filter(|_| !verification.claims.is_empty())
}
