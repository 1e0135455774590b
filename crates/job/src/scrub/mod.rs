//! Verification that goes on for years: each run verifies what is due, and remembers what it found.
//!
//! A run walks the folders, so that it knows what is new and what is gone; then it reads what is due, in parts of about a
//! second, past the page cache. What a part found is in the state before anybody is told.

mod devices;
mod event;
mod export;
mod ground;
mod known_list;
mod list_paths;
mod look;
mod pace;
mod pending;
mod progress;
mod reading;
mod repair;
mod signed;
mod stop;
mod survey;

pub use devices::DeviceFiles;
pub use event::{Acceptance, Coverage, FileVerdict, ScrubEvent, ScrubObserver, ScrubSummary};
pub use export::{Export, ExportJob, Exported};
pub use hashmill_keep::{Due, Verdict};
pub use known_list::{KnownList, Learnt};
pub use look::{RunLook, StateLook};
pub use pace::Budget;
pub use repair::{AsideNews, RepairFrom, RepairOutcome, RepairResult, Repairs};

use crate::algorithms::Algorithms;
use crate::error::Error;
use crate::misfit::Misfit;
use crate::notice::Notice;
use ground::Ground;
use hashmill_content::File as Tried;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Bytes, Selection};
use hashmill_content::stores::Stores;
use hashmill_digest::{Algorithm, parse_list};
use hashmill_engine::{Cancel, Live, Plan};
use hashmill_keep::{Finding, Kept, Known, Order, ReadTotals, Root, State};
use hashmill_lists::judged::Judged;
use hashmill_lists::sealing::Globs;
use hashmill_lists::signatures::Signer;
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::names;
use hashmill_source::{BadBlocks, Io, Reading};
use hashmill_terminal::Shown;
use pace::Pace;
use pending::Pending;
use progress::Progress;
use repair::SecondCopy;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use stop::Stop;

/// The files in an image can't be kept.
const IN_IMAGE: &str = "what is in images can't be kept; scrub the image file itself";

/// Objects in stores are not replaced.
const REPAIR_STORED: &str = "--repair replaces files only; copy the object there with the store's own tools";

/// A state that is to be begun was begun before.
const NOT_FIRST: &str = "this state has had runs; leave out --first";

/// A location can't be kept: it has a secret, or is a folder of this machine.
const UNKEPT: &str = "a location can be kept if it alone says where its objects are: it has a secret, or is a folder of this \
                      machine; name the folder itself";

/// The settings of a run.
pub struct ScrubJob {
    /// The files that are kept.
    pub selection: Selection,
    /// The file of the state. It is made if there is none.
    pub state: PathBuf,
    /// The algorithms of a new state; by default BLAKE3.
    pub algorithms: Option<Algorithms>,
    /// The list that a new state begins with.
    pub list: Option<KnownList>,
    /// Whether the state has to be a new one. Where signatures are required, no other run begins one.
    pub is_first: bool,
    /// Whether times of the state that are ahead of the clock are corrected.
    pub is_clock_wrong: bool,
    /// The name under which the state has the only folder of the selection: it lies there now.
    pub moved_from: Option<Bytes>,
    /// The time or the bytes that the run may take.
    pub budget: Budget,
    /// The age at which a file is due again; without it, every file is due in every run.
    pub max_age: Option<Duration>,
    /// The files whose edits, or whose absence, are accepted before anything is read.
    pub accept: Globs,
    /// Where second copies of damaged files lie.
    pub repair: Option<RepairFrom>,
    /// Whether the damaged files that earlier repairs put aside are removed.
    pub discard: bool,
    /// The seed of the order.
    pub seed: u64,
    /// The requirements on the signatures of the state's seal.
    pub guard: Guard,
    /// The keys that sign the seal whenever it changes.
    pub signers: Vec<Signer>,
    /// Whether the result tells the files of each device.
    pub by_device: bool,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the run soon after it is set.
    pub cancel: Cancel,
}

/// A run whose state is open.
pub struct Scrub {
    job: ScrubJob,
    state: State,
    judged: Vec<Judged>,
    is_signed: bool,
    second: Option<SecondCopy>,
    plan: Plan,
    live: Arc<Live>,
    learnt: Option<Learnt>,
}

impl From<hashmill_keep::Error> for Error {
    fn from(error: hashmill_keep::Error) -> Error {
        Error::State(Box::new(error))
    }
}

