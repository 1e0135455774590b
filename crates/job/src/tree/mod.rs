//! One digest of a whole directory, as other systems define it.
//!
//! The engine hashes each file once, for all systems together. A file that changes meanwhile, or can't be read, leaves
//! the directory without a digest: a digest of the rest would be one of something else.

mod event;
mod survey;

pub use event::{Event, Found, Observer, Summary};

use crate::error::Error;
use crate::notice::Notice;
use crate::resources::Resources;
use crate::selection::{Bytes, below};
use hashloom_digest::{Algorithm, Digest, find};
use hashloom_engine::{self as engine, Cancel, Live, Outcome, Plan, Trouble};
use hashloom_source::{Filter, Meta, Skip, WalkOptions, walk};
use hashloom_tree::{Entry, Kind, Links, Options, System};
use std::ops::ControlFlow;
use std::sync::Arc;
use survey::Survey;

/// What to make digests of, and how.
pub struct Job {
    /// The directory.
    pub folder: Bytes,
    /// The systems whose digests are wanted.
    pub systems: Vec<&'static System>,
    /// What else the digests depend on.
    pub options: Options,
    /// Which files; those that are left out are no part of any digest.
    pub filter: Filter,
    /// Symbolic links to files are followed where a system would else refuse them.
    pub follow: bool,
    /// With what resources.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A job whose options fit together. Nothing is read yet.
pub struct Run {
    job: Job,
    plan: Plan,
    live: Arc<Live>,
}

/// What was met below the directory.
#[derive(Default)]
struct Met {
    files: Vec<File>,
    /// Links and where they lead.
    links: Vec<(Bytes, Bytes)>,
    folders: Vec<Bytes>,
    /// What no system has a place for.
    special: Vec<(Bytes, Skip)>,
    failed: u64,
}

/// A file that was hashed.
struct File {
    path: Bytes,
    mode: u32,
    /// One for each algorithm of the plan.
    digests: Vec<Digest>,
}

impl Job {
    /// Gets ready for [`Run::run`].
    ///
    /// # Errors
    /// If the memory is too little.
    pub fn start(self) -> Result<Run, Error> {
        let mut algorithms: Vec<&'static Algorithm> = Vec::new();
        for system in &self.systems {
            #[allow(clippy::expect_used, reason = "systems name algorithms of the registry")]
            let row = find(system.files).expect("an algorithm of the registry");
            if !algorithms.contains(&row) {
                algorithms.push(row);
            }
        }
        let plan = self.resources.plan(algorithms)?;
        self.resources.give_way()?;
        let plan = Plan { cancel: self.cancel.clone(), ..plan };
        Ok(Run { job: self, plan, live: Arc::default() })
    }
}

impl Run {
    /// Counters that go up as the run goes on.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Hashes, and makes the digests.
    pub fn run(self, observer: &mut Observer<'_>) -> Summary {
        let Run { job, plan, live } = self;
        let options = WalkOptions {
            filter: job.filter.clone(),
            empty_folders: true,
            timeout: job.resources.timeout,
            ..WalkOptions::default()
        };
        let reads_links = job.follow || job.systems.iter().any(|system| system.links == Links::Followed);
        let survey = Survey::new(&job.folder, &job.systems, reads_links);
        let entries = survey.clone().watch(walk(std::iter::once(job.folder.clone()), options));
        let mut met = Met::default();
        let stats = engine::run(&plan, entries, &live, &mut |event| {
            if let engine::Event::Done(outcome) = event {
                met.take(outcome, &job.folder, observer);
            }
            ControlFlow::Continue(())
        });
        observer(Event::AllRead);
        plan.reading.notes.take().iter().for_each(|note| observer(Event::Notice(Notice::PageCache(note))));
        met.links = survey.links();
        let interrupted = plan.cancel.is_set();
        let whole = met.failed == 0 && !interrupted;
        let found = job.systems.iter().filter(|_| whole).map(|system| {
            let digest =
                job.entries(system, &met, &plan).and_then(|entries| system.digest(&entries, &job.options));
            Found { system, digest }
        });
        Summary { found: found.collect(), failed: met.failed, stats, interrupted }
    }
}

impl Met {
    fn take(&mut self, outcome: Outcome, folder: &[u8], observer: &mut Observer<'_>) {
        let Outcome { record, meta, trouble } = outcome;
        let path = Bytes::from(below(&record.path, folder));
        match trouble {
            None => {
                let mode = meta.map_or(0, |Meta { mode, .. }| mode);
                let digests = record.digests.iter().map(|named| named.digest).collect();
                self.files.push(File { path, mode, digests });
            }
            Some(Trouble::Failed(error)) => {
                observer(Event::Failed(&error));
                self.failed += 1;
            }
            // The survey has its target.
            Some(Trouble::Skipped(Skip::Link | Skip::Filtered | Skip::Output)) => {}
            Some(Trouble::Skipped(Skip::EmptyFolder)) if path.is_empty() => {}
            Some(Trouble::Skipped(Skip::EmptyFolder)) => self.folders.push(path),
            Some(Trouble::Skipped(why)) => self.special.push((path, why)),
        }
    }
}

impl Job {
    /// What a system sees of what was met.
    fn entries(&self, system: &System, met: &Met, plan: &Plan) -> Result<Vec<Entry>, hashloom_tree::Error> {
        let of_system = |path: &[u8]| !survey::leaves_out(system, path);
        if let Some((path, why)) = met.special.iter().find(|(path, _)| of_system(path)) {
            return Err(hashloom_tree::Error::Kind { path: path.clone(), what: with_article(*why) });
        }
        let column = plan.algorithms.iter().position(|row| row.name == system.files).unwrap_or(0);
        let kept = system.links == Links::Kept;
        let followed = system.links == Links::Followed || self.follow;
        let links: std::collections::HashMap<&[u8], &[u8]> =
            met.links.iter().map(|(path, target)| (&**path, &**target)).collect();
        let mut entries = Vec::with_capacity(met.files.len());
        for file in met.files.iter().filter(|file| of_system(&file.path)) {
            // Links that are kept come below, by their targets.
            if links.contains_key(&*file.path) && (kept || !followed) {
                continue;
            }
            let kind =
                Kind::File { executable: system.executable.of(file.mode), digest: file.digests[column] };
            entries.push(Entry { path: file.path.clone(), kind });
        }
        let read: std::collections::HashSet<&[u8]> = met.files.iter().map(|file| &*file.path).collect();
        for (path, target) in met.links.iter().filter(|(path, _)| of_system(path)) {
            if kept || !followed || !read.contains(&**path) {
                entries.push(Entry { path: path.clone(), kind: Kind::Link { target: target.clone() } });
            }
        }
        let folders = met.folders.iter().filter(|path| of_system(path));
        entries.extend(folders.map(|path| Entry { path: path.clone(), kind: Kind::Folder }));
        Ok(entries)
    }
}

fn with_article(why: Skip) -> &'static str {
    match why {
        Skip::Fifo => "a FIFO",
        Skip::Socket => "a socket",
        Skip::Device => "a device",
        Skip::OtherFileSystem => "on another file system",
        _ => "an entry that is not read",
    }
}
