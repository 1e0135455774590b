//! The machine of the measurements, and the measuring program.

use crate::sys;
use hashmill_digest::Processor;
use hashmill_os::names;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::thread;

/// The machine and the program that the figures depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// The name of the processor; empty if unknown.
    pub cpu_model: String,
    /// The processor in the format of [`Processor`]: vendor, numbers, instruction sets.
    pub processor: String,
    /// The number of threads that this process may run at a time.
    pub cores: usize,
    /// The memory in bytes; 0 if unknown.
    pub memory_bytes: u64,
    /// The operating system and its version.
    pub system: String,
    /// The governor of the clock frequency; `None` in virtual machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// The name of the release of the operating system; empty if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub release: String,
    /// The storage of the files that were read; `None` if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Storage>,
    /// The version of hashmill.
    pub hashmill: String,
    /// The compiler and its options.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub build: String,
}

/// The file system of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// The type: `ext4`, `tmpfs`.
    pub file_system: String,
    /// The mounted source: `/dev/vda1`, `tmpfs`, `server:/path`.
    pub source: String,
    /// The medium, according to the kernel; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<String>,
}

impl Host {
    /// Returns this machine.
    pub fn here() -> Host {
        Host {
            cpu_model: sys::cpu_model(),
            processor: Processor::here().to_string(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: sys::memory().unwrap_or(0),
            system: format!("{} {}", std::env::consts::OS, sys::version()).trim_end().to_string(),
            governor: sys::governor(),
            release: sys::release(),
            files: None,
            hashmill: env!("CARGO_PKG_VERSION").to_string(),
            build: env!("HASHMILL_BUILD").to_string(),
        }
    }
}

impl Storage {
    /// Returns the storage of a folder; `None` if the system does not tell.
    pub fn from_folder(folder: &Path) -> Option<Storage> {
        sys::storage(&names::canonical(folder).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cores_and_a_system() {
        let host = Host::here();
        assert!(host.cores > 0 && !host.system.is_empty() && host.processor.contains(" family "), "{host:?}");
        assert!(host.memory_bytes > 0 && host.system.contains(' '), "{host:?}");
        assert!(host.build.starts_with("rustc ") && host.build.contains("opt-level"));
    }

    #[test]
    fn a_folder_is_on_a_file_system() {
        let storage = Storage::from_folder(&std::env::temp_dir()).unwrap();
        assert!(!storage.file_system.is_empty() && !storage.source.is_empty(), "{storage:?}");
        assert!(Storage::from_folder(Path::new("/nowhere/at/all")).is_none());
    }
}
