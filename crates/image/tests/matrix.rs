//! Images made by the reference tools during the test: formats, compression, chunk and segment sizes, digests. The
//! media must equal the raw input; `info` and `export` must equal the reference.

use crate::util::{
    acquire, adler, digest_of, has, installed, mixed, options, run, sample, samples, stored, verify,
};
use hashmill_image::{
    Date, Format, Image, ImageVerdict, ProblemKind, Resources, Scratch, WriteBlocker, export, export_sparse,
    stream,
};
use std::fs::{self, File};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const SIZE: usize = 3 << 20;

/// Formats of `ewfacquire` with their extensions.
const FORMATS: &[(&str, &str)] = &[
    ("ewf", "e01"),
    ("smart", "s01"),
    ("ftk", "E01"),
    ("encase1", "E01"),
    ("encase2", "E01"),
    ("encase3", "E01"),
    ("encase4", "E01"),
    ("encase5", "E01"),
    ("encase6", "E01"),
    ("linen5", "E01"),
    ("linen6", "E01"),
    ("ewfx", "e01"),
];

/// Other options, each combined with every format.
const VARIANTS: &[&[&str]] = &[
    &["-c", "none"],
    &["-c", "empty-block", "-b", "16"],
    &["-c", "fast", "-b", "128", "-d", "sha1"],
    &["-c", "best", "-b", "1024", "-S", "1MiB", "-d", "sha1,sha256"],
    &["-c", "none", "-b", "32768", "-S", "1MiB"],
];

fn media(folder: &Path, name: &str, size: usize) -> Vec<u8> {
    let media = mixed(size);
    fs::write(folder.join(name), &media).unwrap();
    media
}

fn hex(name: &str, bytes: &[u8]) -> String {
    hashmill_digest::hash(hashmill_digest::find(name).unwrap(), bytes).to_string()
}

#[test]
#[ignore = "campaign: takes long"]
fn every_format_gives_the_media_back() {
    if installed("ewfacquire").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let media = media(folder.path(), "in.raw", SIZE);
    for (number, variant) in VARIANTS.iter().enumerate() {
        for (format, extension) in FORMATS {
            let target = format!("{format}-{number}");
            let arguments: Vec<&str> = ["-f", format].iter().chain(variant.iter()).copied().collect();
            acquire(folder.path(), &target, &arguments, "in.raw");
            let path = folder.path().join(format!("{target}.{extension}"));
            check(&path, &media, variant.contains(&"sha1"));
        }
    }
}

fn check(path: &Path, media: &[u8], sha1: bool) {
    let image = Image::open(path).unwrap_or_else(|error| panic!("{error}"));
    let verification = verify(&image);
    let findings: Vec<String> = verification.findings.iter().map(ToString::to_string).collect();
    assert_eq!(verification.verdict, ImageVerdict::Verified, "{}: {findings:#?}", path.display());
    assert_eq!(digest_of(&verification, "md5"), Some(hex("md5", media)), "{}", path.display());
    // Older formats can't store a SHA-1.
    let stored = verification.claims.iter().any(|check| check.claim.algorithm.name == "sha1");
    assert!(stored || !sha1 || !path.to_string_lossy().contains("encase6"));
    if path.to_string_lossy().contains("ewfx-3") {
        assert!(verification.claims.iter().any(|check| check.claim.algorithm.name == "sha256"));
    }
    let mut read = Vec::new();
    image.reader().read_to_end(&mut read).unwrap();
    assert!(read == media, "{}", path.display());
}

#[test]
fn streams_of_the_reference_are_read() {
    if installed("ewfacquirestream").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let media = media(folder.path(), "in.raw", SIZE);
    for format in ["ftk", "encase6", "linen6", "ewfx"] {
        let script = format!("ewfacquirestream -q -t {format} -f {format} -c fast -S 1MiB -d sha1 < in.raw");
        run(folder.path(), "sh", &["-c", &script]);
        let extension = if format == "ewfx" { "e01" } else { "E01" };
        check(&folder.path().join(format!("{format}.{extension}")), &media, false);
    }
}

#[test]
fn segments_past_99_are_found_with_few_open_files() {
    if installed("ewfacquire").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Noise can't be compressed: each segment contains about 1 MiB of it.
    let noise: Vec<u8> = mixed(8 << 20).chunks(64 << 10).skip(2).step_by(4).flatten().copied().collect();
    fs::write(folder.path().join("in.raw"), noise.repeat(52)).unwrap();
    acquire(folder.path(), "many", &["-f", "encase6", "-c", "none", "-S", "1MiB"], "in.raw");
    let image = Image::open(&folder.path().join("many.E01")).unwrap();
    assert!(image.segments().len() > 100, "{}", image.segments().len());
    assert!(image.segments().iter().any(|one| one.path.as_ref().unwrap().ends_with("many.EAA")));
    assert_eq!(verify(&image).verdict, ImageVerdict::Verified);
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let segments =
        open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|path| path.starts_with(folder.path())));
    assert!(segments.count() <= 16);
    // The first segment with letters is missing, and reported by its name.
    fs::remove_file(folder.path().join("many.EAA")).unwrap();
    let verification = verify(&Image::open(&folder.path().join("many.E01")).unwrap());
    assert_eq!(verification.verdict, ImageVerdict::Incomplete);
    assert!(verification.findings[0].to_string().contains("/many.EAA: no file holds segment 100: put"));
    assert!(has(&verification, |kind| *kind == ProblemKind::ChunkMissing));
}

