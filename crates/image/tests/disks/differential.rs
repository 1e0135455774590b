//! The media of random images equal those that `qemu-img convert` reads.

use super::make::{disks, raw};
use super::util::assert_media;
use crate::util::run;
use hashmill_image::{Scratch, Window};
use hashmill_testing::Random;
use std::fs;

/// The number of random images.
const IMAGES: usize = 30;

#[test]
fn random_disks_have_the_media_that_qemu_reads() {
    if !hashmill_testing::all_installed(&["qemu-img", "qemu-io"]) {
        return;
    }
    for seed in 0..hashmill_testing::cases(IMAGES) as u64 {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random(seed);
        let source = raw(&mut random);
        fs::write(folder.path().join("in.raw"), &source).unwrap();
        let disk = disks(folder.path(), &mut random);
        let context = format!("seed {seed}: {}", disk.made);
        run(folder.path(), "qemu-img", &["convert", "-f", disk.format, "-O", "raw", &disk.name, "out.raw"]);
        let expected = fs::read(folder.path().join("out.raw")).unwrap();
        let image = assert_media(&folder.path().join(&disk.name), &expected, &context);
        let (mut window, mut scratch) = (Window::default(), Scratch::new());
        for _ in 0..20 {
            let offset = random.below(expected.len() + 1);
            let mut buffer = vec![7; random.below(300_000)];
            let read = image.read_at(offset as u64, &mut buffer, &mut window).unwrap();
            let wanted = &expected[offset..(offset + buffer.len()).min(expected.len())];
            assert!(buffer[..read] == *wanted, "{context}: {} at {offset}", buffer.len());
        }
        if image.chunk_count() > 0 {
            let chunk = random.below_u64(image.chunk_count());
            let mut bytes = Vec::new();
            image.read_chunk(chunk, &mut scratch, &mut bytes).unwrap();
            let start = (chunk * image.chunk_size()) as usize;
            assert!(bytes == expected[start..start + bytes.len()], "{context}: chunk {chunk}");
        }
    }
}
