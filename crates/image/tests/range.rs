//! Bytes at offsets of media and of single files equal the same bytes read in order.

use crate::util::sample;
use hashmill_image::{Image, Window};
use std::io::Read;

/// Returns offsets and lengths that start and end within chunks, at their ends, and past the end.
fn places(size: u64, chunk: u64) -> Vec<(u64, usize)> {
    let offsets = [0, 1, chunk - 1, chunk, chunk + 7, 3 * chunk, size / 2, size - 1, size, size + 5];
    let lengths = [0, 1, 100, chunk as usize, 2 * chunk as usize + 3, 5 * chunk as usize];
    offsets.into_iter().flat_map(|offset| lengths.map(|length| (offset, length))).collect()
}

fn part(bytes: &[u8], offset: u64, length: usize) -> &[u8] {
    let start = (offset as usize).min(bytes.len());
    &bytes[start..(start + length).min(bytes.len())]
}

#[test]
fn media_at_offsets_are_the_media() {
    for name in
        ["e01/dfvfs-ext2-split.E01", "ex01/libewf20260924-emptyblock-pattern-sha1.Ex01", "e01/tsk-image.E01"]
    {
        let Some(path) = sample(name) else { return };
        let image = Image::open(&path).unwrap();
        let (mut media, mut window) = (Vec::new(), Window::default());
        image.reader().read_to_end(&mut media).unwrap();
        for (offset, length) in places(image.media_size(), image.chunk_size()) {
            let mut buffer = vec![7; length];
            let read = image.read_at(offset, &mut buffer, &mut window).unwrap();
            assert!(buffer[..read] == *part(&media, offset, length), "{name}: {length} at {offset}");
        }
    }
}

#[test]
fn a_missing_part_of_raw_media_is_no_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| std::fs::write(folder.path().join(name), vec![1; 1 << 20]).unwrap();
    ["r.001", "r.003"].into_iter().for_each(write);
    let image = Image::open(&folder.path().join("r.001")).unwrap();
    let mut window = Window::default();
    for (offset, whole) in [(0, true), ((1 << 20) - 50, false), (3 << 19, false), (2 << 20, true)] {
        let mut buffer = [0; 100];
        assert_eq!(image.read_at(offset, &mut buffer, &mut window).is_ok(), whole, "{offset}");
    }
    let mut media = Vec::new();
    assert!(image.reader().read_to_end(&mut media).is_err());
    assert_eq!(media.len(), 1 << 20);
    let (mut scratch, mut bytes) = (hashmill_image::Scratch::new(), Vec::new());
    assert!(image.read_chunk(6, &mut scratch, &mut bytes).is_err());
}

#[test]
fn files_at_offsets_are_the_files() {
    for name in
        ["l01/ntfs-docx.L01", "l01/ewfimage061-files.L01", "lx01/ewfimage061-files.Lx01", "l01/ntfs-zip.L01"]
    {
        let Some(path) = sample(name) else { return };
        let image = Image::open(&path).unwrap();
        let mut window = Window::default();
        for entry in image.entries().iter().filter(|entry| entry.size > 0 && !entry.folder) {
            let mut whole = Vec::new();
            image.entry_reader(entry).read_to_end(&mut whole).unwrap();
            for (offset, length) in places(entry.size, 999) {
                let mut buffer = vec![7; length];
                let read = image.read_entry_at(entry, offset, &mut buffer, &mut window).unwrap();
                assert!(buffer[..read] == *part(&whole, offset, length), "{name}: {length} at {offset}");
            }
        }
    }
}
