//! The scan of contents by rules, beside their digests.

use crate::misfit::Misfit;
use hashmill_engine::Scanning;
use hashmill_facts::{ContentScanner, Fact, FactSet, RuleFacts, ScanStatus};
use hashmill_manifest::Record;
use std::sync::Arc;

/// A scanner, and the longest content that it is given.
#[derive(Debug, Clone)]
pub struct Scan {
    /// The scanner.
    pub scanner: Arc<dyn ContentScanner>,
    /// The longest content that is scanned, in bytes: at most half of the memory; by default 64 MiB within that.
    pub longest: Option<usize>,
}

/// The longest content that is scanned by default, in bytes, where the memory allows it.
const DEFAULT_LONGEST: usize = 64 << 20;

impl Scan {
    /// Returns what a plan needs for the scan, and the bytes that this takes of its memory.
    pub(super) fn plan(&self, memory: usize, threads: usize) -> Result<(Arc<Scanning>, usize), Misfit> {
        let most = memory / 2;
        let longest = self.longest.unwrap_or(DEFAULT_LONGEST.min(most));
        if longest > most {
            return Err(Misfit::ScanMemory { longest, most });
        }
        let share = longest.saturating_mul(threads + 1).min(most);
        Ok((Arc::new(Scanning::new(Arc::clone(&self.scanner), longest, share)), share))
    }

    /// Returns these facts, and those of a scan if there is one.
    pub(super) fn beside(scan: Option<&Scan>, facts: FactSet) -> FactSet {
        scan.map_or(facts, |_| facts.with(FactSet::one(Fact::Yara)))
    }
}

/// The numbers of files whose scan found something, or was none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ScanCounts {
    /// Files that a rule matches, and all of whose content was judged.
    pub matching: u64,
    /// Files not all of whose content was judged.
    pub unscanned: u64,
}

impl ScanCounts {
    /// Adds other numbers.
    pub(super) fn add(&mut self, other: ScanCounts) {
        self.matching += other.matching;
        self.unscanned += other.unscanned;
    }

    /// Counts a record if not all of its content was judged, or if a rule matches, unless it is among those that count as
    /// bad already.
    pub(super) fn count(&mut self, record: &Record, is_bad: bool) {
        let Some(rules) = rules(record) else { return };
        let is_scanned = rules.status == ScanStatus::Scanned;
        self.unscanned += u64::from(!is_scanned);
        self.matching += u64::from(is_scanned && !rules.matches.is_empty() && !is_bad);
    }
}

fn rules(record: &Record) -> Option<&RuleFacts> {
    record.facts.as_ref()?.rules.as_deref()
}

/// Describes why not all of a record's content was judged by rules; `None` if it was, or no rule was looked for.
pub fn unscanned(record: &Record) -> Option<&'static str> {
    match rules(record)?.status {
        ScanStatus::Scanned => None,
        ScanStatus::TooLong => Some("not looked at by rules: it is longer than --yara-max"),
        ScanStatus::TimedOut => Some("not wholly looked at by rules: the time of --yara-timeout was over"),
        ScanStatus::TooManyMatches => {
            Some("rules may be judged wrongly: a string occurs more often than is counted")
        }
        ScanStatus::Broken => Some("not looked at by rules: the scan failed"),
    }
}
