//! Tries read() and mmap on cached files, and uses the faster.
//!
//! It depends on the machine, the kernel, the file system, the file sizes and the number of threads. So files are
//! divided into classes by size. The first bytes of each class are copied and mapped in turn, for a round or a phase
//! each; then the class uses the faster way.

use crate::WayStats;
use hashmill_source::{Io, MapFiles, Mapped, Reader, Reading};
use parking_lot::Mutex;
use std::cell::Cell;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The gain that mapping must have: a mapped file costs address space and counts as memory of the process.
const GAIN: f64 = 1.02;

/// The assumed cost of unmapping a byte in nanoseconds before it was measured: 128 for a page.
const UNMAPPING: f64 = 128.0 / 4096.0;

/// Pages of a mapped file are given back after this many bytes. Each time the kernel interrupts the other cores, which
/// is slow on a virtual machine: for 1 GiB, 512 times took three times as long as once at the end (2026-11).
pub(crate) const WINDOW: usize = 8 << 20;

/// Pages are entered into the page table ahead of their use, this many bytes at once.
pub(crate) const AHEAD: usize = 2 << 20;

/// The window during a trial, smaller so that the cost is known soon.
const TRIAL_WINDOW: usize = 256 << 10;

/// The smallest sizes of the classes of files that are hashed beside others, and the samples (rounds) of each way that
/// decide. A round has files of many sizes; the cost of a map shows only with small ones.
const BESIDE: [u64; 2] = [Reader::LEAST_MAPPED, 512 << 10];
const ROUNDS: usize = 16;

/// The same for files that all threads hash together, in phases of this many bytes. Elapsed time counts, as threads
/// read while others hash.
const ALONE: [u64; 1] = [Reader::LEAST_MAPPED];
const PHASES: usize = 4;
pub(crate) const PHASE: usize = WINDOW;

thread_local! {
    /// Nanoseconds that this thread has spent mapping and unmapping.
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

/// How a file's bytes reach the hashers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadMethod {
    Copied,
    Mapped,
}

impl ReadMethod {
    /// Returns the way of the next turn.
    pub(crate) fn other(self) -> ReadMethod {
        match self {
            ReadMethod::Copied => ReadMethod::Mapped,
            ReadMethod::Mapped => ReadMethod::Copied,
        }
    }
}

/// How a file is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// In rounds, beside other files.
    Beside,
    /// By all threads together.
    Alone,
}

#[derive(Debug)]
pub(crate) struct Mapping {
    wanted: bool,
    beside: Vec<Arc<Class>>,
    alone: Vec<Arc<Class>>,
}

/// Files of similar size.
#[derive(Debug)]
pub(crate) struct Class {
    company: Sharing,
    from: u64,
    below: Option<u64>,
    trial: Mutex<Trial>,
    /// 0 during the trial, then 1 for copying or 2 for mapping.
    settled: AtomicU64,
    files: AtomicU64,
    /// Nanoseconds for mapping and unmapping, and the bytes of the files that were unmapped.
    spent: AtomicU64,
    unmapped: AtomicU64,
}

/// Measurements, in nanoseconds per byte.
#[derive(Debug, Default)]
struct Trial {
    copied: Vec<f64>,
    mapped: Vec<f64>,
    result: Option<(f64, f64)>,
}

/// A file that is mapped, or may be.
#[derive(Debug)]
pub(crate) struct FileMap {
    /// `None` only during drop.
    map: Option<Mapped>,
    /// Bytes that were read and not given back.
    touched: AtomicUsize,
    class: Arc<Class>,
}

impl Mapping {
    pub(crate) fn new(reading: &Reading) -> Mapping {
        let classes = |company, sizes: &[u64]| {
            let below = sizes[1..].iter().copied().map(Some).chain([None]);
            let class = |(from, below)| Arc::new(Class::new(company, from, below, reading.mapping));
            sizes.iter().copied().zip(below).map(class).collect()
        };
        Mapping {
            wanted: reading.io == Io::Auto && reading.mapping != MapFiles::Never,
            beside: classes(Sharing::Beside, &BESIDE),
            alone: classes(Sharing::Alone, &ALONE),
        }
    }

    /// Maps a file, if that is allowed and its class has not settled on copying. During a trial the ways take turns.
    pub(crate) fn map(&self, reader: &Reader, company: Sharing) -> Option<FileMap> {
        self.map_in_turn(reader, company, ReadMethod::Mapped)
    }

