//! The folder of a destination: where copies get their places and names.

use super::answer::Answer;
use super::attributes::Lost;
use super::below::{make_folders, parts};
use super::folders::MadeFolders;
use super::name_rules::NameRules;
use super::naming::{CopyTarget, Name};
use super::site::CopySite;
use hashmill_os::names::{path_bytes, path_to_try};
use hashmill_os::{FileId, Links, OpenFolder, Spot, facts_at, free_at};
use hashmill_output::{RunFiles, Unfinished, WriteError, sweep_all};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of a destination.
#[derive(Debug)]
pub(super) struct CopyFolder {
    target: CopyTarget,
    is_forced: bool,
    files: RunFiles,
    /// The path of the manifest, or of the folder of its history.
    manifest: Option<PathBuf>,
    /// The names that the file system holds, if not all side by side.
    rules: Option<NameRules>,
    /// How a link in the place of the folder is treated.
    links: Links,
    /// The folders that paths are relative to, which are held open: whatever others put in the place of a folder below, no call leads
    /// out of them.
    open: Mutex<Vec<Arc<OpenFolder>>>,
    made: Mutex<Made>,
}

/// Files and folders that this run has made.
#[derive(Debug, Default)]
struct Made {
    /// The folders that copies lie in. In those that are noted no files of a killed run are left.
    folders: MadeFolders,
    /// The files of this run, where files are replaced, so that none takes the place of another. Each takes some 40 bytes.
    written: HashSet<FileId>,
    /// The hashes of their names, where names that differ may be one. A file system in user space may have another number for
    /// each of them.
    names: HashSet<u64>,
    /// Whether this run has made the folder of the destination.
    is_root_new: bool,
}

impl CopyFolder {
    pub(super) fn new(target: CopyTarget, is_forced: bool, files: RunFiles) -> CopyFolder {
        let (open, made) = (Mutex::default(), Mutex::default());
        CopyFolder { target, is_forced, files, manifest: None, rules: None, links: Links::Follow, open, made }
    }

    /// Takes the folder for one in a folder that others may write to: it is no link.
    pub(super) fn in_another(self) -> CopyFolder {
        CopyFolder { links: Links::Stay, ..self }
    }

    /// Keeps a place for the manifest with this path.
    pub(super) fn keep_for(self, manifest: Option<PathBuf>) -> CopyFolder {
        CopyFolder { manifest, ..self }
    }

    /// Keeps to what names the file system holds, if not all.
    pub(super) fn with_rules(self, rules: Option<NameRules>) -> CopyFolder {
        CopyFolder { rules, ..self }
    }

    /// Returns whether a path is the manifest's, or what lies beside it or below.
    fn is_own(&self, place: &Path) -> bool {
        let Some(manifest) = &self.manifest else { return false };
        place.starts_with(manifest)
            || hashmill_output::directory(place) == hashmill_output::directory(manifest)
                && path_bytes(place)
                    .strip_prefix(&*path_bytes(manifest))
                    .is_some_and(|end| end.starts_with(b"."))
    }

    /// Makes the folder itself, for a manifest that is begun in it.
    ///
    /// # Errors
    /// If it can't be made.
    pub(super) fn begin(&self) -> Result<(), WriteError> {
        let folder = self.root();
        self.make_root(&folder).map_err(|error| WriteError::new(&folder, error))
    }

    /// Makes the folder that copies lie in, unless it is there.
    fn make_root(&self, folder: &Path) -> io::Result<()> {
        match facts_at(folder, Links::Follow) {
            Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir(folder)?,
            found => return found.map(drop),
        }
        self.made.lock().is_root_new |= folder == self.target.folder;
        Ok(())
    }

    /// Returns a folder that paths are relative to, open.
    fn open(&self, folder: &Path) -> io::Result<Arc<OpenFolder>> {
        let mut open = self.open.lock();
        if let Some(known) = open.iter().find(|known| known.is_at(folder)) {
            return Ok(Arc::clone(known));
        }
        let opened = OpenFolder::new(folder, self.links)?;
        open.push(Arc::clone(&opened));
        Ok(opened)
    }

    /// Returns the folder that all copies lie in.
    pub(super) fn root(&self) -> PathBuf {
        self.target.single.as_ref().map_or_else(|| self.target.folder.clone(), |(above, _)| above.clone())
    }

    /// Returns the path of a copy.
    pub(super) fn path(&self, name: &Name) -> PathBuf {
        let (folder, below) = self.of(name);
        folder.join(&*path_to_try(below))
    }

