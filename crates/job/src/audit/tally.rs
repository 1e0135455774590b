//! Verdicts, counted; and what the end says of paths that no verdict was for.

use crate::history::Ignored;
use crate::location::is_location;
use crate::selection::Bytes;
use hashloom_manifest::audit::{Category, Counts, Incomparable, Unjudged, Verdict};
use hashloom_manifest::stored::Strength;
use hashloom_source::{Error, Problem};
use std::collections::{BTreeSet, HashMap};

/// Verdicts, counted.
#[derive(Debug, Default)]
pub struct Tally {
    counted: Counted,
    /// Entries that could not be read.
    failed: u64,
    /// Paths below which nothing can be judged: directories that could not be listed or were left out.
    apart: HashMap<Bytes, Apart>,
    /// Operands that are not there, until a missing file shows that the manifests know them.
    vanished: BTreeSet<Bytes>,
    /// Files that no manifest lists, and that patterns in manifests leave out.
    ignored: Ignored,
}

/// How many files of each category there were, and how many of none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// By category.
    pub counts: Counts,
    /// Files whose digests can't be computed here.
    pub unsupported: u64,
    /// All files that could not be compared.
    pub unjudged: u64,
    /// Files that are equal as far as could be compared: some digest is of an unknown algorithm.
    pub partly: u64,
    /// Files whose digests are of algorithms that nothing names and that are not guessed.
    pub unnamed: u64,
    /// Files of which a store says too little to be a proof.
    pub unproven: u64,
    /// Files of manifests that were left out of the comparison.
    pub left_out: LeftOut,
    /// Files that belong to the manifests, such as their signatures: they are no part of what is compared.
    pub own: u64,
    /// Files that no manifest lists, and that patterns in manifests leave out.
    pub ignored: u64,
    /// Only files of manifests were looked at: nothing can be new, moved or copied.
    pub is_of_listed: bool,
    /// There was nothing to compare.
    pub is_idle: bool,
    /// What is matched by what a store says, by the strength of the proof.
    pub strengths: [u64; Strength::ALL.len()],
}

/// Files of manifests that were left out of a comparison, by what was asked for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// By filters, files of rules, or because they lie on another file system.
    pub filtered: u64,
    /// As they don't lie below the operands.
    pub outside: u64,
    /// As they belong to the manifests themselves.
    pub own: u64,
}

impl LeftOut {
    /// Returns how many there are.
    pub fn all(self) -> u64 {
        self.filtered + self.outside + self.own
    }
}

/// Why nothing below a path can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Apart {
    Failed,
    LeftOut,
}

impl Counted {
    /// Whether all was compared, and nothing differs.
    pub fn passed(&self) -> bool {
        self.counts.passed() && self.unjudged == 0 && !self.is_idle
    }

    /// Whether something is not as the manifests say.
    pub fn differs(&self) -> bool {
        let same = |category| matches!(category, Category::Matched | Category::Unreadable);
        Category::ALL.into_iter().any(|category| !same(category) && self.counts.of(category) > 0)
    }

    /// Whether something could not be read or compared.
    pub fn lacks(&self) -> bool {
        self.unjudged > 0 || self.is_idle || self.counts.of(Category::Unreadable) > 0
    }

    /// Returns the categories that could not be met, as nobody looked for them.
    pub fn not_looked_for(&self) -> &'static [&'static str] {
        if self.is_of_listed { &["moved", "copied", "new"] } else { &[] }
    }

    /// Each number with its word, in the order of reports.
    pub fn words(&self) -> Vec<(&'static str, u64)> {
        let categories = Category::ALL.map(|category| (category.word(), self.counts.of(category)));
        let others = [
            ("partly-verified", self.partly),
            ("unnamed", self.unnamed),
            ("unsupported", self.unsupported),
            ("unproven", self.unproven),
        ];
        categories.into_iter().chain(others.into_iter().filter(|(_, number)| *number > 0)).collect()
    }

    /// How many files are matched by each strength of proof, strongest first; nothing where no store was asked.
    pub fn strengths(&self) -> Vec<(&'static str, u64)> {
        let all =
            Strength::ALL.into_iter().map(|strength| (strength.word(), self.strengths[strength as usize]));
        all.rev().filter(|(_, number)| *number > 0).collect()
    }
}

