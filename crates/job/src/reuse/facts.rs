//! The facts in a record that show whether a file is unchanged since it was read.

use hashmill_digest::Algorithm;
use hashmill_lists::entries::numbers;
use hashmill_lists::entries::{SizeAndTime, hashed};
use hashmill_manifest::{FileAttributes, Metadata, Record, Time};
use hashmill_source::Meta;
use std::time::Duration;

/// The seconds that a file must have been unchanged for when it was read. A change in the same tick of the file system's
/// clock as the last one before the read leaves the same times; FAT has ticks of two seconds. git calls such files
/// racily clean.
const TICK: i64 = 2;

/// The facts about a file that an earlier run read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileFacts {
    size: u64,
    mtime: Time,
    ctime: Time,
    inode: u64,
    device: u64,
    read: Time,
    attributes: FileAttributes,
}

/// Whether a file is unchanged since it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Nothing changed.
    Same,
    /// It changed, or may have changed without a trace.
    Changed,
    /// Only the number of the device differs.
    OtherDevice,
}

impl FileFacts {
    const NUMBERS: usize = 10;

    /// Returns the facts of a record; `None` if it has not all of them.
    pub(crate) fn from_record(record: &Record) -> Option<FileFacts> {
        FileFacts::new(record, record.metadata.as_ref()?)
    }

    /// Returns the facts of a record with these metadata; `None` if they lack one.
    pub(crate) fn new(record: &Record, metadata: &Metadata) -> Option<FileFacts> {
        Some(FileFacts {
            size: record.size?,
            mtime: record.mtime?,
            ctime: metadata.ctime?,
            inode: metadata.inode?,
            device: metadata.device?,
            read: metadata.read?,
            attributes: metadata.attributes,
        })
    }

    /// Returns the facts of a file that was found like this at a time.
    pub(crate) fn at(meta: &Meta, read: Time) -> FileFacts {
        FileFacts {
            size: meta.size,
            mtime: time(meta.mtime),
            ctime: time(meta.ctime),
            inode: meta.ino,
            device: meta.dev,
            read,
            attributes: FileAttributes::new(meta.attributes),
        }
    }

    /// Returns whether the file was read within some time before now.
    pub(crate) fn is_younger(&self, age: Duration, now: Time) -> bool {
        let age = i64::try_from(age.as_secs()).unwrap_or(i64::MAX);
        now.seconds.saturating_sub(self.read.seconds) < age
    }

    /// Returns whether they are of this very file, whatever became of its content.
    pub(crate) fn is_of(&self, meta: &Meta) -> bool {
        (self.device, self.inode) == (meta.dev, meta.ino)
    }

    /// Compares a file as it is now with these facts.
    pub(crate) fn compare(&self, meta: &Meta, now: Time) -> Comparison {
        let is_same = meta.is_file()
            && (self.size, self.inode) == (meta.size, meta.ino)
            && (self.mtime, self.ctime) == (time(meta.mtime), time(meta.ctime));
        // A time of reading that has not come tells nothing: somebody set a clock, or wrote the record.
        let is_settled = self.settled(self.mtime) && self.settled(self.ctime) && self.read <= now;
        match is_same && is_settled {
            false => Comparison::Changed,
            true if self.device != meta.dev => Comparison::OtherDevice,
            true => Comparison::Same,
        }
    }

    /// Returns whether a change at this time was over when the file was read.
    fn settled(&self, change: Time) -> bool {
        Time { seconds: change.seconds.saturating_add(TICK), ..change } < self.read
    }

    /// Returns the facts as bytes.
    pub(crate) fn to_bytes(self) -> [[u8; 8]; FileFacts::NUMBERS] {
        let FileFacts { size, mtime, ctime, inode, device, read, attributes } = self;
        let [mtime, ctime, read] =
            [mtime, ctime, read].map(|time| (time.seconds as u64, time.nanoseconds.into()));
        let attributes = attributes.bits().into();
        [size, inode, device, mtime.0, mtime.1, ctime.0, ctime.1, read.0, read.1, attributes]
            .map(u64::to_le_bytes)
    }

