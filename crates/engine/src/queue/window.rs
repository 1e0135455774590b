//! The entries between the oldest one that the sink has not had and the newest one that the walk met.

/// The most entries in the window. An entry that waits takes about 400 bytes, so a full window takes some 25 MiB.
const MOST: u64 = 1 << 16;

/// Counts entries.
#[derive(Debug, Default)]
pub(super) struct Window {
    met: u64,
    emitted: u64,
}

impl Window {
    pub(super) fn is_full(&self) -> bool {
        self.met - self.emitted >= MOST
    }

    /// Entries that the walk met so far.
    pub(super) fn met(&self) -> u64 {
        self.met
    }

    /// The number of the entry whose turn it is.
    pub(super) fn turn(&self) -> u64 {
        self.emitted
    }

    /// Takes in so many entries: the number of the first.
    pub(super) fn enter(&mut self, entries: usize) -> u64 {
        let first = self.met;
        self.met += entries as u64;
        first
    }

    /// The sink has had this many entries in all.
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
        assert_eq!((window.enter(10), window.enter(MOST as usize - 11)), (0, 10));
        assert!(!window.is_full());
        window.enter(1);
        assert!(window.is_full());
        window.emitted(1);
        assert!(!window.is_full());
        assert_eq!((window.turn(), window.met()), (1, MOST));
    }
}
