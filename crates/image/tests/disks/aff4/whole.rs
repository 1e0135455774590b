//! Whole images: what is read, and that changed ones are never verified.

use super::make::{self, Chunks, IMAGE, MAP, METHODS, Maker, STREAM, run, small};
use crate::disks::util::{assert_media, media};
use crate::util::{has, verify};
use hashmill_image::{DigestOutcome, Format, Image, ImageVerdict, Look, ProblemKind, look};
use hashmill_testing::Random;
use std::fs;
use std::path::{Path, PathBuf};

pub fn saved(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join("x.aff4");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn every_compression_and_kind_of_run_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for method in METHODS {
        let (maker, expected) = small(method);
        let path = saved(folder.path(), &maker.file());
        assert_eq!(look(&path).unwrap(), Look::Media);
        let image = assert_media(&path, &expected, method);
        assert_eq!(image.format(), Format::Aff4);
        let verification = verify(&image);
        assert_eq!(verification.verdict, ImageVerdict::VerifiedWithNotes, "{:#?}", verification.findings);
        assert_eq!(verification.claims.len(), 2);
        assert!(verification.claims.iter().all(|check| check.outcome == DigestOutcome::Match));
        assert!(has(&verification, |kind| *kind == ProblemKind::NotAcquired));
        assert!(has(&verification, |kind| matches!(kind, ProblemKind::AcquisitionErrors { .. })));
        assert_eq!(image.info().acquisition.software.as_deref(), Some("maker"));
    }
}

#[test]
fn streams_of_any_size_are_read_without_a_map() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, method) in (0..24).zip(METHODS.iter().cycle()) {
        let mut random = Random(seed);
        let mut data = random.clone().bytes(random.below(4000));
        data.extend(vec![7; random.below(9000)]);
        let chunks = Chunks { method, size: 1 + random.below(700), count: 1 + random.below(9) };
        let mut maker = Maker::new();
        let sum = make::hex(&make::digest("md5", &data));
        maker.stream(STREAM, &data, chunks).image(STREAM, "");
        maker.say(&format!("<{STREAM}> aff4:hash \"{sum}\"^^aff4:MD5 ."));
        let path = saved(folder.path(), &maker.file());
        let image = assert_media(&path, &data, &format!("{seed} {chunks:?}"));
        assert_eq!(verify(&image).verdict, ImageVerdict::Verified, "{seed} {chunks:?}");
    }
}

#[test]
fn a_stored_segment_is_a_stream_and_runs_may_be_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut maker = Maker::new();
    let name = "aff4://volume/data";
    maker.segment("data", b"0123456789").image(MAP, "");
    maker.map(
        12,
        &[run(6, 6, 0, 0), run(0, 3, 7, 0), run(3, 3, 1, 1)].concat(),
        &[name, "http://aff4.org/Schema#Zero"],
    );
    assert_media(&saved(folder.path(), &maker.file()), b"789\0\0\x00012345", "segment");
}

/// A bit of every eleventh byte of a small image: what opens and is verified has the same media.
#[test]
fn no_changed_bit_is_verified_with_other_media() {
    let folder = tempfile::tempdir().unwrap();
    let (maker, expected) = small(METHODS[3]);
    let bytes = maker.file();
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(11) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at / 11 % 8);
        let path = saved(folder.path(), &changed);
        match Image::open(&path) {
            Err(_) => refused += 1,
            Ok(image) if image.media_size() < 1 << 20 && image.format() == Format::Aff4 => {
                let verdict = verify(&image).verdict;
                if verdict <= ImageVerdict::DigestsMatch {
                    assert!(media(&image) == expected, "{at}: {verdict:?}");
                }
            }
            Ok(_) => {}
        }
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn cuts_at_every_length_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = small(METHODS[1]).0.file();
    for length in 0..bytes.len() {
        let path = saved(folder.path(), &bytes[..length]);
        // Without its end it is known as an image by its first segment only.
        if let Ok(image) = Image::open(&path) {
            assert!(image.format() != Format::Aff4 || length < 60, "{length}");
        }
    }
}

/// The digest of the whole says nothing where those of its parts are not there or wrong.
#[test]
fn digests_of_parts_have_to_hold() {
    let folder = tempfile::tempdir().unwrap();
    let verdict = |change: &dyn Fn(&mut Maker)| {
        let (mut maker, _) = small(METHODS[1]);
        let linear = maker
            .turtle
            .split('\n')
            .map(|line| line.replace("aff4:SHA1 ; aff4:size", "aff4:None ; aff4:size"));
        maker.turtle = linear.collect::<Vec<_>>().join("\n");
        change(&mut maker);
        let verification = verify(&Image::open(&saved(folder.path(), &maker.file())).unwrap());
        verification.verdict
    };
    assert_eq!(verdict(&|_| {}), ImageVerdict::VerifiedWithNotes);
    // Other bytes in a chunk, with the checksum of the zip file made right.
    assert!(verdict(&|maker| maker.members[4].content.reverse()) > ImageVerdict::DigestsMatch);
    assert!(
        verdict(&|maker| maker.members.retain(|one| !one.name.contains("blockHash.md5")))
            > ImageVerdict::DigestsMatch
    );
    let less = |maker: &mut Maker| {
        maker.turtle = maker.turtle.replace("aff4:BlockHashes ; aff4:hash", "aff4:BlockHashes ; aff4:x")
    };
    assert!(verdict(&less) > ImageVerdict::DigestsMatch);
    let other = |maker: &mut Maker| maker.turtle = maker.turtle.replace("mapPointHash", "mapPoint");
    assert!(verdict(&other) > ImageVerdict::DigestsMatch);
    let digests_of_map = |maker: &mut Maker| {
        let map = maker.members.iter_mut().find(|one| one.name.ends_with("/map")).unwrap();
        map.content[16] ^= 1;
    };
    assert!(verdict(&digests_of_map) > ImageVerdict::DigestsMatch);
    // Statements of two digests can't both hold.
    assert!(
        verdict(&|maker| {
            maker.say(&format!("<{IMAGE}> aff4:hash \"{}\"^^aff4:MD5 .", "0".repeat(32)));
        }) > ImageVerdict::DigestsMatch
    );
}
