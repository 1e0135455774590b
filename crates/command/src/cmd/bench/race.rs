//! The common parts of comparisons of tools: their options, and the folder that they run in.

use super::export::Exports;
use super::options::Seed;
use super::session::{Session, tell};
use crate::options::values::number;
use crate::words::{message, typed};
use anyhow::{Context, ensure};
use clap::Args;
use hashmill_bench::peers::Lineup;
use hashmill_bench::race::{CacheDropper, DropMethod, PageCache, Plan, Step, System, Track};
use hashmill_bench::{Comparison, DisturbanceMonitor, Document, Draw, Stage, SystemClock, Timed};
use hashmill_digest::{Machine, VARIABLE};
use hashmill_job::account::{Account, Item};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Options of comparisons.
#[derive(Debug, Args)]
#[command(next_help_heading = "How it is measured")]
pub struct Timing {
    /// The least number of timed runs of each tool; the tools take turns [default: 10; corpus: 5]
    #[arg(long, value_name = "N", value_parser = runs)]
    runs: Option<usize>,
    /// Runs of each tool that are not timed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<usize>)]
    warmup: usize,
    /// Continue with timed runs until each comparison has taken this long [default: until --runs are done]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    min_time: Option<Duration>,
    /// End a run that takes longer, and leave its tool out
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    time_limit: Duration,
    /// Only these tools, beside hashmill, comma-separated [default: all that are known]
    #[arg(long, value_name = "A,B", value_parser = names)]
    tools: Option<List<String>>,
    /// Make the files below this directory, in a new one that is removed at the end [default: the system's
    /// temporary directory]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    seed: Seed,
}

/// A comma-separated list.
#[derive(Debug, Clone)]
pub struct List<T>(pub Vec<T>);

/// The state of the page cache before runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// The files stay in memory.
    Warm,
    /// The system is asked to drop these files only.
    Advised,
    /// Files are dropped by the best method that this process may use: the whole page cache, if that is allowed.
    Cold,
}

impl Timing {
    /// Runs a comparison and writes its results. `timed` selects the measurements of a tool that a row shows.
    ///
    /// # Errors
    /// If something can't be written or made.
    pub fn run<C: Comparison>(
        &self,
        exports: &Exports,
        cache: Cache,
        runs: usize,
        timed: fn(&C::KernelRow) -> &Timed,
        measure: impl FnOnce(&mut Stage<'_>, String) -> anyhow::Result<Document<C::KernelRow, C::Summary>>,
    ) -> anyhow::Result<Account> {
        // Mistakes are reported before minutes are spent.
        let mut field = self.field()?;
        let session = Session::begin(exports)?;
        let place = self.place()?;
        if cache != Cache::Warm {
            field.ours = fresh(&field.ours, place.path())?;
        }
        field.variables.extend(Machine::detect().forced.map(|isa| (VARIABLE, isa.name().to_string())));
        let mut pages = if cache == Cache::Cold { PageCache::here() } else { PageCache(DropMethod::Advise) };
        let means = (cache != Cache::Warm).then_some(pages.0);
        if cache == Cache::Cold && pages.0 == DropMethod::Advise {
            message::say(format_args!("{}", DropMethod::Advise));
        }
        let mut stage = Stage {
            track: Track {
                runner: &mut System { cancel: session.flag() },
                clock: &SystemClock::plain(),
                draw: Draw::from_seed(self.seed.number()),
                cold: means.is_some().then_some(&mut pages as &mut dyn CacheDropper),
                cancelled: &|| session.stopped(),
                watch: &mut show,
            },
            field,
            plan: self.plan(runs),
            means,
            place: place.path().to_path_buf(),
            disturbance: DisturbanceMonitor::default(),
        };
        let measured = measure(&mut stage, session.timestamp.clone());
        tell("");
        place.close().context("temporary files")?;
        let document = measured?;
        let wrong = document.rows.iter().any(|row| timed(row).is_wrong());
        Ok(session.end::<C>(&document)?.and(Account::differing(Item::Record, u64::from(wrong))))
    }

    fn plan(&self, runs: usize) -> Plan {
        Plan {
            warmup: self.warmup,
            runs: self.runs.unwrap_or(runs),
            least: self.min_time.unwrap_or(Duration::ZERO),
            limit: self.time_limit,
        }
    }

    fn field(&self) -> anyhow::Result<Lineup> {
        let ours = typed::program().context("the path of this program is not known")?.to_path_buf();
        let tools = self.tools.as_ref().map_or_else(Vec::new, |tools| tools.0.clone());
        Ok(Lineup::new(ours, tools, thread::available_parallelism().map_or(1, usize::from))?)
    }

    fn place(&self) -> anyhow::Result<tempfile::TempDir> {
        let dir = self.dir.clone().unwrap_or_else(std::env::temp_dir);
        let made = tempfile::Builder::new().prefix("hashmill-bench-").tempdir_in(&dir);
        made.with_context(|| format!("{}: cannot make files there", dir.display()))
    }
}

/// Makes a copy of our program. A running program stays in memory even if the page cache is dropped, so the program
/// that measures would be warm where all others are cold.
fn fresh(program: &Path, place: &Path) -> anyhow::Result<PathBuf> {
    let copy = place.join("program").join("hashmill");
    let made = fs::create_dir(place.join("program")).and_then(|()| fs::copy(program, &copy));
    made.with_context(|| format!("{}: cannot copy {} there", copy.display(), program.display()))?;
    Ok(copy)
}

/// Shows the run that begins.
fn show(step: Step<'_>) {
    let what = if step.warmup { "warm-up" } else { "run" };
    tell(&format!("{}, {what} {}", step.tool, step.run));
}

/// Parses comma-separated values.
fn list<T>(text: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<List<T>, String> {
    text.split(',').map(|word| parse(word.trim())).collect::<Result<_, _>>().map(List)
}

fn names(text: &str) -> Result<List<String>, String> {
    list(text, |word| Ok(word.to_string()))
}

/// Parses sizes in bytes.
pub fn sizes(text: &str) -> Result<List<u64>, String> {
    list(text, size)
}

/// Parses a size in bytes.
pub fn size(text: &str) -> Result<u64, String> {
    hashmill_digest::parse_size(text).map_err(|error| error.to_string())
}

/// Parses counts, each at least one.
pub fn counts(text: &str) -> Result<List<usize>, String> {
    list(text, |word| match word.parse() {
        Ok(0) | Err(_) => Err(format!("'{word}': whole numbers from 1 on, comma-separated, are wanted")),
        Ok(count) => Ok(count),
    })
}

fn runs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("at least one run is wanted".to_string()),
        Ok(runs) => Ok(runs),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "a time above 0, in seconds, like 3 or 0.5".to_string();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if time.is_zero() { Err(wrong()) } else { Ok(time) }
}

/// Checks that the corpus has files to measure with.
///
/// # Errors
/// If there is no file.
pub fn has_files(folder: &Path, files: usize) -> anyhow::Result<()> {
    ensure!(files > 0, "{}: there are no files below it", folder.display());
    Ok(())
}
