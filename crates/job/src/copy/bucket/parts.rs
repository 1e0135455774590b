//! An object that is sent in parts, while its file is read.

use hashmill_store::{Error, Object, PartUpload, Replace, SentPart, Store};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// The length of a part in bytes. An object that is not longer is sent in one request.
pub(super) const PART: usize = 16 << 20;

/// The entity tag of objects of S3 in such parts.
pub(super) const TAG: &str = "s3-etag:16M";

/// The most parts of an object of S3.
const MOST_PARTS: u64 = 10_000;

/// Larger parts are multiples of this many bytes.
const STEP: u64 = 1 << 20;

/// Returns the length of the parts of an object of this size, if that is known.
pub(super) fn part_of(size: Option<u64>) -> usize {
    let least = size.unwrap_or(0).div_ceil(MOST_PARTS).next_multiple_of(STEP);
    usize::try_from(least).unwrap_or(usize::MAX).max(PART)
}

/// An upload in parts, which begins with the first part.
#[derive(Debug)]
pub(super) struct Upload {
    store: Store,
    key: Box<[u8]>,
    begun: Mutex<Option<Result<Arc<PartUpload>, Error>>>,
}

/// An upload in parts, and the parts that are on their way.
#[derive(Debug)]
pub(super) struct Parts {
    upload: Arc<Upload>,
    sent: Vec<Receiver<Result<SentPart, Error>>>,
}

impl Upload {
    /// Begins the upload, if no part did before.
    fn begin(&self) -> Result<Arc<PartUpload>, Error> {
        let mut begun = self.begun.lock();
        begun.get_or_insert_with(|| self.store.begin(&self.key).map(Arc::new)).clone()
    }

    /// Sends a part.
    pub(super) fn send(&self, number: u32, bytes: Vec<u8>) -> Result<SentPart, Error> {
        self.begin()?.send(number, bytes)
    }

    fn begun(&self) -> Option<Arc<PartUpload>> {
        self.begun.lock().as_ref()?.as_ref().ok().cloned()
    }
}

impl Parts {
    /// Makes an upload without parts. Nothing is sent for that.
    pub(super) fn new(store: &Store, key: &[u8]) -> Parts {
        let upload = Upload { store: store.clone(), key: key.into(), begun: Mutex::new(None) };
        Parts { upload: Arc::new(upload), sent: Vec::new() }
    }

    /// Returns the upload, and the number of its next part.
    pub(super) fn next(&self) -> (Arc<Upload>, u32) {
        (Arc::clone(&self.upload), u32::try_from(self.sent.len() + 1).unwrap_or(u32::MAX))
    }

    /// Notes a part that is on its way.
    pub(super) fn note(&mut self, sent: Receiver<Result<SentPart, Error>>) {
        self.sent.push(sent);
    }

    /// Waits for all parts and makes an object of them. An upload that fails is given up.
    ///
    /// # Errors
    /// If a part, or the object, can't be written.
    pub(super) fn complete(self, replace: Replace) -> Result<Object, Error> {
        let upload = Arc::clone(&self.upload);
        let sent: Result<Vec<SentPart>, Error> =
            self.sent.into_iter().filter_map(|sent| sent.recv().ok()).collect();
        let done = sent.and_then(|parts| upload.begin()?.complete(parts, replace));
        if done.is_err() {
            upload.begun().map(|begun| begun.abort());
        }
        done
    }

    /// Gives the upload up. Parts that arrived behind that would stay in the store.
    pub(super) fn abort(self) {
        self.sent.into_iter().for_each(|sent| drop(sent.recv()));
        self.upload.begun().map(|begun| begun.abort());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_as_many_as_a_store_takes() {
        for size in [None, Some(0), Some(MOST_PARTS * PART as u64)] {
            assert_eq!(part_of(size), PART);
        }
        let part = part_of(Some(MOST_PARTS * PART as u64 + 1)) as u64;
        assert_eq!(part, 17 << 20);
        assert!((5_u64 << 40).div_ceil(part_of(Some(5 << 40)) as u64) <= MOST_PARTS);
    }
}
