//! Files that are being written: their temporary places, where nobody else can change them until they get their names.
//!
//! Such a file is always a new one (`O_EXCL`: whatever has the name is not followed, opened or waited for). Only its
//! owner can use it until it is complete, and it is locked as long as its process lives. Its name is unpredictable,
//! except for the files that `--resume` must find again; those are only resumed if nobody else can have written them.
//! After a rename, the new name is checked: it must belong to the file that was written.

use crate::run_files::RunFiles;
use crate::warning::Warning;
use hashmill_os::{
    Facts, FileId, FileKind, Links, Lock, Owner, Spot, all_names_in, create_own, facts, facts_at, names,
    open_now, open_to_change, others_may, owned_at, owner,
};
use hashmill_terminal::Shown;
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::{PathPersistError, TempPath};

/// Permissions of a new file, before the mask of the process.
const NEW: u32 = 0o666;
/// Number of random letters in an unpredictable name.
const LETTERS: usize = 12;
/// The part of an unpredictable name between the final name and the letters.
const BEHIND: &str = ".hashmill-partial-";
/// Limit of bytes of a file name.
const LONGEST_NAME: usize = 255;
/// Limit of links to links that are followed, as in the kernel.
const LINKS: usize = 40;

/// A file that is being written: its temporary name and its final one.
#[derive(Debug)]
pub struct Unfinished {
    from: Spot,
    to: Spot,
    id: FileId,
    mode: u32,
    left: Cell<Left>,
    files: RunFiles,
}

/// The fate of an unfinished file when its writing ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// The file is removed.
    Removed,
    /// The file stays, for a run that resumes it.
    Kept,
    /// Nothing happens: the file has its name, or is gone.
    Done,
}

