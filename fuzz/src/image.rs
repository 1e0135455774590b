//! Forensic images from any bytes: no panic, bounded work, and nothing verified that claims nothing.

use hashloom_image::{Image, Means, Options, Verdict, verify};
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
    let options = Options { means: Means { threads: 2, memory: 1 << 20 }, ..Options::default() };
    let verification = verify(&image, &options, &|_| ControlFlow::Continue(())).expect("nothing ends it");
    if matches!(verification.verdict, Verdict::Verified | Verdict::VerifiedWithNotes) {
        assert!(!verification.claims.is_empty() || !verification.entries.is_empty());
        let mut media = Vec::new();
        image.reader().read_to_end(&mut media).expect("what is verified can be read");
        assert_eq!(media.len() as u64, image.media_size());
    }
}
