//! Differential: what pyaff4 writes is read as pyaff4 reads it, and what is made by hand as well.

use super::make::{METHODS, small};
use crate::disks::make::raw;
use crate::disks::util::{assert_media, first_difference};
use hashmill_testing::{Random, cases, had_modules, python};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The number of images.
const IMAGES: usize = 32;

#[test]
#[ignore = "campaign: needs Python's packages"]
fn images_of_pyaff4_are_read_as_by_pyaff4() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let count = cases(IMAGES) as u64;
    for number in 0..count {
        let mut random = Random(number);
        let mut media = raw(&mut random);
        // Reading one byte after the other with Python takes long; odd sizes are the rule.
        media.truncate(1 + random.below(media.len().min(200_000)));
        fs::write(folder.join(format!("{number}.raw")), media).unwrap();
    }
    // Its deflate is zlib's.
    let by_hand = &METHODS[..4];
    for (method, number) in by_hand.iter().zip(count..) {
        fs::write(folder.join(format!("{number}.aff4")), small(method).0.file()).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/disks/aff4/judge.py");
    let output = Command::new(python).arg(script).arg(folder).output().unwrap();
    if !had_modules(&output.stderr) {
        return;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for number in 0..count + by_hand.len() as u64 {
        let expected = fs::read(folder.join(format!("{number}.read"))).unwrap();
        let path = folder.join(format!("{number}.aff4"));
        if number < count {
            assert_media(&path, &expected, &format!("image {number}"));
        } else {
            // pyaff4 ends where the last run does.
            let image = hashmill_image::Image::open(&path).unwrap();
            let media = crate::disks::util::media(&image);
            assert_eq!(first_difference(&media[..expected.len()], &expected), None, "image {number}");
        }
    }
}
