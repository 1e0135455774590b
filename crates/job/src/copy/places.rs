//! The start of destinations, each with threads of its own.

use super::CopyJob;
use super::MOST_WAITING;
use super::answers::Answers;
use super::back::{ReadBack, Verify};
use super::bag::{BagEnd, CopyBag};
use super::bucket::{self, Keys};
use super::device::{self, DeviceSite, is_device};
use super::event::PlaceProgress;
use super::folder::CopyFolder;
use super::later::Later;
use super::listing::CopyList;
use super::message::Message;
use super::names::HeldNames;
use super::naming::Naming;
use super::open_files::OpenFiles;
use super::place::{BucketSettings, CopyRecords, Place, PlaceThreads};
use super::site::CopySite;
use super::state::{StateSender, StateThread};
use super::sync;
use super::threads::{join, start};
use super::writer::Writer;
use crate::error::Error;
use crate::hash::Manifest;
use hashmill_engine::{Cancel, Plan};
use hashmill_os::names::path_bytes;
use hashmill_output::WriteError;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel, sync_channel};

/// The list of the copies in a folder.
enum FolderList {
    Manifest(Manifest),
    /// That of a bag, which is begun.
    Bag(CopyList),
}

impl CopyJob {
    /// Starts the threads of all destinations. Returns what sends messages to them.
    pub(super) fn places(
        &mut self,
        naming: &Naming,
        plan: &Plan,
        state: Option<&StateThread>,
        names: Vec<HeldNames>,
        bags: Vec<CopyBag>,
    ) -> Result<(Vec<Sender<Message>>, Vec<Place>), Error> {
        let (mut senders, mut places) = (Vec::new(), Vec::new());
        let mut manifests = std::mem::take(&mut self.manifests).into_iter();
        let mut bags = bags.into_iter();
        for ((number, to), names) in self.to.iter().enumerate().zip(names) {
            let state = state.map(|state| state.sender(number));
            let (threads, listing) = match () {
                () if self.is_bucket(to) => self.bucket(to, manifests.next(), naming, plan)?,
                () if is_device(to) => (device::begin(to, self.force, self.verify, plan)?, None),
                () => {
                    let files = self.resources.files.clone();
                    let folder = CopyFolder::new(naming.target(to), self.force, files);
                    let bag = bags.next().map(|bag| bag.begin(self.bag_end(plan))).transpose()?;
                    let folder = if bag.is_some() { folder.in_another() } else { folder };
                    let list = bag.map(FolderList::Bag).or(manifests.next().map(FolderList::Manifest));
                    self.folder(to, folder.with_rules(names.rules), list, plan, state)?
                }
            };
            let PlaceThreads { site, progress, sender, answers, writer, reader } = threads;
            senders.push(sender);
            let (path, is_read_later) = (to.clone(), self.verify == Verify::Later);
            places.push(Place { path, site, progress, answers, is_read_later, writer, reader, listing });
        }
        Ok((senders, places))
    }

    /// Returns a destination before anything is written.
    pub(super) fn site(&self, to: &Path, naming: &Naming) -> Result<Arc<dyn CopySite>, Error> {
        match () {
            () if self.is_bucket(to) => {
                bucket::site(Keys::new(to, naming, &self.resources.stores)?, &self.resources.stores)
            }
            () if is_device(to) => Ok(Arc::new(DeviceSite::new(to))),
            () => {
                let files = self.resources.files.clone();
                Ok(Arc::new(CopyFolder::new(naming.target(to), self.force, files)))
            }
        }
    }

    /// Begins the manifest of copies below a folder or location.
    fn list(&self, manifest: Manifest, below: Box<[u8]>) -> Result<CopyList, Error> {
        CopyList::begin(manifest, below, &self.algorithms, &self.resources)
    }

    /// Returns the settings for the end of a bag. Its tag files are compared by all digests of copies, of which one is a proof.
    fn bag_end(&self, plan: &Plan) -> BagEnd {
        let (algorithms, files) = (self.algorithms.digests.clone(), self.resources.files.clone());
        BagEnd { algorithms, plan: Plan { cancel: Cancel::default(), tap: None, ..plan.clone() }, files }
    }

    /// Returns the way of records into a manifest.
    fn listed(&self, list: Option<&CopyList>) -> CopyRecords {
        list.map(|list| (list.records(), self.algorithms.digests.len()))
    }

    /// Starts the threads of a destination in a store.
    fn bucket(
        &self,
        to: &Path,
        manifest: Option<Manifest>,
        naming: &Naming,
        plan: &Plan,
    ) -> Result<(PlaceThreads, Option<CopyList>), Error> {
        let kept = manifest.as_ref().and_then(|manifest| Some(path_bytes(manifest.to.path()?).into()));
        let keys = Keys::new(to, naming, &self.resources.stores)?.keep_for(kept);
        let listing = manifest.map(|manifest| self.list(manifest, keys.root())).transpose()?;
        let settings = BucketSettings {
            stores: self.resources.stores.clone(),
            is_forced: self.force,
            verify: self.verify,
            memory: plan.memory,
            algorithms: plan.algorithms.clone(),
            listed: self.listed(listing.as_ref()),
            progress: Arc::default(),
        };
        Ok((bucket::begin(keys, settings)?, listing))
    }

    /// Starts the threads of a destination that is a folder.
    fn folder(
        &self,
        to: &Path,
        folder: CopyFolder,
        list: Option<FolderList>,
        plan: &Plan,
        state: Option<StateSender>,
    ) -> Result<(PlaceThreads, Option<CopyList>), Error> {
        let (sender, messages) = channel();
        let (next, copies) = sync_channel(MOST_WAITING);
        let (answer, answers) = channel();
        let kept = match &list {
            Some(FolderList::Manifest(manifest)) => manifest.to.file().map(|file| file.path.clone()),
            _ => None,
        };
        let folder = Arc::new(folder.keep_for(kept));
        let listing = match list {
            None => None,
            Some(FolderList::Bag(bag)) => Some(bag),
            Some(FolderList::Manifest(manifest)) => {
                folder.begin()?;
                Some(self.list(manifest, path_bytes(&folder.root()).into())?)
            }
        };
        let progress = Arc::<PlaceProgress>::default();
        let (to_sync, batches) = sync::way();
        let syncing = start("bringing copies onto the disk", move || sync::run(&batches, &next))?;
        let most = OpenFiles::share(self.to.len());
        let writer = Writer::new(Arc::clone(&folder), most, to_sync, Arc::clone(&progress));
        let writer = start("writing copies", move || {
            let lost = writer.run(&messages);
            join(syncing);
            lost
        })?;
        // A copy that was written is verified although the run is cancelled: it is whole.
        let plan = Plan { cancel: Cancel::default(), ..plan.clone() };
        let later = match self.verify {
            Verify::Later => {
                Some(Later::new(plan.algorithms.clone()).map_err(|error| WriteError::new(to, error))?)
            }
            Verify::AtOnce | Verify::No => None,
        };
        let back = ReadBack {
            folder: Some(Arc::clone(&folder)),
            verify: self.verify,
            plan,
            live: Arc::clone(&progress.back),
            first_names: HashSet::new(),
            unlinked: 0,
            later,
            state,
            listing: self.listed(listing.as_ref()),
        };
        let reader = start("reading copies back", move || back.run(copies, &answer))?;
        let answers = Answers::new(answers);
        Ok((PlaceThreads { site: folder, progress, sender, answers, writer, reader }, listing))
    }
}
