//! Counters that a progress display reads during a run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The progress of a run.
#[derive(Debug, Default)]
pub struct Live {
    /// Files found by the walk so far.
    pub files_met: AtomicU64,
    /// Bytes of the files opened so far, if their sizes are known.
    pub bytes_met: AtomicU64,
    /// Files finished.
    pub files_done: AtomicU64,
    /// Bytes read and hashed.
    pub bytes_done: AtomicU64,
    /// The walk has ended: no more files will be found.
    pub walked: AtomicBool,
    /// Bytes of the files whose sizes the walk knew.
    pub bytes_listed: AtomicU64,
    /// Files whose sizes the walk did not know.
    pub files_unsized: AtomicU64,
    /// Files whose results an earlier run has: they are not read, and count as found and finished.
    pub files_kept: AtomicU64,
    /// Bytes of these files, which `bytes_done` does not include.
    pub bytes_kept: AtomicU64,
    /// The work to do, if it is counted beside the run.
    pub count: Count,
}

/// The work to do, counted beside a run. There may be several counts, each of a part.
#[derive(Debug, Default)]
pub struct Count {
    files: AtomicU64,
    bytes: AtomicU64,
    begun: AtomicBool,
    /// Counts that have not ended.
    open: AtomicU64,
    /// Something was found that can't be counted.
    partial: AtomicBool,
    /// More parts follow for which no count has begun.
    pub more: AtomicBool,
}

/// The work to do, as known so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// The number of files.
    pub files: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The total is final. Otherwise it is a lower bound.
    pub is_known: bool,
}

impl Live {
    /// Adds to a counter.
    pub fn add(counter: &AtomicU64, by: u64) {
        counter.fetch_add(by, Ordering::Relaxed);
    }

    /// Counts a file found by the walk.
    pub(crate) fn met(&self, size: Option<u64>) {
        Live::add(&self.files_met, 1);
        match size {
            Some(size) => Live::add(&self.bytes_listed, size),
            None => Live::add(&self.files_unsized, 1),
        }
    }

    /// Counts a file that is not read because an earlier run has its result.
    pub fn keep(&self, size: u64) {
        self.met(Some(size));
        for (counter, by) in [(&self.files_done, 1), (&self.files_kept, 1), (&self.bytes_kept, size)] {
            Live::add(counter, by);
        }
    }

    /// Counts a file that is not read because its result is known. The run counts it as done.
    pub(crate) fn know(&self, size: u64) {
        self.met(Some(size));
        Live::add(&self.files_kept, 1);
        Live::add(&self.bytes_kept, size);
    }

    /// Counts all files that are still to be read, by their sizes.
    pub fn expect(&self, sizes: impl Iterator<Item = u64>) {
        self.count.begin();
        Live::add(&self.count.files, self.files_kept.load(Ordering::Relaxed));
        Live::add(&self.count.bytes, self.bytes_kept.load(Ordering::Relaxed));
        sizes.for_each(|size| self.count.add(Some(size)));
        self.count.end();
    }

    /// Returns the work to do: as counted beside the run, or as the walk found it with all sizes.
    pub fn total(&self) -> Total {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        // Loaded first, so that everything counted before it is visible.
        let counted = self.count.is_whole();
        let walked = self.walked.load(Ordering::Relaxed) && load(&self.files_unsized) == 0;
        let is_known = (counted || walked) && !self.count.more.load(Ordering::Relaxed);
        // Finished work is a lower bound too: files grow, and may be read twice.
        let files = load(&self.files_met).max(load(&self.files_done));
        let bytes = load(&self.bytes_met).max(load(&self.bytes_listed));
        let bytes = bytes.max(load(&self.bytes_done) + load(&self.bytes_kept));
        let files = files.max(load(&self.count.files));
        Total { files, bytes: bytes.max(load(&self.count.bytes)), is_known }
    }
}

impl Count {
    /// Notes that a count begins.
    pub fn begin(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
        self.begun.store(true, Ordering::Release);
    }

    /// Counts a file. Without a size the total stays a lower bound.
    pub fn add(&self, size: Option<u64>) {
        Live::add(&self.files, 1);
        Live::add(&self.bytes, size.unwrap_or(0));
        if size.is_none() {
            self.partial.store(true, Ordering::Relaxed);
        }
    }

    /// Notes that a count has ended.
    pub fn end(&self) {
        self.open.fetch_sub(1, Ordering::Release);
    }

    /// Notes that a count was given up.
    pub fn give_up(&self) {
        self.partial.store(true, Ordering::Relaxed);
        self.end();
    }

    /// Whether everything was counted.
    fn is_whole(&self) -> bool {
        let ended = self.begun.load(Ordering::Acquire) && self.open.load(Ordering::Acquire) == 0;
        ended && !self.partial.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(files: u64, bytes: u64, is_known: bool) -> Total {
        Total { files, bytes, is_known }
    }

    #[test]
    fn a_walk_that_sees_sizes_knows_the_total_at_its_end() {
        let live = Live::default();
        live.met(Some(100));
        assert_eq!(live.total(), total(1, 100, false));
        live.walked.store(true, Ordering::Relaxed);
        assert_eq!(live.total(), total(1, 100, true));
        live.met(None);
        assert_eq!(live.total(), total(2, 100, false), "one has a size that nobody knows");
    }

    #[test]
    fn counts_know_the_total_when_all_of_them_ended() {
        let live = Live::default();
        live.count.more.store(true, Ordering::Relaxed);
        live.count.begin();
        live.count.begin();
        live.count.add(Some(7));
        live.count.end();
        live.count.add(Some(3));
        assert_eq!(live.total(), total(2, 10, false));
        live.count.end();
        assert_eq!(live.total(), total(2, 10, false), "more follows");
        live.count.more.store(false, Ordering::Relaxed);
        assert_eq!(live.total(), total(2, 10, true));
        live.count.begin();
        live.count.give_up();
        assert_eq!(live.total(), total(2, 10, false));
    }

    #[test]
    fn a_stream_among_the_files_leaves_the_total_open() {
        let live = Live::default();
        live.count.begin();
        live.count.add(Some(1));
        live.count.add(None);
        live.count.end();
        assert_eq!(live.total(), total(2, 1, false));
    }

    #[test]
    fn no_total_is_less_than_what_is_done() {
        let live = Live::default();
        live.keep(5);
        Live::add(&live.bytes_done, 20);
        assert_eq!(live.total(), total(1, 25, false));
    }
}
