//! The answers of a destination on their way.

use super::answer::Answer;
use std::collections::VecDeque;
use std::sync::mpsc::Receiver;

/// The answers of a destination, and those that came and are not reported, as others still work on the entry.
pub(super) struct Answers {
    coming: Receiver<Answer>,
    pub(super) here: VecDeque<Answer>,
}

impl Answers {
    pub(super) fn new(coming: Receiver<Answer>) -> Answers {
        Answers { coming, here: VecDeque::new() }
    }

    /// Takes the answers that came; with `wait`, waits for one if there is none. Returns whether there is one.
    pub(super) fn take(&mut self, wait: bool) -> bool {
        if wait && self.here.is_empty() {
            self.here.extend(self.coming.recv());
        }
        self.here.extend(self.coming.try_iter());
        !self.here.is_empty()
    }
}
