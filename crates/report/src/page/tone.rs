//! Good or bad.

/// The meaning of something to the reader. Words always say it, too; colour only helps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// Neither good nor bad.
    #[default]
    Plain,
    /// As it should be.
    Good,
    /// To be looked at.
    Doubtful,
    /// Not as it should be.
    Bad,
}

impl Tone {
    /// The word that marks a verdict of this tone; empty where it is neither good nor bad.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Good => "passed",
            Tone::Doubtful => "review",
            Tone::Bad => "failed",
        }
    }

    /// The word in the page's style.
    pub(super) fn word(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Good => "good",
            Tone::Doubtful => "doubtful",
            Tone::Bad => "bad",
        }
    }
}
