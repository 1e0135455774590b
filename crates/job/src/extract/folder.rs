//! The folder that files of an image or archive are written into. Their paths are not trusted: none leads out of it.

use super::copy::CopyError;
use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_content::entry::stated::Difference;
use hashmill_content::output::{To, Unfinished, WriteError};
use hashmill_os::roots::has_drives;
use hashmill_os::{FileId, Links, facts, facts_at, names, sync_many};
use hashmill_output::{FileBatch, RunFiles, sweep_all};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The names of devices on Windows, which no file can have there, whatever its extension.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// A folder that files are written into.
pub(super) struct TargetFolder {
    path: PathBuf,
    force: bool,
    files: RunFiles,
    /// The files of this run: where names that differ are one, no file takes the place of another.
    written: HashSet<FileId>,
    /// Files that have no names yet.
    waiting: FileBatch<Copied>,
    /// Folders in which no files of a killed run are left.
    swept: HashSet<PathBuf>,
}

/// A file that was copied.
pub(super) struct Copied {
    /// The path of the entry.
    pub(super) path: Box<[u8]>,
    pub(super) size: u64,
    /// The digests that an image states and that are not its own.
    pub(super) differences: Vec<Difference>,
}

impl TargetFolder {
    /// Makes the folder. One that is there must be empty, unless files in it may be replaced.
    ///
    /// # Errors
    /// If there is none to write into.
    pub(super) fn begin(to: &To) -> Result<TargetFolder, Error> {
        let place = to.file().ok_or(Misfit::FilesToStream)?;
        let (path, force, files) = (place.path.clone(), place.force, place.files.clone());
        let begin = || match fs::read_dir(&path).map(|mut names| names.next().is_some()) {
            Ok(true) if !force => {
                Err(io::Error::other("is a folder that is not empty (--force writes into it)"))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir(&path),
            is_used => is_used.map(drop),
        };
        begin().map_err(|error| WriteError::new(&path, error))?;
        let (written, waiting, swept) = (HashSet::new(), FileBatch::default(), HashSet::new());
        Ok(TargetFolder { path, force, files, written, waiting, swept })
    }

    /// Writes a file with this path below the folder. It gets its name once all bytes are on the disk, by
    /// [`TargetFolder::give_names`].
    pub(super) fn write(
        &mut self,
        path: &[u8],
        copy: &mut dyn FnMut(&File) -> Result<Copied, CopyError>,
    ) -> Result<(), CopyError> {
        let path = self.place(path).map_err(CopyError::Write)?;
        let (file, unfinished) = Unfinished::one_of_many(&path, &self.files).map_err(CopyError::Write)?;
        let copied = copy(&file)?;
        self.waiting.add(file, unfinished, copied);
        Ok(())
    }

    /// Returns whether the files should get their names before another is written.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.is_full()
    }

    /// Gives the files that were written their names, and returns a result for each.
    pub(super) fn give_names(&mut self) -> Vec<(Copied, io::Result<()>)> {
        let files = self.waiting.sync().into_iter();
        let named = files.map(|(copied, synced)| {
            let named = synced.and_then(|(file, unfinished)| {
                self.check_free(unfinished.name())?;
                unfinished.give_synced_name(&file)?;
                self.written.insert(facts(&file)?.id);
                Ok(())
            });
            (copied, named)
        });
        named.collect()
    }

    /// Makes the new names survive a power cut.
    pub(super) fn sync(&self) -> io::Result<()> {
        // Windows opens no folder, and keeps a journal of names.
        let Ok(folder) = File::open(&self.path) else { return Ok(()) };
        sync_many(&[&folder]).into_iter().collect()
    }

    /// Returns the path of a new file, with the folders above it made.
    fn place(&mut self, path: &[u8]) -> io::Result<PathBuf> {
        if path.starts_with(b"/") {
            return Err(io::Error::other("its path is absolute (it can be written under a name of its own)"));
        }
        let parts: Vec<&[u8]> =
            path.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b".")).collect();
        if let Some(why) = parts.iter().find_map(|part| refusal(part, has_drives())) {
            return Err(io::Error::other(why));
        }
        let (name, above) = parts.split_last().ok_or_else(|| io::Error::other("it has no name"))?;
        let mut place = self.path.clone();
        for part in above {
            place.push(&*names::path_to_try(part));
            match facts_at(&place, Links::Stay) {
                Ok(facts) if facts.is_folder() => {}
                Ok(_) => {
                    return Err(io::Error::other(
                        "something else than a folder is in the place of one above it",
                    ));
                }
                Err(_) => fs::create_dir(&place)?,
            }
        }
        if self.force && self.swept.insert(place.clone()) {
            sweep_all(&place, &self.files);
        }
        place.push(&*names::path_to_try(name));
        self.check_free(&place).map(|()| place)
    }

    /// Checks that a file may get this path.
    fn check_free(&self, place: &Path) -> io::Result<()> {
        match facts_at(place, Links::Stay) {
            Ok(facts) if self.written.contains(&facts.id) => {
                Err(io::Error::other("another file that was written has its name"))
            }
            Ok(facts) if !facts.is_file() => {
                Err(io::Error::other("something else than a file is in its place"))
            }
            Ok(_) if !self.force => Err(io::Error::other("a file is in its place (--force replaces it)")),
            _ => Ok(()),
        }
    }
}

/// Returns whether after an error of writing no other file can be written either.
pub(super) fn ends_all(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem)
}

/// Returns why no file can have a name, if so. `has_drives` says whether the rules of Windows hold.
fn refusal(name: &[u8], has_drives: bool) -> Option<&'static str> {
    if name == b".." {
        return Some("its path leads out of its folder by ..");
    }
    let is_odd = |byte: &u8| *byte < b' ' || b"<>:\"|?*\\".contains(byte);
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default().to_ascii_lowercase();
    let is_device = DEVICES.iter().any(|device| device.as_bytes() == stem);
    let is_refused = name.contains(&0)
        || has_drives
            && (is_device || name.iter().any(is_odd) || name.ends_with(b".") || name.ends_with(b" "));
    is_refused.then_some("no file can have its name on this system")
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn names_that_a_system_can_not_hold_are_refused() {
        for (name, on_unix, on_windows) in [
            ("a.txt", false, false),
            ("..", true, true),
            ("...", false, true),
            ("a\0b", true, true),
            ("a:b", false, true),
            ("Nul.txt", false, true),
            ("null", false, false),
            ("end ", false, true),
            ("a\\b", false, true),
        ] {
            let found = [false, true].map(|has_drives| refusal(name.as_bytes(), has_drives).is_some());
            assert_eq!(found, [on_unix, on_windows], "{name:?}");
        }
    }
}
