//! The machine, by files of the kernel.

use crate::host::Storage;
use std::fs;
use std::path::Path;

/// Returns the name of the processor; empty if unknown.
pub(crate) fn cpu_model() -> String {
    hashmill_digest::Processor::model_name()
}

/// Returns the version of the kernel.
pub(crate) fn version() -> String {
    line("/proc/sys/kernel/osrelease").unwrap_or_default()
}

/// Returns the memory of the machine in bytes.
pub(crate) fn memory() -> Option<u64> {
    total(&fs::read_to_string("/proc/meminfo").ok()?)
}

/// Returns the governor of the clock frequency.
pub(crate) fn governor() -> Option<String> {
    line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
}

/// Returns the name of the distribution's release; empty if unknown.
pub(crate) fn release() -> String {
    release_name(&fs::read_to_string("/etc/os-release").unwrap_or_default())
}

/// Returns the storage of a folder.
pub(crate) fn storage(folder: &Path) -> Option<Storage> {
    let (device, storage) = found(&fs::read_to_string("/proc/self/mountinfo").ok()?, folder)?;
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
fn total(meminfo: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    value.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_of_a_folder_counts_and_of_several_the_last() {
        let mounts = "22 1 254:0 / / rw shared:1 - ext4 /dev/vda rw\n\
                      30 22 0:26 / /tmp rw - tmpfs tmpfs rw\n\
                      31 22 0:27 / /tmp/with\\040blank rw - nfs4 server:/x rw\n\
                      32 22 8:1 / /tmp rw - xfs /dev/sda1 rw\n";
        let shown = |folder: &str| {
            let (device, storage) = found(mounts, Path::new(folder)).unwrap();
            format!("{device} {} {}", storage.file_system, storage.source)
        };
        assert_eq!(shown("/tmp/x"), "8:1 xfs /dev/sda1");
        assert_eq!(shown("/tmpfile"), "254:0 ext4 /dev/vda");
        assert_eq!(shown("/tmp/with blank/y"), "0:27 nfs4 server:/x");
    }

    #[test]
    fn the_release_has_a_name() {
        assert_eq!(release_name("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"), "Debian GNU/Linux 12");
        assert_eq!(release_name("ID=x\n"), "");
    }

    #[test]
    fn memory_is_counted_in_bytes() {
        assert_eq!(total("MemTotal:       16384 kB\nMemFree:  1 kB\n"), Some(16 << 20));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }
}
