//! The folder that files of an image or archive are written into. Their paths are not trusted: none leads out of it.

use super::copy::CopyError;
use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_content::output::To;
use hashmill_content::output::{Unfinished, WriteError};
use hashmill_os::roots::has_drives;
use hashmill_os::{FileId, Links, facts, facts_at, names};
use hashmill_output::RunFiles;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

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
        Ok(TargetFolder { path, force, files, written: HashSet::new() })
    }

    /// Writes a file with this path below the folder. It has its name once all bytes were copied.
    pub(super) fn write<T>(
        &mut self,
        path: &[u8],
        copy: &mut dyn FnMut(&File) -> Result<T, CopyError>,
    ) -> Result<T, CopyError> {
        let path = self.place(path).map_err(CopyError::Write)?;
        let (file, unfinished) = Unfinished::one_of_many(&path, &self.files).map_err(CopyError::Write)?;
        let copied = copy(&file)?;
        unfinished.give_name(&file).map_err(CopyError::Write)?;
        self.written.insert(facts(&file).map_err(CopyError::Write)?.id);
        Ok(copied)
    }

    /// Returns the path of a new file, with the folders above it made.
    fn place(&self, path: &[u8]) -> io::Result<PathBuf> {
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
        place.push(&*names::path_to_try(name));
        match facts_at(&place, Links::Stay) {
            Ok(facts) if self.written.contains(&facts.id) => {
                Err(io::Error::other("another file that was written has its name"))
            }
            Ok(facts) if !facts.is_file() => {
                Err(io::Error::other("something else than a file is in its place"))
            }
            Ok(_) if !self.force => Err(io::Error::other("a file is in its place (--force replaces it)")),
            _ => Ok(place),
        }
    }

    /// Returns an error of writing into the folder.
    pub(super) fn error(&self, error: io::Error) -> WriteError {
        WriteError::new(&self.path, error)
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
