//! Maps of macOS.

mod unix;

pub(crate) use unix::{Map, install};

use crate::advice::Advice;
use std::ops::Range;

impl Map {
    pub(crate) fn advise(&self, advice: Advice) {
        let _ = match advice {
            Advice::Random => self.0.advise(memmap2::Advice::Random),
            Advice::WillNeed => self.0.advise(memmap2::Advice::WillNeed),
            // Files are not mapped in large pages.
            Advice::HugePage => Ok(()),
        };
    }

    /// Has the pages of a range inside the map read ahead.
    pub(crate) fn populate(&self, range: Range<usize>) {
        let _ = self.0.advise_range(memmap2::Advice::WillNeed, range.start, range.len());
    }

    /// Does nothing: the system takes pages of files back itself when memory is short.
    pub(crate) fn release(&self, _: Range<usize>) {}
}
