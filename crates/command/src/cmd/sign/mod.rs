//! `hashmill sign`: signatures and time stamps of a file, written beside it.

mod model;
mod options;

pub use options::Options;

use crate::keys::{self, Keep};
use crate::results::json::{Frame, Results, add_typed};
use crate::results::report::{ListReport, Progress};
use crate::results::schema::Schema;
use crate::words::message;
use crate::{output, progress, signal};
use anyhow::{anyhow, bail};
use hashmill_content::{File, FileError};
use hashmill_job::account::{Account, Item};
use hashmill_lists::Error;
use hashmill_lists::signatures::sign::{SignEvent, SignJob, Stamped, Stamping};
use hashmill_lists::signatures::trusted::roots;
use hashmill_os::names;
use hashmill_sign::{Format, Signer};
use serde_json::{Value, json};
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, a key is not usable, or a signature can't be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let manifest = match (&options.models.model, &options.manifest) {
        (Some(folder), _) => return model::run(folder, options),
        (None, Some(manifest)) => manifest,
        (None, None) => bail!("say what to sign: MANIFEST, or --model DIR"),
    };
    let mut job = SignJob {
        namespace: options.namespace.clone(),
        outputs: options.output.iter().map(|path| options.force.at(path)).collect(),
        force: options.force.force,
        stamp: stamping(options),
        files: signal::files(),
        ..SignJob::new(manifest, signers(options)?)
    };
    job.check().map_err(Error::from)?;
    job.stamp.roots = options.stamp.timestamp_roots.as_deref().map(roots).transpose()?;
    let mut results = Vec::new();
    let total = progress::bytes_of(&[manifest], hashes(&job));
    let done = progress::reading_of(Progress::Auto, "signing", total, || {
        job.run(&mut |event| match options.format {
            ListReport::Text => tell(&event),
            _ => results.extend(result(manifest, &event)),
        })
    });
    let summary = match done {
        Ok(summary) => summary,
        Err(error) => return unreadable(error, manifest),
    };
    if options.format != ListReport::Text {
        print(options.format, &results)?;
    }
    Ok(match summary.stamp {
        Some(Err(why)) => no_stamp(manifest, &why),
        _ => Account::default(),
    })
}

/// Returns how often the file is hashed: once for each format, and once for a time stamp.
fn hashes(job: &SignJob) -> u64 {
    let is_needed = |format| job.signers.iter().any(|signer| signer.format() == format);
    let formats = [Format::Ssh, Format::Mini].into_iter().filter(|format| is_needed(*format)).count();
    formats as u64 + u64::from(job.stamp.is_asked())
}

/// Prints results for programs.
fn print(format: ListReport, all: &[Value]) -> anyhow::Result<()> {
    // The number of signatures is known at the end only, so the document is always a list.
    let frame = if format == ListReport::Json { Frame::List } else { Frame::Lines };
    let output = output::stdout()?;
    let mut results = Results::new(Schema::SIGN, frame, output.clone());
    all.iter().try_for_each(|result| results.push(result))?;
    results.end()?;
    Ok(output.finish()?)
}

/// Returns a signature for programs.
fn signed(file: &Path, signature: &Path, key: &str, entries: Option<usize>) -> Value {
    let mut result = json!({ "key": key });
    add_typed(&mut result, "file", file);
    add_typed(&mut result, "signature", signature);
    if let Some(entries) = entries {
        result["entries"] = entries.into();
    }
    result
}

/// Returns an event for programs.
fn result(file: &Path, event: &SignEvent<'_>) -> Option<Value> {
    match event {
        SignEvent::Signed(path, key) => Some(signed(file, path, &key.to_string(), None)),
        SignEvent::Stamped(Stamped { path, says, verified }) => {
            let mut result = json!({
                "time": says.time.to_string(),
                "authority": says.authority.to_string(),
                "verified": verified,
            });
            add_typed(&mut result, "file", file);
            add_typed(&mut result, "stamp", path);
            Some(result)
        }
        _ => None,
    }
}

/// That the file itself can't be read is no fault of the command line.
///
/// # Errors
/// Any other error.
pub fn unreadable(error: Error, file: &Path) -> anyhow::Result<Account> {
    match &error {
        Error::File(FileError { path, tried: File::Read, .. }) if **path == *names::path_bytes(file) => {
            message::say(error);
            Ok(Account::failed(Item::List, 1))
        }
        _ => Err(error.into()),
    }
}

fn stamping(options: &Options) -> Stamping {
    let stamp = &options.stamp;
    Stamping {
        authority: stamp.timestamp.clone(),
        request: stamp.timestamp_request.as_deref().map(|path| options.force.at(path)),
        response: stamp.timestamp_response.clone(),
        roots: None,
    }
}

fn signers(options: &Options) -> anyhow::Result<Vec<Signer>> {
    let keep = if options.agent { Keep::Agent } else { Keep::File };
    let mut signers = Vec::new();
    for key in &options.key {
        signers.push(keys::load(key, keep)?);
    }
    if options.agent && options.key.is_empty() {
        signers.push(keys::only_of_agent()?);
    }
    let wanted = options.key_format;
    let other = signers.iter().find(|signer| wanted.is_some_and(|format| format != signer.format()));
    match other {
        Some(other) => Err(anyhow!("--key-format: the key {} signs in another format", other.public())),
        None => Ok(signers),
    }
}

fn tell(event: &SignEvent<'_>) {
    match event {
        SignEvent::Signed(path, key) => {
            message::about_path(path, format_args!("signed with the key {key}"));
        }
        SignEvent::Stamped(stamped) => tell_stamp(stamped),
        _ => {}
    }
}

fn tell_stamp(Stamped { path, says, verified }: &Stamped) {
    let whose = if *verified { "" } else { " (whose certificate was not verified: no --timestamp-roots)" };
    let authority = message::Shown(says.authority.as_bytes());
    let what = format_args!("time stamp of {} by '{authority}'{whose}", says.time);
    message::about_path(path, what);
}

fn no_stamp(file: &Path, why: &str) -> Account {
    message::about_path(file, format_args!("no time stamp: {why}"));
    Account::failed(Item::List, 1)
}
