//! The facts that are kept of a file.

use crate::Verdict;
use crate::judge::is_edit;

/// The facts that are kept of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The path as bytes.
    pub path: Box<[u8]>,
    /// The content that counts, unless the file was never read.
    pub content: Option<Content>,
    /// Another content that was found, which counts once it is accepted.
    pub proposal: Option<Content>,
    /// When the content that counts was first proved, in seconds since 1970; 0 for never.
    pub first: i64,
    /// When it was last proved.
    pub last: i64,
    /// The last verdict; none of a file that was never read.
    pub verdict: Option<Verdict>,
    /// The verdict before it went missing; `missing` of a file that is there again and was not read since.
    pub was: Option<Verdict>,
    /// How many runs in a row found that.
    pub streak: u32,
    /// The number of the run that found it.
    pub run: i64,
}

/// A content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The digests by the algorithms of the state, one after the other.
    pub digests: Box<[u8]>,
    /// The size in bytes, if it is known.
    pub size: Option<u64>,
    /// The metadata of the file that had it; a list may know none.
    pub stamp: Option<Stamp>,
}

/// The metadata by which an edit is told from rot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The number of the device.
    pub device: u64,
    /// The number of the inode.
    pub inode: u64,
    /// The last change of the content: seconds and nanoseconds since 1970, UTC.
    pub mtime: (i64, u32),
    /// The last change of the inode, likewise. No program can set it.
    pub ctime: (i64, u32),
}

impl Kept {
    /// Makes the facts of a file that was never read.
    pub fn unread(path: Box<[u8]>) -> Kept {
        Kept {
            path,
            content: None,
            proposal: None,
            first: 0,
            last: 0,
            verdict: None,
            was: None,
            streak: 0,
            run: 0,
        }
    }

    /// Makes the facts of a file that a list has.
    pub fn listed(path: Box<[u8]>, content: Content) -> Kept {
        Kept { content: Some(content), ..Kept::unread(path) }
    }

    /// Returns whether a file with this size and these metadata may have another content for a good reason: it was edited since its
    /// content was proved, or nothing is kept of it.
    pub fn is_edited(&self, size: u64, stamp: Stamp) -> bool {
        let now = Content { digests: Box::default(), size: Some(size), stamp: Some(stamp) };
        self.content.as_ref().is_none_or(|base| is_edit(base, &now))
    }

    /// Returns the metadata of the inode that changed together with the content, while size and time of modification are
    /// as they were: that is no sign of an edit. Empty of a file with a visible edit, and of one without another content.
    pub fn moved(&self) -> Vec<&'static str> {
        let Some((was, is)) = self.content.as_ref().zip(self.proposal.as_ref()) else { return Vec::new() };
        let Some((before, now)) = was.stamp.zip(is.stamp).filter(|_| !is_edit(was, is)) else {
            return Vec::new();
        };
        let parts = [
            ("ctime", before.ctime != now.ctime),
            ("inode", before.inode != now.inode),
            ("device", before.device != now.device),
        ];
        parts.into_iter().filter_map(|(name, is_other)| is_other.then_some(name)).collect()
    }

    /// Returns what is kept of a file that was missing and is there again: what it was before. Until it is read, it is
    /// known that it was missing.
    pub fn back(&self) -> Kept {
        let proposed = self.proposal.as_ref().map(|_| Verdict::Edited);
        Kept { verdict: self.was.or(proposed), was: Some(Verdict::Missing), streak: 1, ..self.clone() }
    }
}
