//! The next generations of the histories of a tree.

use super::chain::read_chain_at;
use super::load::{History, copied};
use super::patterns::Patterns;
use super::renames::Rename;
use super::tree::HistoryTree;
use super::{Below, is_folder_name, list, named, parts_of, root_of, unfit, unread};
use crate::distinct::distinct;
use crate::error::Error;
use crate::made::made;
use hashmill_content::output::{LocalPath, Output, OutputKind, OutputPath, RunFiles, WriteError};
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::selection::path_of;
use hashmill_digest::{Algorithm, Digest};
use hashmill_engine::flow::Entries;
use hashmill_manifest::format::Format;
use hashmill_manifest::format::history::{
    CHAIN, FOLDER, GenerationWriter, Link, Next as Added, PATTERNS, number_of,
};
use hashmill_manifest::{Named, Record};
use hashmill_os::names;
use hashmill_source::{Skip, WalkItem};
use hashmill_terminal::Shown;
use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The format of histories.
pub const FORMAT: &str = "ascmhl";
/// The maximum length in bytes of the folder's name in the name of a generation.
const STEM: usize = 160;

/// The place of the next generation of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerationPlace {
    /// The folder `ascmhl`.
    folder: PathBuf,
    /// The name that was given for the manifest.
    name: Option<Box<[u8]>>,
}

impl GenerationPlace {
    /// Returns the place in a history that an output of this format has: the folder `ascmhl`, or a file in it. `None`
    /// if the output is not in a history.
    pub fn from_output(format: &Format, output: &Path) -> Option<GenerationPlace> {
        if format.name != FORMAT {
            return None;
        }
        if is_folder_name(output) && !output.is_file() {
            return Some(GenerationPlace { folder: output.to_path_buf(), name: None });
        }
        let folder = named(output.parent()?);
        let name = names::bytes(output.file_name()?);
        is_folder_name(folder)
            .then(|| GenerationPlace { folder: folder.to_path_buf(), name: Some(name.into()) })
    }

    /// Returns the algorithms of the known digests in the outermost history; none if it can't be read.
    pub fn algorithms(&self) -> Vec<&'static Algorithm> {
        let Ok(tree) = HistoryTree::read_or_begin(&root_of(&self.folder)) else { return Vec::new() };
        let digests = tree.histories[0].merged.records().flat_map(|record| &record.digests);
        distinct(digests.map(|named| named.algorithm))
    }
}

/// The next generations of the histories of a tree.
pub struct Next {
    pub(super) tree: HistoryTree,
    pub(super) below: Below,
    /// The path of the manifest of the outermost history.
    path: PathBuf,
    pub(super) asked: Vec<&'static Algorithm>,
    /// Patterns that were given for this run: they join those of the histories.
    typed: Vec<Box<[u8]>>,
    /// The date at the end of the name of each inner manifest.
    pub(super) date: String,
    /// Whether the folder of the history was made for this run.
    made: AtomicBool,
    /// The files that were found under new names.
    renamed: Mutex<Vec<Rename>>,
    pub(super) files: RunFiles,
}

/// A digest of a file that differs from the one in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlike {
    /// The algorithm of both digests.
    pub algorithm: &'static Algorithm,
    /// The digest in the history.
    pub known: Digest,
}

