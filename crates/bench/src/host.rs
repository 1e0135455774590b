//! The machine that was measured, and the program that did it.

use hashloom_digest::Processor;
use serde::{Deserialize, Serialize};
use std::{fs, thread};

/// The machine and the program that the figures depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// What the processor is called; empty if it does not tell.
    pub cpu_model: String,
    /// The processor, as [`Processor`] writes it: vendor, numbers, instruction sets.
    pub processor: String,
    /// How many threads this process may run at a time.
    pub cores: usize,
    /// Bytes of memory; 0 if the system does not tell.
    pub memory_bytes: u64,
    /// The operating system and its version.
    pub system: String,
    /// The rule by which the system chooses the clock frequency; none in virtual machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// The version of hashloom that measured.
    pub hashloom: String,
}

impl Host {
    /// This machine.
    pub fn here() -> Host {
        let release = line("/proc/sys/kernel/osrelease").unwrap_or_default();
        Host {
            cpu_model: Processor::model_name(),
            processor: Processor::here().to_string(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: memory(&fs::read_to_string("/proc/meminfo").unwrap_or_default()).unwrap_or(0),
            system: format!("{} {release}", std::env::consts::OS).trim_end().to_string(),
            governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            hashloom: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}

/// The only line of a file of the kernel's.
fn line(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim_end().to_string())
}

/// `MemTotal` of `/proc/meminfo`, proc(5): in units of 1024 bytes, whatever it calls them.
fn memory(meminfo: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    value.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cores_and_a_system() {
        let host = Host::here();
        assert!(host.cores > 0 && !host.system.is_empty() && host.processor.contains(" family "), "{host:?}");
    }

    #[test]
    fn memory_is_counted_in_bytes() {
        assert_eq!(memory("MemTotal:       16384 kB\nMemFree:  1 kB\n"), Some(16 << 20));
        assert_eq!(memory("MemFree: 1 kB\n"), None);
    }
}