impl Unfinished {
    /// Creates a new file under an unpredictable name. It is removed if the run ends before it has its name. Also
    /// removes the temporary files that killed processes left.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn passing(to: &Path, files: &RunFiles) -> io::Result<(File, Unfinished)> {
        sweep(directory(to), &prefix(to), files);
        Unfinished::one_of_many(&to.into(), files)
    }

    /// Creates a new file as [`Unfinished::passing`] does, but does not list the folder for files that killed processes
    /// left: for each of many files ([`sweep_all`] lists it once).
    ///
    /// # Errors
    /// If it can't be created.
    pub fn one_of_many(to: &Spot, files: &RunFiles) -> io::Result<(File, Unfinished)> {
        files.prepare();
        let beside = |path: &Path| to.with_name(path.file_name().unwrap_or_default());
        let made = tempfile::Builder::new()
            .prefix(&prefix(to.path()))
            .rand_bytes(LETTERS)
            .make_in(directory(to.path()), |path| beside(path).create_own())?;
        let id = facts(made.as_file())?.id;
        let (file, from) = made.keep().map_err(|error| error.error)?;
        let unfinished = Unfinished::new(id, beside(&from), to.clone(), files);
        lock(&file, &from, files)?;
        Ok((file, unfinished))
    }

    /// Creates a new file under a name that a later run finds. The file of an earlier run is removed.
    ///
    /// # Errors
    /// If it can't be created, or another run is writing it.
    pub fn lasting(from: PathBuf, to: &Path, files: &RunFiles) -> io::Result<(File, Unfinished)> {
        files.prepare();
        files.clear(&from)?;
        let file = create_own(&from)?;
        let unfinished = Unfinished::new(facts(&file)?.id, (&*from).into(), to.into(), files);
        lock(&file, &from, files)?;
        unfinished.leave(Left::Kept);
        Ok((file, unfinished))
    }

    fn new(id: FileId, from: Spot, to: Spot, files: &RunFiles) -> Unfinished {
        // Only its owner decides who may read and write a file: one of another user may be open to everybody.
        let is_own = |(old, owner): &(Facts, Owner)| old.is_file() && *owner == Owner::Mine;
        let old = to.owned().ok().filter(is_own);
        let mode = old.map_or(NEW & !hashmill_os::umask(), |(old, _)| old.mode & 0o777);
        files.add_passing(&from, id);
        Unfinished { from, to, id, mode, left: Cell::new(Left::Removed), files: files.clone() }
    }

    /// Sets the fate of the file. Only files to be removed are removed when the run is cut short.
    fn leave(&self, left: Left) {
        self.left.set(left);
        self.files.forget(self.place());
        if left == Left::Kept {
            self.files.add_lasting(self.place());
        }
    }

    /// Returns the temporary path.
    pub fn place(&self) -> &Path {
        self.from.path()
    }

    /// Returns the final path.
    pub fn name(&self) -> &Path {
        self.to.path()
    }

    /// Returns where the file is.
    pub fn spot(&self) -> &Spot {
        &self.from
    }

    /// Returns where the file will be.
    pub fn named_spot(&self) -> &Spot {
        &self.to
    }

    /// Gives the file its name, after all of it is on the disk.
    ///
    /// # Errors
    /// If that fails, or somebody put another file in its place.
    pub fn give_name(&self, file: &File) -> io::Result<()> {
        self.name_by(file, Spot::rename)
    }

    /// Does the same as [`Unfinished::give_name`], unless anything has the name.
    ///
    /// # Errors
    /// As [`Unfinished::give_name`], and if the name is taken.
    pub fn give_new_name(&self, file: &File) -> io::Result<()> {
        self.name_by(file, rename_new)
    }

    fn name_by(&self, file: &File, rename: impl FnOnce(&Spot, &Spot) -> io::Result<()>) -> io::Result<()> {
        self.publish(file)?;
        file.sync_all()?;
        self.name_synced(file, rename)
    }

    /// Gives the file the permissions that it has under its name.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn publish(&self, file: &File) -> io::Result<()> {
        hashmill_os::publish(file, self.mode)
    }

    /// Does the same as [`Unfinished::give_name`] for a file that [`FileBatch::sync`](crate::FileBatch::sync) brought onto the
    /// disk.
    ///
    /// # Errors
    /// As [`Unfinished::give_name`].
    pub fn give_synced_name(&self, file: &File) -> io::Result<()> {
        self.name_synced(file, Spot::rename)
    }

    /// Does the same as [`Unfinished::give_synced_name`] for a file that was settled and closed: others may have taken it for
    /// abandoned since.
    ///
    /// # Errors
    /// As [`Unfinished::give_name`].
    pub fn give_closed_name(&self) -> io::Result<()> {
        self.name_settled(Spot::rename)
    }

    /// Does the same as [`Unfinished::give_closed_name`], unless anything has the name.
    ///
    /// # Errors
    /// As [`Unfinished::give_closed_name`], and if the name is taken.
    pub fn give_new_closed_name(&self) -> io::Result<()> {
        self.name_settled(rename_new)
    }

    /// Returns the identity of the file.
    pub fn id(&self) -> FileId {
        self.id
    }

    fn name_synced(
        &self,
        file: &File,
        rename: impl FnOnce(&Spot, &Spot) -> io::Result<()>,
    ) -> io::Result<()> {
        hashmill_os::settle(file)?;
        self.name_settled(rename)
    }

    fn name_settled(&self, rename: impl FnOnce(&Spot, &Spot) -> io::Result<()>) -> io::Result<()> {
        self.check_at(&self.from)?;
        rename(&self.from, &self.to)?;
        self.leave(Left::Done);
        self.check_at(&self.to)
    }

    /// Checks that the file that was written is at a place.
    fn check_at(&self, spot: &Spot) -> io::Result<()> {
        match is_at(spot, self.id) {
            true => Ok(()),
            false => Err(io::Error::other(Displaced(spot.path().to_path_buf()))),
        }
    }

    /// Removes the file, unless something else lies there now.
    pub fn remove(&self) {
        self.leave(Left::Done);
        remove_own(&self.from, self.id, &self.files);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.left.get() == Left::Removed {
            self.remove();
        }
    }
}

/// Renames a file to a name that nothing has.
fn rename_new(from: &Spot, to: &Spot) -> io::Result<()> {
    from.rename_new(to, rename_new_path)
}

fn rename_new_path(from: &Path, to: &Path) -> io::Result<()> {
    let Err(PathPersistError { error, path }) = TempPath::try_from_path(from)?.persist_noclobber(to) else {
        return Ok(());
    };
    // The owner of the unfinished file removes it.
    path.keep().map_err(|error| error.error)?;
    // Some file systems can do this in no single step.
    match to.symlink_metadata() {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => fs::rename(from, to),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => Err(error),
    }
}

