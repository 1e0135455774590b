//! The answers of destinations.

/// The result of an entry at a destination.
#[derive(Debug)]
pub enum Answer {
    /// It was copied. The field says whether the copy was read back from the medium; `None` if it was not read back.
    Copied(Option<bool>),
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
    /// There is nothing to copy.
    Nothing,
}

impl Answer {
    /// Returns what is wrong with a copy, if anything is.
    pub fn problem(&self) -> Option<String> {
        Some(match self {
            Answer::Copied(_) | Answer::Linked | Answer::Same | Answer::Nothing => return None,
            Answer::Kept(why) | Answer::Failed(why) => format!("not copied: {why}"),
            Answer::Differs => {
                "not copied: what was read back from the medium is not what was read from the source".into()
            }
        })
    }
}