impl ScrubJob {
    /// Opens the state, and checks that it is that of these folders.
    ///
    /// # Errors
    /// If options contradict each other, or the state can't be used.
    pub fn start(mut self) -> Result<Scrub, Error> {
        if self.selection.inside.is_any() {
            let image = self.selection.paths.first().cloned().unwrap_or_default();
            return Err(Misfit::of_place(image, IN_IMAGE).into());
        }
        self.selection.check(&self.resources.stores)?;
        let mut roots = self.roots()?;
        outside(&self.state, &roots, &self.resources.stores)?;
        if self.selection.follow && self.repair.as_ref().is_some_and(|from| from.replace) {
            return Err(Misfit::RepairFollows.into());
        }
        let mut stored = self.selection.paths.iter().filter(|path| self.resources.stores.is_location(path));
        if let Some(stored) = stored.next().filter(|_| self.repair.as_ref().is_some_and(|from| from.replace))
        {
            return Err(Misfit::of_place(stored.clone(), REPAIR_STORED).into());
        }
        let list = self.list.take();
        let algorithms = self.algorithms.as_ref().map(|algorithms| &*algorithms.digests);
        let names = list.as_ref().map(|list| &*list.algorithms).or(algorithms).map(names_of);
        let is_first = self.is_first || list.is_some();
        if self.guard.is_needed() && !is_first && !self.state.exists() {
            return Err(Misfit::of_place(names::path_bytes(&self.state), signed::NO_STATE).into());
        }
        let mut state = State::open(&self.state, names.as_deref())?;
        if self.is_first && !state.is_new()? {
            return Err(Misfit::of_place(names::path_bytes(&self.state), NOT_FIRST).into());
        }
        let respelled = self.respell(state.roots(), &mut roots);
        let is_respelled = |root: &Root| respelled.iter().any(|(_, new)| new.name == root.name);
        let spelled: Vec<Root> = roots.iter().filter(|root| !is_respelled(root)).cloned().collect();
        if self.moved_from.is_none() {
            state.belong_to(&spelled)?;
        }
        let stores = &self.resources.stores;
        let second = self.repair.as_ref().map(|from| SecondCopy::open(from, &roots, stores)).transpose()?;
        let is_signed = !self.signers.is_empty();
        let judged = signed::open(
            &mut state,
            self.guard.clone(),
            std::mem::take(&mut self.signers),
            &self.resources.files,
            is_first,
        )?;
        if let (Some(from), [to]) = (&self.moved_from, &*roots) {
            state.move_root(from, to)?;
        }
        respelled.iter().try_for_each(|(old, new)| state.move_root(old, new))?;
        match self.is_clock_wrong {
            true => state.correct_times(now())?,
            false => state.check_clock(now())?,
        }
        let plan = self.plan(&state)?;
        let learn = |list: KnownList| {
            list.learn(&mut state, &self.selection.paths, &self.resources.stores, &self.cancel)
        };
        let learnt = list.map(learn).transpose()?;
        self.resources.give_way()?;
        Ok(Scrub { plan, state, judged, is_signed, second, live: Arc::default(), learnt, job: self })
    }

    fn plan(&self, state: &State) -> Result<Plan, Error> {
        let algorithms = parse_list(state.algorithms()).map_err(Error::Algorithm)?;
        let plan = self.resources.plan(algorithms)?;
        let io = if plan.reading.io == Io::Auto { Io::Direct } else { plan.reading.io };
        let reading = Reading { io, fresh: true, bad_blocks: BadBlocks::Zero, ..plan.reading };
        Ok(Plan { reading, cancel: self.cancel.clone(), ..plan })
    }

    /// Names folders as the state names them: a folder is the same wherever it lies at the same place, however it is typed.
    /// Returns those that can't be reached by that name from here, each with it.
    fn respell(&mut self, known: &[Root], roots: &mut [Root]) -> Vec<(Box<[u8]>, Root)> {
        let stores = &self.resources.stores;
        let mut unreachable = Vec::new();
        for (path, root) in self.selection.paths.iter_mut().zip(roots) {
            let is_it = |known: &&Root| is_same(&known.place, &root.place) && known.name != root.name;
            let Some(known) = known.iter().find(is_it) else { continue };
            let from_here = names::canonical(&hashmill_content::selection::path_of(&known.name));
            let is_here = from_here.is_ok_and(|place| *names::path_bytes(&place) == *root.place);
            if is_here || stores.is_location(&known.name) {
                (*path, *root) = (known.name.clone(), known.clone());
            } else {
                unreachable.push((known.name.clone(), root.clone()));
            }
        }
        unreachable
    }