    /// Like [`Mapping::map`], for a file that is hashed in this turn alone.
    pub(crate) fn map_in_turn(&self, reader: &Reader, company: Sharing, turn: ReadMethod) -> Option<FileMap> {
        let class = self.class(reader.meta().size, company)?;
        if self.way(class).unwrap_or(turn) == ReadMethod::Copied {
            return None;
        }
        let start = Instant::now();
        let map = reader.map()?;
        class.files.fetch_add(1, Ordering::Relaxed);
        class.spend(start);
        Some(FileMap { map: Some(map), touched: AtomicUsize::new(0), class: Arc::clone(class) })
    }

    /// Returns the class of a file of this size that is hashed beside others, during its trial.
    pub(crate) fn on_trial(&self, size: u64) -> Option<&Arc<Class>> {
        self.class(size, Sharing::Beside).filter(|class| self.way(class).is_none())
    }

    /// Returns the faster way for a class. If mapping does not gain for large files, it does not for small ones.
    fn way(&self, class: &Arc<Class>) -> Option<ReadMethod> {
        let larger = self.beside.last().filter(|_| class.company == Sharing::Beside);
        let copied = larger.and_then(|larger| larger.way()).filter(|way| *way == ReadMethod::Copied);
        copied.or_else(|| class.way())
    }

    fn class(&self, size: u64, company: Sharing) -> Option<&Arc<Class>> {
        if !self.wanted {
            return None;
        }
        let classes = match company {
            Sharing::Beside => &self.beside,
            Sharing::Alone => &self.alone,
        };
        classes.iter().rfind(|class| class.from <= size)
    }

    /// Returns the results of the trials, for classes that had files.
    pub(crate) fn stats(&self) -> Vec<WayStats> {
        let classes = self.beside.iter().chain(&self.alone);
        classes.map(|class| class.stats(self.way(class))).filter(|class| class.mapped > 0).collect()
    }
}

impl Class {
    fn new(company: Sharing, from: u64, below: Option<u64>, mapping: MapFiles) -> Class {
        Class {
            company,
            from,
            below,
            trial: Mutex::default(),
            settled: AtomicU64::new(if mapping == MapFiles::Always { 2 } else { 0 }),
            files: AtomicU64::new(0),
            spent: AtomicU64::new(0),
            unmapped: AtomicU64::new(0),
        }
    }

    /// Returns the faster way, once it is known.
    pub(crate) fn way(&self) -> Option<ReadMethod> {
        match self.settled.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(ReadMethod::Copied),
            _ => Some(ReadMethod::Mapped),
        }
    }

    /// Notes that a thread has read and hashed this many bytes in this time.
    pub(crate) fn note(&self, way: ReadMethod, bytes: usize, time: Duration) {
        if bytes == 0 || self.way().is_some() {
            return;
        }
        let enough = match self.company {
            Sharing::Beside => ROUNDS,
            Sharing::Alone => PHASES,
        };
        let mut trial = self.trial.lock();
        let samples = match way {
            ReadMethod::Copied => &mut trial.copied,
            ReadMethod::Mapped => &mut trial.mapped,
        };
        samples.push(time.as_nanos() as f64 / bytes as f64);
        if trial.copied.len().min(trial.mapped.len()) >= enough {
            // With a file that all threads share, the elapsed time includes unmapping.
            let unmapping = if self.company == Sharing::Beside { self.unmapping() } else { 0.0 };
            let result = (median(&mut trial.copied), median(&mut trial.mapped) + unmapping);
            trial.result = Some(result);
            let settled = if result.0 > result.1 * GAIN { 2 } else { 1 };
            self.settled.store(settled, Ordering::Relaxed);
        }
    }

    /// Returns the cost of mapping and unmapping a byte, in nanoseconds.
    fn unmapping(&self) -> f64 {
        match self.unmapped.load(Ordering::Relaxed) {
            0 => UNMAPPING,
            bytes => self.spent.load(Ordering::Relaxed) as f64 / bytes as f64,
        }
    }

    /// Adds the time since `start`, spent mapping or unmapping.
    fn spend(&self, start: Instant) {
        let spent = start.elapsed().as_nanos() as u64;
        self.spent.fetch_add(spent, Ordering::Relaxed);
        SPENT.set(SPENT.get() + spent);
    }

    fn stats(&self, way: Option<ReadMethod>) -> WayStats {
        let result = self.trial.lock().result;
        WayStats {
            alone: self.company == Sharing::Alone,
            from: self.from,
            below: self.below,
            mapped: self.files.load(Ordering::Relaxed),
            is_mapped: way.map(|way| way == ReadMethod::Mapped),
            rates: result.map(|(copied, mapped)| (1e9 / copied, 1e9 / mapped)),
        }
    }
}

impl FileMap {
    /// Returns the way of the next bytes: the faster one, or the turn's during the trial.
    pub(crate) fn way(&self, turn: ReadMethod) -> ReadMethod {
        self.class.way().unwrap_or(turn)
    }

