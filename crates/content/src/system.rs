//! The priority of this process among others.

use crate::sys;
use std::io;

/// Gives this thread, and those that it starts from now on, the lowest priority for the processor and the disk: they run
/// only when other processes leave the resources idle. On macOS and Windows, this holds for the whole process.
///
/// # Errors
/// If the system refuses.
pub fn give_way() -> io::Result<()> {
    sys::give_way()
}

/// Gives this thread a low priority that still lets it progress while others are busy.
///
/// # Errors
/// If the system refuses.
pub fn hold_back() -> io::Result<()> {
    sys::hold_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_held_back() {
        // On a thread of its own: there is no way back.
        std::thread::spawn(|| hold_back().unwrap()).join().unwrap();
    }
}
