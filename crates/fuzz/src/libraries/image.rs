//! Forensic images from any bytes: no panic, bounded work, and no successful verification without stored digests.

use hashmill_image::{Entry, Image, ImageVerdict, Options, Resources, Window, verify};
use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The maximum size of media; larger ones only take more time.
const MOST_MEDIA: u64 = 32 << 20;

/// Opens, verifies and reads an image that consists of these bytes.
pub fn image(data: &[u8]) {
    // Tests run in parallel.
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let name = format!("hashmill-fuzz-{}-{}", std::process::id(), RUNS.fetch_add(1, Relaxed));
    let path = std::env::temp_dir().join(name);
    fs::write(&path, data).expect("room for the input");
    open(&path);
    fs::remove_file(&path).expect("it was written");
}

/// Logical evidence: whole L01 files are used unchanged; other bytes become the list of files in an otherwise valid
/// L01, to test the parser of the list. If the first byte is `u`, they are converted to UTF-16.
pub fn logical(data: &[u8]) {
    match data {
        [b'L', b'V' | b'E', b'F', ..] => image(data),
        [b'u', text @ ..] => {
            let text = String::from_utf8_lossy(text);
            image(&wrapped(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()));
        }
        other => image(&wrapped(other)),
    }
}

/// Returns a logical image of eight sectors with this list of files.
fn wrapped(list: &[u8]) -> Vec<u8> {
    const SECTOR: usize = 512;
    let mut file = b"LVF\x09\x0d\x0a\xff\0\x01\x01\0\0\0".to_vec();
    let mut volume = vec![0; 1048];
    volume[0] = 0x0e;
    for (at, value) in [(4, 8_u32), (8, 1), (12, SECTOR as u32), (16, 8)] {
        volume[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    section(&mut file, "volume", &[&volume, &adler(&volume)[..]].concat());
    let (mut sectors, mut table) = (Vec::new(), vec![0; 20]);
    table[0] = 8;
    let sum = adler(&table);
    table.extend_from_slice(&sum);
    for sector in 0..8_u8 {
        let at = (file.len() + 76 + sectors.len()) as u32;
        table.extend_from_slice(&at.to_le_bytes());
        sectors.extend_from_slice(&[sector; SECTOR]);
        sectors.extend_from_slice(&adler(&[sector; SECTOR]));
    }
    let sum = adler(&table[24..]);
    table.extend_from_slice(&sum);
    section(&mut file, "sectors", &sectors);
    section(&mut file, "table", &table);
    let mut tree = vec![0; 48];
    tree[..16].copy_from_slice(&md5(list));
    tree[16..24].copy_from_slice(&(list.len() as u64).to_le_bytes());
    let sum = adler(&tree);
    tree[24..28].copy_from_slice(&sum);
    tree.extend_from_slice(list);
    section(&mut file, "ltree", &tree);
    section(&mut file, "done", &[]);
    file
}

fn section(file: &mut Vec<u8>, name: &str, content: &[u8]) {
    let (at, size) = (file.len() as u64, 76 + content.len() as u64);
    let next = if name == "done" { at } else { at + size };
    let mut descriptor = vec![0; 72];
    descriptor[..name.len()].copy_from_slice(name.as_bytes());
    descriptor[16..24].copy_from_slice(&next.to_le_bytes());
    descriptor[24..32].copy_from_slice(&size.to_le_bytes());
    let sum = adler(&descriptor);
    file.extend_from_slice(&descriptor);
    file.extend_from_slice(&sum);
    file.extend_from_slice(content);
}

fn adler(bytes: &[u8]) -> [u8; 4] {
    let (mut one, mut sum) = (1_u32, 0_u32);
    for byte in bytes {
        one = (one + u32::from(*byte)) % 65521;
        sum = (sum + one) % 65521;
    }
    ((sum << 16) | one).to_le_bytes()
}

fn md5(bytes: &[u8]) -> [u8; 16] {
    let mut bank = (hashmill_digest::find("md5").expect("it is there").bank)();
    let slot = bank.open();
    bank.update(&[hashmill_digest::StreamPart { slot, bytes, last: true }]);
    bank.close(slot).as_bytes().try_into().expect("16 bytes")
}

fn open(path: &Path) {
    if let Ok(image) = Image::open(path) {
        examine(&image);
    }
}

/// Verifies and reads an open image.
pub(crate) fn examine(image: &Image) {
    assert!(image.chunk_size() > 0);
    let _ = image.info();
    let inside = image.entries().iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.size));
    if image.media_size().max(image.chunk_size()).max(inside) > MOST_MEDIA {
        return;
    }
    read_at_offsets(image);
    let options = Options { means: Resources { threads: 2, memory: 1 << 20 }, ..Options::default() };
    let verification = verify(image, &options, &|_| ControlFlow::Continue(())).expect("nothing ends it");
    if matches!(verification.verdict, ImageVerdict::Verified | ImageVerdict::VerifiedWithNotes) {
        assert!(!verification.claims.is_empty() || !verification.entries.is_empty());
        let mut media = Vec::new();
        image.reader().read_to_end(&mut media).expect("what is verified can be read");
        assert_eq!(media.len() as u64, image.media_size());
    }
}

/// Checks that reading at offsets gives the same bytes as reading in order, or an error.
fn read_at_offsets(image: &Image) {
    let (mut window, mut buffer) = (Window::default(), vec![0; 70_000]);
    let size = image.media_size();
    for offset in [0, size / 2, size.saturating_sub(1), size, u64::MAX] {
        if let Ok(read) = image.read_at(offset, &mut buffer, &mut window) {
            assert_eq!(read as u64, size.saturating_sub(offset).min(buffer.len() as u64));
        }
    }
    for entry in image.entries().iter().take(8) {
        for offset in [0, entry.size / 2, u64::MAX] {
            let _ = image.read_entry_at(entry, offset, &mut buffer, &mut window);
        }
        read_both_ways(image, entry, &mut window);
    }
}

/// Checks that the start of a file is the same in order and at an offset, if either can be read.
fn read_both_ways(image: &Image, entry: &Entry, window: &mut Window) {
    let mut at_offset = vec![0; 5000.min(entry.size) as usize];
    let read = image.read_entry_at(entry, 0, &mut at_offset, window);
    let mut in_order = Vec::new();
    let ordered = image.entry_reader(entry).take(at_offset.len() as u64).read_to_end(&mut in_order);
    if entry.folder {
        return;
    }
    assert_eq!(read.is_ok(), ordered.is_ok(), "{entry:?}");
    if read.is_ok() {
        assert_eq!(in_order, at_offset, "{entry:?}");
    }
}
