//! What a page says about one file.

use hashloom_report::{Section, Verdict};

/// What one file says.
pub struct Told {
    /// In a sentence.
    pub verdict: Verdict,
    /// In full.
    pub sections: Vec<Section>,
    /// Parts of the file that were not understood.
    pub malformed: u64,
}
