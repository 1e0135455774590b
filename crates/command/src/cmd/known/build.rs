//! `hashmill known build`: compiles lists into an index.

use super::options::Build;
use crate::needs;
use crate::output;
use crate::progress::{Heartbeat, Line};
use crate::results::json::{Frame, Results};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::signal;
use crate::words::amount::{grouped, span};
use crate::words::message;
use crate::words::message::{Shown, count};
use anyhow::{Context, anyhow};
use hashmill_digest::{Algorithm, find};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::sets::{Build as Job, BuildEvent};
use hashmill_known::{About, BuildInput, BuildProgress, Category, Input, Notice, Strictness};
use hashmill_manifest::format::Hint;
use hashmill_os::names;
use hashmill_terminal::{path_b64, path_text};
use serde::Serialize;
use serde_json::Value;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of malformed lines of an input that are printed; a list in a wrong format would have one for each line.
const NAMED: u64 = 20;

/// The first malformed line that is only counted.
const FIRST_COUNTED: u64 = NAMED + 1;

/// The variable with the date of the build, as in other tools with reproducible outputs.
const DATE: &str = "SOURCE_DATE_EPOCH";

/// The JSON of a new index.
#[derive(Serialize)]
struct Built<'a> {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    #[serde(flatten)]
    about: &'a About,
    account: Value,
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If an input is not usable, or the index cannot be written.
pub fn run(args: &Build) -> anyhow::Result<Account> {
    let job = Job {
        strictness: if args.strict { Strictness::Strict } else { Strictness::Lenient },
        memory: args.memory,
        unpacked: args.max_unpacked,
        built: Some(date()?),
        guard: args.guarded.guard()?,
        ..Job::new(args.force.at(&args.output), inputs(args)?)
    };
    let cancel = job.cancel.clone();
    if reads_stdin(args) {
        // The build may be waited for without a limit: there is nothing to write out, and files are removed.
        signal::guard();
    } else {
        signal::watch_with(move || cancel.set(), None)?;
    }
    let (mut heartbeat, mut told) = (None, InputMessages::default());
    let built = job.run(&mut |event| {
        match event {
            BuildEvent::Building(progress) => {
                let progress = Arc::clone(progress);
                heartbeat = Some(Heartbeat::beside(args.progress, move |elapsed| line(&progress, elapsed)));
            }
            BuildEvent::Notice(path, notice) => told.tell(path, notice),
            BuildEvent::Signature(notice) => message::say(notice),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    drop(heartbeat);
    let about = built?;
    tell_rest(&about, args);
    let account = account_of(&about).and(needs::tell_unneeded(unneeded(args, &about)));
    if args.format != ListReport::Text {
        let output = output::stdout()?;
        let mut results = Results::new(Schema::KNOWN_BUILD, Frame::new(args.format, 1), output.clone());
        let path = &*names::path_bytes(&args.output);
        let account = account.to_json();
        results.push(Built { path: path_text(path), path_b64: path_b64(path), about: &about, account })?;
        results.end()?;
        output.finish()?;
    }
    Ok(account)
}

/// Returns the algorithm that was named for digests that nothing else names, if all were read and none may be by
/// it.
fn unneeded(args: &Build, about: &About) -> Option<&'static Algorithm> {
    let forced = args.algorithm.as_ref()?.0;
    let mut held = about.tables.iter().flat_map(|table| table.algorithms.keys());
    let is_it = |name: &String| find(name).is_ok_and(|algorithm| Hint::may_name(forced, algorithm));
    let is_all = about.sources.iter().all(|source| source.malformed + source.left_out == 0);
    (is_all && !held.any(is_it)).then_some(forced)
}

/// Returns the account of the records of all inputs.
fn account_of(about: &About) -> Account {
    let mut account = Account::done(Item::List, about.sources.len() as u64);
    for BuildInput { records, malformed, skipped, left_out, .. } in &about.sources {
        account.count(Item::Record, Outcome::Done, *records);
        account.count(Item::Record, Outcome::LeftOut, *skipped);
        account.count(Item::Record, Outcome::Failed, malformed + left_out);
    }
    account
}

/// Returns whether standard input is among the inputs.
fn reads_stdin(args: &Build) -> bool {
    let named = args.named.chunks_exact(2).map(|pair| Path::new(&pair[1]));
    let mut all = args.good.iter().chain(&args.bad).map(|path| path.as_path()).chain(named);
    all.any(|path| path == Path::new("-"))
}

fn inputs(args: &Build) -> anyhow::Result<Vec<Input>> {
    let input = |path: &Path, category| Input {
        set: args.set.clone(),
        column: args.column.clone(),
        algorithm: args.algorithm.map(|name| name.0),
        ..Input::new(path, category)
    };
    let mut inputs: Vec<Input> = args.good.iter().map(|path| input(path, Category::Good)).collect();
    inputs.extend(args.bad.iter().map(|path| input(path, Category::Bad)));
    for pair in args.named.chunks_exact(2) {
        inputs.push(input(Path::new(&pair[1]), category(&pair[0])?));
    }
    Ok(inputs)
}

fn category(name: &OsStr) -> anyhow::Result<Category> {
    let name = name.to_str().context("--as: the name is not UTF-8")?;
    Category::named(name).map_err(|error| anyhow!("--as: '{}' {error}", Shown(name.as_bytes())))
}

/// Returns the date of the build in seconds since 1970.
fn date() -> anyhow::Result<u64> {
    match std::env::var(DATE) {
        Ok(text) => text.parse().with_context(|| format!("{DATE}: not a number of seconds")),
        Err(_) => Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs()),
    }
}

/// The messages about an input so far.
#[derive(Default)]
struct InputMessages {
    path: PathBuf,
    malformed: u64,
}

impl InputMessages {
    /// Prints a notice; of malformed lines only the first ones of each input.
    fn tell(&mut self, path: &Path, notice: &Notice) {
        if self.path != path {
            *self = InputMessages { path: path.to_path_buf(), malformed: 0 };
        }
        let malformed = matches!(notice, Notice::Malformed(_));
        self.malformed += u64::from(malformed);
        match self.malformed {
            0..=NAMED => tell(path, notice),
            _ if !malformed => tell(path, notice),
            FIRST_COUNTED => {
                message::about_path(path, "further such lines are counted, not named");
            }
            _ => {}
        }
    }
}

fn tell(path: &Path, notice: &Notice) {
    let path = &*names::path_bytes(path);
    match notice {
        Notice::Malformed(malformed) => message::about(path, malformed),
        Notice::Verified { stated_in, algorithm } => {
            message::about(path, format_args!("has the {algorithm} that {} states", stated_in.display()));
        }
        Notice::Unpacking(bytes) => {
            message::about(path, format_args!("unpacking {bytes} bytes beside the output"));
        }
        Notice::LeftOut { member, why } => {
            message::about(path, format_args!("{} is left out: {why}", Shown(member.as_bytes())));
        }
        Notice::Hidden => {
            message::about(
                path,
                "has several files of one name; the last is read, and the others are left out",
            );
        }
        Notice::Columns(columns) => {
            let names = Shown(columns.join(", ").as_bytes()).to_string();
            let what = "columns that seem to hold digests are left out (--column NAME takes one)";
            message::about(path, format_args!("{what}: {names}"));
        }
        Notice::Lost(records) => {
            let records = count(*records, "record of a file has", "records of files have");
            let what =
                "no digest that can be looked up: it was not read whole, or they are too short (64 bits)";
            message::about(path, format_args!("{records} {what}"));
        }
        Notice::Taken(taken) => message::about(path, Shown(taken.to_string().as_bytes())),
        // Notices of later versions of the library.
        other => message::about(path, format_args!("{other:?}")),
    }
}

/// Prints the numbers of skipped lines, and of contradictions between sets.
fn tell_rest(about: &About, args: &Build) {
    for BuildInput { file, malformed, skipped, .. } in &about.sources {
        if *malformed > 0 {
            let lines = count(*malformed, "line was", "lines were");
            let is_table = [".csv", ".tsv"].iter().any(|end| file.to_ascii_lowercase().ends_with(end));
            let tip = match is_table && args.column.is_none() {
                true => " (--column NAME reads the column of a table that has the digests)",
                false => "",
            };
            message::about(file.as_bytes(), format_args!("{lines} not understood, in whole or in part{tip}"));
        }
        if *skipped > 0 {
            let records = count(*skipped, "record has", "records have");
            message::about(file.as_bytes(), format_args!("{records} no digest of a whole file"));
        }
    }
    if about.contradictions > 0 {
        let digests = count(about.contradictions, "digest is", "digests are");
        message::about(
            &names::path_bytes(&args.output),
            format_args!("{digests} of contradicting categories; bad wins over names, and they over good"),
        );
    }
}

/// Formats "1,234,567 digests read, 2.1 million/s".
fn line(progress: &BuildProgress, elapsed: Duration) -> Line {
    let (read, written) = (progress.read.load(Relaxed), progress.written.load(Relaxed));
    let line = Line::default().with(0, format!("{} digests read", grouped(read)));
    if written > 0 {
        return line.with(1, format!("{} different ones written", grouped(written)));
    }
    let rate = read as f64 / elapsed.as_secs_f64().max(0.001) / 1e6;
    line.with(1, format!("{rate:.1} million/s")).with(2, span(elapsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_is_read_and_then_what_is_written() {
        let progress = BuildProgress::default();
        let told = |seconds| format!("{:?}", line(&progress, Duration::from_secs(seconds)));
        // Before the first digest, and without elapsed time.
        assert!(told(0).contains("0 digests read") && told(0).contains("0.0 million/s"), "{}", told(0));
        progress.read.store(3_000_000, Relaxed);
        let reading = told(2);
        assert!(reading.contains("3,000,000 digests read") && reading.contains("1.5 million/s"), "{reading}");
        progress.written.store(2_500_000, Relaxed);
        let writing = told(3);
        assert!(writing.contains("2,500,000 different ones written"), "{writing}");
        assert!(!writing.contains("million/s"), "{writing}");
    }
}
