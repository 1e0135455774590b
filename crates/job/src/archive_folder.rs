//! Archives that take the place of folders. A build without archives knows none.

#[cfg(feature = "images")]
use crate::archives::open_folder;
use crate::chosen::{InsideFilter, without_passages};
use crate::flow::Entries;
use hashmill_source::{WalkItem, WalkOptions};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The texts of symbolic links in an archive, by their paths.
pub(crate) type LinkTexts = Arc<Mutex<HashMap<Box<[u8]>, Box<[u8]>>>>;

/// An open archive that takes the place of a folder. Its members can be gone through more than once.
pub(crate) trait ArchiveFolder: Send + Sync {
    /// Returns the members, as the files below it.
    fn entries(&self, texts: Option<LinkTexts>) -> Entries;
}

/// Opens an archive that takes the place of a folder; `None` if the file is none. Looking into it may take so much memory.
#[cfg(not(feature = "images"))]
fn open_folder(_path: &[u8], _memory: usize) -> Option<Box<dyn ArchiveFolder>> {
    None
}

/// Opens an archive in the place of a folder; `None` if it is none.
pub(crate) fn open(path: &[u8], memory: usize) -> Option<Box<dyn ArchiveFolder>> {
    open_folder(path, memory)
}

/// Returns whether a path is that of an archive, which may take the place of a folder.
pub(crate) fn is_archive(path: &[u8], memory: usize) -> bool {
    open(path, memory).is_some()
}

/// Returns the members of an archive that takes the place of a folder, as the files below it, with those left out that a
/// walk with these options leaves out; none if it is none.
pub(crate) fn as_folder(
    path: &[u8],
    memory: usize,
    texts: Option<LinkTexts>,
    options: WalkOptions,
) -> Option<Entries> {
    let members = open(path, memory)?.entries(texts);
    let (filter, root) = (InsideFilter::new(Arc::new(options)), Box::<[u8]>::from(path));
    Some(Box::new(members.map(move |found| without_passages(filter.choose_below(&root, found)))))
}

/// Returns the paths of the files in an archive, as those of files below it; none if there are too many to keep.
pub(crate) fn paths_in(path: &[u8], memory: usize) -> HashSet<Box<[u8]>> {
    const MOST: usize = 1 << 20;
    let files = open(path, memory).map(|archive| archive.entries(None)).into_iter().flatten();
    let paths =
        files.filter_map(|item| if let WalkItem::File(entry) = item { Some(entry.path) } else { None });
    let paths: HashSet<_> = paths.take(MOST + 1).collect();
    if paths.len() > MOST { HashSet::new() } else { paths }
}