    /// Returns the path of a copy below the folder that it is relative to.
    pub(super) fn below<'a>(&'a self, name: &'a Name) -> &'a [u8] {
        self.of(name).1
    }

    /// Returns the folder that the path of a copy is relative to, and that path.
    fn of<'a>(&'a self, name: &'a Name) -> (&'a Path, &'a [u8]) {
        match &self.target.single {
            Some((above, single)) if name.is_source => (above, single),
            _ => (&self.target.folder, &name.below),
        }
    }

    /// Returns where a copy is, once its folder was made.
    pub(super) fn spot(&self, name: &Name) -> io::Result<Spot> {
        let (folder, below) = self.of(name);
        Ok(Spot::below(&self.open(folder)?, &path_to_try(below)))
    }

    /// Returns what is at a path below the folder of the copies.
    pub(super) fn spot_at(&self, path: &Path) -> io::Result<Spot> {
        spot_below(&self.open(&self.root())?, path)
    }

    /// Returns the place of a copy, with the folders above it made.
    ///
    /// # Errors
    /// If it has no place here.
    pub(super) fn place(&self, name: &Name) -> io::Result<Spot> {
        let (folder, below) = self.of(name);
        let parts = parts(below)?;
        let (last, above) = parts.split_last().ok_or_else(|| {
            io::Error::other("it has no name: name the copy, with a path that is no folder")
        })?;
        let refusal = |part: &&[u8]| self.rules.as_ref()?.refusal(part);
        if let Some(why) = parts.iter().find_map(refusal) {
            return Err(io::Error::other(why));
        }
        self.make_root(folder)?;
        let above = make_folders(&self.open(folder)?, above)?;
        let place = above.join(&*path_to_try(last));
        if self.is_own(place.path()) {
            return Err(io::Error::other(
                "the manifest of this run is written there: copy it without --manifest",
            ));
        }
        if self.made.lock().folders.note(above.path(), None) {
            sweep_all(above.path(), &self.files);
        }
        Ok(place)
    }

    /// Returns whether a file is at this place already, which then is compared.
    ///
    /// # Errors
    /// If something else is there, or another file of this run.
    pub(super) fn is_there(&self, place: &Spot) -> io::Result<bool> {
        self.check_own(place)?;
        match place.facts() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
            Ok(facts) if !facts.is_file() => {
                Err(io::Error::other("something else than a file is in its place"))
            }
            Ok(_) => Ok(true),
        }
    }

    /// Creates a file that gets its name later.
    ///
    /// # Errors
    /// If it can't be created.
    pub(super) fn create(&self, place: &Spot) -> io::Result<(File, Unfinished)> {
        Unfinished::one_of_many(place, &self.files)
    }

    /// Gives a copy its name. Nothing is replaced unless that was asked for, and never another copy.
    ///
    /// # Errors
    /// If it can't have it.
    pub(super) fn name(&self, unfinished: &Unfinished) -> io::Result<()> {
        if self.is_forced || self.rules.is_some() {
            self.check_own(unfinished.named_spot())?;
        }
        match self.is_forced {
            true => unfinished.give_closed_name()?,
            false => unfinished.give_new_closed_name()?,
        }
        // Elsewhere, a name that is taken is refused by the system.
        if self.is_forced {
            self.made.lock().written.insert(unfinished.id());
        }
        self.note_name(unfinished.name());
        Ok(())
    }

    /// Notes that a name was given to a copy.
    fn note_name(&self, place: &Path) {
        if let Some(hash) = self.name_hash(place) {
            self.made.lock().names.insert(hash);
        }
    }

    /// Returns a number that is the same for names that are one here. `None` where none are.
    fn name_hash(&self, place: &Path) -> Option<u64> {
        let key = self.rules.as_ref()?.key(&path_bytes(place));
        let mut hasher = DefaultHasher::new();
        hasher.write(&key);
        Some(hasher.finish())
    }

    pub(super) fn is_forced(&self) -> bool {
        self.is_forced
    }

    /// Makes a folder without entries.
    pub(super) fn make(&self, below: &[u8]) -> io::Result<Answer> {
        let parts = parts(below)?;
        self.make_root(&self.target.folder)?;
        make_folders(&self.open(&self.target.folder)?, &parts).map(|_| Answer::Nothing)
    }

    /// Makes a symbolic link with this target.
    ///
    /// # Errors
    /// If it can't be made.
    pub(super) fn link(&self, name: &Name, target: &Path) -> io::Result<Answer> {
        let place = self.place(name)?;
        match place.read_link() {
            Ok(there) if there == target => return Ok(Answer::Same),
            Ok(there) if !self.is_forced => {
                return Ok(Answer::Kept(format!("a link to {} is there", there.display())));
            }
            Err(_) if place.facts().is_ok() => {
                return Ok(Answer::Kept("something else than a link is there".into()));
            }
            Ok(_) | Err(_) => {}
        }
        self.put(&place, &|beside| beside.make_link(target)).map(|()| Answer::Linked)
    }

    /// Gives the copy of a file that was copied before a second name, at this place.
    ///
    /// # Errors
    /// If the name is taken, or the file system has no such links.
    pub(super) fn link_name(&self, first: &Name, place: &Spot) -> io::Result<()> {
        let first = self.spot(first)?;
        self.put(place, &|beside| first.hard_link(beside))
    }

    /// Returns whether two copies are names of one file.
    pub(super) fn is_name_of(&self, first: &Name, place: &Spot) -> bool {
        let id = |spot: &Spot| spot.facts().ok().map(|facts| facts.id);
        self.spot(first).is_ok_and(|first| id(&first).is_some_and(|first| id(place) == Some(first)))
    }

    /// Makes something beside a place and gives it that name, in one step. It takes the place of something else only if that
    /// was asked for.
    fn put(&self, place: &Spot, make: &dyn Fn(&Spot) -> io::Result<()>) -> io::Result<()> {
        if self.is_forced {
            self.check_own(place)?;
            put_over(place, make)?;
        } else {
            make(place)?;
        }
        self.note_name(place.path());
        Ok(())
    }

    /// Checks that no other file of this run has a name.
    fn check_own(&self, place: &Spot) -> io::Result<()> {
        let Ok(facts) = place.facts() else { return Ok(()) };
        let made = self.made.lock();
        let is_taken = self.name_hash(place.path()).is_some_and(|hash| made.names.contains(&hash));
        match is_taken || made.written.contains(&facts.id) {
            true => Err(io::Error::other("another file of this run has its name there")),
            false => Ok(()),
        }
    }
}

