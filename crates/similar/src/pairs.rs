//! Compares many digests: all pairs of one list, or each pair of two lists.
//!
//! A [`Set`] holds the digests of one algorithm in the fastest form for comparison, and knows which pairs it can skip.
//! Threads take rows in batches; the pairs are returned in order.

use crate::Named;
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The number of rows that a thread takes at once.
const BATCH: usize = 64;

/// The meaning of an algorithm's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// 0 (nothing in common) to 100 (indistinguishable).
    Score,
    /// 0 (indistinguishable) and up.
    Distance,
}

impl Measure {
    /// Returns whether a number reaches a limit.
    pub fn is_like(self, number: i32, limit: i32) -> bool {
        match self {
            Measure::Score => number >= limit,
            Measure::Distance => number <= limit,
        }
    }
}

/// Two digests and their score or distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The index of the first digest in its list.
    pub a: usize,
    /// The index of the second digest in its list.
    pub b: usize,
    /// The score or distance that the reference program returns for `a` before `b`.
    pub score: i32,
}

/// The pairs of rows and columns to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// Rows and columns are the same list: each pair once, no member with itself.
    After,
    /// Rows and columns are two lists.
    All,
}

impl Columns {
    /// Returns the columns to compare with a row.
    pub fn range(self, row: usize, columns: usize) -> Range<usize> {
        match self {
            Columns::After => (row + 1).min(columns)..columns,
            Columns::All => 0..columns,
        }
    }

    /// Returns whether to compare this pair.
    pub fn wants(self, row: usize, column: usize) -> bool {
        self == Columns::All || column > row
    }
}

/// The error for a digest of another algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign {
    /// Its index in the list.
    pub at: usize,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "digest {} of the list is of another algorithm", self.at + 1)
    }
}

impl std::error::Error for Foreign {}

/// Digests of one algorithm, prepared for comparison.
pub trait Set: Sync + Sized {
    /// The meaning of its scores.
    const MEASURE: Measure;

    /// Creates a set from a list.
    ///
    /// # Errors
    /// Returns [`Foreign`] for a digest of another algorithm.
    fn gather(members: &[Named]) -> Result<Self, Foreign>;

    /// Returns the number of digests.
    fn len(&self) -> usize;

    /// Returns whether the set is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the pairs of these rows with members of the other set that reach the limit (a minimum score, or a
    /// maximum distance). They are sorted, and exactly those of [`Set::scan_all`].
    fn scan(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair>;

    /// Returns the score or distance of a member of this set and one of the other.
    fn score(&self, a: usize, others: &Self, b: usize) -> i32;

    /// Returns the same as [`Set::scan`] by comparing every pair.
    fn scan_all(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair> {
        let pair = |a, b| Pair { a, b, score: self.score(a, others, b) };
        let pairs = rows.flat_map(|a| columns.range(a, others.len()).map(move |b| pair(a, b)));
        pairs.filter(|pair| Self::MEASURE.is_like(pair.score, limit)).collect()
    }
}

/// The parameters of a search.
#[derive(Debug, Clone)]
pub struct Search {
    /// The minimum score or maximum distance of interest.
    pub limit: i32,
    /// The number of threads; 0 counts as 1.
    pub threads: usize,
    /// Stops the search soon after it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Search {
    /// Passes every similar pair of the set to the sink once, in order, until the sink breaks.
    pub fn pairs<S: Set>(&self, set: &S, sink: impl FnMut(Pair) -> ControlFlow<()>) {
        self.run(set, set, Columns::After, sink);
    }

    /// Passes, for every member of `set` in order, the similar members of `others` to the sink, in order.
    pub fn against<S: Set>(&self, set: &S, others: &S, sink: impl FnMut(Pair) -> ControlFlow<()>) {
        self.run(set, others, Columns::All, sink);
    }

    fn run<S: Set>(&self, set: &S, others: &S, columns: Columns, sink: impl FnMut(Pair) -> ControlFlow<()>) {
        let (next, batches) = (AtomicUsize::new(0), set.len().div_ceil(BATCH));
        let rows = |batch: usize| batch * BATCH..set.len().min((batch + 1) * BATCH);
        let (send, receive) = mpsc::sync_channel(4 * self.threads.max(1));
        thread::scope(|scope| {
            let start = |_: &usize| {
                let (send, next) = (send.clone(), &next);
                let body = move || {
                    loop {
                        let batch = next.fetch_add(1, Ordering::Relaxed);
                        let found = || set.scan(rows(batch), others, columns, self.limit);
                        // A closed channel means that the receiver is gone.
                        if batch >= batches || self.is_stopped() || send.send((batch, found())).is_err() {
                            return;
                        }
                    }
                };
                thread::Builder::new().spawn_scoped(scope, body).is_ok()
            };
            let started = (0..self.threads.clamp(1, batches.max(1))).take_while(start).count();
            drop(send);
            if started == 0 {
                // No thread can be started, so this one does all the work.
                let found = |batch| (batch, set.scan(rows(batch), others, columns, self.limit));
                let _ = in_order((0..batches).take_while(|_| !self.is_stopped()).map(found), sink);
                return;
            }
            // If the sink breaks, the channel closes, which ends the threads.
            let _ = in_order(receive.into_iter(), sink);
        });
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Passes on the batches' pairs in the order of the batches.
fn in_order(
    batches: impl Iterator<Item = (usize, Vec<Pair>)>,
    mut sink: impl FnMut(Pair) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (mut next, mut early) = (0, std::collections::BTreeMap::new());
    for (batch, found) in batches {
        early.insert(batch, found);
        while let Some(found) = early.remove(&next) {
            found.into_iter().try_for_each(&mut sink)?;
            next += 1;
        }
    }
    ControlFlow::Continue(())
}
