//! A destination that is a bag, or is to become one.

use super::super::CopyJob;
use super::super::bagged::BagFields;
use crate::bagit;
use crate::error::Error;
use hashmill_bag::{Bag, Info, ListKind, file_name};
use hashmill_content::File as Tried;
use hashmill_digest::Algorithm;
use hashmill_os::names::{self, path_bytes};
use hashmill_os::{Links, facts_at, sync_folder};
use hashmill_output::{WriteError, directory};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder of a bag's copies.
pub(super) const DATA: &str = "data";

/// The tag file that makes a folder a bag.
pub(super) const DECLARATION: &str = "bagit.txt";

/// The tag file with fields for people.
pub(super) const INFO: &str = "bag-info.txt";

/// The text in the names of files that have no name of their own so far.
const UNFINISHED: &[u8] = b".hashmill-partial-";

/// A destination that is a bag, or is to become one.
pub(in super::super) struct CopyBag {
    pub(super) folder: PathBuf,
    /// The bag that is there.
    pub(super) there: Option<Bag>,
    pub(super) info: Info,
    pub(super) given: BagFields,
}

impl CopyBag {
    /// Looks at a destination.
    ///
    /// # Errors
    /// If it can't become a bag, or is one that these settings don't fit.
    pub(super) fn open(job: &CopyJob, folder: &Path, given: &BagFields) -> Result<CopyBag, Error> {
        let info = bagit::info(given)?;
        let bag = CopyBag { folder: folder.to_path_buf(), there: None, info, given: given.clone() };
        if job.is_bucket(folder) {
            return Err(bag.unfit("is in a store; copies become a bag in folders only"));
        }
        match facts_at(folder, Links::Follow) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(bag),
            Err(error) => return Err(Error::at(folder, Tried::Open)(error)),
            Ok(facts) if !facts.is_folder() => return Err(bag.unfit("is no folder, as a bag is")),
            Ok(_) => {}
        }
        if facts_at(&folder.join(DATA), Links::Stay).is_ok_and(|facts| !facts.is_folder()) {
            return Err(Error::of_place(
                path_bytes(&folder.join(DATA)),
                "is no folder, in which the copies of a bag lie",
            ));
        }
        let names = hashmill_os::all_names_in(folder).map_err(Error::at(folder, Tried::List))?;
        if names.iter().any(|name| name == DECLARATION) {
            return bag.of_bag(job);
        }
        let own = tag_names(&job.algorithms.digests);
        let is_own = |name: &[u8]| {
            name == DATA.as_bytes() || own.iter().any(|own| own.as_bytes() == name) || is_unfinished(name)
        };
        match names.iter().find(|name| !is_own(&names::bytes(name))) {
            None => Ok(bag),
            Some(other) => Err(bag.unfit(&format!(
                "holds other things than a bag, such as {}: name a new or empty folder",
                hashmill_terminal::Shown(&names::bytes(other))
            ))),
        }
    }

    /// Reads the tag files of the bag that is there.
    fn of_bag(self, job: &CopyJob) -> Result<CopyBag, Error> {
        let memory = job.resources.memory / job.to.len();
        let there = bagit::open_folder(&self.folder, memory)?;
        if job.force {
            return Err(self.unfit("is a bag already, whose files are not replaced (--force)"));
        }
        let lists = there.lists.iter().filter(|list| list.of == ListKind::Payload);
        let has: Vec<&Algorithm> = lists.map(|list| list.algorithm).collect();
        let is_of =
            |algorithm: &&Algorithm| job.algorithms.digests.iter().any(|own| own.name == algorithm.name);
        if has.len() != job.algorithms.digests.len() || !has.iter().all(is_of) {
            let names: Vec<&str> = has.iter().map(|algorithm| algorithm.name).collect();
            let why = format!("is a bag with digests by {}: name these", names.join(","));
            return Err(self.unfit(&why));
        }
        if let Some((label, value)) = lacking(&self.given, there.info.as_ref()) {
            let why =
                format!("is a bag without '{label}: {value}' in its {INFO}; edit it, then update the bag");
            return Err(self.unfit(&why));
        }
        Ok(CopyBag { there: Some(there), ..self })
    }

    pub(super) fn unfit(&self, why: &str) -> Error {
        Error::of_place(path_bytes(&self.folder), why)
    }

    /// Returns the folder of the copies, with a slash at its end: it is the name of no copy.
    pub(super) fn payload(&self) -> PathBuf {
        self.folder.join(DATA).join("")
    }

    /// Makes the folder itself.
    pub(super) fn make(&self) -> Result<(), WriteError> {
        make(&self.folder)
    }

    /// Makes the folder of the copies, if there was nothing to copy.
    ///
    /// # Errors
    /// If something else is in its place.
    pub(super) fn make_payload(&self) -> Result<(), WriteError> {
        let data = self.folder.join(DATA);
        make(&data)?;
        match facts_at(&data, Links::Stay).is_ok_and(|facts| facts.is_folder()) {
            true => Ok(()),
            false => {
                Err(WriteError::new(&data, io::Error::other("something else took the place of the folder")))
            }
        }
    }

    /// Makes the names in the folder, and its own, survive a power cut.
    pub(super) fn sync(&self) -> Result<(), WriteError> {
        let failed = |folder: &Path| {
            let folder = folder.to_path_buf();
            move |error| WriteError::new(&folder, io::Error::from(error))
        };
        sync_folder(&self.folder).map_err(failed(&self.folder))?;
        let above = directory(&self.folder);
        sync_folder(above).map_err(failed(above))
    }
}

/// Makes a folder, if it is not there.
fn make(folder: &Path) -> Result<(), WriteError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists || !folder.is_dir() => {
            Err(WriteError::new(folder, error))
        }
        _ => Ok(()),
    }
}

/// Returns the names of the tag files of a new bag.
fn tag_names(algorithms: &[&'static Algorithm]) -> Vec<String> {
    let lists = |kind| algorithms.iter().map(move |algorithm| file_name(kind, algorithm));
    lists(ListKind::Payload).chain([INFO.to_string()]).chain(lists(ListKind::Tags)).collect()
}

/// Returns whether a name is that of a file that a run has not finished.
pub(super) fn is_unfinished(name: &[u8]) -> bool {
    name.starts_with(b".") && name.windows(UNFINISHED.len()).any(|part| part == UNFINISHED)
}

/// Returns the first field that is not among those of a bag.
pub(super) fn lacking<'a>(given: &'a BagFields, there: Option<&Info>) -> Option<&'a (String, String)> {
    let has = |field: &(String, String)| there.is_some_and(|info| info.fields.contains(field));
    given.iter().find(|field| !has(field))
}
