//! Models in the sense of OpenSSF model signing: the content of a directory, by file or by shard, and bundles that sign
//! it.
//!
//! [`Measure`] hashes a model. [`Sign`] makes a bundle of it. [`ModelVerification`] compares a model with a bundle.

#[cfg(feature = "sign")]
mod sign;
#[cfg(feature = "sign")]
mod verify;

#[cfg(feature = "sign")]
pub use {
    sign::{Sign, SignRun, Signed},
    verify::{ModelVerification, Refused, Verified, VerifyRun},
};

pub use crate::tree::{TreeEvent, TreeObserver};

use crate::error::Error;
use crate::tree::met::{File, Look, Thing, What, with_article};
use crate::tree::survey::{Links, Survey};
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Bytes, path_of};
use hashmill_digest::Algorithm;
use hashmill_engine::{Cancel, Live, Plan, Stats};
use hashmill_os::names::canonical;
use hashmill_source::Filter;
use hashmill_tree::Error as NoPlace;
use hashmill_tree::model::{Method, Resource, is_left_out};
use std::fs;
use std::num::NonZeroU64;
use std::sync::Arc;

/// A model to hash, and the settings.
#[derive(Clone)]
pub struct Measure {
    /// The directory of the model.
    pub folder: Bytes,
    /// The unit of hashing: files or shards.
    pub method: Method,
    /// The algorithm of these digests.
    pub algorithm: &'static Algorithm,
    /// Paths below the directory that are left out, with all below them; without dots and empty parts.
    pub left_out: Vec<String>,
    /// Filter of the model's files; others are not part of the model.
    pub filter: Filter,
    /// Whether symbolic links to files are read; otherwise they are misfits.
    pub follow: bool,
    /// Threads, memory and limits of reading.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A model that is about to be hashed.
pub struct Run {
    measure: Measure,
    plan: Plan,
    live: Arc<Live>,
}

/// The content of a model.
#[derive(Debug)]
pub struct ModelContent {
    /// Its files or shards, in the order of the walk.
    pub resources: Vec<Resource>,
    /// Entries that a statement about a model can't contain.
    pub misfits: Vec<NoPlace>,
    /// Empty files, which have no shards: a statement about shards doesn't cover them.
    pub uncovered: Vec<Bytes>,
    /// Entries that could not be read, by their paths below the directory.
    pub failed: Vec<Bytes>,
    /// Counters and times of the run.
    pub stats: Stats,
    /// Whether the run was cancelled: the result is incomplete.
    pub interrupted: bool,
}

impl Measure {
    /// Gets ready for [`Run::run`].
    ///
    /// # Errors
    /// If the memory is too little.
    pub fn start(self) -> Result<Run, Error> {
        let plan = self.resources.plan(vec![self.algorithm])?;
        self.resources.give_way()?;
        let piece = match self.method {
            Method::Files => None,
            Method::Shards(size) => NonZeroU64::new(size),
        };
        let plan = Plan { cancel: self.cancel.clone(), piece, whole: piece.is_none(), ..plan };
        Ok(Run { measure: self, plan, live: Arc::default() })
    }

    /// Returns the name of the model: that of its directory.
    pub fn name(&self) -> String {
        let folder = path_of(&self.folder);
        let real = || canonical(&folder).ok()?.file_name().map(ToOwned::to_owned);
        let name = folder.file_name().map(ToOwned::to_owned).or_else(real);
        name.unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl Run {
    /// Returns counters that go up as the run goes on.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Hashes the model.
    pub fn run(self, observer: &mut TreeObserver<'_>) -> ModelContent {
        let Run { measure, plan, live } = self;
        let left_out = measure.left_out;
        let wanted = move |path: &[u8]| !is_left_out(&left_out, path);
        let links = Links { texts: false, files: measure.follow, unwanted: true };
        let is_link = !measure.follow && is_link(&measure.folder);
        let is_location = measure.resources.stores.is_location(&measure.folder);
        let look = Look {
            folder: &measure.folder,
            filter: measure.filter,
            survey: Survey::new(&measure.folder, is_location, links, Arc::new(wanted)),
            resources: &measure.resources,
            is_archive_folder: false,
        };
        let met = look.run(&plan, &live, observer);
        let mut measured = ModelContent {
            resources: Vec::new(),
            misfits: Vec::new(),
            uncovered: Vec::new(),
            failed: met.failed,
            stats: met.stats,
            interrupted: plan.cancel.is_set(),
        };
        if is_link {
            measured.misfits.push(NoPlace::Kind { path: Bytes::default(), what: "a symbolic link" });
        }
        met.things.into_iter().for_each(|thing| measured.add(thing));
        measured
    }
}

/// Returns whether a folder is named by a symbolic link, with or without a slash at its end.
fn is_link(folder: &[u8]) -> bool {
    let end = folder.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    fs::symlink_metadata(path_of(&folder[..end])).is_ok_and(|meta| meta.is_symlink())
}

impl ModelContent {
    /// Returns whether all of the model was read and fits into a statement.
    pub fn is_whole(&self) -> bool {
        self.failed.is_empty() && !self.interrupted && self.misfits.is_empty()
    }

    fn add(&mut self, Thing { path, what }: Thing) {
        match what {
            What::Folder => {}
            What::File(file) | What::Link { file: Some(file), .. } => self.add_file(path, &file),
            What::Link { .. } => self.misfits.push(NoPlace::Kind { path, what: "a symbolic link" }),
            What::Special(why) => self.misfits.push(NoPlace::Kind { path, what: with_article(why) }),
        }
    }

    fn add_file(&mut self, path: Bytes, file: &File) {
        let whole = file.digests.first().map(|digest| Resource::new(&path, None, *digest));
        let shards = file.pieces.iter().map(|(piece, digest)| {
            let range = (piece.offset, piece.offset + piece.length);
            Resource::new(&path, Some(range), *digest)
        });
        let all: Result<Vec<Resource>, NoPlace> = whole.into_iter().chain(shards).collect();
        match all {
            Ok(all) if all.is_empty() => self.uncovered.push(path),
            Ok(all) => self.resources.extend(all),
            Err(misfit) => self.misfits.push(misfit),
        }
    }
}