/// Another file was put in the place of the written one.
#[derive(Debug)]
struct Displaced(PathBuf);

impl std::fmt::Display for Displaced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = Shown::path(&self.0);
        write!(
            f,
            "somebody else put another file at {name}; don't trust that file, and write to a folder of your own"
        )
    }
}

impl std::error::Error for Displaced {}

/// Returns whether the error means that somebody else replaced the file.
pub fn is_displaced(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<Displaced>())
}

/// Removes a file unless another lies there now, or warns that it stays.
pub(crate) fn remove_own(spot: &Spot, own: FileId, files: &RunFiles) {
    if !is_at(spot, own) {
        return;
    }
    if let Err(error) = spot.remove() {
        files.warn(&Warning::Left { path: spot.path(), why: &error });
    }
}

/// Returns whether this file is at a place.
fn is_at(spot: &Spot, own: FileId) -> bool {
    spot.facts().is_ok_and(|facts| facts.id == own)
}

impl RunFiles {
    /// Removes whatever has the name of a partial file. Only regular files are opened for that.
    ///
    /// # Errors
    /// If another run is writing it, or it can't be removed.
    pub fn clear(&self, path: &Path) -> io::Result<()> {
        let Ok(found) = facts_at(path, Links::Stay) else { return Ok(()) };
        if found.is_file() {
            lock(&look(path)?, path, self)?;
        } else if !found.is_folder() {
            self.warn(&Warning::Replaced { path, kind: noun(found.kind) });
        }
        fs::remove_file(path)
    }
}

/// Takes up a file that an earlier run of the same user left.
///
/// # Errors
/// If there is no file, or if anybody else may have written it.
pub fn adopt(path: &Path) -> io::Result<File> {
    let file = open_to_change(path, Links::Stay).map_err(|error| match facts_at(path, Links::Stay) {
        Ok(found) if !found.is_file() => foreign(&format!("it is {}", noun(found.kind))),
        _ => error,
    })?;
    let (found, owner) = (facts(&file)?, owner(&file)?);
    let why = if !found.is_file() {
        format!("it is {}", noun(found.kind))
    } else if owner != Owner::Mine {
        format!("it belongs to another user ({owner})")
    } else if others_may(&file)?.write {
        format!("others can write it (mode {:04o})", found.mode & 0o7777)
    } else if found.links != 1 {
        "it has another name, too (a hard link)".to_string()
    } else {
        return Ok(file);
    };
    Err(foreign(&why))
}

fn foreign(why: &str) -> io::Error {
    io::Error::other(format!("not resumed: {why}; without --resume the run starts again"))
}

/// Opens a file to lock it: for writing where that is allowed, as some servers give only such locks.
fn look(path: &Path) -> io::Result<File> {
    open_to_change(path, Links::Stay).or_else(|_| open_now(path, Links::Stay))
}

/// Returns the noun for a kind of file, with an article.
fn noun(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Link => "a symbolic link",
        FileKind::Fifo => "a FIFO",
        FileKind::Socket => "a socket",
        FileKind::Folder => "a directory",
        FileKind::File | FileKind::Block | FileKind::Character => "a device",
    }
}

/// Locks a file that this run writes. Warns once if the file system has no locks.
fn lock(file: &File, path: &Path, files: &RunFiles) -> io::Result<()> {
    let taken = hashmill_os::try_lock(file).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::other("another run is writing it"),
        _ => error,
    });
    // Another run that began at the same moment may have removed it as an abandoned file.
    let taken = taken.inspect(|lock| {
        if *lock == Lock::Unsupported {
            files.warn_unlocked(directory(path));
        }
    });
    match taken.and_then(|_| facts(file)) {
        Ok(facts) if facts.links == 0 => Err(io::Error::other("another run is writing it")),
        done => done.map(drop),
    }
}

/// Resolves the links of a typed name, so that the target of a link is replaced, not the link.
///
/// # Errors
/// If a link leads nowhere, or was made by another user.
pub fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(Facts { kind, .. }) = facts_at(&at, Links::Stay) else { break };
        if kind != FileKind::Link {
            break;
        }
        check_trusted(&at)?;
        at = directory(&at).join(fs::read_link(&at)?);
    }
    if at == path { Ok(at) } else { names::canonical(path) }
}

