//! Types of content and entropy. None may panic, and parts change nothing.

use hashmill_facts::{Ends, Histogram, is_mismatch};

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
