//! Options of `hashmill scrub`.

use super::form::{Form, form};
use super::limit::{Limit, age, limit};
use crate::options::algorithms::algorithms;
use crate::options::force::Force;
use crate::options::resources::ResourceOptions;
use crate::options::signatures::{Guarded, Signing};
use crate::options::sources::Sources;
use crate::options::values::{glob, number};
use clap::{Arg, Args};
use hashmill_job::Algorithms;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// hashmill scrub
#[derive(Debug, Args)]
#[command(
    mut_args(without_lists),
    after_help = "Examples:
  hashmill scrub ~/archive --state archive.state                   verify everything, and remember it
  hashmill scrub ~/archive --state archive.state --budget 2h --max-age 90d
                                                   each night: suspects, new files, then the oldest
  hashmill scrub ~/archive --state archive.state --accept '**/reports/**'
  hashmill scrub ~/archive --state archive.state --repair-from /mnt/backup/archive --repair
  hashmill scrub ~/archive --state archive.state -k archive.b3     a new state that begins with this manifest
  hashmill scrub --state archive.state --export archive.b3         what counts, as a manifest
  hashmill scrub ~/archive --state archive.state --metrics archive.prom        numbers for Prometheus

Files are read past the page cache. What differs while size and times are as they were is rot, if two reads agree; where only
ctime moved it differs, and may be either; what was edited counts once it is accepted. What --repair replaced is rot no more.

Exit codes: 0; 1 rot, unstable or missing files, or what differs without a sign of an edit; 2 something could not be read, or
only from the page cache, or a disk seems to be away; 3 files are older than --max-age, and nothing worse."
)]
pub struct Options {
    /// Files and directories to keep
    #[arg(value_name = "PATH", required_unless_present = "export")]
    pub paths: Vec<OsString>,
    /// The database that remembers what was verified; it is made if there is none, and must lie outside of the paths
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// Begin nothing new after this time (90s, 30m, 2h), or once so much is read (500G)
    #[arg(long, value_name = "TIME|SIZE", value_parser = limit)]
    pub budget: Option<Limit>,
    /// A file is due again this long after it was verified (12h, 90d, 8w); without it, in every run
    #[arg(long, value_name = "TIME", value_parser = age)]
    pub max_age: Option<Duration>,
    /// Before anything is read, let the edits, differences and absences that earlier runs told count, of files that match
    /// GLOB; what differs although size and time of modification are as they were needs its whole path
    #[arg(long, value_name = "GLOB", num_args = 0..=1, default_missing_value = "*", require_equals = false, value_parser = glob)]
    pub accept: Vec<String>,
    /// Compare damaged files with their second copies: below DIR, or a location in a store, with the paths that files have below PATH
    #[arg(long, value_name = "DIR")]
    pub repair_from: Option<OsString>,
    /// Replace damaged files by second copies that have the recorded content; each damaged one is kept beside the new one
    #[arg(long, requires = "repair_from")]
    pub repair: bool,
    /// Remove the damaged files that earlier repairs kept, unless they were changed since
    #[arg(long)]
    pub discard: bool,
    /// Begin a new state with the files and digests of this manifest, which no run has verified yet
    #[arg(short = 'k', long, value_name = "MANIFEST")]
    pub manifest: Option<PathBuf>,
    /// Begin a new state; needed where signatures are required, as somebody may have removed the state
    #[arg(long)]
    pub first: bool,
    /// Go on although an earlier run was ahead of the clock: times that are ahead become the last one before
    #[arg(long)]
    pub clock_was_wrong: bool,
    /// The files of PATH, as the state has it, lie here now; they keep their history
    #[arg(long, value_name = "NEW", conflicts_with_all = ["manifest", "first"])]
    pub moved_to: Option<OsString>,
    /// Read no file, but write what counts as a manifest; - is standard output
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["paths", "budget", "max_age", "accept", "manifest", "algorithms", "seed", "first", "clock_was_wrong", "moved_to"]
    )]
    pub export: Option<PathBuf>,
    /// Write the numbers of the run and of the state for node_exporter's textfile collector; the name ends in .prom
    #[arg(long, value_name = "FILE", conflicts_with = "export")]
    pub metrics: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    /// The digests of a new state [default: those of the manifest, or blake3]
    #[arg(short = 'c', long, value_name = "ALG,…", value_parser = algorithms)]
    pub algorithms: Option<Algorithms>,
    /// The seed that spreads files of one age over several runs
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::<u64>)]
    pub seed: u64,
    /// The form of the result: text, json or jsonl [default: text]; with --export the format of the manifest [default: the
    /// one that its name implies, or jsonl]
    #[arg(short, long, value_parser = form(), hide_possible_values = true)]
    pub format: Option<Form>,
    #[command(flatten)]
    pub signing: Signing,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// Hides what is refused: a run is about whole folders. Says what is signed.
fn without_lists(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "images" | "inside" | "backing" | "deleted" | "unallocated" | "only_inside" | "max_ratio" | "max_nesting" | "max_members" | "max_expanded" | "files_from" | "null" => arg.hide(true),
        "sign" => arg.help(
            "Sign the seal of the state with this key, in FILE.seal beside it, whenever the state changes; may be given more than \
             once",
        ),
        "ignore_signature" => {
            arg.help("Go on with a state whatever FILE.seal says; otherwise it must be the state that was signed")
        }
        _ => arg,
    }
}
