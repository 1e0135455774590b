//! One changed byte is found and named, and the rest of the image is still read.

use crate::util::{Writer, adler, has, mixed, sample, stored, verify};
use hashmill_image::{Image, ImageVerdict, ProblemKind, Resources, Severity, export, export_sparse};
use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

const CHUNK: usize = 64 * 512;

/// Makes a complete image of four chunks. Returns its bytes, the offsets of its sections, and the media.
fn whole() -> (Vec<u8>, Vec<usize>, Vec<u8>) {
    let media = mixed(4 * CHUNK);
    let mut writer = Writer::new(1);
    let chunks: Vec<&[u8]> = media.chunks(CHUNK).collect();
    writer.volume(4, 64, 512, 4 * 64).chunks(&chunks).md5(&media).section("done", &[]);
    (writer.bytes.clone(), offsets(&writer.bytes), media)
}

fn offsets(bytes: &[u8]) -> Vec<usize> {
    let mut offsets = vec![13];
    loop {
        let at = offsets[offsets.len() - 1];
        let next = u64::from_le_bytes(bytes[at + 16..at + 24].try_into().unwrap()) as usize;
        if next == at {
            return offsets;
        }
        offsets.push(next);
    }
}

fn saved(folder: &Path, bytes: &[u8]) -> Image {
    let path = folder.join("x.E01");
    fs::write(&path, bytes).unwrap();
    Image::open(&path).unwrap_or_else(|error| panic!("{error}"))
}

/// A damaged type of any section is restored by the checksum, and nothing is lost.
#[test]
fn a_damaged_section_type_is_told_by_its_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, sections, _) = whole();
    assert_eq!(sections.len(), 6);
    assert_eq!(verify(&saved(folder.path(), &bytes)).verdict, ImageVerdict::Verified);
    for section in sections {
        for (byte, flip) in (0..16).flat_map(|byte| [(byte, 1), (byte, 0x20), (byte, 0xff)]) {
            let mut bytes = bytes.clone();
            bytes[section + byte] ^= flip;
            let verification = verify(&saved(folder.path(), &bytes));
            let named = |kind: &ProblemKind| {
                matches!(kind, ProblemKind::SectionType { .. })
                    || byte > 4 && *kind == ProblemKind::DescriptorChecksum
            };
            let context = format!("{byte} of {section}: {:?}", verification.findings);
            assert!(has(&verification, named), "{context}");
            assert_eq!(verification.verdict, ImageVerdict::DigestsMatch, "{context}");
        }
        // The whole type is damaged.
        let mut bytes = bytes.clone();
        bytes[section..section + 16].fill(b'?');
        assert_eq!(verify(&saved(folder.path(), &bytes)).verdict, ImageVerdict::DigestsMatch, "{section}");
    }
}

/// Type and checksum are damaged, but both lengths agree: later sections are read, and losses are named.
#[test]
fn a_section_of_which_nothing_is_known_is_stepped_over() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, sections, media) = whole();
    // Volume, sectors, table, table2, hash.
    let expected = [
        None,
        Some(ImageVerdict::DigestsMatch),
        Some(ImageVerdict::DigestsMatch),
        Some(ImageVerdict::DigestsMatch),
        Some(ImageVerdict::Damaged),
    ];
    for (section, expected) in sections.iter().zip(expected) {
        let mut bytes = bytes.clone();
        bytes[*section] = b'#';
        bytes[section + 40] = 1;
        let path = folder.path().join("x.E01");
        fs::write(&path, &bytes).unwrap();
        let Some(expected) = expected else {
            assert!(Image::open(&path).is_err(), "nothing says how large chunks are");
            continue;
        };
        let image = Image::open(&path).unwrap();
        let verification = verify(&image);
        assert!(has(&verification, |kind| *kind == ProblemKind::DescriptorChecksum), "{section}");
        assert!(has(&verification, |kind| *kind == ProblemKind::UnknownSection), "{section}");
        assert_eq!(verification.verdict, expected, "{section}: {:?}", verification.findings);
        let mut read = Vec::new();
        std::io::Read::read_to_end(&mut image.reader(), &mut read).unwrap();
        assert!(read == media, "{section}");
        // If the lengths disagree, the end of the section is unknown.
        bytes[section + 24] ^= 1;
        assert_eq!(verify(&saved(folder.path(), &bytes)).verdict, ImageVerdict::Incomplete, "{section}");
    }
}

