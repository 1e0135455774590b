//! Digests of a whole directory, as other systems define them.
//!
//! The engine hashes each file once, for all systems together. If a file changes meanwhile or can't be read, the
//! directory has no digest: a digest of the rest would be the digest of another directory.

mod event;
pub(crate) mod met;
pub(crate) mod survey;

pub use event::{TreeDigest, TreeEvent, TreeObserver, TreeSummary};
pub use hashmill_content::operands::archive_operand::is_archive;

use crate::error::Error;
use hashmill_content::resources::Resources;
use hashmill_content::selection::Bytes;
use hashmill_digest::find;
use hashmill_engine::{Cancel, Live, Plan};
use hashmill_lists::distinct::distinct;
use hashmill_source::Filter;
use hashmill_tree::{Entry, EntryKind, Error as NoPlace, Options, System};
use met::{File, Look, Met, Thing, What, with_article};
use std::sync::Arc;
use survey::{Links, Survey};

/// A directory to compute digests of, and the options.
pub struct TreeJob {
    /// The directory, or an archive in the place of one, whose links are not followed.
    pub folder: Bytes,
    /// The systems whose digests are wanted.
    pub systems: Vec<&'static System>,
    /// Other settings that the digests depend on.
    pub options: Options,
    /// Filter of files; skipped files are not part of any digest.
    pub filter: Filter,
    /// Whether symbolic links to files are followed where a system would otherwise refuse them.
    pub follow: bool,
    /// Resources that the job may use.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A job with valid options. Nothing has been read yet.
pub struct Run {
    job: TreeJob,
    plan: Plan,
    live: Arc<Live>,
}

impl TreeJob {
    /// Gets ready for [`Run::run`].
    ///
    /// # Errors
    /// If the memory is too little.
    pub fn start(self) -> Result<Run, Error> {
        #[allow(clippy::expect_used, reason = "systems name algorithms of the registry")]
        let row = |system: &&'static System| find(system.files).expect("an algorithm of the registry");
        let algorithms = distinct(self.systems.iter().map(row));
        let has_inside = is_archive(&self.folder, &self.resources);
        let plan = self.resources.beside(has_inside).plan(algorithms)?;
        self.resources.give_way()?;
        let plan = Plan { cancel: self.cancel.clone(), ..plan };
        Ok(Run { job: self, plan, live: Arc::default() })
    }

    fn survey(&self) -> Survey {
        let systems = self.systems.clone();
        let links = Links {
            texts: systems.iter().any(|system| system.links == hashmill_tree::Links::Kept),
            files: systems.iter().any(|system| self.follows(system)),
            unwanted: systems.iter().any(|system| system.links == hashmill_tree::Links::Refused),
        };
        let wanted = move |path: &[u8]| systems.iter().any(|system| !leaves_out(system, path));
        let is_location = self.resources.stores.is_location(&self.folder);
        Survey::new(&self.folder, is_location, links, Arc::new(wanted))
    }

    /// Returns whether a system treats links as the files that they lead to.
    fn follows(&self, system: &System) -> bool {
        match system.links {
            hashmill_tree::Links::Kept => false,
            hashmill_tree::Links::Followed => true,
            hashmill_tree::Links::Refused => self.follow,
        }
    }
}

impl Run {
    /// Returns counters that go up as the run goes on.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Hashes the files and computes the digests.
    pub fn run(self, observer: &mut TreeObserver<'_>) -> TreeSummary {
        let Run { job, plan, live } = self;
        let look = Look {
            folder: &job.folder,
            filter: job.filter.clone(),
            survey: job.survey(),
            resources: &job.resources,
            is_archive_folder: true,
        };
        let met = look.run(&plan, &live, observer);
        let interrupted = plan.cancel.is_set();
        let whole = met.failed.is_empty() && !interrupted;
        let found: Vec<TreeDigest> = job
            .systems
            .iter()
            .filter(|_| whole)
            .map(|system| {
                let column = plan.algorithms.iter().position(|row| row.name == system.files).unwrap_or(0);
                let seen = Seen { system, column, follows: job.follows(system) };
                let digest = seen.entries(&met).and_then(|entries| system.digest(&entries, &job.options));
                TreeDigest { system, digest }
            })
            .collect();
        TreeSummary { found, failed: met.failed.len() as u64, stats: met.stats, interrupted }
    }
}

/// The view that a system has of the entries.
struct Seen<'a> {
    system: &'a System,
    /// Place of its algorithm among those of the plan.
    column: usize,
    follows: bool,
}

impl Seen<'_> {
    fn entries(&self, met: &Met) -> Result<Vec<Entry>, NoPlace> {
        let own = met
            .things
            .iter()
            .filter(|thing| !leaves_out(self.system, &thing.path) || self.refuses(&thing.what));
        own.map(|thing| Ok(Entry { path: thing.path.clone(), kind: self.kind(thing)? })).collect()
    }

    /// Returns whether the system refuses an entry of this kind even among the paths that it leaves out.
    fn refuses(&self, what: &What) -> bool {
        let odd = matches!(what, What::Link { file: None, .. } | What::Special(_));
        odd && self.system.links == hashmill_tree::Links::Refused
    }

    fn kind(&self, Thing { path, what }: &Thing) -> Result<EntryKind, NoPlace> {
        match what {
            What::Folder => Ok(EntryKind::Folder),
            What::File(file) => Ok(self.file(file)),
            What::Link { file: Some(file), .. } if self.follows => Ok(self.file(file)),
            What::Link { target, .. } => Ok(EntryKind::Link { target: target.clone() }),
            What::Special(why) => Err(NoPlace::Kind { path: path.clone(), what: with_article(*why) }),
        }
    }

    fn file(&self, file: &File) -> EntryKind {
        let executable = self.system.executable.is_in(file.mode);
        EntryKind::File { executable, digest: file.digests[self.column] }
    }
}

/// Returns whether a system leaves out a path below the folder.
fn leaves_out(system: &System, path: &[u8]) -> bool {
    let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    system.leaves_out.iter().any(|name| name.as_bytes() == first)
}
