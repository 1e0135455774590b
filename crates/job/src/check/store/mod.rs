//! Checks stores whose names are digests, and other trees of such names.
//!
//! First, index files and links are read: they name the objects that must be there. Then the tree is walked once for
//! each algorithm of its objects, and the engine hashes them. A file's role follows from its path alone, so nothing is
//! kept of an object but whether it was met, and that only if something names it.

mod claims;
mod coding;
mod content;
mod event;
mod git_objects;
mod headed;
mod judge;
mod nix;
mod ocfl;
mod packs;
mod place;
mod pointers;
mod references;
mod repository;
mod wanted;

pub use event::{ObjectVerdict, StoreEvent, StoreObserver, StoreSummary};

use crate::error::Error;
use crate::notice::Notice;
use claims::Claims;
use content::Trailers;
use hashmill_content::resources::Resources;
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::selection::{Bytes, below};
use hashmill_content::selection::{counting, mixed};
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_engine::flow::{Entries, one};
use hashmill_engine::{self as engine, Cancel, EngineEvent, Live, Plan};
use hashmill_objects::{Coding, Role, StoreLayout};
use hashmill_os::names;
use hashmill_source::{Error as Failure, OperandDirectory, Problem, Skip, WalkItem, WalkOptions};
use judge::Judge;
use packs::Packs;
use pointers::Pointers;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wanted::Wanted;

/// A check of a store.
pub struct StoreJob {
    /// The folder of the store; a location only where names alone say the digests.
    pub folder: Bytes,
    /// The layout of the store.
    pub layout: StoreLayout,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Whether verdicts include the content of both sides.
    pub sides: bool,
    /// Files that are not parts of the store: outputs of this run.
    pub own: OwnFiles,
    /// Ends the check soon after it is set.
    pub cancel: Cancel,
}

/// A check that is ready to run.
pub struct StoreCheck {
    job: StoreJob,
    /// The folder of the store itself.
    root: Bytes,
    /// The digests that a database states, if names don't.
    claims: Option<Arc<Claims>>,
    /// The files that stand for objects, if the store is in a repository that was named.
    pointers: Option<Pointers>,
    plan: Plan,
    live: Arc<Live>,
}

impl StoreJob {
    /// Finds the store and gets ready to check it.
    ///
    /// # Errors
    /// If the folder has no such store, or the memory is too little.
    pub fn start(mut self) -> Result<StoreCheck, Error> {
        let memory = self.resources.memory as u64;
        let pointers = self
            .layout
            .has_pointers()
            .then(|| pointers::find(&self.folder, memory, &self.resources.stores, &self.cancel))
            .flatten();
        let (root, layout) = match &pointers {
            Some(pointers) => (pointers.root.clone(), self.layout),
            None => place::root(&self.folder, self.layout, &self.resources.stores)?,
        };
        self.layout = layout;
        if layout.is_inventoried() {
            ocfl::check_place(&root)?;
        }
        let plan = Plan { cancel: self.cancel.clone(), ..self.resources.plan(self.layout.algorithms())? };
        self.resources.give_way()?;
        let claims = self.layout.is_stated().then(|| nix::claims(&root)).transpose()?.map(Arc::new);
        Ok(StoreCheck { job: self, root, claims, pointers, plan, live: Arc::default() })
    }
}

impl StoreCheck {
    /// Returns counters that are updated while the check runs.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Returns the folder of the store, which may lie below the named folder.
    pub fn root(&self) -> &[u8] {
        &self.root
    }

