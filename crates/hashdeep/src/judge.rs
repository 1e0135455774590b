//! Compares a hashed file with the known files, and counts the results of an audit.

use crate::algorithm::{Algorithm, AlgorithmSet};
use crate::hashed::Hashed;
use crate::known::{Index, Known, KnownFile};

/// The result of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All that is known of a file fits, its name too.
    Match,
    /// All but the name.
    Renamed,
    /// The digests fit, but the size does not.
    OtherSize,
    /// One digest fits, and another does not.
    Partial,
    /// Nothing fits.
    Unknown,
}

/// Whether the case of names counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// It does.
    Matters,
    /// It does not, for the letters of ASCII.
    Ignored,
}

/// Looks a file up by one algorithm after the other. The known file that is found counts as matched.
pub fn judge(
    known: &mut Known,
    algorithms: AlgorithmSet,
    file: &Hashed<'_>,
    case: Case,
) -> (Verdict, Option<Index>) {
    for algorithm in algorithms.iter() {
        let Some(digest) = file.digests.get(algorithm) else { continue };
        if let Some(found) = known.find_and_mark(algorithm, digest.as_bytes(), file.name) {
            return (compare(known.get(found), algorithms, file, (algorithm, case)), Some(found));
        }
    }
    (Verdict::Unknown, None)
}

fn compare(
    known: &KnownFile,
    algorithms: AlgorithmSet,
    file: &Hashed<'_>,
    (found_by, case): (Algorithm, Case),
) -> Verdict {
    let contradicts = |algorithm: Algorithm| {
        let digest = file.digests.get(algorithm);
        algorithm != found_by && digest.is_some_and(|digest| known.contradicts(algorithm, digest.as_bytes()))
    };
    let same_name = match case {
        Case::Matters => known.name() == file.name,
        Case::Ignored => known.name().eq_ignore_ascii_case(file.name),
    };
    if algorithms.iter().any(contradicts) {
        Verdict::Partial
    } else if known.size != file.total {
        Verdict::OtherSize
    } else if !same_name {
        Verdict::Renamed
    } else {
        Verdict::Match
    }
}

/// How many files of each kind an audit found.
#[derive(Debug, Default)]
pub struct Tally {
    /// The same in all.
    pub matched: u64,
    /// Of the same digest by one algorithm, but not by all, or of another size.
    pub partial: u64,
    /// Under another name.
    pub moved: u64,
    /// Not known.
    pub new: u64,
}

impl Tally {
    /// Counts a file.
    pub fn count(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Match => &mut self.matched,
            Verdict::Renamed => &mut self.moved,
            Verdict::OtherSize | Verdict::Partial => &mut self.partial,
            Verdict::Unknown => &mut self.new,
        } += 1;
    }

    /// Whether all files are what they should be.
    pub fn is_clean(&self) -> bool {
        self.partial == 0 && self.moved == 0 && self.new == 0
    }

    /// The lines of `-v`; `-vv` has two more. hashdeep never counts what those two promise, and shows
    /// zeros.
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