impl Tally {
    /// Notes what could not be read; `place` is what it is called in verdicts.
    pub fn failed(&mut self, error: &Error, place: &[u8]) {
        self.failed += 1;
        if matches!(error.problem, Problem::List(_)) {
            // What lies in a store has its path from there.
            let place = if is_location(place) { Bytes::default() } else { place.into() };
            self.apart.insert(place, Apart::Failed);
        }
    }

    /// Notes what can't be compared.
    pub fn unjudged(&mut self, unjudged: &Unjudged) {
        self.counted.unjudged += 1;
        *match unjudged.why {
            Incomparable::Unsupported => &mut self.counted.unsupported,
            Incomparable::Unproven(_) => &mut self.counted.unproven,
            Incomparable::Partly => &mut self.counted.partly,
            Incomparable::Unnamed => &mut self.counted.unnamed,
            Incomparable::Apart => return,
        } += 1;
    }

    /// Of the files that manifests name, those that can't be opened are known; only operands are looked up.
    pub fn vanished(&mut self, error: &Error) {
        if matches!(error.problem, Problem::Stat(_)) {
            self.vanished.insert(error.path.clone());
        }
    }

    /// Notes what was left out, and all below it. `is_known` is whether manifests have a file of this path.
    pub fn left_out(&mut self, path: &[u8], is_known: bool) {
        self.counted.left_out.filtered += u64::from(is_known);
        self.apart.insert(path.into(), Apart::LeftOut);
    }

    /// Notes a file that belongs to the manifests. `is_known` is whether one of them lists it.
    pub fn own(&mut self, is_known: bool) {
        self.counted.own += 1;
        self.counted.left_out.own += u64::from(is_known);
    }

    /// Notes a file that no manifest lists, and that this pattern in one leaves out.
    pub fn ignored(&mut self, pattern: &[u8]) {
        self.counted.ignored += 1;
        self.ignored.add(pattern);
    }

    /// Returns the files that patterns in manifests leave out.
    pub fn all_ignored(&self) -> &Ignored {
        &self.ignored
    }

    /// Notes how many files of manifests don't lie below the operands.
    pub fn outside(&mut self, files: u64) {
        self.counted.left_out.outside = files;
    }

    /// Notes that only files of manifests are looked at.
    pub fn of_listed(&mut self) {
        self.counted.is_of_listed = true;
    }

    /// Notes whether anything was compared at all.
    pub fn end(&mut self) {
        let counted = &mut self.counted;
        let judged = Category::ALL.into_iter().map(|category| counted.counts.of(category)).sum::<u64>();
        counted.is_idle = judged + counted.unjudged == 0;
    }

    /// Counts a verdict.
    pub fn count(&mut self, verdict: &Verdict) {
        self.counted.counts.add(verdict.category);
        if let Some(strength) = verdict.strength {
            self.counted.strengths[strength as usize] += 1;
        }
    }

    /// Counts a verdict of the end, and gives it as it counts. What is missing below a directory that could not be
    /// listed may be there.
    pub fn last(&mut self, mut verdict: Verdict) -> Option<Verdict> {
        if verdict.category == Category::Missing {
            self.explain(&verdict.path);
            match self.apart(&verdict.path) {
                Some(Apart::LeftOut) => {
                    self.counted.left_out.filtered += 1;
                    return None;
                }
                Some(Apart::Failed) => verdict.category = Category::Unreadable,
                None => {}
            }
        }
        self.count(&verdict);
        Some(verdict)
    }

    /// A missing file explains an operand that is not there: itself, or a directory above it.
    fn explain(&mut self, path: &[u8]) {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        for end in ends.chain([path.len()]).collect::<Vec<_>>() {
            self.vanished.remove(&path[..end]);
        }
    }

    fn apart(&self, path: &[u8]) -> Option<Apart> {
        // A directory above it, with a slash at its end or without; nothing stands for all there is.
        let slashes = memchr::memchr_iter(b'/', path);
        let above = slashes.flat_map(|slash| [&path[..slash], &path[..=slash]]);
        [&path[..0]].into_iter().chain(above).find_map(|root| self.apart.get(root).copied())
    }

    /// The numbers so far.
    pub fn counted(&self) -> Counted {
        self.counted
    }

    /// Entries that could not be read.
    pub fn failures(&self) -> u64 {
        self.failed
    }

    /// Operands that are not there, and that no manifest names.
    pub fn strangers(&self) -> impl Iterator<Item = &[u8]> {
        self.vanished.iter().map(|path| &**path)
    }
}
