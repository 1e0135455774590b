//! Images that are written: read back by this reader and by the tools of libewf.

use crate::util::{digest_of, has, installed, mixed, run, verify};
use hashmill_digest::{Digest, MessageHasher, find};
use hashmill_image::{
    Acquisition, Compression, Date, Image, ImageForm, ImageSettings, ImageVerdict, ImageWriter, MediaEnd,
    ProblemKind, Resources, SegmentFiles, Span, WrittenImage, export, segment_path, segments_beside,
};
use std::fs::{self, File};
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::process::Command;

const CHUNK: usize = 32 << 10;

/// Makes the files of an image at their final places.
struct InPlace(PathBuf);

impl SegmentFiles for InPlace {
    fn create(&mut self, number: u64) -> io::Result<File> {
        let path = segment_path(&self.0, number).ok_or(io::ErrorKind::InvalidInput)?;
        File::options().read(true).write(true).create_new(true).open(path)
    }
}

fn hash(name: &str, bytes: &[u8]) -> Digest {
    let mut hasher = MessageHasher::new(find(name).unwrap());
    hasher.update(bytes);
    hasher.finish()
}

fn settings(size: usize) -> ImageSettings {
    let acquisition = Acquisition {
        case_number: Some("2026-17".into()),
        evidence_number: Some("3 ü".into()),
        description: Some("a disk".into()),
        examiner: Some("Ada".into()),
        acquired: Some(Date::Unix(1_796_047_107)),
        operating_system: Some("Linux".into()),
        software_version: Some("hashmill".into()),
        ..Acquisition::default()
    };
    ImageSettings {
        form: ImageForm::Ewf,
        size: size as u64,
        is_physical: true,
        acquisition,
        compression: Compression::Fast,
        segment_size: None,
    }
}

/// Writes an image of media that come in parts of odd lengths.
fn write_image(
    first: &Path,
    settings: &ImageSettings,
    media: &[u8],
    unreadable: &[Range<u64>],
) -> io::Result<WrittenImage> {
    let means = Resources { threads: 3, memory: 1 << 20 };
    let mut writer = ImageWriter::new(settings, Box::new(InPlace(first.to_path_buf())), means)?;
    for part in media.chunks(70_001) {
        writer.write(part)?;
    }
    let unreadable = unreadable.to_vec();
    writer.finish(&MediaEnd { md5: hash("md5", media), sha1: hash("sha1", media), unreadable })
}

/// Returns the media of an image.
fn media_of(image: &Image) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(image, Resources::default(), &|_| ControlFlow::Continue(()), &mut bytes).unwrap();
    bytes
}

#[test]
fn media_of_any_size_come_back() {
    let all = mixed(5 << 20);
    for size in [0, 1, 511, 512, 513, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 1024, 1_000_001, all.len()] {
        for compression in [Compression::None, Compression::Fast, Compression::Best] {
            let (folder, media) = (tempfile::tempdir().unwrap(), &all[..size]);
            let first = folder.path().join("case.E01");
            let settings = ImageSettings { compression, ..settings(size) };
            let written = write_image(&first, &settings, media, &[]).unwrap();
            assert_eq!(
                written,
                WrittenImage { segments: 1, bytes: first.metadata().unwrap().len(), unlisted: 0 }
            );
            let image = Image::open(&first).unwrap();
            let verification = verify(&image);
            assert_eq!(verification.verdict, ImageVerdict::Verified, "{size} {:?}", verification.findings);
            assert_eq!(verification.claims.len(), 3);
            assert!(media_of(&image) == media, "{size} {compression:?}");
            if size > 0 && installed("ewfverify").is_some() {
                run(folder.path(), "ewfverify", &["-q", "-d", "sha1", "case.E01"]);
                run(folder.path(), "ewfexport", &["-q", "-u", "-t", "out", "case.E01"]);
                assert!(fs::read(folder.path().join("out.raw")).unwrap() == media, "{size} {compression:?}");
            }
        }
    }
}

