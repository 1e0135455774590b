//! The machine of the measurements, and the measuring program.

use hashloom_digest::Processor;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::{fs, thread};

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
    /// The version of hashloom.
    pub hashloom: String,
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
        let kernel = line("/proc/sys/kernel/osrelease").unwrap_or_default();
        Host {
            cpu_model: Processor::model_name(),
            processor: Processor::here().to_string(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: memory(&fs::read_to_string("/proc/meminfo").unwrap_or_default()).unwrap_or(0),
            system: format!("{} {kernel}", std::env::consts::OS).trim_end().to_string(),
            governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            release: release_name(&fs::read_to_string("/etc/os-release").unwrap_or_default()),
            files: None,
            hashloom: env!("CARGO_PKG_VERSION").to_string(),
            build: env!("HASHLOOM_BUILD").to_string(),
        }
    }
}

impl Storage {
    /// Returns the storage of a folder; `None` if the system does not tell.
    pub fn from_folder(folder: &Path) -> Option<Storage> {
        let folder = folder.canonicalize().ok()?;
        let (device, storage) = Storage::found(&fs::read_to_string("/proc/self/mountinfo").ok()?, &folder)?;
        let flag = |below: &str| line(&format!("/sys/dev/block/{device}/{below}"));
        let rotates = flag("queue/rotational").or_else(|| flag("../queue/rotational"));
        let medium = match rotates.as_deref() {
            Some("1") => Some("a disk that rotates, as the kernel says".to_string()),
            Some(_) => Some("solid state, as the kernel says".to_string()),
            None if storage.file_system == "tmpfs" => Some("memory".to_string()),
            None => None,
        };
        Some(Storage { medium, ..storage })
    }

    /// Returns the last of the mounts nearest to a folder, with the number of its device: `mountinfo`,
    /// proc_pid_mountinfo(5).
    fn found(mounts: &str, folder: &Path) -> Option<(String, Storage)> {
        let mounts = mounts.lines().filter_map(|line| {
            let (mount, kind) = line.split_once(" - ")?;
            let mut mount = mount.split(' ').skip(2);
            let (device, point) = (mount.next()?, unescaped(mount.nth(1)?));
            let mut kind = kind.split(' ');
            let (file_system, source) = (kind.next()?.to_string(), unescaped(kind.next()?));
            let storage = Storage { file_system, source, medium: None };
            folder.starts_with(&point).then(|| (point.len(), (device.to_string(), storage)))
        });
        mounts.max_by_key(|(length, _)| *length).map(|(_, found)| found)
    }
}

/// Decodes the octal escapes of blanks and other special bytes in that file.
fn unescaped(text: &str) -> String {
    let marks = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    marks.iter().fold(text.to_string(), |text, (mark, plain)| text.replace(mark, plain))
}

/// Returns `PRETTY_NAME` of os-release(5).
fn release_name(text: &str) -> String {
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or_default();
    name.trim_matches(['"', '\'']).to_string()
}

/// Reads a one-line file of the kernel.
fn line(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim_end().to_string())
}

/// Returns `MemTotal` of `/proc/meminfo`, proc(5), whose unit is always 1024 bytes.
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
    fn the_nearest_mount_of_a_folder_counts_and_of_several_the_last() {
        let mounts = "22 1 254:0 / / rw shared:1 - ext4 /dev/vda rw\n\
                      30 22 0:26 / /tmp rw - tmpfs tmpfs rw\n\
                      31 22 0:27 / /tmp/with\\040blank rw - nfs4 server:/x rw\n\
                      32 22 8:1 / /tmp rw - xfs /dev/sda1 rw\n";
        let found = |folder: &str| Storage::found(mounts, Path::new(folder)).unwrap();
        let shown = |folder: &str| {
            let (device, storage) = found(folder);
            format!("{device} {} {}", storage.file_system, storage.source)
        };
        assert_eq!(shown("/tmp/x"), "8:1 xfs /dev/sda1");
        assert_eq!(shown("/tmpfile"), "254:0 ext4 /dev/vda");
        assert_eq!(shown("/tmp/with blank/y"), "0:27 nfs4 server:/x");
        assert!(Storage::from_folder(Path::new("/nowhere/at/all")).is_none());
    }

    #[test]
    fn the_release_and_the_build_have_names() {
        assert_eq!(release_name("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"), "Debian GNU/Linux 12");
        assert_eq!(release_name("ID=x\n"), "");
        assert!(Host::here().build.starts_with("rustc ") && Host::here().build.contains("opt-level"));
    }

    #[test]
    fn memory_is_counted_in_bytes() {
        assert_eq!(memory("MemTotal:       16384 kB\nMemFree:  1 kB\n"), Some(16 << 20));
        assert_eq!(memory("MemFree: 1 kB\n"), None);
    }
}
