//! Advice to the system.

/// The way in which a map will be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// Here and there: nothing is read ahead.
    Random,
    /// As a whole, soon.
    WillNeed,
    /// By many look-ups: large pages spare misses of the page table's cache.
    HugePage,
}
