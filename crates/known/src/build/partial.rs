//! The partial file of an index: written beside the output, and renamed when it is complete.

use crate::error::Error;
use crate::layout::{Checksum, HEADER, SUM, aligned};
use hashmill_os::{
    FileId, Links, Lock, all_names_in, create_own, facts, facts_at, names, open_now, settle, sync_folder,
    try_lock,
};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The size in bytes and the alignment of writes. Aligned writes let the system keep the file in pages of 2 MiB, which
/// reduces the TLB misses of lookups.
const BLOCK: usize = 4 << 20;

const SUFFIX: &str = ".hashmill-partial";

/// The most names that are tried for a new file. That one is taken is a coincidence of 1 in 2^64, or malicious.
const TRIES: usize = 16;

/// Returns an unpredictable name beside `target` for an unfinished or temporary file of this process.
pub(crate) fn beside(target: &Path, what: &str) -> PathBuf {
    let mut name = OsString::from(target.file_name().unwrap_or(OsStr::new("index")));
    // The keys of the hash come from the system's random numbers.
    let random = RandomState::new().hash_one(std::process::id());
    name.push(format!(".{}-{random:016x}{what}{SUFFIX}", std::process::id()));
    target.with_file_name(name)
}

/// The users who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// All users that the umask allows.
    Others,
    /// Only the user.
    User,
}

/// Creates and locks a file with a new name. Never writes to an existing file or follows a link.
pub(crate) fn create(target: &Path, what: &str, readers: Readers) -> std::io::Result<(PathBuf, File)> {
    let mut taken = None;
    for _ in 0..TRIES {
        let path = beside(target, what);
        match create_at(&path, readers) {
            Ok(file) => {
                if let Err(error) = try_lock(&file) {
                    remove(&path);
                    return Err(error);
                }
                return Ok((path, file));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => taken = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(taken.unwrap_or(ErrorKind::AlreadyExists.into()))
}

/// The unfinished files that this process created.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the unfinished files of this process before it exits. Files that were already renamed to their targets stay.
pub fn tidy() {
    let made = std::mem::take(&mut *MADE.lock().unwrap_or_else(PoisonError::into_inner));
    made.iter().for_each(|path| remove(path));
}

/// The callback for files that can't be removed.
static LEFT: OnceLock<fn(&Path, &io::Error)> = OnceLock::new();

/// Sets the callback for obsolete files that can't be removed. Only the first call has an effect.
pub fn on_left_behind(take: fn(&Path, &io::Error)) {
    let _ = LEFT.set(take);
}

/// Removes a file of this process, or reports that it stays.
pub(crate) fn remove(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            if let Some(take) = LEFT.get() {
                take(path, &error);
            }
        }
        _ => {}
    }
}

/// Creates a file with this name, which must not exist.
pub(crate) fn create_at(path: &Path, readers: Readers) -> std::io::Result<File> {
    let file = match readers {
        Readers::User => create_own(path)?,
        Readers::Others => OpenOptions::new().read(true).write(true).create_new(true).open(path)?,
    };
    MADE.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_path_buf());
    Ok(file)
}

/// Removes the partial files that killed builds of `target` left. A locked file still has an owner.
pub(crate) fn sweep(target: &Path) {
    let Some(name) = target.file_name() else { return };
    let folder = folder(target);
    for found in all_names_in(folder).unwrap_or_default() {
        if is_left_over(&names::bytes(&found), &names::bytes(name)) {
            let path = folder.join(&found);
            // Does not follow a link or wait for a FIFO.
            let found = open_now(&path, Links::Stay);
            // Without locks, it may have an owner.
            let is_free = |file: &File| matches!(try_lock(file), Ok(Lock::Taken));
            let unowned = |file: File| file.metadata().is_ok_and(|meta| meta.is_file()) && is_free(&file);
            if found.is_ok_and(unowned) {
                remove(&path);
            }
        }
    }
}

/// Returns whether a file is named `target.DIGITS….hashmill-partial`.
fn is_left_over(name: &[u8], target: &[u8]) -> bool {
    let rest = name.strip_prefix(target).and_then(|rest| rest.strip_prefix(b"."));
    let owner = rest.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    owner.is_some_and(|owner| owner.first().is_some_and(u8::is_ascii_digit))
}

fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The position and the checksum of a written section.
pub(crate) struct Extent {
    pub offset: u64,
    pub length: u64,
    pub sum: [u8; SUM],
}

/// An index file that is written section by section.
pub(crate) struct Partial {
    target: PathBuf,
    path: PathBuf,
    file: File,
    /// The identity of the file, by which it is known under its last name.
    id: FileId,
    /// The length of the file, including gathered bytes.
    end: u64,
    start: u64,
    gathered: Vec<u8>,
    sum: Checksum,
    renamed: bool,
}

impl Partial {
    /// Creates a file that will become `target`.
    pub fn new(target: &Path) -> Result<Self, Error> {
        let (path, file) = create(target, "", Readers::Others).map_err(Error::io(target, "create"))?;
        let id = facts(&file).map_err(Error::io(target, "create"))?.id;
        let (gathered, end) = (vec![0; HEADER], HEADER as u64);
        let (target, sum) = (target.to_path_buf(), Checksum::new());
        Ok(Partial { target, path, file, id, end, start: end, gathered, sum, renamed: false })
    }