impl Next {
    /// Reads the histories of a tree in which the operands of a run lie.
    ///
    /// # Errors
    /// If one of the histories can't be used, an operand lies elsewhere, or the manifest can't have the name that was
    /// given.
    pub fn read(
        place: GenerationPlace,
        files: &RunFiles,
        operands: &[Box<[u8]>],
        asked: &[&'static Algorithm],
        typed: &[Box<[u8]>],
    ) -> Result<Next, Error> {
        let GenerationPlace { folder, name } = place;
        let root = named(&root_of(&folder)).to_path_buf();
        let tree = HistoryTree::read_or_begin(&root)?;
        let (below, elsewhere) = Below::new(&root, operands).map_err(unread(&root))?;
        if let Some(operand) = elsewhere.first() {
            let why = format!("is not in {}, which the history is of", Shown::path(&root));
            return Err(unfit(&path_of(operand), why));
        }
        let date = date().map_err(unread(&folder))?;
        let outermost = &tree.histories[0];
        let proper = name_of(&root, outermost.next_number(), &date);
        let is_next = |name: &[u8]| number_of(name) == Some(outermost.next_number());
        let path = match name {
            None => folder.join(&proper),
            Some(name) if is_next(&name) => folder.join(path_of(&name)),
            Some(name) => {
                let why = format!(
                    "the next generation of the history is called {proper}; -o may name the folder alone"
                );
                return Err(unfit(&folder.join(path_of(&name)), why));
            }
        };
        Ok(Next {
            tree,
            below,
            path,
            asked: asked.to_vec(),
            typed: typed.to_vec(),
            date,
            made: AtomicBool::new(false),
            renamed: Mutex::default(),
            files: files.clone(),
        })
    }

    /// Returns the path of the manifest of the outermost history.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns that path as a destination; no file may exist there.
    pub fn place(&self) -> OutputPath {
        OutputPath::new(&self.path, &self.files)
    }

    /// Makes the folder of the history, if it does not exist yet.
    pub fn make_folder(&self) -> Result<(), WriteError> {
        match fs::create_dir(self.outermost_folder()) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(WriteError::new(self.outermost_folder(), error)),
            Ok(()) => {
                self.made.store(true, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Removes the folder again, if this run made it and it is empty: other programs take an empty folder for a broken
    /// history.
    pub fn unmake_folder(&self) {
        if self.made.load(Ordering::Relaxed) {
            // A folder that is not empty stays.
            let _ = fs::remove_dir(self.outermost_folder());
        }
    }

    fn outermost_folder(&self) -> &Path {
        named(self.path.parent().unwrap_or(Path::new("")))
    }

    /// Returns the algorithms that a run needs: those that were requested and, for files that are known only by others,
    /// the first of those, because a new digest counts only beside one that was verified.
    pub fn algorithms(&self) -> Vec<&'static Algorithm> {
        let mut all = self.asked.clone();
        for history in &self.tree.histories {
            for record in history.merged.records() {
                let held = record.digests.iter().any(|named| all.contains(&named.algorithm));
                if let Some(first) = record.digests.first().filter(|_| !held) {
                    all.push(first.algorithm);
                }
            }
        }
        all
    }

    /// Returns the files of the histories.
    pub fn parts(&self) -> Vec<PathBuf> {
        self.tree.histories.iter().flat_map(|history| parts_of(&self.folder(history))).collect()
    }

    /// Skips the files that the patterns exclude, and those of the histories.
    pub fn without_ignored(self: &Arc<Self>, entries: Entries, own: OwnFiles) -> Entries {
        let next = Arc::clone(self);
        let patterns = self.patterns();
        Box::new(entries.map(move |found| {
            let WalkItem::File(entry) = &found else { return found };
            let Some(path) = next.below.path(&entry.path) else { return found };
            match patterns.leaving_out_below(&path) {
                // Files of the histories are not data.
                _ if is_in_history(&path) && own.is_at(&entry.path) => {
                    WalkItem::Skipped { path: entry.path.clone(), why: Skip::Output }
                }
                None => found,
                Some(_) => WalkItem::Skipped { path: entry.path.clone(), why: Skip::Ignored },
            }
        }))
    }

    /// Returns the patterns of the histories, relative to the root.
    pub(super) fn patterns(&self) -> Patterns {
        Patterns::new(&self.tree.patterns(), Below::each(&[]))
    }

    /// Returns the digests in a file's history that differ from those in the record.
    pub fn unlike(&self, record: &Record) -> Vec<Unlike> {
        let Some(path) = self.below.path(&record.path) else { return Vec::new() };
        let known = self.tree.digests(&path);
        let of = |named: &Named| known.iter().find(|known| known.algorithm == named.algorithm).copied();
        let pairs = record.digests.iter().filter_map(|named| Some((named, of(named)?)));
        let unlike = pairs.filter(|(named, known)| named.digest != known.digest);
        unlike.map(|(_, known)| Unlike { algorithm: known.algorithm, known: known.digest }).collect()
    }

    /// Notes that a file has a new name.
    pub(super) fn rename(&self, rename: Rename) {
        self.renamed.lock().unwrap_or_else(PoisonError::into_inner).push(rename);
    }

    /// Returns the files that were found under new names.
    pub fn renamed(&self) -> Vec<Rename> {
        self.renamed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the files of the histories below the operands that do not exist, and that were not found under new names.
    pub fn missing(&self) -> Vec<Box<[u8]>> {
        let renamed: HashSet<Box<[u8]>> = self.renamed().into_iter().map(|rename| rename.from).collect();
        let files = self.tree.histories.iter().flat_map(|history| {
            history.merged.records().map(|record| list::path_from(&history.below, &record.path))
        });
        let lost = list::lost(&self.tree).into_iter().map(|record| record.path);
        let is_gone = |path: &[u8]| {
            self.below.is_walked(path)
                && !renamed.contains(path)
                && self.tree.root.join(path_of(path)).symlink_metadata().is_err()
        };
        files.chain(lost).filter(|path| is_gone(path)).collect()
    }

    /// Returns the remarks about the histories, each with the folder of its history.
    pub fn remarks(&self) -> impl Iterator<Item = (PathBuf, &hashmill_manifest::format::Malformed)> {
        self.tree.histories.iter().flat_map(|history| {
            let folder = self.folder(history);
            history.malformed.iter().map(move |why| (folder.clone(), why))
        })
    }

    /// Begins a generation of a history.
    pub(super) fn generation(&self, place: usize) -> GenerationWriter {
        let history = &self.tree.histories[place];
        let mut patterns: Vec<Box<[u8]>> = PATTERNS.map(|pattern| pattern.as_bytes().into()).into();
        // A pattern with a slash is relative to the tree that was walked, so it is not for inner histories.
        let is_for =
            |pattern: &[u8]| place == 0 || !pattern.strip_suffix(b"/").unwrap_or(pattern).contains(&b'/');
        for pattern in
            history.merged.patterns().iter().chain(self.typed.iter().filter(|pattern| is_for(pattern)))
        {
            if !patterns.contains(pattern) {
                patterns.push(pattern.clone());
            }
        }
        let known = Arc::clone(&history.merged);
        GenerationWriter::new(Added { known, asked: self.asked.clone(), patterns })
    }

    pub(super) fn folder(&self, history: &History) -> PathBuf {
        self.tree.root.join(path_of(&history.below)).join(FOLDER)
    }

    /// Adds a new manifest to the chain of its history.
    pub(super) fn chain(&self, place: usize, name: &[u8], digest: Digest) -> Result<(), WriteError> {
        let history = &self.tree.histories[place];
        let path = self.folder(history).join(CHAIN);
        let failed =
            |why: &dyn ToString| WriteError::new(&path, io::Error::other(unfit(&path, why.to_string())));
        let there = match read_chain_at(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            there => Some(there.map_err(|error| WriteError::new(&path, error))?),
        };
        if there.as_deref() != history.is_old.then(|| history.chain.text()) {
            return Err(failed(&"another program has changed it meanwhile; start again"));
        }
        let link = Link { number: history.next_number(), name: name.into(), digest };
        let longer = history.chain.with(link).map_err(|why| failed(&why))?;
        let mut output = Output::file(&LocalPath::own(&path, &self.files), OutputKind::Anything)?;
        output.write_all(longer.text()).map_err(|error| output.error(error))?;
        output.finish()
    }

    /// Adds the manifest of the outermost history to its chain, once the manifest has its name. Returns the path of the
    /// chain.
    pub fn finish(&self, digest: Digest) -> Result<PathBuf, WriteError> {
        let name = self.path.file_name().unwrap_or_default();
        self.chain(0, &names::bytes(name), digest)?;
        Ok(self.folder(&self.tree.histories[0]).join(CHAIN))
    }
}

/// Returns whether a file lies in a folder with the name of those of histories.
fn is_in_history(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').nth(1) == Some(FOLDER.as_bytes())
}

/// Returns the SHA-512 of the data that was written.
pub fn digest_of(output: &Output) -> io::Result<Digest> {
    let mut written = output.reread()?;
    written.rewind()?;
    copied(&mut written, &mut io::sink())
}

/// Returns the current date and time, as in `2020-01-16_091500Z`.
fn date() -> io::Result<String> {
    let made = made()?;
    let whole = hashmill_manifest::Time { nanoseconds: 0, ..made.at };
    Ok(whole.to_rfc3339().unwrap_or_default().replace('T', "_").replace(':', ""))
}

/// Returns a name such as `0002_A002R2EC_2020-01-16_091500Z.mhl`: the number, the name of the folder, the date.
pub(super) fn name_of(root: &Path, number: u64, date: &str) -> String {
    let root = names::canonical(named(root)).unwrap_or_else(|_| root.to_path_buf());
    let stem = root.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy().into_owned());
    let plain = |letter: char| if letter.is_control() || letter == '/' { '_' } else { letter };
    let mut stem: String = stem.chars().map(plain).collect();
    while stem.len() > STEM {
        stem.pop();
    }
    format!("{number:04}_{stem}_{date}.mhl")
}
