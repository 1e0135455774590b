//! The small members of a package: lists of digests are among them.

use super::claims::member;
use hashmill_content::archive_folder::read_whole;
use hashmill_engine::flow::Entries;
use hashmill_source::WalkItem;
use std::collections::BTreeMap;

/// The most bytes of a list, and of all small members.
const SMALL: u64 = 8 << 20;
const ALL: u64 = 64 << 20;

/// The small members that may be lists, by their paths.
#[derive(Debug, Default)]
pub(super) struct SmallMembers {
    texts: BTreeMap<Box<[u8]>, Vec<u8>>,
    /// The paths of all members.
    pub(super) paths: Vec<Box<[u8]>>,
}

impl SmallMembers {
    /// Reads those of a package.
    pub(super) fn read(package: &[u8], entries: Entries) -> SmallMembers {
        let mut found = SmallMembers::default();
        let mut left = ALL;
        // The first is the package itself.
        for item in entries.skip(1) {
            let WalkItem::File(entry) = item else { continue };
            let Some(path) = entry.path.strip_prefix(package).and_then(|rest| rest.strip_prefix(b"!/"))
            else {
                continue;
            };
            let path = member(package, path);
            let is_small = entry.size.is_some_and(|size| size <= SMALL.min(left)) && may_be_list(&path);
            let bytes = entry.content.as_ref().filter(|_| is_small).and_then(|content| content.open().ok());
            let text = bytes.and_then(|bytes| read_whole(&*bytes, SMALL as usize).ok()?);
            // Of the blobs of images, those in JSON name others.
            if let Some(text) =
                text.filter(|text| !has_blob(&path) || text.trim_ascii_start().starts_with(b"{"))
            {
                left -= text.len() as u64;
                found.texts.insert(path.clone(), text);
            }
            found.paths.push(path);
        }
        found
    }

    /// Returns the members whose paths a function accepts.
    pub(super) fn texts<'a>(
        &'a self,
        is_wanted: impl Fn(&[u8]) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        self.texts.iter().filter(move |(path, _)| is_wanted(path)).map(|(path, text)| (&**path, &**text))
    }

    /// Returns the content of a member.
    pub(super) fn text(&self, path: &[u8]) -> Option<&[u8]> {
        self.texts.get(path).map(Vec::as_slice)
    }
}

/// Returns whether a member can be one of the lists that are looked at.
fn may_be_list(path: &[u8]) -> bool {
    let ends = |end: &[u8]| path.ends_with(end);
    ends(b".dist-info/RECORD")
        || ends(b"!/md5sums")
        || ends(b"!/conffiles")
        || ends(b".json")
        || has_blob(path)
}

/// Returns whether a path is that of a blob of a container's image.
pub(super) fn has_blob(path: &[u8]) -> bool {
    path.windows(7).any(|part| part == b"!/blobs" || part == b"/blobs/")
}
