//! The folders of a destination that copies lie in. However many there are, they take a bounded amount of memory: they are sorted in
//! temporary files, those below before those above.

use super::attributes::{Lost, count_lost};
use hashmill_os::names::{path_bytes, path_to_try};
use hashmill_os::{Spot, copy_attributes, open_to_read};
use hashmill_output::WriteError;
use hashmill_output::sort::{Sorted, Sorter};
use std::collections::HashSet;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The bytes of memory for sorting.
const MEMORY: usize = 4 << 20;

/// The most folders that are known to be noted. A walk comes back to few.
const MOST_RECENT: usize = 1 << 14;

/// Folders, each with the folder of the sources that it is a copy of, if it is one.
pub(super) struct MadeFolders {
    sorter: Sorter,
    recent: HashSet<(PathBuf, bool)>,
    failed: Option<WriteError>,
}

impl fmt::Debug for MadeFolders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MadeFolders").field("failed", &self.failed).finish_non_exhaustive()
    }
}

impl Default for MadeFolders {
    fn default() -> MadeFolders {
        MadeFolders { sorter: Sorter::new(MEMORY), recent: HashSet::new(), failed: None }
    }
}

impl MadeFolders {
    /// Notes a folder. Returns whether it is not known to be noted already.
    pub(super) fn note(&mut self, copy: &Path, source: Option<&Path>) -> bool {
        if self.recent.len() >= MOST_RECENT {
            self.recent.clear();
        }
        if !self.recent.insert((copy.to_path_buf(), source.is_some())) {
            return false;
        }
        let depth = u32::try_from(copy.components().count()).unwrap_or(u32::MAX);
        let key = [&(u32::MAX - depth).to_be_bytes()[..], &path_bytes(copy)].concat();
        let source = source.map(path_bytes);
        if let Err(error) = self.sorter.push(&key, &[source.as_deref().unwrap_or_default()]) {
            self.failed.get_or_insert(error);
        }
        true
    }

    /// Gives folders the properties of their sources, and makes the names in them survive a power cut. Returns the properties that
    /// folders lack, and the first error. `spot` returns where a path leads.
    pub(super) fn finish(self, spot: &dyn Fn(&Path) -> Spot) -> (Lost, io::Result<()>) {
        let mut done = Finished { lost: Lost::default(), first: None, spot };
        let settled = self.sorter.sorted().and_then(|sorted| done.settle_all(sorted));
        let settled = settled.and(self.failed.map_or(Ok(()), Err)).map_err(io::Error::other);
        (done.lost, done.first.map_or(Ok(()), Err).and(settled))
    }
}

/// The findings about folders.
struct Finished<'a> {
    lost: Lost,
    /// The first error.
    first: Option<io::Error>,
    /// Returns where a path leads.
    spot: &'a dyn Fn(&Path) -> Spot,
}

impl Finished<'_> {
    /// Settles all folders. Those that were noted several times follow one another.
    fn settle_all(&mut self, mut sorted: Sorted) -> Result<(), WriteError> {
        let mut last: Option<(PathBuf, Option<PathBuf>)> = None;
        while let Some((key, rest)) = sorted.next_entry()? {
            let copy = path_to_try(key.get(size_of::<u32>()..).unwrap_or_default()).into_owned();
            let source = (!rest.is_empty()).then(|| path_to_try(rest).into_owned());
            match &mut last {
                Some((same, known)) if *same == copy => *known = known.take().or(source),
                _ => self.settle(last.replace((copy, source))),
            }
        }
        self.settle(last);
        Ok(())
    }

    fn settle(&mut self, folder: Option<(PathBuf, Option<PathBuf>)>) {
        let Some((copy, source)) = folder else { return };
        if let Err(error) = settle(&(self.spot)(&copy), source.as_deref(), &mut self.lost) {
            self.first.get_or_insert(error);
        }
    }
}

/// Gives a folder the properties of its source, and brings it onto the disk. One that is not there any more needs neither.
fn settle(copy: &Spot, source: Option<&Path>, lost: &mut Lost) -> io::Result<()> {
    if copy.facts().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(());
    }
    let given = source.map_or(Ok(()), |source| {
        let to = copy.open_folder()?;
        let lacking = copy_attributes(&open_to_read(source)?, &to)?;
        count_lost(lost, &lacking);
        Ok(())
    });
    let given = given.or_else(|error: io::Error| match error.kind() {
        // The system has no call for that.
        ErrorKind::Unsupported => Ok(()),
        _ => Err(error),
    });
    let synced = copy.sync_folder().map_err(io::Error::from);
    given.and(synced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn many_folders_get_their_properties_with_little_memory() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        let mut folders = MadeFolders::default();
        let names: Vec<PathBuf> =
            (0..40).flat_map(|one: u32| (0..5).map(move |two| format!("{one}/{two}").into())).collect();
        for root in [&from, &to] {
            names.iter().for_each(|name| fs::create_dir_all(root.join(name)).unwrap());
        }
        let times = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        for name in &names {
            assert!(folders.note(&to.join(name), None));
            assert!(folders.note(&to.join(name), Some(&from.join(name))));
            assert!(!folders.note(&to.join(name), Some(&from.join(name))));
            folders.note(to.join(name).parent().unwrap(), Some(from.join(name).parent().unwrap()));
        }
        // A folder that somebody removed meanwhile is no failure, one without its source is.
        folders.note(&to.join("gone"), Some(&from));
        let (lost, done) = folders.finish(&|path| Spot::from(path));
        assert!(lost.is_empty() && done.is_ok(), "{lost:?} {done:?}");
        for name in &names {
            assert_eq!(times(&to.join(name)), times(&from.join(name)), "{}", name.display());
        }
        assert_eq!(times(&to.join("7")), times(&from.join("7")));
        let mut folders = MadeFolders::default();
        folders.note(&to, Some(&from.join("none")));
        assert!(folders.finish(&|path| Spot::from(path)).1.is_err());
    }
}
