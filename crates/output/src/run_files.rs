//! The unfinished files of a run.

use crate::unfinished::remove_own;
use crate::warning::Warning;
use hashmill_os::{FileId, Spot};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The unfinished files of a run, and the receiver of warnings about files. Clones share both, so that a thread that
/// waits for signals can remove the files. Runs that were given different ones know nothing of each other.
#[derive(Clone, Default)]
pub struct RunFiles(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Files that are removed if the run ends before they have their names.
    passing: Mutex<HashMap<PathBuf, (Spot, FileId)>>,
    /// Files that stay for a run that resumes them.
    lasting: Mutex<Vec<PathBuf>>,
    receivers: Option<Receivers>,
    is_prepared: AtomicBool,
    is_told_unlocked: AtomicBool,
}

/// The functions of the owner of the files.
struct Receivers {
    prepare: Box<dyn Fn() + Send + Sync>,
    warn: Box<dyn Fn(&Warning<'_>) + Send + Sync>,
}

impl RunFiles {
    /// Makes the files of a run whose warnings go to `warn`; those of [`RunFiles::default`] are lost. `prepare` is
    /// called once, before the first file that must not be left behind is created: it ensures that signals don't end
    /// the process without [`RunFiles::tidy`].
    pub fn new(
        prepare: impl Fn() + Send + Sync + 'static,
        warn: impl Fn(&Warning<'_>) + Send + Sync + 'static,
    ) -> RunFiles {
        let receivers = Receivers { prepare: Box::new(prepare), warn: Box::new(warn) };
        RunFiles(Arc::new(Shared { receivers: Some(receivers), ..Shared::default() }))
    }

    /// Removes the files that have no name yet, at the end of the run.
    pub fn tidy(&self) {
        for (spot, id) in std::mem::take(&mut *self.0.passing.lock()).into_values() {
            remove_own(&spot, id, self);
        }
    }

    /// Returns the files that the run would leave for one that resumes them.
    pub fn left(&self) -> Vec<PathBuf> {
        self.0.lasting.lock().clone()
    }

    /// Passes on a warning.
    pub fn warn(&self, warning: &Warning<'_>) {
        if let Some(receivers) = &self.0.receivers {
            (receivers.warn)(warning);
        }
    }

    /// Warns, once in a run, that the file system of this folder has no locks.
    pub(crate) fn warn_unlocked(&self, folder: &Path) {
        if !self.0.is_told_unlocked.swap(true, Ordering::Relaxed) {
            self.warn(&Warning::Unlocked { folder });
        }
    }

    /// Ensures that signals don't leave files behind from now on.
    pub(crate) fn prepare(&self) {
        if let Some(receivers) = &self.0.receivers
            && !self.0.is_prepared.swap(true, Ordering::Relaxed)
        {
            (receivers.prepare)();
        }
    }

    /// Notes a file to be removed if the run ends.
    pub(crate) fn add_passing(&self, spot: &Spot, id: FileId) {
        self.0.passing.lock().insert(spot.path().to_path_buf(), (spot.clone(), id));
    }

    /// Notes a file that stays.
    pub(crate) fn add_lasting(&self, path: &Path) {
        self.0.lasting.lock().push(path.to_path_buf());
    }

    /// Forgets a file, whether it was to be removed or to stay.
    pub(crate) fn forget(&self, path: &Path) {
        self.0.passing.lock().remove(path);
        self.0.lasting.lock().retain(|other| other != path);
    }
}

impl fmt::Debug for RunFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunFiles").field("left", &self.left()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unfinished::{Unfinished, beside};
    use std::fs;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_run_that_is_cut_short_removes_its_own_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (RunFiles::default(), RunFiles::default());
        let place = |name: &str| folder.path().join(name);
        let (_file, first) = Unfinished::passing(&place("first"), &one).unwrap();
        let (_file, second) = Unfinished::passing(&place("second"), &other).unwrap();
        let partial = beside(&place("third"), "partial");
        let (_file, third) = Unfinished::lasting(partial.clone(), &place("third"), &other).unwrap();
        assert_eq!((one.left(), other.left()), (Vec::new(), vec![partial]));
        one.clone().tidy();
        assert!(!first.place().exists() && second.place().exists());
        other.tidy();
        assert!(!second.place().exists() && third.place().exists());
    }

    #[test]
    fn each_run_gets_its_own_warnings_and_is_prepared_once() {
        let folder = tempfile::tempdir().unwrap();
        let [prepared, warned] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let count = |counter: &Arc<AtomicUsize>| {
            let counter = Arc::clone(counter);
            move || {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        };
        let warn = count(&warned);
        let (files, others) = (RunFiles::new(count(&prepared), move |_| warn()), RunFiles::default());
        let partial = folder.path().join(".out.hashmill-partial");
        let socket = |files: &RunFiles| {
            fs::create_dir(&partial).unwrap();
            Unfinished::lasting(partial.clone(), &folder.path().join("out"), files).unwrap_err();
            fs::remove_dir(&partial).unwrap();
        };
        socket(&files);
        socket(&files);
        files.warn_unlocked(folder.path());
        files.warn_unlocked(folder.path());
        others.warn_unlocked(folder.path());
        assert_eq!((prepared.load(Ordering::Relaxed), warned.load(Ordering::Relaxed)), (1, 1));
    }
}
