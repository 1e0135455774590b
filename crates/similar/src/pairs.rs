//! Compares many digests: all pairs of one list, or one list searched in another.
//!
//! A [`Set`] holds the digests of one algorithm in the form that is compared fastest, and knows which pairs it can
//! skip. Rows are handed to threads in batches; the pairs come out in order.

use crate::Named;
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Rows that a thread takes at once.
const BATCH: usize = 64;

/// What the numbers of an algorithm mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// 0 (nothing in common) to 100 (the same, as far as can be told).
    Score,
    /// 0 (the same, as far as can be told) and up.
    Distance,
}

impl Measure {
    /// Whether a number is at least as like as a limit.
    pub fn is_like(self, number: i32, limit: i32) -> bool {
        match self {
            Measure::Score => number >= limit,
            Measure::Distance => number <= limit,
        }
    }
}

/// Two digests and how like they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Place of the first in its list.
    pub a: usize,
    /// Place of the second in its list.
    pub b: usize,
    /// The score or distance, as the reference program gives it for `a` before `b`.
    pub score: i32,
}

/// Which pairs of rows and columns are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// Rows and columns are one list: each pair once, no member with itself.
    After,
    /// Rows and columns are two lists.
    All,
}

impl Columns {
    /// The columns wanted for a row.
    pub fn of(self, row: usize, columns: usize) -> Range<usize> {
        match self {
            Columns::After => (row + 1).min(columns)..columns,
            Columns::All => 0..columns,
        }
    }

    /// Whether this pair is wanted.
    pub fn wants(self, row: usize, column: usize) -> bool {
        self == Columns::All || column > row
    }
}

/// A digest of another algorithm, which the set can't hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign {
    /// Its place in the list.
    pub at: usize,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "digest {} of the list is of another algorithm", self.at + 1)
    }
}

impl std::error::Error for Foreign {}

/// Digests of one algorithm, ready to be compared.
pub trait Set: Sync + Sized {
    /// What its scores mean.
    const MEASURE: Measure;

    /// Makes a set of a list.
    ///
    /// # Errors
    /// [`Foreign`] for a digest of another algorithm.
    fn gather(members: &[Named]) -> Result<Self, Foreign>;

    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The wanted pairs of these rows of this set with members of the other that are like enough: a score
    /// of at least, or a distance of at most, the limit. In order, and exactly those that
    /// [`Set::scan_all`] gives.
    fn scan(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair>;

    /// The score or distance of a member of this set and one of the other.
    fn score(&self, a: usize, others: &Self, b: usize) -> i32;

    /// What [`Set::scan`] gives, by comparing every pair.
    fn scan_all(&self, rows: Range<usize>, others: &Self, columns: Columns, limit: i32) -> Vec<Pair> {
        let pair = |a, b| Pair { a, b, score: self.score(a, others, b) };
        let pairs = rows.flat_map(|a| columns.of(a, others.len()).map(move |b| pair(a, b)));
        pairs.filter(|pair| Self::MEASURE.is_like(pair.score, limit)).collect()
    }
}

/// How pairs are looked for.
#[derive(Debug, Clone)]
pub struct Search {
    /// The lowest score or greatest distance of interest.
    pub limit: i32,
    /// Threads that compare; 0 counts as 1.
    pub threads: usize,
    /// Ends the search soon after it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Search {
    /// Gives every pair of the set that is like enough, in order, each once, until the sink has enough.
    pub fn pairs<S: Set>(&self, set: &S, sink: impl FnMut(Pair) -> ControlFlow<()>) {
        self.run(set, set, Columns::After, sink);
    }

    /// Gives, for every member of `set` in order, the members of `others` that are like enough, in order.
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
                        // A closed channel means that nobody listens any more.
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
                // No thread can be started: this one does it all.
                let found = |batch| (batch, set.scan(rows(batch), others, columns, self.limit));
                let _ = in_order((0..batches).take_while(|_| !self.is_stopped()).map(found), sink);
                return;
            }
            // If the sink has enough, the channel closes, and that ends the threads.
            let _ = in_order(receive.into_iter(), sink);
        });
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Gives the batches' pairs in the order of the batches.
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
