//! The entries between the oldest one that the sink has not received and the newest one that the walk has found.

/// The maximum number of entries in the window. An entry that waits takes about 400 bytes, so a full window takes about
/// 25 MiB.
const MAX_ENTRIES: u64 = 1 << 16;

/// Counts the entries in the window.
#[derive(Debug, Default)]
pub(super) struct Window {
    met: u64,
    emitted: u64,
}

impl Window {
    pub(super) fn is_full(&self) -> bool {
        self.met - self.emitted >= MAX_ENTRIES
    }

    /// Returns how many entries the walk has found.
    pub(super) fn met(&self) -> u64 {
        self.met
    }

    /// Returns the number of the entry that the sink receives next.
    pub(super) fn turn(&self) -> u64 {
        self.emitted
    }

    /// Adds entries and returns the number of the first.
    pub(super) fn enter(&mut self, entries: usize) -> u64 {
        let first = self.met;
        self.met += entries as u64;
        first
    }

    /// Notes that the sink has received this many entries in total.
    pub(super) fn emitted(&mut self, entries: u64) {
        self.emitted = entries;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_full_until_the_oldest_entries_leave() {
        let mut window = Window::default();
        assert_eq!((window.enter(10), window.enter(MAX_ENTRIES as usize - 11)), (0, 10));
        assert!(!window.is_full());
        window.enter(1);
        assert!(window.is_full());
        window.emitted(1);
        assert!(!window.is_full());
        assert_eq!((window.turn(), window.met()), (1, MAX_ENTRIES));
    }
}
