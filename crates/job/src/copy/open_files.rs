//! The number of files that the threads of a destination have open.

use hashmill_os::most_open;

/// The most files that wait to be brought onto the disk together.
const MOST_WAITING: usize = 128;

/// The batches of waiting files: one is filled, one waits, one is brought onto the disk.
const BATCHES: usize = 3;

/// The most open files of a writer.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenFiles {
    /// Files whose bytes all came, while results of earlier ones are awaited.
    pub(super) ended: usize,
    /// Files that wait to be brought onto the disk.
    pub(super) waiting: usize,
}

impl OpenFiles {
    /// Returns the share of one of several destinations. All of them together leave half of what the process may have open to
    /// those who read.
    pub(super) fn share(places: usize) -> OpenFiles {
        let most = most_open().and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        OpenFiles::of(most / 2 / places.max(1))
    }

    /// Divides a number of files: half a batch has ended.
    fn of(most: usize) -> OpenFiles {
        let waiting = (most / (2 * BATCHES + 1) * 2).clamp(2, MOST_WAITING);
        OpenFiles { ended: waiting / 2, waiting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_destinations_leave_half_to_readers() {
        for (most, places, waiting) in
            [(1024, 1, 128), (1024, 2, 72), (256, 2, 18), (60, 2, 4), (usize::MAX, 1, 128)]
        {
            let share = OpenFiles::of(most / 2 / places);
            assert_eq!((share.waiting, share.ended), (waiting, waiting / 2));
            assert!((share.ended + BATCHES * share.waiting) * places <= most / 2);
        }
        assert!(OpenFiles::of(0).ended > 0);
    }
}
