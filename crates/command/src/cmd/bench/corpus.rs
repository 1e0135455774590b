//! `hashmill bench corpus`: the experiments of the paper on hashing in parallel.

use super::export::Exports;
use super::options::AlgorithmList;
use super::race::{Cache, List, Timing, counts, has_files, sizes};
use clap::Args;
use hashmill_bench::corpus::{Corpus, CorpusSettings, Experiment, Files, measure};
use hashmill_bench::peers::Likeness;
use hashmill_bench::{Stage, generated};
use hashmill_job::account::Account;
use std::path::PathBuf;

/// hashmill bench corpus
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub struct Options {
    /// The files to measure with [default: a mix of documents is made, like the t5 corpus: 4,457 files, 1.78
    /// GB]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The size of the mix: 0.1 makes a tenth of its files
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = scale, conflicts_with = "folder")]
    scale: f64,
    /// Each digest separately; comma-separated
    #[arg(short = 'c', long, value_name = "A,B", default_value = "sha1,sha256", value_parser = AlgorithmList::listed)]
    algorithms: AlgorithmList,
    /// The likeness digests, each separately; comma-separated; none: leave them out
    #[arg(long, value_name = "A,B", default_value = "ssdeep,tlsh,sdhash,mrsh-v2", value_parser = likeness)]
    likeness: List<Likeness>,
    /// Numbers of threads, comma-separated
    #[arg(long, value_name = "COUNTS", default_value = "2,4,8", value_parser = counts)]
    threads: List<usize>,
    /// Bounds on file data in memory, comma-separated
    #[arg(long, value_name = "SIZES", default_value = "128M,256M,512M", value_parser = sizes)]
    memory: List<u64>,
    /// Numbers of threads that read ahead, comma-separated
    #[arg(long, value_name = "COUNTS", default_value = "1,2", value_parser = counts)]
    prefetch: List<usize>,
    /// Only these experiments, comma-separated: methods, threads, memory, prefetchers, combinations, first-run,
    /// second-run, processes, likeness-digests, all-against-all [default: all]
    #[arg(long, value_name = "A,B", value_parser = experiments)]
    experiments: Option<List<Experiment>>,
    /// Drop all that the machine keeps in memory before each run of all experiments but second-run and all-against-all,
    /// where that is permitted [default: before runs of first-run ask the system to forget the files of the corpus]
    #[arg(long)]
    cold: bool,
    #[command(flatten)]
    timing: Timing,
    #[command(flatten)]
    exports: Exports,
}

/// Measures and writes.
///
/// # Errors
/// If the corpus has no files, or something can't be made or written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let wanted = CorpusSettings {
        algorithms: options.algorithms.0.clone(),
        likeness: options.likeness.0.clone(),
        threads: options.threads.0.clone(),
        memory: options.memory.0.clone(),
        prefetch: options.prefetch.0.clone(),
        cold: options.cold,
        experiments: options.experiments.as_ref().map_or_else(Vec::new, |wanted| wanted.0.clone()),
    };
    // A folder that can't be used is reported before anything is made.
    let given = match &options.folder {
        Some(folder) => {
            let files = Files::below(folder)?;
            has_files(folder, files.made.files.len())?;
            Some(files)
        }
        None => None,
    };
    // The experiment first-run drops the files from memory, the others don't.
    let cache = if options.cold { Cache::Cold } else { Cache::Advised };
    options.timing.run::<Corpus>(
        &options.exports,
        cache,
        5,
        |row| &row.timed,
        |stage, now| {
            let files = match given {
                Some(files) => files,
                None => make(stage, options.scale)?,
            };
            Ok(measure(stage, &wanted, &files, now)?)
        },
    )
}

/// Makes the mix. After an interruption the files made so far are enough.
fn make(stage: &Stage<'_>, scale: f64) -> anyhow::Result<Files> {
    let folder = stage.place.join("mix");
    let cancelled = stage.track.cancelled;
    match generated::mix(&folder, scale, &|| !cancelled()) {
        Ok(made) => Ok(Files { folder, made }),
        Err(_) if cancelled() => Ok(Files { folder, made: generated::FileSet::default() }),
        Err(error) => {
            Err(anyhow::Error::from(error).context(format!("{}: cannot make files", folder.display())))
        }
    }
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale > 0.0 && scale <= 10.0 => Ok(scale),
        _ => Err("a factor above 0, 10 at most, like 0.1".to_string()),
    }
}

fn likeness(text: &str) -> Result<List<Likeness>, String> {
    if text == "none" {
        return Ok(List(Vec::new()));
    }
    let names = text.split(',').map(|name| Likeness::find(name.trim()).ok_or_else(|| name.to_string()));
    names.collect::<Result<_, _>>().map(List).map_err(|name| {
        let known = Likeness::ALL.map(|likeness| likeness.name).join(", ");
        format!("no likeness algorithm '{name}': these are {known}")
    })
}

fn experiments(text: &str) -> Result<List<Experiment>, String> {
    let find = |name: &str| Experiment::ALL.into_iter().find(|known| known.name() == name.trim());
    let found = text.split(',').map(|name| find(name).ok_or_else(|| format!("no experiment '{name}'")));
    found.collect::<Result<_, _>>().map(List)
}
