//! Maps of Linux.

mod unix;

pub(crate) use unix::{Map, install};

use crate::advice::Advice;
use memmap2::UncheckedAdvice;
use std::ops::Range;

impl Map {
    pub(crate) fn advise(&self, advice: Advice) {
        let _ = self.0.advise(match advice {
            Advice::Random => memmap2::Advice::Random,
            Advice::WillNeed => memmap2::Advice::WillNeed,
            Advice::HugePage => memmap2::Advice::HugePage,
        });
    }

    /// Adds the pages of a range inside the map to the page table.
    pub(crate) fn populate(&self, range: Range<usize>) {
        let _ = self.0.advise_range(memmap2::Advice::PopulateRead, range.start, range.len());
    }

    /// Removes the pages of a range inside the map from the page table.
    pub(crate) fn release(&self, range: Range<usize>) {
        // SAFETY: the range lies within the map. No content of a shared map of a file is lost: its bytes come from the
        // page cache again. Zeros that the guard has mapped stay zeros.
        let _ = unsafe { self.0.unchecked_advise_range(UncheckedAdvice::DontNeed, range.start, range.len()) };
    }
}
