//! `hashmill dupes`: groups of files with the same content. Files are never changed.

mod options;
mod report;

pub use options::Options;

use crate::cmd::hash::tell_skipped;
use crate::exit::Carry;
use crate::options::errors;
use crate::progress::Heartbeat;
use crate::results::report::ListReport;
use crate::words::message;
use crate::words::message::count;
use crate::{output, signal, stats};
use anyhow::ensure;
use hashmill_content::Resources;
use hashmill_digest::{Algorithm, Class, find};
use hashmill_job::account::{Account, Item};
use hashmill_job::dupes::{DupesEvent, DupesJob, Listed, ListedJob, MIN_SIZE};
use report::GroupFormat;
use std::path::{Path, PathBuf};

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, a manifest is not usable, or the result cannot be written.
pub fn run(options: Options) -> anyhow::Result<Account> {
    let form = match options.format {
        ListReport::Text if options.sources.null => GroupFormat::Null,
        ListReport::Text => GroupFormat::Lines { links: options.hard_links },
        format => GroupFormat::Json(format),
    };
    match manifests(&options) {
        Some(paths) => from_manifests(&options, &paths, form),
        None => from_files(options, form),
    }
}

/// Returns the manifests, if records are compared instead of files.
fn manifests(options: &Options) -> Option<Vec<PathBuf>> {
    if !options.manifest.is_empty() {
        return Some(options.manifest.clone());
    }
    let [only] = options.paths.as_slice() else { return None };
    let alone = options.sources.files_from.is_none() && !options.sources.inside().is_any();
    let is_list = only == "-" || Path::new(only).is_file();
    (alone && is_list).then(|| vec![PathBuf::from(only)])
}

fn from_manifests(options: &Options, paths: &[PathBuf], form: GroupFormat) -> anyhow::Result<Account> {
    let sources = &options.sources;
    let size = (sources.min_size, sources.max_size);
    ensure!(
        size.1.is_none()
            && !crate::options::sources::Sources { min_size: None, ..sources.clone() }.is_filter(),
        "filters other than --min-size need a PATH to walk"
    );
    ensure!(!options.hard_links, "--hard-links: manifests do not know of links");
    let output = output::stdout()?;
    let job = ListedJob {
        algorithm: options.algorithm.map(|name| name.0),
        guard: options.guarded.guard()?,
        ..ListedJob::new(paths.to_vec(), size.0.unwrap_or(MIN_SIZE))
    };
    let found = job.run(&mut |notice| message::say(notice));
    let found = found.map_err(errors::taking("dupes takes folders and manifests"))?;
    let Some(found) = found else { return Ok(Account::interrupted()) };
    tell_weakness(found.algorithm);
    tell_left_out(&found);
    let unread = found.unread.len() as u64;
    let account = Account::failed(Item::Record, found.without + unread + found.malformed);
    account.carried_by(report::print(&found.groups, unread, &account, form, &output))?;
    Ok(account)
}

/// Warns if equality by this algorithm proves little.
fn tell_weakness(algorithm: &Algorithm) {
    let name = algorithm.name;
    match algorithm.class {
        Class::Cryptographic => {}
        Class::Broken => message::say(format_args!(
            "grouped by {name} only: different files with the same {name} can be made"
        )),
        Class::Checksum => message::say(format_args!(
            "grouped by {name} only, a checksum: different files may have the same, by chance or on purpose"
        )),
        Class::Truncated => message::say(format_args!(
            "grouped by {name} only, a digest of {} bits: different files may have the same, by chance or on purpose",
            algorithm.bits
        )),
    }
}

/// Prints the files and records that were not compared.
fn tell_left_out(Listed { algorithm, without, unread, .. }: &Listed) {
    if *without > 0 {
        let records = count(*without, "record has", "records have");
        message::say(format_args!("{records} no {} digest and can't be compared", algorithm.name));
    }
    for path in unread {
        message::about(path, "was not read when the manifest was made");
    }
}

fn from_files(options: Options, form: GroupFormat) -> anyhow::Result<Account> {
    let algorithm = match options.algorithm {
        Some(name) => name.0,
        None => find("blake3")?,
    };
    let resources: Resources = options.resources.resources_for(&options.paths);
    options.sources.tell_operands(&options.paths, &resources);
    // A digest that was typed is decisive.
    let digests = matches!(form, GroupFormat::Json(_)) || options.algorithm.is_some();
    let job = DupesJob {
        selection: options.sources.selection(&options.paths)?,
        algorithm,
        digests,
        min_size: options.sources.min_size.unwrap_or(MIN_SIZE),
        resources,
        cancel: Default::default(),
    };
    let (cancel, search) = (job.cancel.clone(), job.start()?);
    let output = output::stdout()?;
    signal::watch(cancel, output.clone())?;
    let mut heartbeat = Some(Heartbeat::start(options.resources.progress, search.live(), output.clone()));
    let found = search.run(&mut |event| match event {
        DupesEvent::AllRead => heartbeat = None,
        event => tell(&event),
    });
    if found.interrupted {
        message::say("interrupted");
        return Ok(Account::interrupted());
    }
    tell_skipped(&found.skipped);
    let account = found.account();
    account.carried_by(report::print(&found.groups, found.failed, &account, form, &output))?;
    stats::print_accounted(options.resources.stats, &found.stats, 0, &account);
    if let Some(error) = &found.list_problem {
        message::say(format_args!("cannot read the list of paths on: {error}"));
    }
    Ok(account)
}

fn tell(event: &DupesEvent<'_>) {
    match event {
        DupesEvent::Failed(error) => {
            message::about(&error.path, &error.problem);
        }
        DupesEvent::NoSize(Some(path)) => {
            message::about(path, "is not a regular file, so it has no size to compare");
        }
        DupesEvent::NoSize(None) => message::say("standard input can't be compared: it is not a file"),
        DupesEvent::Notice(notice) => message::say(notice),
        DupesEvent::AllRead => {}
    }
}
