//! Public samples have the media, digests and verdicts of their list.

use crate::util::{digest_of, has, sample, samples, verify};
use hashmill_image::{DigestOutcome, Image, ImageVerdict, ProblemKind};

/// Samples with another verdict than "every stored digest matches" or "none is stored".
const NOTED: &[&str] = &[
    "e01/dissect-ewf.E01",
    "e01/ewfimage061-error2-sha1-xhash.E01",
    "ex01/ewfimage061-zlib-errortable.Ex01",
    // Their media digests cover the padding of the last sector.
    "l01/ewfimage061-files.L01",
    "lx01/ewfimage061-files.Lx01",
];

#[test]
fn every_sample_verifies_as_listed() {
    let Some(samples) = samples() else { return };
    assert!(samples.len() >= 40, "the list was not understood");
    for listed in samples {
        let image = Image::open(&listed.path).unwrap_or_else(|error| panic!("{error}"));
        let verification = verify(&image);
        let expected = match () {
            () if NOTED.contains(&listed.name.as_str()) => ImageVerdict::VerifiedWithNotes,
            () if listed.md5.is_empty() && verification.entries.is_empty() => ImageVerdict::NoDigest,
            () => ImageVerdict::Verified,
        };
        let context = format!("{}: {:#?}", listed.name, verification.findings);
        assert_eq!(verification.verdict, expected, "{context}");
        assert_eq!(image.media_size(), listed.media, "{context}");
        for (name, stored) in [("md5", &listed.md5), ("sha1", &listed.sha1)] {
            let claims = verification.claims.iter().filter(|check| check.claim.algorithm.name == name);
            let texts: Vec<String> =
                claims.map(|check| check.claim.digest.to_string()[..12].to_string()).collect();
            assert!(
                texts.iter().all(|text| text == stored) && texts.is_empty() == stored.is_empty(),
                "{context}"
            );
        }
    }
}

#[test]
fn the_sample_without_a_second_implementation_verifies() {
    let Some(path) = sample("ex01/ewfimage061-bzip2-sha1.Ex01") else { return };
    let verification = verify(&Image::open(&path).unwrap());
    assert_eq!(verification.verdict, ImageVerdict::Verified);
    assert_eq!(digest_of(&verification, "md5").unwrap()[..12], *"a8758f12f2a9");
}

#[test]
fn a_digest_past_the_last_sector_is_recognised() {
    let Some(path) = sample("e01/dissect-ewf.E01") else { return };
    let verification = verify(&Image::open(&path).unwrap());
    assert!(has(&verification, |kind| *kind == ProblemKind::TailBytes { bytes: 1 }));
    assert_eq!(verification.claims[0].outcome, DigestOutcome::MatchWithTail);
}

#[test]
fn entries_of_logical_images_have_paths_and_digests() {
    let Some(path) = sample("l01/ewfimage061-files.L01") else { return };
    let image = Image::open(&path).unwrap();
    let paths: Vec<_> = image.entries().iter().map(|entry| String::from_utf8_lossy(&entry.path)).collect();
    assert_eq!(
        paths,
        [
            "Documents",
            "Documents/note.txt",
            "Documents/empty.bin",
            "Documents/blob ünï.bin",
            "Documents/zeros.bin"
        ]
    );
    let verification = verify(&image);
    assert_eq!(verification.entries.len(), 8);
    assert!(verification.entries.iter().all(|check| check.outcome == DigestOutcome::Match));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut image.entry_reader(&image.entries()[1]), &mut text).unwrap();
    assert_eq!(text, "hello");
}

#[test]
fn entries_of_encase_have_times_and_nested_extents() {
    let Some(path) = sample("l01/ntfs-docx.L01") else { return };
    let image = Image::open(&path).unwrap();
    let document = image.entries().iter().find(|entry| entry.path.ends_with(b"docx.docx")).unwrap();
    assert_eq!(&*document.path, b"LogicalEntries/docx.docx");
    assert_eq!(document.times.created, Some(1_717_550_257));
    assert_eq!(document.md5.unwrap().to_string(), "9543174f78751e77af9b834304e41a8e");
}

#[test]
fn damaged_samples_are_never_verified() {
    let Some(folder) = sample("bad") else { return };
    for (name, verdict) in [
        ("e01rs-bad_chunk.E01", ImageVerdict::Damaged),
        ("l01-elaborate-ltreeENTmd5MOD.L01", ImageVerdict::Mismatch),
        ("l01-elaborate-ltreeENTsha1MOD.L01", ImageVerdict::Mismatch),
        ("l01-simple-ltreeENTmd5MOD.L01", ImageVerdict::Mismatch),
        ("l01-simple-ltreeENTsha1MOD.L01", ImageVerdict::Mismatch),
        ("l01-simple-ltreeENTnDEL.L01", ImageVerdict::Incomplete),
        ("l01-simple-ltreeSRCaqADD.L01", ImageVerdict::Damaged),
        ("l01-simple-dataGUIDdel.L01", ImageVerdict::Damaged),
        ("l01-elaborate-dataGUIDdel.L01", ImageVerdict::Damaged),
        ("l01-elaborate-h2MAINnameMOD.L01", ImageVerdict::Damaged),
        ("fuzz-crash-recover-alloc-too-big.E01", ImageVerdict::Incomplete),
    ] {
        let image = Image::open(&folder.join(name)).unwrap_or_else(|error| panic!("{error}"));
        let verification = verify(&image);
        assert_eq!(verification.verdict, verdict, "{name}: {:#?}", verification.findings);
    }
    assert!(Image::open(&folder.join("fuzz-crash-parse_segment-add-overflow.E01")).is_err());
}
