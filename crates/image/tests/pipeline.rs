//! Parallel reading: order, errors, interruption, any number of threads in any memory.

use crate::util::{digest_of, sample};
use hashmill_image::{Image, MediaPart, Options, Resources, export, stream, stream_to, verify};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

fn image() -> Option<Image> {
    Some(Image::open(&sample("e01/dfvfs-ext2-split.E01")?).unwrap())
}

#[test]
fn any_threads_and_memory_give_the_same_bytes_in_order() {
    let Some(image) = image() else { return };
    for threads in [1, 2, 3, 8] {
        for memory in [0, 1 << 20, 64 << 20] {
            let (mut next, mut count) = (0, 0);
            let mut ordered = |part: &MediaPart<'_>| {
                assert_eq!(part.offset, next);
                next += part.bytes.len() as u64;
                Ok(())
            };
            let mut counted = |part: &MediaPart<'_>| {
                count += part.bytes.len() as u64;
                Ok(())
            };
            let means = Resources { threads, memory };
            let summary = stream_to(&image, means, vec![&mut ordered, &mut counted]).unwrap();
            assert_eq!(
                (summary.bytes, next, count),
                (image.media_size(), image.media_size(), image.media_size())
            );
            let options = Options { means, ..Options::default() };
            let verification = verify(&image, &options, &|_| ControlFlow::Continue(())).unwrap();
            assert_eq!(digest_of(&verification, "md5").unwrap()[..12], *"196066add11f");
        }
    }
}

#[test]
fn an_error_of_a_consumer_ends_the_run() {
    let Some(image) = image() else { return };
    let mut failing = |part: &MediaPart<'_>| match part.offset {
        0 => Ok(()),
        _ => Err(io::Error::from(io::ErrorKind::StorageFull)),
    };
    let error = stream(&image, Resources { threads: 2, memory: 1 << 20 }, &mut failing).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn progress_rises_to_the_media_size_and_can_stop() {
    let Some(image) = image() else { return };
    let last = AtomicU64::new(0);
    let means = Resources { threads: 2, memory: 1 << 20 };
    let options = Options { means, ..Options::default() };
    let watch = |done| {
        assert!(last.swap(done, Ordering::Relaxed) < done);
        ControlFlow::Continue(())
    };
    verify(&image, &options, &watch).unwrap();
    assert_eq!(last.load(Ordering::Relaxed), image.media_size());
    assert!(verify(&image, &options, &|_| ControlFlow::Break(())).is_none());
    let mut written = Vec::new();
    let summary = export(&image, means, &|_| ControlFlow::Break(()), &mut written).unwrap();
    assert!(summary.interrupted && summary.bytes < image.media_size());
}