#[test]
fn a_source_that_is_no_multiple_of_a_sector_verifies_with_a_remark() {
    if installed("ewfacquire").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let media = media(folder.path(), "odd.raw", 1_000_001);
    acquire(folder.path(), "odd", &["-f", "encase6", "-c", "fast", "-d", "sha1"], "odd.raw");
    let image = Image::open(&folder.path().join("odd.E01")).unwrap();
    let verification = verify(&image);
    assert_eq!(verification.verdict, ImageVerdict::VerifiedWithNotes);
    assert!(has(&verification, |kind| *kind == ProblemKind::TailBytes { bytes: 65 }));
    assert_eq!(digest_of(&verification, "md5"), Some(hex("md5", &media[..999_936])));
}

/// Returns the lines of `ewfinfo` as pairs.
fn ewfinfo(path: &Path) -> Vec<(String, String)> {
    let output = run(Path::new("/"), "ewfinfo", &["-d", "iso8601", &path.to_string_lossy()]);
    let text = String::from_utf8_lossy(&output).into_owned();
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.map(|(name, value)| (name.trim().to_string(), value.trim().to_string())).collect()
}

#[test]
fn info_says_what_ewfinfo_says() {
    let Some(samples) = samples().filter(|_| installed("ewfinfo").is_some()) else { return };
    let folder = tempfile::tempdir().unwrap();
    media(folder.path(), "in.raw", 1 << 20);
    acquire(folder.path(), "own", &["-f", "encase6", "-c", "best", "-d", "sha1"], "in.raw");
    let listed =
        samples.into_iter().map(|listed| listed.path).filter(|path| path.to_string_lossy().contains("/e01/"));
    for path in listed.chain([folder.path().join("own.E01")]) {
        compare_info(&path);
    }
}

fn compare_info(path: &Path) {
    let reference = ewfinfo(path);
    let image = Image::open(path).unwrap();
    let info = image.info();
    let geometry = info.geometry.as_ref().unwrap();
    let acquisition = &info.acquisition;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let claim = |name: &str| {
        let claim = info.claims.iter().find(|claim| claim.algorithm.name == name);
        claim.map_or("N/A".to_string(), |claim| claim.digest.to_string())
    };
    let facts = [
        ("Case number", text(&acquisition.case_number)),
        ("Description", text(&acquisition.description)),
        ("Examiner name", text(&acquisition.examiner)),
        ("Evidence number", text(&acquisition.evidence_number)),
        ("Notes", text(&acquisition.notes)),
        ("Operating system used", text(&acquisition.operating_system)),
        ("Software version used", text(&acquisition.software_version)),
        ("Sectors per chunk", geometry.sectors_per_chunk.to_string()),
        ("Bytes per sector", geometry.bytes_per_sector.to_string()),
        ("Number of sectors", geometry.sectors.to_string()),
        ("Is physical", if geometry.physical { "yes" } else { "no" }.to_string()),
        ("MD5", claim("md5")),
        ("SHA1", claim("sha1")),
    ];
    for (name, ours) in facts {
        let Some((_, theirs)) = reference.iter().find(|(theirs, _)| theirs == name) else { continue };
        // The reference omits fields for formats with headers that it does not know.
        assert_eq!(&ours, theirs, "{}: {name}", path.display());
    }
}

#[test]
fn info_holds_dates_and_serialises() {
    let Some(path) = sample("e01/be-CFReDS001.E01") else { return };
    let info = Image::open(&path).unwrap().info();
    assert_eq!(info.format, Format::Ewf1);
    assert_eq!(info.acquisition.acquired, Some(Date::Unix(1_099_540_595)));
    assert_eq!(info.geometry.as_ref().unwrap().write_blocker, None::<WriteBlocker>);
    let json: serde_json::Value = serde_json::to_value(&info).unwrap();
    assert_eq!(json["format"], "ewf1");
    assert_eq!(json["acquisition"]["examiner"], "JRL");
    assert_eq!(json["claims"][0]["digest"], "e4f9afba18011f0b9015a9d74cd3c3ac");
    let verification = serde_json::to_value(verify(&Image::open(&path).unwrap())).unwrap();
    assert_eq!(verification["verdict"], "verified");
}

