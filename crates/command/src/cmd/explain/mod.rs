//! `hashmill explain`: how paths would be read and hashed here, and why. Nothing is hashed but a few buffers, to
//! measure; nothing is read of the files, and no store is asked.

mod options;
mod place;
mod rates;
mod residency;
#[cfg_attr(not(feature = "stores"), path = "no_store.rs")]
mod store;
mod text;

pub use options::Options;

use crate::exit::Carry;
use crate::options::resources::any_location;
use crate::output;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::settings::{self, ChangedOption};
use crate::words::message;
use anyhow::{Context, ensure};
use hashmill_engine::{Layout, Plan};
use hashmill_job::account::{Account, Item};
use hashmill_manifest::json_line;
use hashmill_os::names;
use place::{Asked, ExplainedPath};
use rates::Rates;
use serde::Serialize;
use store::{Operand, Stored};

/// The whole explanation for programs: bytes, seconds, counts.
#[derive(Serialize)]
struct Explanation {
    paths: Vec<ExplainedPath>,
    /// Locations in stores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Stored>,
    hashing: Hashing,
    /// Options of this command and of `hash` that do not have their defaults.
    settings: Vec<ChangedOption>,
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
pub fn run(options: &Options, set: Vec<ChangedOption>) -> anyhow::Result<Account> {
    let stored = options.stores.configure(options.memory, any_location(&options.paths), None);
    let hashing = hashing(options, options.memory - stored)?;
    let mut account = Account::default();
    let (mut paths, mut locations) = (Vec::new(), Vec::new());
    let asked = Asked { prefetch: options.prefetch, io: options.io };
    for typed in &options.paths {
        let found = Operand::parse(&names::bytes(typed)).and_then(|operand| match operand {
            Operand::Path(path) => ExplainedPath::look_at(&path, &asked).map(|(place, failures)| {
                paths.push(place);
                failures
            }),
            Operand::Store(stored) => {
                locations.push(*stored);
                Ok(Vec::new())
            }
        });
        let failures = found.unwrap_or_else(|error| vec![error]);
        failures.iter().for_each(|error| message::about(&error.path, &error.problem));
        account.add(Account::failed(Item::Operand, u64::from(!failures.is_empty())));
    }
    let settings = settings::held().into_iter().chain(set).collect();
    account.carried_by(print(&Explanation { paths, locations, hashing, settings }, options.format))?;
    Ok(account)
}

fn hashing(options: &Options, memory: u64) -> anyhow::Result<Hashing> {
    let threads = options.threads().get();
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let least = Plan::least_memory(threads);
    ensure!(
        memory >= least,
        "--memory: {memory} bytes are too few: {threads} threads need at least {}K",
        least.div_ceil(1024)
    );
    let rates = Rates::measure(&options.algorithms, threads);
    let Layout { arena: beside, chunk, chunks, read_buffers: ahead, .. } = Layout::divide(memory, threads);
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
    let document = Schema::EXPLAIN.document(explanation);
    let text = match format {
        ListReport::Text => text::whole(explanation),
        ListReport::Json => serde_json::to_string_pretty(&document).context(UNWRITTEN)? + "\n",
        ListReport::Jsonl => json_line(&document).context(UNWRITTEN)? + "\n",
    };
    Ok(output::print_result(text)?)
}
