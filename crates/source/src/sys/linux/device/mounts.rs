//! `/proc/self/mountinfo`, as `man 5 proc_pid_mountinfo` describes it.

use hashmill_os::names;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// Major and minor number: usually those of the `st_dev` of its files, but btrfs has others for each subvolume.
    pub(super) number: (u32, u32),
    pub(super) point: PathBuf,
    /// The type of the file system.
    pub(super) kind: String,
    pub(super) source: OsString,
    /// The options of the file system, separated by commas.
    pub(super) options: Vec<u8>,
}

/// All mounts. Of two at one place, the later one hides the earlier.
#[derive(Debug, Default)]
pub(super) struct Mounts(Vec<Mount>);

impl Mounts {
    /// Parses the table. Lines that are not understood are skipped.
    pub(super) fn parse(text: &[u8]) -> Mounts {
        Mounts(text.split(|&byte| byte == b'\n').filter_map(Mount::parse).collect())
    }

    /// Returns the mount that holds files of this number: the one that contains the path, or else any.
    pub(super) fn by_number(&self, number: (u32, u32), path: Option<&Path>) -> Option<&Mount> {
        let same = || self.0.iter().filter(move |mount| mount.number == number);
        path.and_then(|path| deepest(same(), path)).or_else(|| same().next_back())
    }

    /// Returns the mount that contains a path, which must be absolute and without links.
    pub(super) fn above(&self, path: &Path) -> Option<&Mount> {
        deepest(self.0.iter(), path)
    }
}

fn deepest<'a>(mounts: impl Iterator<Item = &'a Mount>, path: &Path) -> Option<&'a Mount> {
    // Of equals, `max_by_key` returns the last.
    mounts.filter(|mount| path.starts_with(&mount.point)).max_by_key(|mount| mount.point.components().count())
}

impl Mount {
    /// Parses `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`.
    fn parse(line: &[u8]) -> Option<Mount> {
        let mut words = line.split(|&byte| byte == b' ');
        let number = numbers(words.nth(2)?)?;
        let point = names::into_path(unescape(words.nth(1)?)).ok()?;
        // Optional fields end with a dash.
        words.find(|word| *word == b"-")?;
        let kind = String::from_utf8(unescape(words.next()?)).ok()?;
        let source = names::into_name(unescape(words.next()?)).ok()?;
        let options = unescape(words.next().unwrap_or_default());
        Some(Mount { number, point, kind, source, options })
    }
}

/// Parses `8:1`.
pub(super) fn numbers(text: &[u8]) -> Option<(u32, u32)> {
    let (major, minor) = std::str::from_utf8(text).ok()?.trim().split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Undoes escapes such as `\040`: three octal digits for spaces, tabs, line feeds and backslashes.
fn unescape(word: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&byte, after)) = rest.split_first() {
        let octal = after.first_chunk::<3>().filter(|_| byte == b'\\').and_then(octal);
        bytes.push(octal.unwrap_or(byte));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    bytes
}

fn octal(digits: &[u8; 3]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TABLE: &[u8] = b"22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n\
        23 22 0:21 / /proc rw - proc proc rw\n\
        nonsense\n\
        24 22 8:3 / /mnt/my\\040disk rw master:1 propagate_from:2 - xfs /dev/sda3 rw,a=b\n\
        25 22 8:4 / /mnt rw - ext4 /dev/sda4 rw\n\
        26 22 8:5 /sub /mnt rw - ext4 /dev/sda5\n\
        27 22 8:2 /home /bind rw - ext4 /dev/sda2 rw\n";

    #[test]
    fn lines_are_understood() {
        let mounts = Mounts::parse(TABLE);
        assert_eq!(mounts.0.len(), 6);
        let expected = Mount {
            number: (8, 3),
            point: "/mnt/my disk".into(),
            kind: "xfs".into(),
            source: "/dev/sda3".into(),
            options: b"rw,a=b".into(),
        };
        assert_eq!(mounts.0[2], expected);
    }

    #[test]
    fn the_deepest_and_last_mount_holds_a_path() {
        let mounts = Mounts::parse(TABLE);
        for (path, minor) in [("/", 2), ("/mnt/my disk/x", 3), ("/mnt/my", 5), ("/mntx", 2), ("/proc/1", 21)]
        {
            assert_eq!(mounts.above(Path::new(path)).unwrap().number.1, minor, "{path}");
        }
        assert!(mounts.above(Path::new("relative")).is_none());
    }

    #[test]
    fn of_several_mounts_of_a_number_the_one_around_the_path_counts() {
        let mounts = Mounts::parse(TABLE);
        let point = |path: &str| mounts.by_number((8, 2), Some(Path::new(path))).unwrap().point.clone();
        assert_eq!(point("/home/x"), Path::new("/"));
        assert_eq!(point("/bind/x"), Path::new("/bind"));
        assert_eq!(mounts.by_number((8, 2), None).unwrap().point, Path::new("/bind"));
        assert!(mounts.by_number((9, 9), Some(Path::new("/"))).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

        #[test]
        fn no_table_is_too_odd(text in "[0-9: /\\\\a\n-]{0,120}") {
            let mounts = Mounts::parse(text.as_bytes());
            mounts.above(Path::new("/a"));
            mounts.by_number((0, 0), None);
        }
    }

    #[test]
    fn escapes_are_undone_and_others_left() {
        assert_eq!(unescape(br"a\040b\134c\x\04"), br"a b\c\x\04");
        assert_eq!(unescape(br"\777"), br"\777");
    }
}