/// Returns what is at a path below an open folder.
///
/// # Errors
/// If it is not below.
pub(super) fn spot_below(root: &Arc<OpenFolder>, path: &Path) -> io::Result<Spot> {
    let below = path.strip_prefix(root.path());
    below.map(|below| Spot::below(root, below)).map_err(io::Error::other)
}

/// Makes something under a name of its own, and gives it the name of what is in its place.
fn put_over(place: &Spot, make: &dyn Fn(&Spot) -> io::Result<()>) -> io::Result<()> {
    let beside = |path: &Path| place.with_name(path.file_name().unwrap_or_default());
    let made = tempfile::Builder::new()
        .prefix(".link.hashmill-partial-")
        .make_in(hashmill_output::directory(place.path()), |path| make(&beside(path)))?;
    let made = beside(&made.into_temp_path().keep().map_err(|error| error.error)?);
    made.rename(place).inspect_err(|_| drop(made.remove()))
}

impl CopySite for CopyFolder {
    fn path(&self, name: &Name) -> PathBuf {
        CopyFolder::path(self, name)
    }

    fn is_there(&self, name: &Name) -> bool {
        facts_at(&self.path(name), Links::Stay).is_ok()
    }

    fn free(&self) -> Option<u64> {
        let root = self.root();
        free_at(root.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new(".")))
    }

    fn note_folders(&self, below: &[u8], source: &Path) {
        let mut made = self.made.lock();
        let mut copy = self.target.folder.join(&*path_to_try(below));
        let mut source = source.to_path_buf();
        while copy.pop()
            && source.pop()
            && copy.starts_with(&self.target.folder)
            && copy != self.target.folder
        {
            if !made.folders.note(&copy, Some(&source)) {
                break;
            }
        }
    }

    // Folders get the properties of their sources, those below first, and all names survive a power cut.
    fn finish(&self) -> (Lost, io::Result<()>) {
        let Made { mut folders, is_root_new, .. } = std::mem::take(&mut *self.made.lock());
        // A destination that was there stays as it is.
        folders.note(&self.target.folder, self.target.like.as_deref().filter(|_| is_root_new));
        let open = self.open.lock().clone();
        folders.finish(&|path| {
            let below = open.iter().find_map(|root| spot_below(root, path).ok());
            below.unwrap_or_else(|| Spot::from(path))
        })
    }
}
