//! Forensic images from any bytes: no panic, bounded work, and nothing verified that claims nothing.

use hashloom_image::{Image, Means, Options, Verdict, Window, verify};
use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

/// Larger media only cost time: zeros are hashed as fast as anything.
const MOST_MEDIA: u64 = 32 << 20;

/// Opens, verifies and reads an image that consists of these bytes alone.
pub fn image(data: &[u8]) {
    let path = std::env::temp_dir().join(format!("hashloom-fuzz-{}", std::process::id()));
    fs::write(&path, data).expect("room for the input");
    open(&path);
    fs::remove_file(&path).expect("it was written");
}

fn open(path: &Path) {
    let Ok(image) = Image::open(path) else { return };
    assert!(image.chunk_size() > 0);
    let _ = image.info();
    if image.media_size() > MOST_MEDIA || image.chunk_size() > MOST_MEDIA {
        return;
    }
    read_at_offsets(&image);
    let options = Options { means: Means { threads: 2, memory: 1 << 20 }, ..Options::default() };
    let verification = verify(&image, &options, &|_| ControlFlow::Continue(())).expect("nothing ends it");
    if matches!(verification.verdict, Verdict::Verified | Verdict::VerifiedWithNotes) {
        assert!(!verification.claims.is_empty() || !verification.entries.is_empty());
        let mut media = Vec::new();
        image.reader().read_to_end(&mut media).expect("what is verified can be read");
        assert_eq!(media.len() as u64, image.media_size());
    }
}

/// At offsets the same comes as in order, or an error.
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
    }
}