    /// Returns the facts at the start of these bytes, and the bytes behind them.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<(FileFacts, &[u8])> {
        let (facts, rest) = bytes.split_at_checked(FileFacts::NUMBERS * 8)?;
        let [size, inode, device, times @ .., attributes]: [u64; FileFacts::NUMBERS] = numbers(facts);
        let time = |at: usize| Time { seconds: times[at] as i64, nanoseconds: times[at + 1] as u32 };
        let attributes = FileAttributes::new(attributes as u32);
        let (mtime, ctime, read) = (time(0), time(2), time(4));
        Some((FileFacts { size, mtime, ctime, inode, device, read, attributes }, rest))
    }

    /// Returns the record of a file with these facts and these digests, which lie side by side.
    pub(crate) fn record(&self, path: &[u8], algorithms: &[&'static Algorithm], digests: &[u8]) -> Record {
        let file = SizeAndTime { size: Some(self.size), mtime: Some(self.mtime) };
        let metadata = Metadata {
            ctime: Some(self.ctime),
            inode: Some(self.inode),
            device: Some(self.device),
            read: Some(self.read),
            reused: true,
            attributes: self.attributes,
            ..Metadata::default()
        };
        Record { metadata: Some(Box::new(metadata)), ..hashed(path, file, algorithms, digests) }
    }
}

fn time((seconds, nanoseconds): (i64, u32)) -> Time {
    Time { seconds, nanoseconds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_source::mode;

    const READ: Time = Time { seconds: 1000, nanoseconds: 5 };
    const NOW: Time = Time { seconds: 2000, nanoseconds: 0 };

    fn facts() -> FileFacts {
        let (mtime, ctime) = (time((900, 1)), time((990, 2)));
        FileFacts {
            size: 3,
            mtime,
            ctime,
            inode: 4,
            device: 5,
            read: READ,
            attributes: FileAttributes::new(3),
        }
    }

    fn meta() -> Meta {
        let (mtime, ctime) = ((900, 1), (990, 2));
        Meta { dev: 5, ino: 4, size: 3, mtime, ctime, blocks: 8, mode: mode::FILE, attributes: 0, stamp: 0 }
    }

    #[test]
    fn every_change_is_seen() {
        assert_eq!(facts().compare(&meta(), NOW), Comparison::Same);
        for other in [
            Meta { ino: 9, ..meta() },
            Meta { size: 2, ..meta() },
            Meta { mtime: (900, 2), ..meta() },
            Meta { mtime: (899, 1), ..meta() },
            Meta { ctime: (990, 3), ..meta() },
            // An earlier time counts, too: somebody may have set the clock.
            Meta { ctime: (1, 2), ..meta() },
            Meta { mode: mode::FIFO, ..meta() },
            Meta { ino: 9, dev: 9, ..meta() },
        ] {
            assert_eq!(facts().compare(&other, NOW), Comparison::Changed, "{other:?}");
        }
        assert_eq!(facts().compare(&Meta { dev: 9, ..meta() }, NOW), Comparison::OtherDevice);
        let other_mode = Meta { mode: mode::FILE | 0o777, blocks: 0, ..meta() };
        assert_eq!(facts().compare(&other_mode, NOW), Comparison::Same);
    }

    #[test]
    fn a_file_that_was_young_when_it_was_read_is_read_again() {
        let young = |change: (i64, u32)| {
            let of_mtime = FileFacts { mtime: time(change), ..facts() };
            let of_ctime = FileFacts { ctime: time(change), ..facts() };
            let mtime = of_mtime.compare(&Meta { mtime: change, ..meta() }, NOW);
            let ctime = of_ctime.compare(&Meta { ctime: change, ..meta() }, NOW);
            assert_eq!(mtime, ctime);
            mtime == Comparison::Changed
        };
        assert!(!young((998, 4)));
        assert!(young((998, 5)) && young((998, 6)) && young((1000, 5)) && young((1500, 0)));
        assert!(young((i64::MAX, 0)) && !young((i64::MIN, 0)));
    }

    #[test]
    fn a_time_of_reading_that_has_not_come_is_not_believed() {
        let late = FileFacts { read: Time { seconds: 2000, nanoseconds: 1 }, ..facts() };
        assert_eq!(late.compare(&meta(), NOW), Comparison::Changed);
        assert_eq!(FileFacts { read: NOW, ..facts() }.compare(&meta(), NOW), Comparison::Same);
    }

    #[test]
    fn facts_are_the_same_after_their_bytes() {
        let mut bytes = facts().to_bytes().as_flattened().to_vec();
        bytes.push(7);
        assert_eq!(FileFacts::from_bytes(&bytes), Some((facts(), &[7][..])));
        assert_eq!(FileFacts::from_bytes(&bytes[..50]), None);
    }
}
