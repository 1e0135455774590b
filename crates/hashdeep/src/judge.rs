//! Compares hashed files with known files, and counts the results of an audit.

use crate::algorithm::{Algorithm, AlgorithmSet};
use crate::hashed::Hashed;
use crate::known::{Index, Known, KnownFile};

/// The result of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchResult {
    /// Everything is equal, including the name.
    Match,
    /// Everything but the name is equal.
    Renamed,
    /// The digests are equal, but not the sizes.
    OtherSize,
    /// One digest is equal, another is not.
    Partial,
    /// Nothing is equal.
    Unknown,
}

/// Whether names are case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Matters,
    /// They are not, for ASCII letters.
    Ignored,
}

/// Looks up a file by one algorithm after the other, and marks the known file that is found as matched.
pub fn judge(
    known: &mut Known,
    algorithms: AlgorithmSet,
    file: &Hashed<'_>,
    case: Case,
) -> (MatchResult, Option<Index>) {
    for algorithm in algorithms.iter() {
        let Some(digest) = file.digests.get(algorithm) else { continue };
        if let Some(found) = known.find_and_mark(algorithm, digest.as_bytes(), file.name) {
            return (compare(known.get(found), algorithms, file, algorithm, case), Some(found));
        }
    }
    (MatchResult::Unknown, None)
}

fn compare(
    known: &KnownFile,
    algorithms: AlgorithmSet,
    file: &Hashed<'_>,
    found_by: Algorithm,
    case: Case,
) -> MatchResult {
    let contradicts = |algorithm: Algorithm| {
        let digest = file.digests.get(algorithm);
        algorithm != found_by && digest.is_some_and(|digest| known.contradicts(algorithm, digest.as_bytes()))
    };
    let same_name = match case {
        Case::Matters => known.name() == file.name,
        Case::Ignored => known.name().eq_ignore_ascii_case(file.name),
    };
    if algorithms.iter().any(contradicts) {
        MatchResult::Partial
    } else if known.size != file.total {
        MatchResult::OtherSize
    } else if !same_name {
        MatchResult::Renamed
    } else {
        MatchResult::Match
    }
}

/// The number of files of each kind in an audit.
#[derive(Debug, Default)]
pub struct Tally {
    /// Files that are equal in everything.
    pub matched: u64,
    /// Files with one equal digest, but another digest or size that differs.
    pub partial: u64,
    /// Files with another name.
    pub moved: u64,
    /// Unknown files.
    pub new: u64,
}

impl Tally {
    pub fn count(&mut self, verdict: MatchResult) {
        *match verdict {
            MatchResult::Match => &mut self.matched,
            MatchResult::Renamed => &mut self.moved,
            MatchResult::OtherSize | MatchResult::Partial => &mut self.partial,
            MatchResult::Unknown => &mut self.new,
        } += 1;
    }

    /// Returns whether all files matched completely.
    pub fn is_clean(&self) -> bool {
        self.partial == 0 && self.moved == 0 && self.new == 0
    }

    /// Returns the lines of `-v`; `-vv` has two more. hashdeep never counts these two, and shows zeros.
    pub fn lines(&self, verbose: u32, unused: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if verbose >= 2 {
            lines.push("   Input files examined: 0".to_string());
            lines.push("  Known files expecting: 0".to_string());
        }
        if verbose >= 1 {
            lines.push(format!("          Files matched: {}", self.matched));
            lines.push(format!("Files partially matched: {}", self.partial));
            lines.push(format!("            Files moved: {}", self.moved));
            lines.push(format!("        New files found: {}", self.new));
            lines.push(format!("  Known files not found: {unused}"));
        }
        lines
    }
}
