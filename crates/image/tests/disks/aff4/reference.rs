//! The reference images of the standard (`aff4/ReferenceImages` on GitHub), where they are beside the project.

use crate::util::{has, verify};
use hashmill_image::{DigestOutcome, Image, ImageVerdict, Problem, ProblemKind};
use std::path::PathBuf;

/// Returns the path of an image. The images are hundreds of megabytes, so that few machines have them.
fn sample(name: &str) -> Option<PathBuf> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors/aff4");
    let path = PathBuf::from(path).join(name);
    if !path.exists() {
        hashmill_testing::not_possible("the reference images of AFF4");
        return None;
    }
    Some(path)
}

#[test]
fn reference_images_are_verified() {
    for (name, verdict, claims) in [
        ("AFF4Std/Base-Linear.aff4", ImageVerdict::Verified, 1),
        ("AFF4Std/Base-Linear-AllHashes.aff4", ImageVerdict::Verified, 1),
        ("AFF4Std/Base-Linear-ReadError.aff4", ImageVerdict::VerifiedWithNotes, 1),
        ("AFF4Std/Base-Allocated.aff4", ImageVerdict::VerifiedWithNotes, 1),
        ("AFF4PreStd/Base-Linear.af4", ImageVerdict::Verified, 1),
        ("AFF4PreStd/Base-Linear-ReadError.af4", ImageVerdict::VerifiedWithNotes, 1),
        ("AFF4PreStd/Base-Allocated.af4", ImageVerdict::VerifiedWithNotes, 1),
    ] {
        let Some(path) = sample(name) else { return };
        let image = Image::open(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(image.media_size(), 268_435_456, "{name}");
        let verification = verify(&image);
        assert_eq!(verification.verdict, verdict, "{name}: {:#?}", verification.findings);
        assert_eq!(verification.claims.len(), claims, "{name}: {:#?}", verification.claims);
        assert!(verification.claims.iter().all(|check| check.outcome == DigestOutcome::Match), "{name}");
    }
}

#[test]
fn what_can_t_be_read_is_refused_by_name() {
    for name in ["AFF4Std/Striped/Base-Linear_1.aff4", "AFF4Std/Striped/Base-Linear_2.aff4"] {
        let Some(path) = sample(name) else { return };
        let problem = Image::open(&path).unwrap_err().problem;
        assert!(matches!(&problem, Problem::Volume(name) if name.starts_with("aff4://")), "{problem}");
    }
    let Some(path) = sample("AFF4-L/dream.aff4") else { return };
    let problem = Image::open(&path).unwrap_err().problem;
    assert!(matches!(&problem, Problem::Feature(what) if what.contains("AFF4-L")), "{problem}");
    let Some(path) = sample("Errata/Base-ExabyteSparse.aff4") else { return };
    let problem = Image::open(&path).unwrap_err().problem;
    assert!(matches!(problem, Problem::Geometry), "{problem}");
}

#[test]
fn sectors_that_could_not_be_read_are_told() {
    let Some(path) = sample("AFF4Std/Base-Linear-ReadError.aff4") else { return };
    let image = Image::open(&path).unwrap();
    assert!(!image.acquisition_errors().is_empty());
    assert!(has(&verify(&image), |kind| matches!(kind, ProblemKind::AcquisitionErrors { .. })));
}
