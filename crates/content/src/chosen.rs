//! The choice of files inside of others, by the filters of the walk.

use hashmill_engine::flow::Entries;
use hashmill_os::roots::below;
use hashmill_source::{Choice, Entry, Error, Problem, Skip, WalkItem, WalkOptions};
use std::sync::Arc;

/// The filters for what is inside of a file.
#[derive(Debug, Clone)]
pub struct InsideFilter {
    options: Arc<WalkOptions>,
    /// Whether an include glob matches the file itself: all that is in it is then included.
    is_included: bool,
}

impl InsideFilter {
    /// Creates the filters for what is inside of the files of a walk.
    pub(crate) fn new(options: Arc<WalkOptions>) -> InsideFilter {
        InsideFilter { options, is_included: false }
    }

    /// Returns the filters for what is inside of a file that passed these ones, or those of the walk.
    pub(crate) fn within(&self, entry: &Entry) -> InsideFilter {
        InsideFilter { options: Arc::clone(&self.options), is_included: !entry.is_passage }
    }

    /// Returns what becomes of something inside of a file; `root` is the beginning of its path up to that file.
    pub(crate) fn choose(&self, root: &[u8], found: WalkItem) -> WalkItem {
        match found {
            WalkItem::File(entry) => {
                let choice = self.options.choose_inside(below(&entry.path, root), &entry, self.is_included);
                match choice {
                    Choice::LeftOut => left_out(entry.path),
                    choice => WalkItem::File(Entry { is_passage: choice == Choice::Passage, ..entry }),
                }
            }
            WalkItem::Failed(error) if self.leaves_out(root, &error) => left_out(error.path),
            WalkItem::Skipped { path, .. } if self.leaves_out_path(root, &path) => left_out(path),
            other => other,
        }
    }

    /// Returns what becomes of something below a root that takes the place of a folder: the depth counts, too.
    fn choose_below(&self, root: &[u8], found: WalkItem) -> WalkItem {
        let most = self.options.max_depth;
        let is_deep = |path: &[u8]| {
            let directories = below(path, root).iter().filter(|byte| **byte == b'/').count();
            most.is_some_and(|most| directories >= most)
        };
        match found {
            WalkItem::File(Entry { path, .. }) | WalkItem::Skipped { path, .. } if is_deep(&path) => {
                left_out(path)
            }
            found => self.choose(root, found),
        }
    }

    /// Returns what becomes of the items below a root that takes the place of a folder.
    pub(crate) fn chosen_below(self, files: Entries, root: &[u8]) -> Entries {
        let root = Box::<[u8]>::from(root);
        Box::new(files.map(move |found| self.choose_below(&root, found)))
    }

    /// Returns whether a failure is of a file that is left out. Those of a whole archive are not.
    fn leaves_out(&self, root: &[u8], error: &Error) -> bool {
        let is_of_all = error.path.ends_with(b"!") || *error.path == *root;
        let is_file = matches!(error.problem, Problem::Inside { .. }) && !is_of_all;
        is_file && self.leaves_out_path(root, &error.path)
    }

    fn leaves_out_path(&self, root: &[u8], path: &[u8]) -> bool {
        self.options.choose_by_path(below(path, root), path, self.is_included) == Choice::LeftOut
    }
}

/// Returns an entry of a walk, but a passage as left out.
pub(crate) fn without_passages(found: WalkItem) -> WalkItem {
    match found {
        WalkItem::File(entry) if entry.is_passage => left_out(entry.path),
        other => other,
    }
}

/// Returns whether what is inside of a file stands for the file, if that is wanted, with the same entries. Nothing stands for
/// nothing: a file with nothing inside is read itself.
pub(crate) fn stand_in(inside: Entries, is_wanted: bool) -> (bool, Entries) {
    let mut inside = inside.peekable();
    let stands = is_wanted && inside.peek().is_some();
    (stands, Box::new(inside))
}

fn left_out(path: Box<[u8]>) -> WalkItem {
    WalkItem::Skipped { path, why: Skip::Filtered }
}
