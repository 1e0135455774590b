//! Reading policies for each medium.
//!
//! To add a medium: a variant of `Medium`, and a row here.

use super::medium::Medium;

/// How to read files of one device. The number of readers between the bounds is found by trial: it grows while
/// throughput grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The initial number of readers. 0: threads read the files that they hash.
    pub least: usize,
    /// The maximum number of readers.
    pub most: usize,
    /// The order in which files are read.
    pub order: ReadOrder,
    /// Whether files are read one after another by one reader.
    pub alone: bool,
}

/// The order in which files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadOrder {
    /// The order of the walk.
    Path,
    /// The order on the disk: by the position of the first extent, or else by inode number.
    Disk,
}

impl Policy {
    /// Returns the policy for a medium. The numbers are measured or reported: fast disks reach their full rate with 8
    /// requests in flight and small files gain up to 32, in runs too short for a slow search; a disk loses half of its
    /// rate with the second reader.
    pub const fn from_medium(medium: Medium) -> Policy {
        match medium {
            Medium::Memory => parallel(0, 0),
            Medium::Solid | Medium::Virtual => parallel(16, 32),
            Medium::Union | Medium::Unknown => parallel(4, 8),
            Medium::Network => parallel(8, 32),
            Medium::Rotational => Policy { least: 1, most: 1, order: ReadOrder::Disk, alone: true },
        }
    }
}

const fn parallel(least: usize, most: usize) -> Policy {
    Policy { least, most, order: ReadOrder::Path, alone: false }
}

pub(super) fn why(medium: Medium) -> &'static str {
    match medium {
        Medium::Memory => "the files are in memory: separate reading threads would gain nothing",
        Medium::Solid => "no seeks: many requests at a time are served faster",
        Medium::Virtual => {
            "the medium below a virtual disk is unknown: a few readers, and more if that helps"
        }
        Medium::Union => {
            "the directories below the union can't be seen from here: a modest number of readers"
        }
        Medium::Unknown => {
            "the system does not tell which medium the files are on: a modest number of readers"
        }
        Medium::Network => "every request waits for another machine: many requests at a time",
        Medium::Rotational => "a spinning disk reads at one position at a time: one reader, few seeks",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_spinning_disks_are_read_alone() {
        use Medium::*;
        for medium in [Memory, Solid, Virtual, Union, Unknown, Network, Rotational] {
            let policy = Policy::from_medium(medium);
            assert_eq!(policy.alone, medium == Rotational);
            assert_eq!(policy.order == ReadOrder::Disk, medium == Rotational);
            assert!(policy.least <= policy.most);
            assert!(!policy.alone || policy.most == 1);
        }
    }
}
