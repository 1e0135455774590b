//! Update of a bag whose metadata was edited: new tag manifests. The payload is not read, and its manifests stay as they are.

use super::event::BagObserver;
use super::in_place::{lock_folder, sync, write};
use super::payload::Payload;
use super::place::BagPlace;
use super::verify::open as open_bag;
use crate::account::{Account, Item};
use crate::error::BagError;
use crate::error::Error;
use hashmill_bag::{Bag, Encoding, ListKind, Severity};
use hashmill_content::File as Tried;
use hashmill_content::output::{WriteError, beside};
use hashmill_content::resources::Resources;
use hashmill_content::selection::Bytes;
use hashmill_digest::Digest;
use hashmill_engine::{Cancel, Live, Plan};
use hashmill_manifest::audit::Category;
use hashmill_os::names::path_bytes;
use hashmill_os::{Links, open_folder};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An update of a bag.
#[derive(Debug, Clone)]
pub struct Update {
    /// The folder of the bag.
    pub folder: PathBuf,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the work soon after it is set; nothing is changed then.
    pub cancel: Cancel,
}

/// The result of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Updated {
    /// The tag manifests are written: the tag files that they list otherwise than before, and the number of all.
    Bag(Vec<TagChange>, usize),
    /// Nothing was written, because this number of entries was refused.
    Refused(u64),
    /// The run was cancelled.
    Interrupted,
}

/// A tag file that tag manifests list otherwise than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagChange {
    /// They did not list it.
    New(String),
    /// It is another one.
    Changed(String),
    /// It is not there any more.
    Gone(String),
}

impl TagChange {
    /// Returns the path of the tag file in the bag.
    pub fn path(&self) -> &str {
        match self {
            TagChange::New(path) | TagChange::Changed(path) | TagChange::Gone(path) => path,
        }
    }

    /// Returns the machine-readable word of the change, which is the same as in an audit.
    pub const fn word(&self) -> &'static str {
        match self {
            TagChange::New(_) => Category::New.word(),
            TagChange::Changed(_) => Category::Changed.word(),
            TagChange::Gone(_) => Category::Missing.word(),
        }
    }
}

impl Updated {
    /// Returns the account of the tag files.
    pub fn account(&self) -> Account {
        match self {
            Updated::Bag(_, files) => Account::done(Item::Entry, *files as u64),
            Updated::Refused(number) => Account::failed(Item::Entry, *number),
            Updated::Interrupted => Account::interrupted(),
        }
    }
}

impl Update {
    /// Writes the tag manifests of the bag anew, by the algorithms that it has.
    ///
    /// # Errors
    /// If the folder is no bag, its tag files can't be used, a payload manifest was changed, or something can't be written.
    pub fn run(&self, observer: &mut BagObserver<'_>) -> Result<Updated, Error> {
        let folder = &self.folder;
        let held = open_folder(folder, Links::Follow).map_err(Error::at(folder, Tried::Open))?;
        let _lock = lock_folder(&held, folder, &self.resources.files)?;
        let place = BagPlace::Folder(folder.clone());
        let bag = open_bag(folder, &place, self.resources.memory, observer)?;
        let lists: Vec<_> = bag.lists.iter().filter(|list| list.of == ListKind::Tags).collect();
        self.check(&bag, lists.len())?;
        for list in &lists {
            remove_partial(&folder.join(&list.name))?;
        }
        let algorithms = lists.iter().map(|list| list.algorithm).collect();
        let plan = Plan { cancel: self.cancel.clone(), ..self.resources.plan(algorithms)? };
        self.resources.give_way()?;
        let operands = self.operands()?;
        let live = Arc::new(Live::default());
        let files = Payload::read_below(&path_bytes(folder).into(), operands, &plan, &live, observer);
        if self.cancel.is_set() {
            return Ok(Updated::Interrupted);
        }
        if files.refused > 0 {
            return Ok(Updated::Refused(files.refused));
        }
        let changes = changes(&bag, &files, folder)?;
        for (place, list) in lists.iter().enumerate() {
            let line = |(path, digest): (&str, &Digest)| bag.line(list.algorithm, digest, path);
            let lines = files.files.iter().map(|file| line((&file.path, &file.digests[place])));
            replace(&folder.join(&list.name), &lines.collect::<String>())?;
        }
        sync(folder)?;
        Ok(Updated::Bag(changes, files.files.len()))
    }

