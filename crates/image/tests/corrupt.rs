//! Every corruption that the samples' script can make is found, named, and never verified.

use crate::util::{acquire, has, mixed, run, sample, verify};
use hashmill_image::{DigestOutcome, Image, ImageVerdict, ProblemKind, Verification};
use hashmill_testing::all_installed;
use std::fs;
use std::path::Path;

/// The expectation for a variant: the start of its name, the verdict, and a finding.
struct Expected(&'static str, ImageVerdict, fn(&ProblemKind) -> bool);

macro_rules! expect {
    ($($name:literal $verdict:ident $kind:pat,)*) => {
        &[$(Expected($name, ImageVerdict::$verdict, |kind| matches!(kind, $kind)),)*]
    };
}

const EXPECTED: &[Expected] = expect! {
    "01-" Damaged ProblemKind::ChunkCorrupt | ProblemKind::ChunkChecksum | ProblemKind::ChunkLength,
    "02-" Damaged ProblemKind::ChunkChecksum,
    "03-" Damaged ProblemKind::ChunkCorrupt,
    "04-" Damaged ProblemKind::ChunkChecksum,
    "05-" Damaged ProblemKind::ChunkChecksum,
    "07-" Damaged ProblemKind::ChunkChecksum,
    "10-desc-crc-" DigestsMatch ProblemKind::DescriptorChecksum,
    "11-" DigestsMatch ProblemKind::ContentChecksum,
    "12-" DigestsMatch ProblemKind::ContentChecksum,
    "12b-" VerifiedWithNotes ProblemKind::NoChecksum,
    "13-" DigestsMatch ProblemKind::TableHeader,
    "14-" DigestsMatch ProblemKind::TableEntries,
    "15-" DigestsMatch ProblemKind::TableCopyUsed,
    "16-" Damaged ProblemKind::TableEntries,
    "17-" DigestsMatch ProblemKind::TableCopyDiffers { entry: 9 },
    "20-" Mismatch ProblemKind::ContentChecksum,
    "30-" Incomplete ProblemKind::ChunkMissing,
    "31-" Incomplete ProblemKind::Truncated { .. },
    "32-" Incomplete ProblemKind::NoEnd { .. },
    "33-" Incomplete ProblemKind::NoEnd { .. },
    "34-" VerifiedWithNotes ProblemKind::TrailingBytes { bytes: 700 },
    "38-" DigestsMatch ProblemKind::WrongNumber { named: 1, number: 2 },
    "40-" Mismatch ProblemKind::ExtraChunks { extra: 1 },
    "41-" Incomplete ProblemKind::ChunkMissing,
    "42-" VerifiedWithNotes ProblemKind::ChunkCount { stated: 129, found: 128 },
    "44-" DigestsMatch ProblemKind::GeometryDisagrees,
    "45-" DigestsMatch ProblemKind::BadLink { target: 13 },
    "46-" DigestsMatch ProblemKind::SizeDisagrees { .. },
    "47-" Damaged ProblemKind::ChunkLength,
    "48-" Damaged ProblemKind::ChunkLength,
    "50-" Incomplete ProblemKind::MissingSegments { .. },
    "51-" Incomplete ProblemKind::NoEnd { .. },
    "53-" DigestsMatch ProblemKind::SwappedName { named: 2, number: 3 },
    "54-" Incomplete ProblemKind::DuplicateSegment { number: 2 },
    "55-" Incomplete ProblemKind::Truncated { .. },
    "56-" Incomplete ProblemKind::Truncated { .. },
    "57-" Damaged ProblemKind::ChunkChecksum,
    "58-" DigestsMatch ProblemKind::ForeignSegment,
    "59-" VerifiedWithNotes ProblemKind::DuplicateSegment { number: 2 },
    "60-" DigestsMatch ProblemKind::EarlyEnd,
    "61-" DigestsMatch ProblemKind::WrongNumber { named: 3, number: 7 },
};

/// Variants in which only a digest differs or is missing.
const SILENT: &[(&str, ImageVerdict)] = &[
    ("06-", ImageVerdict::Mismatch),
    ("21-", ImageVerdict::Mismatch),
    ("22-", ImageVerdict::Mismatch),
    ("23-", ImageVerdict::Mismatch),
    ("24-", ImageVerdict::Mismatch),
    ("25-", ImageVerdict::NoDigest),
];

/// Variants that can't be opened.
const REFUSED: &[&str] = &["35-", "36-", "37-", "43-", "52-"];

#[test]
fn every_corrupt_variant_is_found_and_named() {
    let Some(script) = sample("tools/corrupt.py").filter(|_| all_installed(&["ewfacquire", "python3"]))
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &script);
    let (mut count, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(folder.path().join("out")).unwrap() {
        let variant = entry.unwrap();
        let name = variant.file_name();
        wrong.extend(check(&name.to_string_lossy(), &variant.path().join("i.E01")));
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 60, "only {count} variants were made");
}

fn make(folder: &Path, script: &Path) {
    fs::write(folder.join("in.raw"), mixed(4 << 20)).unwrap();
    acquire(folder, "z", &["-f", "encase6", "-c", "best", "-d", "sha1"], "in.raw");
    acquire(folder, "raw", &["-f", "encase6", "-c", "none", "-d", "sha1"], "in.raw");
    acquire(folder, "sp", &["-f", "encase6", "-c", "none", "-S", "1MiB", "-d", "sha1"], "in.raw");
    run(folder, "python3", &[&script.to_string_lossy(), "z.E01", "raw.E01", "sp", "out"]);
}

/// Returns what differs from the expectation.
fn check(name: &str, path: &Path) -> Option<String> {
    let starts = |start: &str| name.starts_with(start);
    let image = match Image::open(path) {
        Ok(image) => image,
        Err(error) => {
            let expected = REFUSED.iter().any(|start| starts(start));
            return (!expected).then(|| format!("{name} was refused: {error}"));
        }
    };
    let verification = verify(&image);
    let verdict = verification.verdict;
    assert_ne!(verdict, ImageVerdict::Verified, "{name}");
    let findings: Vec<String> = verification.findings.iter().map(ToString::to_string).collect();
    let silent = SILENT.iter().find(|(start, _)| starts(start));
    let known = EXPECTED.iter().find(|expected| starts(expected.0));
    let right = match (silent, known) {
        (Some((_, expected)), _) => verdict == *expected && findings.is_empty(),
        (_, Some(Expected(_, expected, kind))) => verdict == *expected && has(&verification, kind),
        _ => false,
    };
    if right {
        places(name, &verification);
    }
    (!right).then(|| format!("{name}: {verdict:?} {findings:#?}"))
}

/// Checks the sectors that the reference tool names for some of the variants.
fn places(name: &str, verification: &Verification) {
    let damaged = || verification.findings.iter().filter_map(|finding| finding.place.media);
    match &name[..3] {
        "04-" | "05-" => assert_eq!(damaged().map(|media| media.first / 512).next(), Some(448)),
        "07-" => assert_eq!(damaged().map(|media| (media.first, media.count)).next(), Some((65536, 98304))),
        "57-" => assert!(verification.findings[0].place.segment.as_ref().unwrap().ends_with("i.E03")),
        "20-" => {
            assert_eq!(
                verification.claims.iter().filter(|one| one.outcome == DigestOutcome::Match).count(),
                2
            )
        }
        _ => {}
    }
}
