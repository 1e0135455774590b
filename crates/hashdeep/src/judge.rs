//! What a hashed file is to hashdeep in the light of the known ones, and the tally of an audit.

use crate::hashed::Hashed;
use crate::kinds::{Kind, Kinds};
use crate::known::{Index, Known, KnownFile};

/// What a file is.
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

/// Looks a file up by one algorithm after the other. The known file that is found counts as met.
pub fn judge(known: &mut Known, kinds: Kinds, file: &Hashed<'_>, case: Case) -> (Verdict, Option<Index>) {
    for kind in kinds.iter() {
        let Some(digest) = file.digests.get(kind) else { continue };
        if let Some(found) = known.meet(kind, digest.as_bytes(), file.name) {
            return (compare(known.get(found), kinds, file, (kind, case)), Some(found));
        }
    }
    (Verdict::Unknown, None)
}

fn compare(known: &KnownFile, kinds: Kinds, file: &Hashed<'_>, (found_by, case): (Kind, Case)) -> Verdict {
    let contradicts = |kind: Kind| {
        let digest = file.digests.get(kind);
        kind != found_by && digest.is_some_and(|digest| known.contradicts(kind, digest.as_bytes()))
    };
    let same_name = match case {
        Case::Matters => known.name() == file.name,
        Case::Ignored => known.name().eq_ignore_ascii_case(file.name),
    };
    if kinds.iter().any(contradicts) {
        Verdict::Partial
    } else if known.size != file.total {
        Verdict::OtherSize
    } else if !same_name {
        Verdict::Renamed
    } else {
        Verdict::Match
    }
}

/// How many files an audit found to be what.
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
