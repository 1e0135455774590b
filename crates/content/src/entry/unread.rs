//! Files that a walk met and that may have something inside that is not read: each is hashed, but not looked into.

use hashmill_terminal::{Shown, count};
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// The files that a walk met and that were not looked into. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct NotLookedInto(Arc<Mutex<[Unread; 4]>>);

/// A reason why a file was not looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhyUnread {
    /// Nothing that is known is on the media of an image.
    Unknown,
    /// It is named like an image, and lies in an archive.
    InArchive,
    /// It was found to be an archive when it had been read.
    Unnamed,
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
    /// Counts a file.
    pub(crate) fn add(&self, path: &[u8], why: WhyUnread) {
        let unread = &mut self.0.lock()[why as usize];
        // Whichever thread is first, the same file is named.
        if unread.number == 0 || *path < *unread.first {
            unread.first = path.into();
        }
        unread.number += 1;
    }

    /// Returns the number of files that should have been looked into, so far.
    pub fn lacking(&self) -> u64 {
        lacking(&self.0.lock())
    }

    /// Returns a line for each reason that occurred with the number of files that should have been looked into, and
    /// forgets the files.
    pub fn take(&self) -> (Vec<String>, u64) {
        let found = std::mem::take(&mut *self.0.lock());
        let number = lacking(&found);
        let reasons = [WhyUnread::Unknown, WhyUnread::InArchive, WhyUnread::Unnamed, WhyUnread::Unseen];
        let met = reasons.into_iter().zip(found).filter(|(_, unread)| unread.number > 0);
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

fn lacking(found: &[Unread; 4]) -> u64 {
    [WhyUnread::Unnamed, WhyUnread::Unseen].into_iter().map(|why| found[why as usize].number).sum()
}

impl fmt::Display for WhyUnread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WhyUnread::Unknown => "nothing that is known is inside",
            WhyUnread::InArchive => "is named as an image, and was not looked into (--inside all does)",
            WhyUnread::Unseen => "may be an archive, as its start and end could not be read again (give it as an operand)",
            WhyUnread::Unnamed => {
                "is an archive, or has one at its end, and was not looked into (extract it, or give it as an operand)"
            }
        })
    }
}
