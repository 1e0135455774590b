//! Counts the data to read while the run reads it, to estimate the remaining time. Opens nothing except block devices,
//! whose size can't be known otherwise.

use crate::selection::mixed::walk_one;
use crate::stores::Stores;
use crate::system;
use hashmill_engine::Live;
use hashmill_engine::flow::Entries;
use hashmill_os::{Facts, FileKind, Links, Stream, device_size, facts_at, names, standard};
use hashmill_source::{Entry, LookAhead, Origin, WalkItem, WalkOptions};
use std::fs::{File, Metadata};
use std::io::Seek;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::thread;

/// Counts entries on a thread of low priority. It ends no later than the run, which holds `live`.
pub fn count(live: &Arc<Live>, entries: impl FnOnce() -> Option<Entries> + Send + 'static) {
    live.count.begin();
    let counted = Arc::downgrade(live);
    let work = move || {
        // If this fails, the thread only competes more for the processor.
        let _ = system::hold_back();
        let whole = entries().is_some_and(|entries| add_all(entries, &counted));
        if let Some(live) = counted.upgrade() {
            if whole { live.count.end() } else { live.count.give_up() }
        }
    };
    if thread::Builder::new().name("count".into()).spawn(work).is_err() {
        live.count.give_up();
    }
}

/// Counts the files of a folder in the same way. The listing of a store includes sizes.
pub fn count_folder(live: &Arc<Live>, folder: &[u8], stores: &Stores) {
    if !stores.is_location(folder) {
        let entries = walk_one(folder, options(WalkOptions::default()), stores);
        count(live, move || Some(entries));
    }
}

/// Returns the options of a walk that only counts, beside one with these options.
pub fn options(options: WalkOptions) -> WalkOptions {
    WalkOptions { sizes: true, ahead: LookAhead::Never, ..options }
}

/// Adds the entries. Returns `false` if the run ended first.
fn add_all(entries: Entries, live: &Weak<Live>) -> bool {
    for found in entries {
        let Some(live) = live.upgrade() else { return false };
        if let WalkItem::File(entry) = found {
            live.count.add(size(&entry));
        }
    }
    true
}

/// Returns the number of bytes that reading an entry gives, or `None` if it is only known after reading.
fn size(entry: &Entry) -> Option<u64> {
    match entry.origin {
        _ if entry.size.is_some() => entry.size,
        _ if entry.content.is_some() => None,
        Origin::Stdin => rest_of_stdin(),
        Origin::Path | Origin::Listed | Origin::Operand => {
            let path = &*names::path_to_try(&entry.path);
            match facts_at(path, Links::Follow) {
                Ok(facts) => size_at(path, &facts),
                // A file without metadata can't be read either.
                Err(_) => Some(0),
            }
        }
    }
}

fn size_at(path: &Path, facts: &Facts) -> Option<u64> {
    match facts.kind {
        FileKind::File => Some(facts.size),
        FileKind::Block => device_size(&File::open(path).ok()?).ok(),
        // Folders are refused and not read.
        FileKind::Folder => Some(0),
        FileKind::Link | FileKind::Fifo | FileKind::Socket | FileKind::Character => None,
    }
}

/// Returns the number of bytes from the current position of a redirected standard input to the end of its file.
fn rest_of_stdin() -> Option<u64> {
    // The offset is shared by both descriptors; it is read and not changed.
    let mut file = standard(Stream::Input).ok()?;
    let meta = file.metadata().ok().filter(Metadata::is_file)?;
    Some(meta.len().saturating_sub(file.stream_position().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Resources;
    use crate::selection::Selection;
    use std::fs;
    use std::time::{Duration, Instant};

    /// Returns the total after the count has ended.
    fn counted(live: &Live) -> hashmill_engine::Total {
        let end = Instant::now() + Duration::from_secs(60);
        while !live.total().is_known && Instant::now() < end {
            thread::yield_now();
        }
        live.total()
    }

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        fs::write(folder.path().join("a"), [1; 1000]).unwrap();
        fs::write(folder.path().join("below/b"), [1; 234]).unwrap();
        fs::write(folder.path().join("below/c.tmp"), [1; 5]).unwrap();
        folder
    }

    #[test]
    fn a_count_knows_what_a_selection_would_take() {
        let folder = tree();
        let filter = hashmill_source::Filter::builder().exclude("*.tmp").build().unwrap();
        let selection = Selection { filter, ..Selection::from_paths([folder.path()]) };
        let live = Arc::new(Live::default());
        selection.count(&Resources::default(), &live);
        let total = counted(&live);
        assert_eq!((total.files, total.bytes, total.is_known), (2, 1234, true));
    }

    #[test]
    fn listed_files_are_counted_by_what_is_there() {
        let folder = tree();
        let path = |name: &str| names::path_bytes(&folder.path().join(name)).into_owned();
        let paths = ["a", "gone", "below"].map(path);
        let listed = |path: Vec<u8>| WalkItem::File(Entry::new(path.into(), Origin::Listed));
        let live = Arc::new(Live::default());
        count(&live, move || Some(Box::new(paths.clone().into_iter().map(listed))));
        let total = counted(&live);
        assert_eq!((total.files, total.bytes), (3, 1000));
    }

    #[test]
    fn a_count_ends_with_its_run() {
        let live = Arc::new(Live::default());
        let weak = Arc::downgrade(&live);
        drop(live);
        let endless =
            std::iter::repeat_with(|| WalkItem::File(Entry::new(b"x".as_slice().into(), Origin::Listed)));
        assert!(!add_all(Box::new(endless), &weak));
    }
}