#[test]
fn segments_keep_their_size_and_have_names_in_order() {
    let media = mixed(30 << 20);
    let (folder, limit) = (tempfile::tempdir().unwrap(), 256 << 10);
    let first = folder.path().join("case.e01");
    let compression = Compression::None;
    let settings = ImageSettings { compression, segment_size: Some(limit), ..settings(media.len()) };
    assert!(settings.fits(&first));
    let written = write_image(&first, &settings, &media, std::slice::from_ref(&(0..512))).unwrap();
    let found = segments_beside(&first).unwrap();
    assert_eq!(
        (found.len() as u64, found.last()),
        (written.segments, segment_path(&first, written.segments).as_ref())
    );
    assert!(found.iter().any(|path| path.ends_with("case.eaa")));
    let sizes: Vec<u64> = found.iter().map(|path| path.metadata().unwrap().len()).collect();
    assert!(sizes.iter().all(|size| *size <= limit), "{sizes:?}");
    assert!(sizes[..sizes.len() - 1].iter().all(|size| *size > limit - 2 * CHUNK as u64), "{sizes:?}");
    assert_eq!(sizes.iter().sum::<u64>(), written.bytes);
    let image = Image::open(&first).unwrap();
    let verification = verify(&image);
    assert_eq!(verification.verdict, ImageVerdict::VerifiedWithNotes, "{:?}", verification.findings);
    assert_eq!(digest_of(&verification, "sha1"), Some(hash("sha1", &media).to_string()));
    if installed("ewfverify").is_some() {
        run(folder.path(), "ewfverify", &["-q", "-d", "sha1", "case.e01"]);
    }
}

#[test]
fn unreadable_sectors_and_case_data_are_told_by_all_readers() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("case.E01");
    let mut media = mixed(1 << 20);
    media[512..2048].fill(0);
    media[51_200..51_712].fill(0);
    write_image(&first, &settings(media.len()), &media, &[512..2048, 51_200..51_712]).unwrap();
    let image = Image::open(&first).unwrap();
    let (info, verification) = (image.info(), verify(&image));
    assert_eq!(info.acquisition_errors, [Span { first: 1, count: 3 }, Span { first: 100, count: 1 }]);
    assert_eq!(verification.verdict, ImageVerdict::VerifiedWithNotes);
    assert!(has(&verification, |kind| matches!(kind, ProblemKind::AcquisitionErrors { .. })));
    assert_eq!(info.acquisition, settings(0).acquisition);
    let geometry = info.geometry.unwrap();
    assert!(geometry.physical && geometry.set != [0; 16]);
    if installed("ewfinfo").is_some() {
        let told = Command::new("ewfinfo").arg(&first).output().unwrap();
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        for line in
            ["2026-17", "3 ü", "a disk", "Ada", "EnCase 6", "at sector(s): 1 - 3", "at sector(s): 100 - 100"]
        {
            assert!(told.contains(line), "{line}: {told}");
        }
    }
}

#[test]
fn raw_media_are_written_whole_or_in_parts() {
    let media = mixed(3_000_001);
    for (name, segment_size, segments) in [("case.dd", None, 1), ("case.001", Some(1 << 20), 3)] {
        let folder = tempfile::tempdir().unwrap();
        let first = folder.path().join(name);
        let form = ImageForm::from_name(&first).unwrap();
        let settings = ImageSettings { form, segment_size, ..settings(media.len()) };
        let written = write_image(&first, &settings, &media, &[]).unwrap();
        assert_eq!(written, WrittenImage { segments, bytes: media.len() as u64, unlisted: 0 });
        assert!(media_of(&Image::open(&first).unwrap()) == media);
    }
}

/// Fails from a segment on.
struct Full(InPlace, u64);

impl SegmentFiles for Full {
    fn create(&mut self, number: u64) -> io::Result<File> {
        if number < self.1 { self.0.create(number) } else { Err(io::ErrorKind::StorageFull.into()) }
    }
}

#[test]
fn an_error_of_writing_is_returned_at_the_end() {
    let media = mixed(20 << 20);
    for from in [1, 2, 7] {
        let folder = tempfile::tempdir().unwrap();
        let files = Full(InPlace(folder.path().join("case.E01")), from);
        let settings = ImageSettings {
            compression: Compression::None,
            segment_size: Some(1 << 20),
            ..settings(media.len())
        };
        let means = Resources { threads: 2, memory: 1 << 20 };
        let mut writer = ImageWriter::new(&settings, Box::new(files), means).unwrap();
        let refused = media.chunks(1 << 20).any(|part| writer.write(part).is_err());
        assert!(refused, "writing goes on without end");
        let end = MediaEnd { md5: hash("md5", &media), sha1: hash("sha1", &media), unreadable: Vec::new() };
        assert_eq!(writer.finish(&end).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn media_of_another_size_are_no_image() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("case.E01");
    let error = write_image(&first, &settings(1024), &[0; 1000], &[]).unwrap_err();
    assert_eq!(error.to_string(), "1000 bytes came of media of 1024 bytes");
}

#[test]
fn more_segments_than_names_are_refused_before() {
    let first = Path::new("case.E01");
    let of = |size, segment_size| ImageSettings { size, segment_size, ..settings(0) }.fits(first);
    assert!(of(1 << 40, Some(1400 << 20)) && of(1 << 40, None));
    assert!(!of(1 << 40, Some(1 << 20)) && !of(1 << 60, None));
}
