//! `hashloom explain`: how paths would be read and hashed on this machine, and why. It only hashes a few buffers, to
//! measure, and reads no files.

mod options;
mod place;
mod rates;
mod residency;
mod text;

pub use options::Options;

use crate::exit::Exit;
use crate::message;
use crate::options::report::ListReport;
use crate::output;
use crate::schema::Schema;
use crate::settings::{self, Held};
use anyhow::{Context, ensure};
use hashloom_engine::{Plan, Portions};
use place::{Asked, Place};
use rates::Rates;
use serde::Serialize;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

/// The whole explanation for programs: bytes, seconds, counts.
#[derive(Serialize)]
struct Explanation {
    paths: Vec<Place>,
    hashing: Hashing,
    /// Options of this command and of `hash` that do not have their defaults.
    settings: Vec<Held>,
}

/// The algorithms and resources for hashing the paths.
#[derive(Serialize)]
struct Hashing {
    threads: usize,
    /// The bytes of file data in memory, for all threads together.
    memory: usize,
    /// The bytes that each thread has for files that are hashed side by side.
    memory_beside: usize,
    /// The bytes of each chunk of a long file, and how many chunks may wait.
    memory_chunk: usize,
    memory_chunks: usize,
    /// The number of buffers as large as `memory_beside` that readers may fill.
    memory_ahead: usize,
    #[serde(flatten)]
    rates: Rates,
}

/// Explains how paths would be hashed, with the settings of `hash`.
///
/// # Errors
/// If the memory is too little for the threads, or the output cannot be written.
pub fn run(options: &Options, set: Vec<Held>) -> anyhow::Result<Exit> {
    let hashing = hashing(options)?;
    let mut exit = Exit::Fine;
    let mut paths = Vec::new();
    let asked = Asked { prefetch: options.prefetch, io: options.io };
    for path in &options.paths {
        match Place::look_at(path.as_bytes(), &asked) {
            Ok((place, failures)) => {
                failures.iter().for_each(|error| message::about(&error.path, &error.problem));
                exit = exit.and(Exit::Failed.when(!failures.is_empty()));
                paths.push(place);
            }
            Err(error) => {
                message::about(&error.path, &error.problem);
                exit = exit.and(Exit::Failed);
            }
        }
    }
    let settings = settings::held().into_iter().chain(set).collect();
    print(&Explanation { paths, hashing, settings }, options.format)?;
    Ok(exit)
}

fn hashing(options: &Options) -> anyhow::Result<Hashing> {
    let threads = options.threads().get();
    let memory = usize::try_from(options.memory).unwrap_or(usize::MAX);
    let least = Plan::least_memory(threads);
    ensure!(
        memory >= least,
        "--memory: {memory} bytes are too few: {threads} threads need at least {}K",
        least.div_ceil(1024)
    );
    let rates = Rates::measure(&options.algorithms, threads);
    let Portions { beside, chunk, chunks, ahead } = Portions::new(memory, threads);
    Ok(Hashing {
        threads,
        memory,
        memory_beside: beside,
        memory_chunk: chunk,
        memory_chunks: chunks,
        memory_ahead: ahead,
        rates,
    })
}

const UNWRITTEN: &str = "cannot be written as JSON";

fn print(explanation: &Explanation, format: ListReport) -> anyhow::Result<()> {
    let document = Schema::Explain.document(explanation);
    let text = match format {
        ListReport::Text => text::whole(explanation),
        ListReport::Json => serde_json::to_string_pretty(&document).context(UNWRITTEN)? + "\n",
        ListReport::Jsonl => serde_json::to_string(&document).context(UNWRITTEN)? + "\n",
    };
    let mut output = output::stdout()?;
    output.write_all(text.as_bytes()).map_err(|error| output.error(error))?;
    Ok(output.finish()?)
}