/// Checks the owner of a link or FIFO, which send output elsewhere: only this user and the superuser may decide where.
///
/// # Errors
/// If it is a link or FIFO of another user.
pub fn check_trusted(path: &Path) -> io::Result<()> {
    let leads = |facts: &Facts| matches!(facts.kind, FileKind::Link | FileKind::Fifo);
    if !facts_at(path, Links::Stay).is_ok_and(|facts| leads(&facts)) {
        return Ok(());
    }
    let (facts, owner) = owned_at(path, Links::Stay)?;
    if !leads(&facts) || matches!(owner, Owner::Mine | Owner::System) {
        return Ok(());
    }
    let what = noun(facts.kind);
    Err(io::Error::other(format!("is {what} that another user made ({owner}); remove it first")))
}

/// Returns the directory that contains a file.
pub fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the path beside `path` that holds this part of a run's state.
pub fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".hashmill-");
    name.push(what);
    path.with_file_name(name)
}

/// Returns the prefix of the names of temporary files that will become `to`.
fn prefix(to: &Path) -> OsString {
    let name = names::bytes(to.file_name().unwrap_or_default());
    let most = name.len().min(LONGEST_NAME - LETTERS - BEHIND.len() - 1);
    // Where names are text, it is not cut inside a character.
    let short = (0..=most).rev().find_map(|end| names::name(&name[..end]).ok());
    let mut prefix = OsString::from(".");
    prefix.push(short.unwrap_or_default());
    prefix.push(BEHIND);
    prefix
}

/// Removes the temporary files in a folder that killed processes left, whatever name they would have got.
pub fn sweep_all(directory: &Path, files: &RunFiles) {
    sweep_by(directory, files, |name| name.starts_with(b".") && name.ends_with(BEHIND.as_bytes()));
}

/// Removes temporary files of killed processes that would have become one file.
fn sweep(directory: &Path, prefix: &OsStr, files: &RunFiles) {
    let prefix = names::bytes(prefix);
    sweep_by(directory, files, |name| *name == *prefix);
}

