//! The memory of members that were decoded and wait to be hashed.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;

/// Bytes of memory that are lent.
#[derive(Debug)]
pub(super) struct Budget {
    left: Mutex<usize>,
    returned: Condvar,
}

/// Bytes that were lent; they are given back when it is dropped.
#[derive(Debug)]
pub(super) struct Loan {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Budget {
    /// Creates a budget of this many bytes.
    pub(super) fn new(bytes: usize) -> Arc<Budget> {
        Arc::new(Budget { left: Mutex::new(bytes), returned: Condvar::new() })
    }

    /// Borrows bytes if they are there.
    pub(super) fn try_borrow(self: &Arc<Self>, bytes: usize) -> Option<Loan> {
        let mut left = self.left.lock();
        *left = left.checked_sub(bytes)?;
        Some(Loan { budget: Arc::clone(self), bytes })
    }

    /// Borrows bytes, and waits for them. There must be so many in all.
    pub(super) fn borrow(self: &Arc<Self>, bytes: usize) -> Loan {
        let mut left = self.left.lock();
        while *left < bytes {
            self.returned.wait(&mut left);
        }
        *left -= bytes;
        Loan { budget: Arc::clone(self), bytes }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        *self.budget.left.lock() += self.bytes;
        self.budget.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn what_is_lent_comes_back() {
        let budget = Budget::new(10);
        let first = budget.try_borrow(6).unwrap();
        assert!(budget.try_borrow(5).is_none());
        let waiting = thread::spawn({
            let budget = Arc::clone(&budget);
            move || drop(budget.borrow(10))
        });
        drop(first);
        waiting.join().unwrap();
        assert!(budget.try_borrow(10).is_some());
    }
}
