//! Files that a store has too little evidence of, together: why, and what would help.

use hashmill_manifest::audit::{Content, Incomparable, Unjudged};
use hashmill_manifest::stored::Strength;
use std::collections::BTreeSet;
use std::fmt;

/// The number of such files, and the digests of both sides.
#[derive(Debug, Default)]
pub struct Unproven {
    files: u64,
    strengths: BTreeSet<Strength>,
    /// The algorithms of the digests that are expected, and those that the store has.
    expected: BTreeSet<&'static str>,
    actual: BTreeSet<&'static str>,
}

impl Unproven {
    /// Takes a file, whose sides are needed to tell what would help, and returns whether it is unlike those before: the first
    /// one with evidence of this strength, or one that can't be compared for another reason.
    pub fn take(&mut self, file: &Unjudged) -> bool {
        let Incomparable::Unproven(strength) = file.why else { return true };
        self.files += 1;
        let sides = file.sides.as_deref();
        self.expected.extend(names(sides.and_then(|sides| sides.expected.as_ref())));
        self.actual.extend(names(sides.and_then(|sides| sides.actual.as_ref())));
        self.strengths.insert(strength)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files == 0
    }
}

fn names(content: Option<&Content>) -> impl Iterator<Item = &'static str> {
    content.into_iter().flat_map(|content| &content.digests).map(|named| named.algorithm.name)
}

impl fmt::Display for Unproven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |words: &BTreeSet<&'static str>| words.iter().copied().collect::<Vec<_>>().join(",");
        let Unproven { files, strengths, expected, actual } = self;
        let strengths: Vec<_> = strengths.iter().map(|strength| strength.word()).collect();
        write!(f, "unproven: {files}, as the store's evidence is too weak ({})", strengths.join(", "))?;
        let is_apart = expected.is_disjoint(actual) && !expected.is_empty() && !actual.is_empty();
        match is_apart {
            true => write!(
                f,
                ": the store has {1}, the other side {0} (--download reads these objects; a list made with -c {1} needs no reading)",
                list(expected),
                list(actual)
            ),
            false => f.write_str(" (--download reads these objects; --min-strength says what is accepted)"),
        }
    }
}