    pub fn begin(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.start = aligned(self.end);
        self.gathered.resize((self.start - self.end) as usize, 0);
        self.end = self.start;
        self.flush()?;
        self.sum = Checksum::new();
        Ok(())
    }

    /// Appends to the section.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.gathered.extend_from_slice(bytes);
        self.end += bytes.len() as u64;
        if self.gathered.len() < BLOCK {
            return Ok(());
        }
        let written = self.end - self.gathered.len() as u64;
        let whole = self.end / BLOCK as u64 * BLOCK as u64 - written;
        self.write(whole as usize)
    }

    pub fn finish_section(&mut self) -> Result<Extent, Error> {
        self.flush()?;
        let sum = std::mem::replace(&mut self.sum, Checksum::new()).finish();
        Ok(Extent { offset: self.start, length: self.end - self.start, sum })
    }

    /// Discards the section; it may then start again at the same place.
    pub fn discard_section(&mut self) -> Result<(), Error> {
        self.gathered.clear();
        self.end = self.start;
        let cut = self.file.set_len(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
        cut.map(drop).map_err(Error::io(&self.path, "write"))
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.write(self.gathered.len())
    }

    /// Writes this many of the gathered bytes.
    fn write(&mut self, count: usize) -> Result<(), Error> {
        let bytes = &self.gathered[..count];
        self.sum.update(bytes);
        self.file.write_all(bytes).map_err(Error::io(&self.path, "write"))?;
        self.gathered.drain(..count);
        Ok(())
    }

    /// Returns the final name of the file.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the length of the file so far.
    pub fn length(&self) -> u64 {
        self.end
    }

    /// Writes the header, syncs the file to disk, and renames it to its target.
    pub fn publish(mut self, header: &[u8; HEADER]) -> Result<(), Error> {
        self.flush()?;
        let start = self.file.seek(SeekFrom::Start(0));
        start.and_then(|_| self.file.write_all(header)).map_err(Error::io(&self.path, "write"))?;
        let whole = self.file.sync_all().and_then(|()| settle(&self.file));
        whole.map_err(Error::io(&self.path, "write"))?;
        self.is_at(&self.path)?;
        fs::rename(&self.path, &self.target).map_err(Error::io(&self.target, "create"))?;
        self.renamed = true;
        self.is_at(&self.target)?;
        // The new name is durable once its folder is synced; systems that can't sync folders do without.
        let _ = sync_folder(folder(&self.target));
        Ok(())
    }
}

impl Partial {
    /// Checks that a path leads to the file that was written, and not to a replacement.
    fn is_at(&self, path: &Path) -> Result<(), Error> {
        let found = facts_at(path, Links::Stay).map_err(Error::io(path, "create"))?;
        if self.id == found.id {
            return Ok(());
        }
        let displaced =
            io::Error::other("somebody else put another file there; write to a folder of your own");
        Err(Error::io(&self.target, "create")(displaced))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.renamed {
            remove(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_new_files_are_never_the_same() {
        let target = Path::new("folder/a.hmk");
        assert_ne!(beside(target, ""), beside(target, ""));
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_taken_is_not_written_to() {
        use std::os::unix::fs::{MetadataExt, symlink};
        let folder = std::env::temp_dir().join(format!("hashmill-known-taken-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (target, link, victim) = (folder.join("a.hmk"), folder.join("link"), folder.join("victim"));
        symlink(&victim, &link).unwrap();
        let refused = create_at(&link, Readers::Others).map_err(|error| error.kind());
        assert_eq!(refused.unwrap_err(), ErrorKind::AlreadyExists);
        let (path, file) = create(&target, "-database", Readers::User).unwrap();
        let mode = file.metadata().unwrap().mode() & 0o777;
        // A pipe that is named like a leftover file must not block.
        let pipe = folder.join("a.hmk.7.hashmill-partial");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        sweep(&target);
        let kept = path.exists();
        drop(file);
        sweep(&target);
        let (swept, harmed) = (!path.exists(), victim.exists());
        fs::remove_dir_all(&folder).unwrap();
        assert!(made.unwrap().success() && kept && swept && !harmed);
        assert_eq!(mode, 0o600);
    }

    #[test]
    fn only_partial_files_of_the_target_are_left_overs() {
        assert!(is_left_over(b"a.hmk.12.hashmill-partial", b"a.hmk"));
        assert!(is_left_over(b"a.hmk.12-20.hashmill-partial", b"a.hmk"));
        let name = beside(Path::new("a.hmk"), "-20");
        assert!(is_left_over(&names::path_bytes(&name), b"a.hmk"));
        assert!(!is_left_over(b"b.hmk.12.hashmill-partial", b"a.hmk"));
        assert!(!is_left_over(b"a.hmk", b"a.hmk"));
        assert!(!is_left_over(b"a.hmk.old.hashmill-partial", b"a.hmk"));
    }

    #[test]
    fn a_file_that_was_put_in_its_place_does_not_get_the_name() {
        let folder = std::env::temp_dir().join(format!("hashmill-partial-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let target = folder.join("a.hmk");
        let partial = Partial::new(&target).unwrap();
        let path = partial.path.clone();
        fs::rename(&path, folder.join("away")).unwrap();
        fs::write(&path, "forged").unwrap();
        let error = partial.publish(&[0; HEADER]).unwrap_err().to_string();
        let given = target.exists();
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains("somebody else put another file"), "{error}");
        assert!(!given);
    }
}
