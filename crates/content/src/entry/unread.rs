//! Files that a walk met and that may have something inside that is not read: each is hashed, but not looked into.

use hashmill_terminal::{Shown, count};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// The files that a walk met and that were not looked into. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct NotLookedInto(Arc<Mutex<UnreadFiles>>);

/// The files by reason, and the hashes of the paths of those that should have been looked into.
#[derive(Debug, Default)]
struct UnreadFiles {
    unread: [Unread; REASONS.len()],
    lacking: HashSet<u64>,
    hasher: RandomState,
}

/// The most files that are told apart among those that should have been looked into; they take some 16 MB.
const MAX_LACKING: usize = if cfg!(test) { 2 } else { 1 << 20 };

/// All reasons, in the order of their numbers.
const REASONS: [WhyUnread; 5] =
    [WhyUnread::Unknown, WhyUnread::InArchive, WhyUnread::Archive, WhyUnread::Image, WhyUnread::Unseen];

/// A reason why a file was not looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhyUnread {
    /// Nothing that is known is on the media of an image.
    Unknown,
    /// It is named like an image, and lies in an archive.
    InArchive,
    /// It was found to be an archive when it had been read.
    Archive,
    /// It was found to be an image then.
    Image,
    /// Its start and its end could not be read again, to see whether it is an archive.
    Unseen,
}

/// The files that were not looked into for one reason.
#[derive(Debug, Default)]
struct Unread {
    number: u64,
    first: Box<[u8]>,
}

impl NotLookedInto {
    /// Counts a file. One that should have been looked into counts once, however often it is read, unless there are very many.
    pub(crate) fn add(&self, path: &[u8], why: WhyUnread) {
        let mut found = self.0.lock();
        let hash = found.hasher.hash_one(path);
        if why.is_lack() {
            if found.lacking.contains(&hash) {
                return;
            }
            if !found.is_full() {
                found.lacking.insert(hash);
            }
        }
        let unread = &mut found.unread[why as usize];
        // Whichever thread is first, the same file is named.
        if unread.number == 0 || *path < *unread.first {
            unread.first = path.into();
        }
        unread.number += 1;
    }

    /// Returns the number of files that should have been looked into, so far.
    pub fn lacking(&self) -> u64 {
        self.0.lock().lacking()
    }

    /// Returns whether a file is one that should have been looked into. Where there are too many to tell them apart, any may be.
    pub fn lacks(&self, path: &[u8]) -> bool {
        let found = self.0.lock();
        !found.lacking.is_empty() && (found.is_full() || found.lacking.contains(&found.hasher.hash_one(path)))
    }

    /// Returns a line for each reason that occurred with the number of files that should have been looked into, and
    /// forgets the files.
    pub fn take(&self) -> (Vec<String>, u64) {
        let found = std::mem::take(&mut *self.0.lock());
        let number = found.lacking();
        let met = REASONS.into_iter().zip(found.unread).filter(|(_, unread)| unread.number > 0);
        let lines = met.map(|(why, Unread { number, first })| {
            let more = match number - 1 {
                0 => String::new(),
                more => format!("; {} like it", count(more, "more file is", "more files are")),
            };
            format!("{}: {why}{more}", Shown(&first))
        });
        (lines.collect(), number)
    }
}

impl UnreadFiles {
    fn is_full(&self) -> bool {
        self.lacking.len() == MAX_LACKING
    }

    fn lacking(&self) -> u64 {
        let lacking = REASONS.into_iter().filter(|why| why.is_lack());
        lacking.map(|why| self.unread[why as usize].number).sum()
    }
}

impl WhyUnread {
    /// Returns whether the file should have been looked into.
    fn is_lack(self) -> bool {
        matches!(self, WhyUnread::Archive | WhyUnread::Image | WhyUnread::Unseen)
    }
}

impl fmt::Display for WhyUnread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WhyUnread::Unknown => "nothing that is known is inside",
            WhyUnread::InArchive => "is named as an image, and was not looked into (--inside all does)",
            WhyUnread::Unseen => {
                "may be an archive or image, as its start and end could not be read again (give it as an operand)"
            }
            WhyUnread::Archive => {
                "is an archive, or has one at its end, and was not looked into (extract it, or give it as an operand)"
            }
            WhyUnread::Image => {
                "is an image of media, and was not looked into (extract it, or give it as an operand)"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_many_files_are_all_counted_and_any_may_be_one() {
        let files = NotLookedInto::default();
        assert!(!files.lacks(b"a"));
        for path in [b"a", b"a", b"b"] {
            files.add(path, WhyUnread::Archive);
        }
        assert_eq!((files.lacking(), files.lacks(b"a")), (2, true));
        files.add(b"c", WhyUnread::Image);
        assert_eq!(files.lacking(), 3);
        assert!(files.lacks(b"c") && files.lacks(b"any"));
    }
}
