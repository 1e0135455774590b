//! Types of content, entropy and formats of PRONOM. None may panic, and parts change nothing.

use hashmill_facts::{Ends, EndsAt, Histogram, Signatures, is_mismatch};
use std::sync::LazyLock;

/// Recognises a stream at once and in parts: the first byte selects the parts. Then takes it for the end of a long one,
/// most of which is not known.
pub fn content(data: &[u8]) {
    let [cut, bytes @ ..] = data else { return };
    let mut whole = Ends::new(Some(bytes.len() as u64));
    whole.push(bytes);
    let mut parts = Ends::new(None);
    let (mut all, mut added) = (Histogram::default(), Histogram::default());
    all.update(bytes);
    for part in bytes.chunks(64 * (usize::from(*cut) + 1)) {
        parts.push(part);
        let mut histogram = Histogram::default();
        histogram.update(part);
        added.add(&histogram);
    }
    let found = whole.content_type();
    assert_eq!(found, parts.content_type(), "in parts");
    assert_eq!(all, added, "in parts");
    let _ = all.entropy();
    if let Some(found) = found {
        assert!(found.mime.contains('/'), "{found:?}");
        let _ = is_mismatch(&found, bytes);
    }
    let mut long = Ends::new(None);
    long.push(bytes);
    (0..3).for_each(|_| long.push(&[0; 1 << 16]));
    long.push(bytes);
    let _ = long.content_type();
}

/// Signatures that lead into ZIP archives and compound files.
static SIGNATURES: LazyLock<Signatures> = LazyLock::new(|| {
    let mut signatures = Signatures::default();
    for file in [include_bytes!("formats.xml").as_slice(), include_bytes!("containers.xml")] {
        signatures.add(file).expect("the files are right");
    }
    signatures
});

/// Names the formats of a stream at once and from chunks in another order: the first byte is their length.
pub fn pronom(data: &[u8]) {
    let [cut, bytes @ ..] = data else { return };
    let mut whole = Ends::new(Some(bytes.len() as u64));
    whole.push(bytes);
    let found = whole.pronom(&SIGNATURES, b"a.b");
    let (size, mut chunks) = (64 * (usize::from(*cut) + 1), EndsAt::new(bytes.len() as u64));
    for (place, chunk) in bytes.chunks(size).enumerate().collect::<Vec<_>>().into_iter().rev() {
        chunks.put((place * size) as u64, chunk);
    }
    assert_eq!(chunks.pronom(&SIGNATURES, b"a.b"), found, "from chunks");
}

/// Compiles a signature file, and names the formats of itself.
pub fn signatures(data: &[u8]) {
    let mut signatures = Signatures::default();
    if signatures.add(data).is_ok() {
        let _ = signatures.identify(data, data, data.len() as u64, b"a.xml");
    }
}