    /// Checks all objects.
    pub fn run(self, observer: &mut StoreObserver<'_>) -> StoreSummary {
        if self.job.layout.is_inventoried() {
            return ocfl::run(self, observer);
        }
        let StoreCheck { job, root, claims, pointers, plan, live } = self;
        let options = WalkOptions { leave_out: job.own.identities().to_vec(), ..job.resources.walk() };
        let is_absent = pointers.as_ref().is_some_and(|pointers| !pointers.has_root);
        if job.resources.counts && !is_absent {
            counting::count_folder(&live, &root, &job.resources.stores);
        }
        let wanted = match (&claims, &pointers) {
            (Some(claims), _) => Wanted::from_claims(claims),
            (None, Some(pointers)) => Wanted::from_pointers(&pointers.pointers),
            (None, None) if job.layout.has_references() => {
                Wanted::find(&root, job.layout, &options, &job.cancel)
            }
            (None, None) => Wanted::default(),
        };
        let coding = coding::find(&root, job.layout, &options);
        let trailers = Trailers::default();
        let stores = job.resources.stores.clone();
        let walk = Rounds { root, stores, is_absent, layout: job.layout, claims, options, coding, trailers };
        let packs = Packs::new(&job.resources, &job.cancel);
        let mut judge = Judge::new(&walk, wanted, packs, job.sides, observer);
        if let Some(Pointers { head, fault: Some(why), .. }) = &pointers {
            judge.unreadable(head, why);
        }
        for (number, algorithm) in job.layout.algorithms().into_iter().enumerate() {
            if judge.stopped || number > 0 && !judge.has_others() {
                break;
            }
            let plan = Plan { algorithms: vec![algorithm], ..plan.clone() };
            let entries = match &walk.claims {
                Some(claims) => walk.stated(claims),
                None => walk.round(number, algorithm, Arc::clone(&judge.others)),
            };
            let stats = engine::run(&plan, entries, &live, &mut |event| {
                if let EngineEvent::Done(outcome) = event {
                    judge.take(&outcome);
                }
                if judge.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            judge.add(&stats);
        }
        let interrupted = plan.cancel.is_set();
        if !interrupted {
            judge.end();
            let notes = plan.reading.notes.take();
            notes.iter().for_each(|note| judge.tell(StoreEvent::Notice(Notice::PageCache(note))));
        }
        judge.finish(interrupted)
    }
}

/// The walks of a store, one for each algorithm of its objects.
struct Rounds {
    root: Bytes,
    stores: Stores,
    /// Whether there is no such folder: then all that something names is missing.
    is_absent: bool,
    layout: StoreLayout,
    /// The digests that a database states, if names don't.
    claims: Option<Arc<Claims>>,
    options: WalkOptions,
    /// The coding of all objects, if only trying tells it.
    coding: Option<Coding>,
    /// The digests that objects have at their ends.
    trailers: Trailers,
}

impl Rounds {
    /// Walks the store and keeps the objects of one algorithm. All other files are passed on in the first round, marked
    /// as left out: the engine does not read them, and the judge gives their verdicts in the order of the walk.
    fn round(&self, number: usize, algorithm: &'static Algorithm, others: Arc<AtomicBool>) -> Entries {
        let (layout, root, trailers) = (self.layout, self.root.clone(), self.trailers.clone());
        let (first, coding) = (number == 0, self.coding);
        if self.is_absent {
            return Box::new(std::iter::empty());
        }
        Box::new(mixed::walk_one(&self.root, self.options.clone(), &self.stores).filter_map(move |item| {
            match item {
                WalkItem::File(entry) => match layout.role(below(&entry.path, &root)) {
                    Role::Object(object) if object.algorithm == algorithm => Some(WalkItem::File(
                        content::entry(entry, coding.unwrap_or(object.coding), &trailers),
                    )),
                    Role::Object(_) => {
                        others.store(true, Ordering::Relaxed);
                        None
                    }
                    _ => first.then_some(WalkItem::Skipped { path: entry.path, why: Skip::Filtered }),
                },
                WalkItem::Skipped { path, why: Skip::Link } => {
                    content::link(&path, layout.role(below(&path, &root)), &root, &trailers)
                        .or_else(|| first.then_some(WalkItem::Skipped { path, why: Skip::Link }))
                }
                // A folder that can't be listed fails in each round, and the judge tells it once.
                failed @ WalkItem::Failed(_) => Some(failed),
                other => first.then_some(other),
            }
        }))
    }

    /// Returns the entries of a store whose digests a database states, in the order of their names.
    fn stated(&self, claims: &Arc<Claims>) -> Entries {
        let opened = OperandDirectory::open(&self.root);
        let listed = opened.and_then(|operand| Ok((operand.names(&self.root)?, Arc::new(operand))));
        let (listed, operand) = match listed {
            Ok(found) => found,
            Err(source) => {
                let failed =
                    WalkItem::Failed(Failure { path: self.root.clone(), problem: Problem::List(source) });
                return one(failed);
            }
        };
        let mut listed: Vec<Vec<u8>> = listed.iter().map(|name| names::bytes(name).into_owned()).collect();
        listed.sort_unstable();
        let (root, claims) = (self.root.clone(), Arc::clone(claims));
        Box::new(listed.into_iter().map(move |name| {
            let path = place::joined(&root, &name);
            match claims.role(&name) {
                Some(_) => WalkItem::File(nix::entry(&operand, path)),
                None => WalkItem::Skipped { path, why: Skip::Filtered },
            }
        }))
    }

    /// Returns the role of a file, by its path below the store.
    fn role(&self, inside: &[u8]) -> Role {
        let stated = self.claims.as_ref().and_then(|claims| claims.role(inside));
        stated.unwrap_or_else(|| self.layout.role(inside))
    }

    /// Returns whether the store is in a place without folders.
    fn is_remote(&self) -> bool {
        self.stores.is_location(&self.root)
    }
}
