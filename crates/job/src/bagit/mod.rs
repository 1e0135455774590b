//! Bags (BagIt, RFC 8493): conversion of a folder into a bag, in place or as a copy, and verification of bags.

mod archived;
mod copy;
mod event;
mod in_place;
mod members;
mod pack;
mod packed;
mod payload;
mod place;
mod tags;
mod update;
mod verify;

pub use crate::error::BagError;
pub use event::{BagEvent, BagObserver, Refusal};
pub use hashmill_bag::Level;
pub use update::{TagChange, Update, Updated};
pub use verify::{BagVerification, Verified};

use crate::account::{Account, Item};
use crate::algorithms::Algorithms;
use crate::error::Error;
use copy::{Copy, check_places};
use hashmill_bag::{Bag, Info, Oxum, twins};
use hashmill_content::resources::Resources;
use hashmill_content::selection::counting::count_folder;
use hashmill_digest::Class;
use hashmill_engine::{Cancel, Live, Plan};
use hashmill_os::names;
use in_place::{InPlace, Start};
use pack::NamedForm;
use packed::{Packed, check_top, unwritten};
use payload::Payload;
use place::BagPlace;
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub(crate) use tags::info;
use tags::{Tags, tags};

/// A bag to be made.
#[derive(Debug, Clone)]
pub struct Create {
    /// The folder that becomes the payload.
    pub folder: PathBuf,
    /// The new bag that the folder is copied into, an archive if it has the name of one; without it, the folder itself
    /// becomes a bag.
    pub to: Option<PathBuf>,
    /// The algorithms of the manifests. There is one manifest for each, and every file is read once.
    pub algorithms: Algorithms,
    /// Fields of `bag-info.txt`.
    pub info: Vec<(String, String)>,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the work soon after it is set; nothing is changed then.
    pub cancel: Cancel,
}

/// The result of making a bag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// A bag was made, with this number of files and bytes.
    Bag(Oxum),
    /// The bag that an interrupted run had begun was finished, with the manifests and fields of that run.
    Finished,
    /// No bag was made, because this number of entries was refused.
    Refused(u64),
    /// The run was cancelled.
    Interrupted,
}

impl Created {
    /// Returns the account of the entries of the folder. Of a bag that was finished, nothing was read.
    pub fn account(&self) -> Account {
        match self {
            Created::Bag(oxum) => Account::done(Item::Entry, oxum.streams),
            Created::Finished => Account::done(Item::Operand, 1),
            Created::Refused(number) => Account::failed(Item::Entry, *number),
            Created::Interrupted => Account::interrupted(),
        }
    }
}

impl Create {
    /// Makes the bag.
    ///
    /// # Errors
    /// If the options or the folder are not usable, or something cannot be written.
    pub fn run(&self, observer: &mut BagObserver<'_>) -> Result<Created, Error> {
        check_algorithms(&self.algorithms)?;
        let plan = self.resources.plan(self.algorithms.digests.clone())?;
        let plan = Plan { cancel: self.cancel.clone(), ..plan };
        let info = info(&self.info)?;
        self.resources.give_way()?;
        match &self.to {
            None => self.in_place(&plan, info, observer),
            Some(to) => self.elsewhere(to, &plan, info, observer),
        }
    }

    fn read(&self, folder: &Path, plan: &Plan, observer: &mut BagObserver<'_>) -> Payload {
        let live = Arc::new(Live::default());
        if self.resources.counts {
            count_folder(&live, &names::path_bytes(folder), &self.resources.stores);
        }
        Payload::read(folder, plan, &live, observer)
    }

    fn in_place(&self, plan: &Plan, info: Info, observer: &mut BagObserver<'_>) -> Result<Created, Error> {
        let Start::Fresh(place) = InPlace::begin(&self.folder, &self.resources.files, observer)? else {
            return Ok(Created::Finished);
        };
        let payload = self.read(&self.folder, plan, observer);
        if let Some(stopped) = stopped(plan, &payload) {
            return Ok(stopped);
        }
        tell_notes(&payload, observer);
        place.commit(&tags(&payload, &plan.algorithms, info)?)?;
        Ok(Created::Bag(payload.oxum))
    }

    fn elsewhere(
        &self,
        to: &Path,
        plan: &Plan,
        info: Info,
        observer: &mut BagObserver<'_>,
    ) -> Result<Created, Error> {
        match NamedForm::new(to) {
            NamedForm::Folder => self.copy(to, plan, info, observer),
            NamedForm::Unwritten => Err(unwritten(to)),
            NamedForm::Archive(form, top) => {
                check_places(&self.folder, to)?;
                check_top(top, to)?;
                Packed { create: self, to, form, top }.run(plan, info, observer)
            }
        }
    }

    fn copy(
        &self,
        to: &Path,
        plan: &Plan,
        info: Info,
        observer: &mut BagObserver<'_>,
    ) -> Result<Created, Error> {
        let copy = Copy::begin(&self.folder, to, &self.resources.files)?;
        let payload = self.read(&self.folder, plan, observer);
        if let Some(stopped) = stopped(plan, &payload) {
            return Ok(stopped);
        }
        tell_notes(&payload, observer);
        observer(BagEvent::Copying(payload.oxum.octets));
        copy.fill(&self.folder, &payload.files, || plan.cancel.is_set())?;
        // The copies are read again, because only this shows that they are complete and readable.
        let copied = self.read(&copy.data(), plan, observer);
        if plan.cancel.is_set() {
            return Ok(Created::Interrupted);
        }
        let tags: Tags = tags(&payload, &plan.algorithms, info)?;
        copy.finish(&copied, &payload, &tags)?;
        Ok(Created::Bag(payload.oxum))
    }
}

/// Checks that manifests of a bag can list these digests.
///
/// # Errors
/// If they can't.
pub(crate) fn check_algorithms(algorithms: &Algorithms) -> Result<(), BagError> {
    if !algorithms.likeness.is_empty() {
        return Err(BagError::Likeness);
    }
    let checksum = algorithms.digests.iter().find(|algorithm| algorithm.class == Class::Checksum);
    checksum.map_or(Ok(()), |algorithm| Err(BagError::Checksum(algorithm.name)))
}

/// Reads the tag files of a bag that is a folder, whose text may take so much memory. Those that can't be read are findings.
///
/// # Errors
/// If it is not a bag.
pub(crate) fn open_folder(folder: &Path, memory: usize) -> Result<Bag, Error> {
    verify::open(folder, &BagPlace::Folder(folder.to_path_buf()), memory, &mut |_| {})
}

/// Reports names that fall together on other systems, and those that other programs take for others.
fn tell_notes(payload: &Payload, observer: &mut BagObserver<'_>) {
    let paths = || payload.files.iter().map(|file| file.path.as_str());
    twins(paths()).into_iter().for_each(|path| observer(BagEvent::Twin(path)));
    let mut encoded = paths().filter(|path| path.contains('%'));
    if let Some(first) = encoded.next() {
        observer(BagEvent::Percent(first, 1 + encoded.count() as u64));
    }
}

/// Returns the reason why no bag is made, if there is one.
fn stopped(plan: &Plan, payload: &Payload) -> Option<Created> {
    if plan.cancel.is_set() {
        return Some(Created::Interrupted);
    }
    (payload.refused > 0).then_some(Created::Refused(payload.refused))
}