/// Removes temporary files with these prefixes, if nobody locks them. Keeps them if there are no locks, as they may be
/// in use.
fn sweep_by(directory: &Path, files: &RunFiles, is_meant: impl Fn(&[u8]) -> bool) {
    for name in all_names_in(directory).unwrap_or_default() {
        let bytes = names::bytes(&name);
        let split = bytes.len().checked_sub(LETTERS).and_then(|at| bytes.split_at_checked(at));
        let is_temporary = |(prefix, letters): (&[u8], &[u8])| {
            letters.iter().all(u8::is_ascii_alphanumeric) && is_meant(prefix)
        };
        if !split.is_some_and(is_temporary) {
            continue;
        }
        let path = directory.join(&name);
        let abandoned = |file: &File| {
            matches!(hashmill_os::try_lock(file), Ok(Lock::Taken))
                && facts(file).is_ok_and(|facts| facts.links > 0)
        };
        let left = adopt(&path).ok().filter(abandoned);
        if let Some(own) = left.and_then(|file| facts(&file).ok()) {
            remove_own(&(&*path).into(), own.id, files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use tempfile::TempDir;

    /// Makes a folder, and a path in it.
    pub(super) fn place(name: &str) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        (folder, path)
    }

    fn names(folder: &TempDir) -> Vec<OsString> {
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_file_that_was_put_in_its_place_gets_no_name() {
        for lasting in [false, true] {
            let (folder, to) = place("out");
            let (mut file, unfinished) = match lasting {
                true => Unfinished::lasting(beside(&to, "partial"), &to, &RunFiles::default()).unwrap(),
                false => Unfinished::passing(&to, &RunFiles::default()).unwrap(),
            };
            file.write_all(b"written").unwrap();
            fs::rename(unfinished.place(), folder.path().join("away")).unwrap();
            fs::write(unfinished.place(), "forged").unwrap();
            let error = unfinished.give_name(&file).unwrap_err().to_string();
            assert!(error.contains("somebody else put another file"), "{error}");
            assert!(!to.exists());
            // A file that is not ours is not removed, either.
            unfinished.remove();
            assert_eq!(fs::read(unfinished.place()).unwrap(), b"forged");
        }
    }

    #[test]
    fn what_killed_processes_left_goes_and_what_lives_stays() {
        let (folder, to) = place(&"n".repeat(250));
        let (mut living, first) = Unfinished::passing(&to, &RunFiles::default()).unwrap();
        let dead = folder.path().join(first.place().file_name().unwrap());
        let dead = PathBuf::from(dead.to_string_lossy().split_at(dead.as_os_str().len() - LETTERS).0)
            .with_extension(format!("hashmill-partial-{}", "x".repeat(LETTERS)));
        fs::write(&dead, "left").unwrap();
        let (open, second) = Unfinished::passing(&to, &RunFiles::default()).unwrap();
        assert!(!dead.exists());
        assert!(first.place().exists() && second.place().exists());
        living.write_all(b"still here").unwrap();
        first.give_name(&living).unwrap();
        // On Windows, a file keeps its name as long as it is open.
        drop(open);
        second.remove();
        assert_eq!(names(&folder).len(), 1);
        let mut text = String::new();
        File::open(&to).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "still here");
    }

    #[test]
    fn two_runs_cannot_write_one_file() {
        let (_folder, to) = place("out");
        let partial = beside(&to, "partial");
        let _first = Unfinished::lasting(partial.clone(), &to, &RunFiles::default()).unwrap();
        let error = Unfinished::lasting(partial, &to, &RunFiles::default()).unwrap_err();
        assert_eq!(error.to_string(), "another run is writing it");
    }

    #[test]
    fn what_has_two_names_is_not_taken_up() {
        let (folder, path) = place("partial");
        assert_eq!(adopt(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(&path, "mine").unwrap();
        adopt(&path).unwrap();
        fs::hard_link(&path, folder.path().join("other")).unwrap();
        assert!(adopt(&path).unwrap_err().to_string().contains("a hard link"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(adopt(&path).is_err());
    }
}

#[cfg(all(test, unix))]
mod tests_of_modes {
    use super::tests::place;
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn refused(path: &Path) -> String {
        adopt(path).unwrap_err().to_string()
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_another_may_have_written_is_not_taken_up() {
        let (folder, path) = place("partial");
        fs::write(&path, "mine").unwrap();
        for mode in [0o600, 0o644, 0o604] {
            set_mode(&path, mode);
            adopt(&path).unwrap();
        }
        for mode in [0o666, 0o620, 0o602] {
            set_mode(&path, mode);
            assert!(refused(&path).contains("others can write it"));
        }
        set_mode(&path, 0o600);
        fs::hard_link(&path, folder.path().join("other")).unwrap();
        assert!(refused(&path).contains("a hard link"));
        fs::rename(&path, folder.path().join("target")).unwrap();
        symlink("target", &path).unwrap();
        assert!(refused(&path).contains("it is a symbolic link"));
        fs::remove_file(&path).unwrap();
        nix_fifo(&path);
        assert!(refused(&path).contains("it is a FIFO"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(refused(&path).contains("it is a directory"));
        fs::remove_dir(&path).unwrap();
        assert_eq!(adopt(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    fn nix_fifo(path: &Path) {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn permissions_are_those_of_the_file_that_is_replaced_or_of_a_new_one() {
        let (_folder, to) = place("out");
        let (file, unfinished) = Unfinished::passing(&to, &RunFiles::default()).unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
        unfinished.give_name(&file).unwrap();
        assert_eq!(to.metadata().unwrap().mode() & 0o777, NEW & !hashmill_os::umask());
        set_mode(&to, 0o640);
        let (file, unfinished) = Unfinished::passing(&to, &RunFiles::default()).unwrap();
        unfinished.give_name(&file).unwrap();
        assert_eq!(to.metadata().unwrap().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_new_name_takes_nobody_elses_place() {
        let (_folder, to) = place("out");
        let (file, unfinished) = Unfinished::passing(&to, &RunFiles::default()).unwrap();
        fs::write(&to, "theirs").unwrap();
        let refused = unfinished.give_new_name(&file).unwrap_err();
        assert_eq!(
            (refused.kind(), fs::read(&to).unwrap()),
            (io::ErrorKind::AlreadyExists, b"theirs".into())
        );
        assert!(unfinished.place().exists());
        fs::remove_file(&to).unwrap();
        unfinished.give_new_name(&file).unwrap();
        assert!(to.exists() && !unfinished.place().exists());
    }
}
