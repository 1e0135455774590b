//! The answers of destinations.

/// The result of an entry at a destination.
#[derive(Debug)]
pub enum Answer {
    /// It was copied, and this proves the copy.
    Copied(Proof),
    /// A link was made: a symbolic one, or a second name of a file that was copied before.
    Linked,
    /// The same was there already.
    Same,
    /// Something else is there, and was kept.
    Kept(String),
    /// The copy that was read back is not what was read from the source.
    Differs,
    /// It could not be written, or read back.
    Failed(String),
    /// The destination can't hold entries of this kind.
    Omitted(&'static str),
    /// It could not be written, for the reason that an earlier answer of the same destination gives.
    FailedLikewise,
    /// There is nothing to copy.
    Nothing,
}

/// The proof that a copy is what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// None so far: it was not read back.
    None,
    /// It was read back from the medium.
    Medium,
    /// It was read back, but only from the page cache.
    Cache,
    /// A store has computed a digest of it.
    Evidence,
}

impl Answer {
    /// Returns what is wrong with a copy, if anything is.
    pub fn problem(&self) -> Option<String> {
        Some(match self {
            Answer::Copied(_)
            | Answer::Linked
            | Answer::Same
            | Answer::Omitted(_)
            | Answer::FailedLikewise
            | Answer::Nothing => return None,
            Answer::Kept(why) | Answer::Failed(why) => format!("not copied: {why}"),
            Answer::Differs => {
                "not copied: what was read back from the medium is not what was read from the source".into()
            }
        })
    }
}