#[test]
fn export_gives_what_ewfexport_gives() {
    let Some(path) = sample("e01/e01rs-mimage.E01").filter(|_| installed("ewfexport").is_some()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("theirs");
    run(folder.path(), "ewfexport", &["-u", "-q", "-t", &target.to_string_lossy(), &path.to_string_lossy()]);
    let theirs = fs::read(target.with_extension("raw")).unwrap();
    let image = Image::open(&path).unwrap();
    let mut ours = Vec::new();
    let summary = export(&image, means(), &|_| ControlFlow::Continue(()), &mut ours).unwrap();
    assert_eq!(summary.bytes, image.media_size());
    assert!(ours == theirs);
}

fn means() -> Resources {
    options().means
}

#[test]
fn sparse_export_has_holes_and_the_same_bytes() {
    let Some(path) = sample("e01/dfvfs-ext2.E01") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("out")).unwrap();
    let image = Image::open(&path).unwrap();
    export_sparse(&image, means(), &|_| ControlFlow::Continue(()), &file).unwrap();
    let meta = file.metadata().unwrap();
    assert_eq!(meta.len(), image.media_size());
    assert!(stored(&meta) < meta.len() / 2, "no holes");
    let bytes = fs::read(folder.path().join("out")).unwrap();
    assert_eq!(hex("md5", &bytes), image.claims()[0].digest.to_string());
}

#[test]
fn raw_and_split_raw_are_images_without_digests() {
    let folder = tempfile::tempdir().unwrap();
    let media = mixed(1_000_001);
    let part = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    for names in [["s.001", "s.002", "s.003"], ["t.aa", "t.ab", "t.ac"], ["u.000", "u.001", "u.002"]] {
        names.iter().zip(media.chunks(400_000)).for_each(|(name, bytes)| part(name, bytes));
        let image = Image::open(&folder.path().join(names[0])).unwrap();
        assert_eq!((image.format(), image.segments().len()), (Format::Raw, 3));
        let mut read = Vec::new();
        stream(&image, means(), &mut |part: &hashmill_image::MediaPart<'_>| {
            read.extend_from_slice(part.bytes);
            Ok(())
        })
        .unwrap();
        assert!(read == media);
        assert_eq!(verify(&image).verdict, ImageVerdict::NoDigest);
    }
    fs::remove_file(folder.path().join("s.002")).unwrap();
    let image = Image::open(&folder.path().join("s.001")).unwrap();
    assert_eq!((image.media_size(), image.missing_media().len()), (1_000_001, 1));
    assert_eq!(verify(&image).verdict, ImageVerdict::Incomplete);
    part("plain.dd", &media);
    assert_eq!(Image::open(&folder.path().join("plain.dd")).unwrap().media_size(), 1_000_001);
}

#[test]
fn chunks_are_read_from_many_threads_at_once() {
    let Some(path) = sample("e01/dfvfs-ext2-split.E01") else { return };
    let image = Image::open(&path).unwrap();
    let mut media = Vec::new();
    image.reader().read_to_end(&mut media).unwrap();
    let size = image.chunk_size() as usize;
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (image, media) = (&image, &media);
            scope.spawn(move || {
                let (mut scratch, mut bytes) = (Scratch::new(), Vec::new());
                for step in 0..image.chunk_count() {
                    let chunk = (step * 7 + thread * 31) % image.chunk_count();
                    let state = image.read_chunk(chunk, &mut scratch, &mut bytes).unwrap();
                    let at = chunk as usize * size;
                    assert!(bytes[..state.length] == media[at..at + state.length]);
                }
            });
        }
    });
}

#[test]
fn encrypted_images_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |bytes: &[u8], words: &str| {
        let path: PathBuf = folder.path().join("x.E01");
        fs::write(&path, bytes).unwrap();
        let error = Image::open(&path).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(b"ADCRYPT\0and more", "ADCRYPT");
    refused(b"EVF\x09\x0d\x0a\xff\x00\x81\x01\0\0\0", "X-Ways");
    refused(b"EVF\x09\x0d\x0a\xff\x00\xa1\x01\0\0\0", "X-Ways");
    refused(b"EVF\x09\x0d\x0a\xff\x00\x21\x01\0\0\0", "Zstandard");
    let Some(path) = sample("ex01/zeros_128s_compressed.Ex01") else { return };
    let mut bytes = fs::read(path).unwrap();
    let last = bytes.len() - 64;
    bytes[last + 4] |= 2;
    let sum = adler(&bytes[last..last + 60]);
    bytes[last + 60..].copy_from_slice(&sum);
    refused(&bytes, "EnCase");
    bytes[10] = 9;
    refused(&bytes, "method 9");
}
