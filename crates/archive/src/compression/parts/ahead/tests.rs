//! Tests of the memory of parts, and of threads that panic.

use super::*;
use crate::compression::parts::{frames::Frames, headers::Headers, zstandard};
use crate::compression::zstandard::Zstandard;

/// Begins to decode some frames with threads. Returns the state, and the content of a frame.
fn begin(
    memory: u64,
    count: usize,
    parts: impl FnOnce(Frames) -> PartList<Zstandard>,
) -> (Arc<AheadParts<Zstandard>>, usize) {
    let size = 3 << 20;
    let frame = zstd::encode_all(&vec![0; size][..], 1).unwrap();
    let medium: Arc<dyn Medium> = Arc::new(frame.repeat(6));
    let parts = parts(Frames::new(Headers::new(Arc::clone(&medium)), zstandard::find_end));
    let ahead = Arc::new(AheadParts::new(medium, &Limits { memory }, count, parts).unwrap());
    for _ in 0..count {
        ahead.add_thread();
        let ahead = Arc::clone(&ahead);
        std::thread::spawn(move || ahead.work());
    }
    (ahead, size)
}

#[test]
fn decoders_and_content_stay_within_the_memory() {
    for (memory, count) in [(4 << 20, 2), (8 << 20, 3), (16 << 20, 2)] {
        let (ahead, size) = begin(memory, count, |frames| Box::new(frames));
        let (mut parts, mut content) = (0, 0);
        while !matches!(ahead.next_part(parts), NextPart::Nowhere) && parts < 6 {
            match ahead.arrive() {
                Arrived::Chunk(chunk) => content += chunk.len(),
                Arrived::End(()) => parts += 1,
                Arrived::Failure => panic!("a part failed"),
            }
            let state = ahead.lock();
            let begun = state.begun.len();
            let waiting: usize = state.begun.iter().flat_map(|part| &part.chunks).map(Vec::capacity).sum();
            let most = memory - ((count + 1) * (WAITING_CHUNKS + 2) * CHUNK) as u64
                + (count * WAITING_CHUNKS * CHUNK) as u64;
            assert!(state.taken <= most && waiting as u64 <= state.taken, "{}", state.taken);
            assert!(begun <= count * PARTS);
            if parts > 0 && begun == 0 && state.is_over {
                break;
            }
        }
        assert_eq!(content, 6 * size);
        assert_eq!(ahead.lock().taken, 0);
    }
}

#[test]
fn a_thread_that_panics_ends_the_parts() {
    // The list of parts fails, as a library might, behind one part.
    let failing = |mut frames: Frames| -> PartList<Zstandard> {
        let mut calls = 0;
        Box::new(std::iter::from_fn(move || {
            calls += 1;
            assert!(calls < 2, "this panic is wanted");
            frames.next()
        }))
    };
    let (ahead, size) = begin(64 << 20, 2, failing);
    assert!(matches!(ahead.next_part(0), NextPart::Here(_)));
    let mut content = 0;
    while let Arrived::Chunk(chunk) = ahead.arrive() {
        content += chunk.len();
    }
    assert_eq!(content, size);
    ahead.lock().threads = 0;
    assert!(matches!(ahead.next_part(1), NextPart::Nowhere));
}
