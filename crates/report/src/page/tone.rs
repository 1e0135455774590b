//! The meaning of results: good or bad.

/// The meaning of something to the reader. Words always express it, too; colour is an addition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// Neither good nor bad.
    #[default]
    Plain,
    /// As expected.
    Good,
    /// Needs attention.
    Doubtful,
    /// Not as expected.
    Bad,
}

impl Tone {
    /// Returns the word that marks a verdict of this tone; empty for [`Tone::Plain`].
    pub(super) fn mark(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Good => "passed",
            Tone::Doubtful => "review",
            Tone::Bad => "failed",
        }
    }

    /// Returns the word in the page's style.
    pub(super) fn word(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Good => "good",
            Tone::Doubtful => "doubtful",
            Tone::Bad => "bad",
        }
    }
}
