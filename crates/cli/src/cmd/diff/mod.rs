//! `hashloom diff`: two folders, two manifests, or one of each, in the categories of an audit.

mod folder;
mod judge;
mod old;
mod options;

pub use options::Options;

use crate::cmd::audit::{Reporter, Words};
use crate::cmd::seal;
use crate::exit::Exit;
use crate::message;
use crate::message::tell_notes;
use crate::options::algorithms::Algorithms;
use crate::output::{self, Output};
use crate::signal;
use anyhow::{bail, ensure};
use folder::Folder;
use hashloom_digest::{Algorithm, find};
use hashloom_engine::Plan;
use hashloom_job::Notice;
use hashloom_job::audit::Manifests;
use hashloom_job::{identity, path_of};
use hashloom_manifest::audit::{Known, Places, Root, find_common_root, find_roots};
use judge::Judge;
use old::Old;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Paths of a manifest that are looked for on the other side.
const SAMPLE: usize = 256;

/// What an operand is.
enum Side {
    Folder,
    Manifest(Box<Manifests>),
}

/// A comparison, ready to start.
struct Job<'a> {
    options: &'a Options,
    plan: Plan,
    output: Output,
}

/// The command, from options to exit code.
///
/// # Errors
/// If an operand is not usable, or the result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Exit> {
    if options.roots {
        return seal::compare(&options.old, &options.new);
    }
    ensure!(options.sources.files_from.is_none(), "--files-from: diff compares two operands");
    ensure!(options.old != "-" || options.new != "-", "standard input can't be both A and B");
    let plan = options.resources.plan(Vec::new())?;
    if options.sources.images.is_given() {
        options.resources.resources().fits_images()?;
    }
    options.resources.give_way()?;
    let output = output::stdout()?;
    let (old, new) = (side(&options.old)?, side(&options.new)?);
    if matches!((&old, &new), (Side::Manifest(_), _) | (_, Side::Manifest(_))) {
        ensure!(!options.sources.is_filter(), "filters need two folders: a manifest is compared as a whole");
        ensure!(options.algorithms.is_none(), "-c: the manifest says which digests there are");
    }
    signal::watch(plan.cancel.clone(), output.clone())?;
    let job = Job { options, plan, output };
    match (old, new) {
        (Side::Folder, Side::Folder) => job.folders(),
        (Side::Manifest(old), Side::Folder) => job.manifest_and_folder(*old),
        (Side::Folder, Side::Manifest(new)) => job.folder_and_manifest(*new),
        (Side::Manifest(old), Side::Manifest(new)) => job.manifests(*old, *new),
    }
}

fn side(path: &OsString) -> anyhow::Result<Side> {
    let is_folder = Path::new(path).is_dir();
    Ok(if is_folder {
        Side::Folder
    } else {
        let told = &mut |notice: Notice<'_>| message::say(notice);
        Side::Manifest(Box::new(Manifests::read_plain(&[PathBuf::from(path)], told)?))
    })
}

