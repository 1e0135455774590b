//! This process, its user and its machine.

use std::path::PathBuf;
use std::time::Duration;

/// The resources that this process has used so far. A number that the system doesn't count is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time of the program.
    pub user: Duration,
    /// Processor time of the system for the program.
    pub system: Duration,
    /// The most memory that was used at a time, in bytes.
    pub peak: u64,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that read from a disk; on Windows, all page faults.
    pub major_faults: u64,
    /// Times that memory was swapped out.
    pub swaps: u64,
    /// Reads from disks.
    pub reads: u64,
    /// Writes to disks.
    pub writes: u64,
}

/// Returns the resources that this process has used.
///
/// # Errors
/// If the system doesn't tell.
pub use crate::sys::usage;

/// Returns the number of bytes that this process has read so far, from any source; none if the system doesn't count them.
pub use crate::sys::bytes_read;

/// Returns the number of files that this process may have open at a time; none if the system sets no limit, and on Windows.
pub use crate::sys::most_open;

/// Fills a buffer with random numbers of the system that nobody can predict.
///
/// # Errors
/// If the system has none.
pub use crate::sys::random;

/// Returns the machine's name; empty if the system doesn't tell.
pub use crate::sys::host_name;

/// Returns the home folder of the user, by the variable that is set for that (`HOME`, `USERPROFILE`); none if it is not
/// an absolute path.
pub use crate::sys::home;

/// Returns the folder of the user's settings of all programs: `XDG_CONFIG_HOME`, or `.config` in the home folder; on
/// Windows `APPDATA`. None if the variables are not absolute paths.
pub use crate::sys::settings;

/// Returns the folder in which programs of the user keep their states: `XDG_STATE_HOME`, or `.local/state` in the home folder; on
/// Windows `LOCALAPPDATA`. None if the variables are not absolute paths.
pub use crate::sys::states;

/// Returns the number of the user whose rights this process has; none on Windows.
pub use crate::sys::user_number;

/// Returns the path that a variable holds, if it is absolute.
pub(crate) fn folder_of(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_differ() {
        let mut drawn = [[0; 1000]; 2];
        drawn.iter_mut().for_each(|buffer| random(buffer).unwrap());
        assert_ne!(drawn[0], drawn[1]);
        assert!(drawn.iter().all(|buffer| buffer[990..].iter().any(|&byte| byte != 0)));
    }

    #[test]
    fn a_process_has_used_memory() {
        assert!(usage().unwrap().peak > 0);
    }

    #[test]
    fn a_machine_has_a_name() {
        assert!(!host_name().is_empty());
    }
}
