//! Helpers for tests of virtual disks.

use hashmill_image::{Finding, Image, Resources, Severity, Verification, export_sparse};
use std::fs::{self, File};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

/// Returns all bytes of the media.
pub fn media(image: &Image) -> Vec<u8> {
    let mut bytes = Vec::new();
    image.reader().read_to_end(&mut bytes).unwrap_or_else(|error| panic!("{error}"));
    bytes
}

/// Returns the first offset at which two byte strings differ.
pub fn first_difference(one: &[u8], other: &[u8]) -> Option<usize> {
    let differ = one.iter().zip(other).position(|(one, other)| one != other);
    differ.or_else(|| (one.len() != other.len()).then(|| one.len().min(other.len())))
}

/// Checks that reading in order, exporting with holes and verifying give these media, without problems.
pub fn assert_media(path: &Path, expected: &[u8], context: &str) -> Image {
    let image = Image::open(path).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_image(&image, expected, context);
    image
}

/// Like [`assert_media`], for an open image.
pub fn assert_image(image: &Image, expected: &[u8], context: &str) -> Verification {
    assert_eq!(first_difference(&media(image), expected), None, "{context}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let means = Resources { threads: 2, memory: 8 << 20 };
    let summary =
        export_sparse(image, means, &|_| ControlFlow::Continue(()), &File::create(&out).unwrap()).unwrap();
    assert!(summary.findings.is_empty(), "{context}: {:?}", summary.findings);
    assert_eq!(first_difference(&fs::read(&out).unwrap(), expected), None, "{context}: export");
    let verification = crate::util::verify(image);
    let bad = worse_than_notes(&verification.findings);
    assert!(bad.is_empty(), "{context}: {bad:#?}");
    verification
}

pub fn worse_than_notes(findings: &[Finding]) -> Vec<&Finding> {
    findings.iter().filter(|finding| finding.kind.severity() > Severity::Note).collect()
}