    /// Returns its class during the trial.
    pub(crate) fn on_trial(&self) -> Option<&Arc<Class>> {
        self.class.way().is_none().then_some(&self.class)
    }

    /// Counts bytes that were read.
    pub(crate) fn touch(&self, bytes: usize) {
        self.touched.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the bytes after which pages are given back.
    pub(crate) fn window(&self) -> usize {
        if self.on_trial().is_some() { TRIAL_WINDOW } else { WINDOW }
    }

    /// Gives back pages that were read.
    pub(crate) fn release(&self, range: Range<usize>) {
        let start = Instant::now();
        if let Some(map) = &self.map {
            map.release(range);
        }
        self.unmapped(start);
    }
}

impl FileMap {
    /// Notes that everything read was unmapped, which took the time since `start`.
    fn unmapped(&self, start: Instant) {
        self.class.spend(start);
        let bytes = self.touched.swap(0, Ordering::Relaxed);
        self.class.unmapped.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl Deref for FileMap {
    type Target = Mapped;

    #[allow(clippy::expect_used, reason = "it is taken only by `drop`")]
    fn deref(&self) -> &Mapped {
        self.map.as_ref().expect("it is mapped as long as it lives")
    }
}

impl Drop for FileMap {
    fn drop(&mut self) {
        let start = Instant::now();
        drop(self.map.take());
        self.unmapped(start);
    }
}

/// Returns the time that this thread has spent mapping and unmapping.
pub(crate) fn spent() -> Duration {
    Duration::from_nanos(SPENT.get())
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(copied: u64, mapped: u64) -> Class {
        let class = Class::new(Sharing::Beside, 1, None, MapFiles::Try);
        for turn in 0..ROUNDS {
            assert_eq!(class.way(), None);
            class.note(ReadMethod::Copied, 1 << 20, Duration::from_micros(copied));
            // One disturbed sample decides nothing.
            let disturbed = if turn == 3 { 1000 } else { 1 };
            class.note(ReadMethod::Mapped, 1 << 20, Duration::from_micros(mapped * disturbed));
        }
        class
    }

    #[test]
    fn the_faster_way_is_kept() {
        assert_eq!(tried(200, 150).way(), Some(ReadMethod::Mapped));
        assert_eq!(tried(200, 250).way(), Some(ReadMethod::Copied));
        // Mapping gains no more than unmapping costs.
        assert_eq!(tried(200, 190).way(), Some(ReadMethod::Copied));
        assert_eq!(tried(200, 160).way(), Some(ReadMethod::Mapped));
    }

    #[test]
    fn what_unmapping_took_counts_once() {
        let class = Class::new(Sharing::Alone, 1, None, MapFiles::Try);
        for _ in 0..PHASES {
            class.note(ReadMethod::Copied, 1 << 20, Duration::from_micros(200));
            class.note(ReadMethod::Mapped, 1 << 20, Duration::from_micros(190));
        }
        assert_eq!(class.way(), Some(ReadMethod::Mapped));
    }

    #[test]
    fn a_settled_class_stays_so() {
        let class = tried(200, 100);
        (0..100).for_each(|_| class.note(ReadMethod::Mapped, 1, Duration::from_secs(1)));
        assert_eq!(class.way(), Some(ReadMethod::Mapped));
        assert!(class.stats(class.way()).rates.is_some_and(|(copied, mapped)| copied < mapped));
    }

    #[test]
    fn classes_go_by_size() {
        let mapping = Mapping::new(&Reading::default());
        let from = |size, company| mapping.class(size, company).map(|class| class.from);
        assert_eq!(from(Reader::LEAST_MAPPED - 1, Sharing::Beside), None);
        assert_eq!(from(Reader::LEAST_MAPPED, Sharing::Beside), Some(Reader::LEAST_MAPPED));
        assert_eq!(from(1 << 40, Sharing::Beside), Some(512 << 10));
        assert_eq!(from(1 << 40, Sharing::Alone), Some(Reader::LEAST_MAPPED));
        assert!(mapping.stats().is_empty());
    }

    #[test]
    fn small_files_are_copied_where_large_ones_are() {
        let mapping = Mapping::new(&Reading::default());
        for way in [ReadMethod::Copied, ReadMethod::Mapped] {
            let time = Duration::from_micros(if way == ReadMethod::Copied { 100 } else { 200 });
            (0..ROUNDS).for_each(|_| mapping.beside[1].note(way, 1 << 20, time));
        }
        assert_eq!(mapping.way(&mapping.beside[0]), Some(ReadMethod::Copied));
        assert!(mapping.on_trial(Reader::LEAST_MAPPED).is_none());
        assert_eq!(mapping.way(&mapping.alone[0]), None);
    }
}