/// A type is not corrected if it fits its checksum, so nobody can forge another section by it.
#[test]
fn a_known_type_is_kept_where_no_checksum_speaks_against_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut bytes, sections, _) = whole();
    let table2 = sections[3];
    // `table2` becomes `table` with the checksum of a table, so there are two tables.
    bytes[table2 + 5] = 0;
    let sum = adler(&bytes[table2..table2 + 72]);
    bytes[table2 + 72..table2 + 76].copy_from_slice(&sum);
    let verification = verify(&saved(folder.path(), &bytes));
    assert!(!has(&verification, |kind| matches!(kind, ProblemKind::SectionType { .. })));
    assert!(has(&verification, |kind| matches!(kind, ProblemKind::ExtraChunks { extra: 4 })));
}

#[test]
fn fixed_bytes_of_file_headers_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, ..) = whole();
    for (byte, wanted) in [(8, 1), (11, 0), (12, 0)] {
        let mut bytes = bytes.clone();
        bytes[byte] ^= 4;
        let verification = verify(&saved(folder.path(), &bytes));
        let kind = ProblemKind::HeaderByte { byte: byte as u8, wanted, found: wanted ^ 4 };
        assert!(has(&verification, |found| *found == kind), "{byte}");
        assert_eq!(verification.verdict, ImageVerdict::DigestsMatch);
    }
    let Some(path) = sample("ex01/libewf20260924-deflate-best-sha1.Ex01") else { return };
    let mut bytes = fs::read(path).unwrap();
    bytes[8] = 3;
    let path = folder.path().join("x.Ex01");
    fs::write(&path, &bytes).unwrap();
    let image = Image::open(&path).unwrap();
    assert_eq!(image.findings()[0].kind, ProblemKind::HeaderByte { byte: 8, wanted: 2, found: 3 });
    assert_eq!(image.findings()[0].kind.severity(), Severity::Structure);
    assert_eq!(verify(&image).verdict, ImageVerdict::DigestsMatch);
}

/// An image of four chunks with a volume section for a terabyte.
#[test]
fn a_terabyte_that_is_not_there_is_a_hole() {
    let folder = tempfile::tempdir().unwrap();
    let media = mixed(4 * CHUNK);
    let chunks: Vec<&[u8]> = media.chunks(CHUNK).collect();
    let mut writer = Writer::new(1);
    let sectors = 1 << 31;
    writer.volume((sectors / 64) as u32, 64, 512, sectors).chunks(&chunks).section("done", &[]);
    let image = saved(folder.path(), &writer.bytes);
    assert_eq!((image.media_size(), image.held()), (1 << 40, 4 * CHUNK as u64));
    assert!(
        image.findings().iter().any(|finding| finding.kind == ProblemKind::ChunkMissing),
        "said when it is opened"
    );
    let file = fs::File::create(folder.path().join("out")).unwrap();
    let means = Resources { threads: 2, memory: 8 << 20 };
    let steps = std::sync::Mutex::new(0_u64);
    let note = |bytes| {
        *steps.lock().unwrap() = bytes;
        ControlFlow::Continue(())
    };
    let summary = export_sparse(&image, means, &note, &file).unwrap();
    assert_eq!((summary.bytes, steps.into_inner().unwrap()), (4 * CHUNK as u64, 4 * CHUNK as u64));
    assert!(summary.findings.iter().any(|finding| finding.kind == ProblemKind::ChunkMissing));
    let meta = file.metadata().unwrap();
    assert_eq!(meta.len(), 1 << 40);
    assert!(stored(&meta) <= 5 * CHUNK as u64, "{}", stored(&meta));
    let mut start = vec![0; media.len()];
    fs::File::open(folder.path().join("out")).unwrap().read_exact(&mut start).unwrap();
    assert!(start == media);
}

/// Missing files of split raw media are holes, too, and each is reported once.
#[test]
fn files_that_are_missing_are_holes() {
    let folder = tempfile::tempdir().unwrap();
    let media = mixed(1 << 20);
    for name in ["r.001", "r.700"] {
        fs::write(folder.path().join(name), &media).unwrap();
    }
    let image = Image::open(&folder.path().join("r.001")).unwrap();
    assert_eq!((image.media_size(), image.held()), (700 << 20, 2 << 20));
    let file = fs::File::create(folder.path().join("out")).unwrap();
    let go_on = &|_| ControlFlow::Continue(());
    let summary = export_sparse(&image, Resources::default(), go_on, &file).unwrap();
    assert_eq!(summary.findings.len(), 1, "{:?}", summary.findings);
    assert_eq!((summary.bytes, file.metadata().unwrap().len()), (2 << 20, 700 << 20));
    let mut all = Vec::new();
    let summary = export(&image, Resources::default(), go_on, &mut all).unwrap();
    assert_eq!((summary.findings.len(), all.len()), (1, 700 << 20));
    assert!(all[..1 << 20] == media && all[699 << 20..] == media);
}