    /// Returns the folders as they are named, and where they lie. A location lies where its name says.
    fn roots(&self) -> Result<Vec<Root>, Error> {
        let stores = &self.resources.stores;
        let root = |name: &[u8]| {
            if stores.is_location(name) {
                // Paths of objects begin with it, and are opened again: it must be all that is needed.
                return match *stores.without_secrets(name) == *name && stores.folder_here(name).is_none() {
                    true => Ok(Root { name: name.into(), place: name.into() }),
                    false => Err(Misfit::of_place(stores.without_secrets(name), UNKEPT).into()),
                };
            }
            let whole = names::canonical(&hashmill_content::selection::path_of(name));
            let whole = whole.map_err(Error::file(name, Tried::Open))?;
            Ok(Root { name: name.into(), place: names::path_bytes(&whole).into() })
        };
        self.selection.paths.iter().map(|path| root(path)).collect()
    }
}

/// Returns whether two places are the same but for a slash at the end.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.strip_suffix(b"/").unwrap_or(one) == other.strip_suffix(b"/").unwrap_or(other)
}

/// Returns names of algorithms with commas between.
fn names_of(algorithms: &[&'static Algorithm]) -> String {
    algorithms.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().join(",")
}

/// Checks that the state does not lie in what it is about.
fn outside(state: &Path, roots: &[Root], stores: &Stores) -> Result<(), Error> {
    let folder = state.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = names::canonical(folder).map_err(Error::at(folder, Tried::Open))?;
    let is_inside = |place: &[u8]| {
        !stores.is_location(place) && folder.starts_with(hashmill_content::selection::path_of(place))
    };
    match roots.iter().find(|root| is_inside(&root.place)) {
        Some(root) => {
            let why = format!(
                "the state would lie in {}, which it is about; name a file elsewhere",
                Shown(&root.name)
            );
            Err(Misfit::of_place(names::path_bytes(state), &why).into())
        }
        None => Ok(()),
    }
}

/// Returns the time in seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

impl Scrub {
    /// Returns counters that are updated while the run goes on.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Returns the flag that ends the run soon after it is set.
    pub fn cancel(&self) -> Cancel {
        self.plan.cancel.clone()
    }

    /// Returns what the state took of the list.
    pub fn learnt(&self) -> Option<&Learnt> {
        self.learnt.as_ref()
    }

    /// Verifies what is due, and tells every verdict to the observer.
    ///
    /// # Errors
    /// If the state can't be read or written. What was told before is kept.
    pub fn run(self, observer: &mut ScrubObserver<'_>) -> Result<ScrubSummary, Error> {
        let is_resumable = Progress::suits(&self.plan);
        let pace = Pace::start(self.job.budget, is_resumable);
        let stop = Stop::new(&self.plan.cancel);
        let _alarm = pace.grace().map(|time| stop.after(time));
        let began = now();
        let mut run = Run {
            state: self.state,
            plan: self.plan,
            live: self.live,
            stores: self.job.resources.stores.clone(),
            summary: ScrubSummary {
                repairs: self.second.as_ref().map(|_| Repairs::default()),
                learnt: self.learnt,
                began,
                ..ScrubSummary::default()
            },
            second: self.second,
            damaged: Vec::new(),
            gone: survey::Gone::default(),
            observer,
            stopped: false,
            is_resumable,
            is_signed: self.is_signed,
            stop,
        };
        for judged in &self.judged {
            run.tell(&ScrubEvent::Notice(Notice::Signature(judged)));
        }
        let selection = Selection { is_located: true, ..self.job.selection };
        let ground = run.survey(selection, &self.job.resources)?;
        let max_age = self.job.max_age.map(|age| i64::try_from(age.as_secs()).unwrap_or(i64::MAX));
        if !run.is_over() && run.is_all_away(&ground)? {
            return run.summary(max_age, self.job.by_device);
        }
        if !run.is_over() {
            run.leave_unmounted(&ground)?;
        }
        run.state.begin(began, self.job.seed)?;
        run.state.bring_back()?;
        run.accept(&self.job.accept, &ground)?;
        run.settle(&ground, self.job.discard)?;
        let order = Order { now: now(), max_age, seed: self.job.seed };
        run.summary.due = run.state.plan(order)?;
        run.read(&ground, pace)?;
        run.end(&ground, max_age, self.job.by_device)
    }
}

/// A run in progress.
struct Run<'a, 'o> {
    state: State,
    plan: Plan,
    live: Arc<Live>,
    stores: Stores,
    second: Option<SecondCopy>,
    /// The damaged files of this part, which are told once their repair was attempted.
    damaged: Vec<Pending>,
    /// The files that are gone, until one of them is found elsewhere.
    gone: survey::Gone,
    summary: ScrubSummary,
    observer: &'a mut ScrubObserver<'o>,
    /// Whether the observer wants no more events.
    stopped: bool,
    /// Whether another run can go on with a long file.
    is_resumable: bool,
    /// Whether each change of the state is signed.
    is_signed: bool,
    /// Ends the run with its budget.
    stop: Stop,
}

impl Run<'_, '_> {
    /// Accepts what earlier runs found, where the globs match.
    fn accept(&mut self, globs: &Globs, ground: &Ground) -> Result<(), Error> {
        if globs.is_empty() || self.is_over() {
            return Ok(());
        }
        // One that stands for all is right where there is none.
        let typed = globs.each().filter(|(glob, _)| *glob != "*");
        let (mut behind, mut unused): (_, Vec<(&str, Globs)>) = (Vec::new(), typed.collect());
        loop {
            let some = self.state.unaccepted(&behind)?;
            let Some(last) = some.last() else { break };
            behind = last.path.to_vec();
            for kept in some.iter().filter(|kept| globs.match_any(&kept.path)) {
                // Nobody can accept what this run can't see.
                let is_gone = kept.verdict == Some(Verdict::Missing);
                if self.state.is_met(&kept.path)? == is_gone
                    || is_gone && !ground.covers(&kept.path)
                    || self.state.is_apart(&kept.path)?
                {
                    continue;
                }
                unused.retain(|(_, glob)| !glob.match_any(&kept.path));
                if !kept.moved().is_empty() && !globs.has_path(&kept.path) {
                    self.tell(&ScrubEvent::Accepted(&kept.path, Acceptance::Unnamed));
                    continue;
                }
                let next = self.state.accept(kept, now())?;
                self.summary.accepted += 1;
                let done = if next.is_some() { Acceptance::Counts } else { Acceptance::Forgotten };
                self.tell(&ScrubEvent::Accepted(&kept.path, done));
            }
        }
        self.summary.unused = unused.into_iter().map(|(glob, _)| glob.into()).collect();
        Ok(self.state.commit()?)
    }

    /// Keeps a verdict; it is told once it is committed.
    fn keep(&mut self, kept: &Kept, known: &Known) -> Result<Kept, Error> {
        Ok(self.state.keep(&Finding { kept, known, now: now() })?)
    }

    fn tell(&mut self, event: &ScrubEvent<'_>) {
        if let ScrubEvent::Judged(found) = event {
            self.summary.count(found.verdict);
            if let (Some(counts), Some(outcome)) = (&mut self.summary.repairs, found.repair) {
                counts.count(outcome.result);
            }
        }
        self.stopped |= (self.observer)(event).is_break();
    }

    fn is_over(&self) -> bool {
        self.stopped || self.plan.cancel.is_set()
    }

    /// Tells which files are gone, and what the state says now.
    fn end(mut self, ground: &Ground, max_age: Option<i64>, by_device: bool) -> Result<ScrubSummary, Error> {
        self.summary.used_up |= self.stop.is_used_up();
        self.summary.interrupted = self.is_over() && !self.stop.is_used_up();
        if !self.summary.interrupted {
            self.tell_gone(ground)?;
        }
        let counts = self.summary.counts_as_json();
        let read = ReadTotals { files: self.summary.read.files, bytes: self.summary.read.bytes };
        self.state.end(now(), read, &counts)?;
        self.state.close()?;
        self.summary(max_age, by_device)
    }

    /// Returns the result of the run, with what the state says now.
    fn summary(mut self, max_age: Option<i64>, by_device: bool) -> Result<ScrubSummary, Error> {
        let time = now();
        self.summary.coverage = Coverage::of(&self.state, time, max_age)?;
        if by_device {
            self.summary.devices = devices::devices(&self.state)?;
        }
        self.summary.ended = time;
        let (files, bytes) = self.state.kept_aside()?;
        self.summary.aside = Due { files, bytes };
        self.summary.seal = self.state.seal().text();
        for note in self.plan.reading.notes.take() {
            self.tell(&ScrubEvent::Notice(Notice::PageCache(&note)));
        }
        Ok(self.summary)
    }
}