    fn check(&self, bag: &Bag, lists: usize) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::of_place(path_bytes(&self.folder), why));
        let mut faults = bag.findings().iter().filter(|found| found.kind.severity() > Severity::Note);
        match faults.next() {
            Some(fault) => refuse(format!("can't be updated: {fault}")),
            None if lists == 0 => refuse("has no tag manifest that could be updated".into()),
            None if bag.declaration.encoding != Encoding::Utf8 => {
                refuse("can't be updated: its tag files are not in UTF-8".into())
            }
            None => Ok(()),
        }
    }

    /// Returns the paths of all that lies in the folder of the bag, but for the payload and tag manifests.
    fn operands(&self) -> Result<Vec<Bytes>, Error> {
        let failed = |error| Error::at(&self.folder, Tried::List)(error);
        let mut operands: Vec<Bytes> = Vec::new();
        for name in hashmill_os::all_names_in(&self.folder).map_err(failed)? {
            let path = self.folder.join(&name);
            let is_list =
                name.to_str().is_some_and(|name| name.starts_with("tagmanifest-") && name.ends_with(".txt"));
            if name == "data" || is_list {
                continue;
            }
            // A walk would follow a link that it begins with.
            if path.symlink_metadata().map_err(failed)?.is_symlink() {
                return Err(Error::of_place(path_bytes(&path), "is a symbolic link, which a bag can't have"));
            }
            operands.push(path_bytes(&path).into());
        }
        operands.sort();
        Ok(operands)
    }
}

/// Returns what changed since the tag manifests were written. A payload manifest that changed is an error: nothing else
/// would show then that it was damaged.
fn changes(bag: &Bag, files: &Payload, folder: &Path) -> Result<Vec<TagChange>, Error> {
    let mut changes = Vec::new();
    let there: BTreeSet<&str> = files.files.iter().map(|file| file.path.as_str()).collect();
    let lists = bag.lists.iter().filter(|list| list.of == ListKind::Tags);
    let mut differing = BTreeSet::new();
    for (place, list) in lists.enumerate() {
        for file in &files.files {
            if bag.stated(&list.name, &file.path).is_some_and(|digest| digest != file.digests[place]) {
                differing.insert(file.path.as_str());
            }
        }
    }
    let is_payload =
        |path: &&str| bag.lists.iter().any(|list| list.of == ListKind::Payload && list.name == **path);
    if let Some(path) = differing.iter().find(|path| is_payload(path)) {
        return Err(BagError::ManifestChanged(folder.join(path)).into());
    }
    changes.extend(differing.into_iter().map(|path| TagChange::Changed(path.into())));
    let listed = bag.tagged();
    let new = there.iter().filter(|path| !listed.contains(**path));
    changes.extend(new.map(|path| TagChange::New((*path).into())));
    let gone = listed.iter().filter(|path| !there.contains(**path));
    changes.extend(gone.map(|path| TagChange::Gone((*path).into())));
    Ok(changes)
}

/// Removes the unfinished file of an interrupted run.
fn remove_partial(path: &Path) -> Result<(), WriteError> {
    let partial = beside(path, "partial");
    let is_there = partial.symlink_metadata().is_ok();
    let removed = if is_there { fs::remove_file(&partial) } else { Ok(()) };
    removed.map_err(|error| WriteError::new(&partial, error))
}

/// Puts a text in the place of a file.
fn replace(path: &Path, text: &str) -> Result<(), WriteError> {
    let partial = beside(path, "partial");
    write(&partial, text.as_bytes())?;
    fs::rename(&partial, path).map_err(|error| WriteError::new(path, error))
}