impl Job<'_> {
    fn folders(&self) -> anyhow::Result<Exit> {
        let usual =
            || find("blake3").map(|blake3| Algorithms { digests: vec![blake3], likeness: Vec::new() });
        let algorithms = self.options.algorithms.clone().map_or_else(usual, Ok)?;
        ensure!(
            algorithms.likeness.is_empty(),
            "-c: likeness digests do not tell whether files are the same"
        );
        let plan = Plan { algorithms: algorithms.digests, ..self.plan.clone() };
        let (old, new) = (self.folder(&self.options.old), self.folder(&self.options.new));
        let known = Old::of_folder(&old, &plan)?;
        self.judge_folder(known, Places::default(), &new, &plan)
    }

    fn manifest_and_folder(&self, mut old: Manifests) -> anyhow::Result<Exit> {
        let folder = self.folder(&self.options.new);
        let plan = self.learn(&mut old, &folder)?;
        let roots = root_below(&old.known, &folder).into_iter().collect();
        self.judge_folder(Old::of_manifest(old), Places { working: None, roots }, &folder, &plan)
    }

    fn folder_and_manifest(&self, mut new: Manifests) -> anyhow::Result<Exit> {
        let folder = self.folder(&self.options.old);
        let plan = self.learn(&mut new, &folder)?;
        // What the manifest calls the folder is the other side's name for it here.
        let swapped = |root: Root| Root { known: root.local, local: root.known };
        let roots = root_below(&new.known, &folder).map(swapped).into_iter().collect();
        let old = Old::of_folder(&folder, &plan)?;
        self.judge_manifest(old, Places { working: None, roots }, new)
    }

    fn manifests(&self, mut old: Manifests, mut new: Manifests) -> anyhow::Result<Exit> {
        learn_from(&mut old.known, &new.known);
        learn_from(&mut new.known, &old.known);
        let (ours, theirs) = (old.algorithms()?, new.algorithms()?);
        if !ours.iter().any(|algorithm| theirs.contains(algorithm)) {
            bail!("the manifests have no digest in common: {} and {}", names(&ours), names(&theirs));
        }
        let roots = find_common_root(&old.known, &new.known.sample(SAMPLE)).into_iter().collect();
        self.judge_manifest(Old::of_manifest(old), Places { working: None, roots }, new)
    }

    fn folder<'b>(&'b self, path: &'b OsStr) -> Folder<'b> {
        let operands = [&self.options.old, &self.options.new].map(Path::new);
        let own = operands.into_iter().filter(|path| path.is_file()).filter_map(identity).collect();
        Folder::new(path.as_bytes(), self.options, own)
    }

    /// What has to be computed of a folder's files to compare them with a manifest.
    fn learn(&self, manifests: &mut Manifests, folder: &Folder<'_>) -> anyhow::Result<Plan> {
        let there = |root: Root| Root { local: folder.path.into(), ..root };
        let usual = || Root { known: Box::default(), local: Box::default() };
        let root = there(root_below(&manifests.known, folder).unwrap_or_else(usual));
        let places = Places { working: None, roots: vec![root] };
        manifests.learn(&places, &self.plan, &mut |notice| message::say(notice));
        Ok(Plan {
            algorithms: manifests.algorithms()?,
            piece: manifests.known.piece_length().and_then(NonZeroU64::new),
            whole: manifests.known.has_wholes(),
            ..self.plan.clone()
        })
    }

    fn judge_folder(
        &self,
        old: Old,
        places: Places,
        folder: &Folder<'_>,
        plan: &Plan,
    ) -> anyhow::Result<Exit> {
        if plan.cancel.is_set() {
            return Ok(interrupted());
        }
        let mut judge = self.judge(old, places, &plan.algorithms, Exit::Fine)?;
        folder.hash(plan, &mut |event| judge.take(event, folder))?;
        if plan.cancel.is_set() {
            return Ok(interrupted());
        }
        tell_notes(&plan.reading);
        judge.end()
    }

    fn judge_manifest(&self, old: Old, places: Places, new: Manifests) -> anyhow::Result<Exit> {
        if self.plan.cancel.is_set() {
            return Ok(interrupted());
        }
        let failed = Exit::Failed.when(!new.unread.is_empty());
        let malformed = Exit::Failed.when(new.malformed() > 0);
        let mut judge = self.judge(old, places, &new.algorithms()?, malformed.and(failed))?;
        for record in &new.unread {
            message::about(&record.path, "was not read when the manifest was made");
            judge.observe(record)?;
        }
        for record in new.known.records() {
            judge.observe(&record)?;
        }
        judge.end()
    }

    fn judge(
        &self,
        old: Old,
        places: Places,
        algorithms: &[&'static Algorithm],
        exit: Exit,
    ) -> anyhow::Result<Judge> {
        let verbose = match (self.options.quiet, self.options.verbose) {
            (true, _) => 0,
            (_, false) => 1,
            (_, true) => 2,
        };
        let form = (self.options.format, Words::DIFF);
        let reporter = Reporter::begin(form, verbose, self.output.clone())?;
        let exit = exit.and(old.exit);
        Ok(Judge::new(old, places, algorithms, (reporter, exit)))
    }
}

/// What a manifest calls a folder whose files have paths from the folder down.
fn root_below(known: &Known, folder: &Folder<'_>) -> Option<Root> {
    let mut exists = |path: &[u8]| {
        let slash = path.strip_prefix(b"/").unwrap_or(path);
        Path::new(&path_of(&[folder.path, b"/", slash].concat())).is_file()
    };
    find_roots(&known.sample(SAMPLE), &[b""], None, &mut exists).pop()
}

/// What digests are of whose algorithm one manifest only lets guess: the other's only one of that length.
fn learn_from(guessing: &mut Known, other: &Known) {
    for bits in guessing.guessed() {
        let named: Vec<_> =
            other.algorithms().into_iter().filter(|algorithm| algorithm.bits == bits).collect();
        if let ([algorithm], false) = (named.as_slice(), other.guessed().contains(&bits)) {
            guessing.learn(algorithm);
        }
    }
}

fn names(algorithms: &[&'static Algorithm]) -> String {
    algorithms.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().join(",")
}

fn interrupted() -> Exit {
    message::say("interrupted");
    Exit::Interrupted
}
