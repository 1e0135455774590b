//! `hashmill tree`: one digest of a whole directory, in the definitions of other systems.

mod model;
mod options;

pub use options::Options;

use super::models::teller;
use crate::access;
use crate::exit::Carry;
use crate::output::{self, Output};
use crate::progress::Heartbeat;
use crate::results::json::add_typed;
use crate::results::schema::Schema;
use crate::words::line::{is_escaped, push_name};
use crate::words::message;
use crate::{signal, stats};
use anyhow::{Context, bail, ensure};
use hashmill_engine::Cancel;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::tree::{TreeDigest, TreeJob, is_archive};
use hashmill_os::names;
use hashmill_source::Filter;
use hashmill_tree::System;
use options::TreeFormat;
use serde_json::{Value, json};
use std::path::Path;

/// The digest of a directory.
struct DigestRow<'a> {
    folder: &'a Path,
    system: &'static System,
    digest: String,
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, or the result cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let expected = expected(options)?;
    for folder in options.folders.iter().filter(|folder| folder.is_file()) {
        fits(folder, options)?;
    }
    let filter = options.exclude.iter().fold(Filter::builder(), |filter, glob| filter.exclude(glob));
    let filter = filter.build().context("--exclude")?;
    let output = output::stdout()?;
    let cancel = Cancel::default();
    signal::watch(cancel.clone(), output.clone())?;
    let mut account = Account::default();
    let mut rows = Vec::new();
    for folder in &options.folders {
        let (filter, cancel) = (filter.clone(), cancel.clone());
        let (found, of_folder) = match options.models.is_asked() {
            true => model::digests(folder, filter, cancel, options, &output)?,
            false => digests(job(folder, filter, cancel, options), options, &output)?,
        };
        account.add(of_folder);
        if of_folder.is_interrupted {
            return Ok(account);
        }
        for TreeDigest { system, digest } in found {
            match digest {
                Ok(digest) => rows.push(DigestRow { folder, system, digest }),
                Err(error) => {
                    let place = [&*names::path_bytes(folder), b"/", error.path()].concat();
                    message::about(
                        &place,
                        format_args!("{error}: the directory has no {} digest", system.name),
                    );
                    account.count(Item::Entry, Outcome::Failed, 1);
                }
            }
        }
    }
    account.carried_by(print(&rows, options.format, &output))?;
    if let Some(expected) = expected {
        for row in rows.iter().filter(|row| row.digest != expected) {
            let system = row.system.name;
            message::about_path(
                &row.folder,
                format_args!("its {system} digest is {}, not {expected}", row.digest),
            );
            account.count(Item::Entry, Outcome::Differs, 1);
        }
    }
    Ok(account)
}

/// Checks that a file can take the place of a directory.
fn fits(file: &Path, options: &Options) -> anyhow::Result<()> {
    let resources = options.resources.resources();
    let is_archive = !options.models.is_asked() && is_archive(&names::path_bytes(file), &resources);
    ensure!(
        is_archive,
        "{}: is a file, and no archive; hashmill hash makes digests of files",
        file.display()
    );
    ensure!(options.exclude.is_empty(), "--exclude: {} is an archive, and is taken whole", file.display());
    ensure!(!options.follow, "--follow: {} is an archive, in which no link is followed", file.display());
    Ok(())
}

/// Returns the expected digest, as the system writes it.
fn expected(options: &Options) -> anyhow::Result<Option<String>> {
    let Some(text) = &options.expect else { return Ok(None) };
    let ([system], [_]) = (&options.systems[..], &options.folders[..]) else {
        bail!("--expect is for one directory and one system");
    };
    match system.read(text) {
        Some(digest) => Ok(Some(digest)),
        None => bail!("--expect: '{text}' is not a {} digest", system.name),
    }
}

fn job(folder: &Path, filter: Filter, cancel: Cancel, options: &Options) -> TreeJob {
    TreeJob {
        folder: names::path_bytes(folder).into(),
        systems: options.systems.clone(),
        options: hashmill_tree::Options { prefix: options.prefix.clone() },
        filter,
        follow: options.follow,
        resources: options.resources.resources_for(&[folder]),
        cancel,
    }
}

fn digests(job: TreeJob, options: &Options, output: &Output) -> anyhow::Result<(Vec<TreeDigest>, Account)> {
    let run = job.start()?;
    let mut heartbeat = Some(Heartbeat::start(options.resources.progress, run.live(), output.clone()));
    let summary = run.run(&mut teller(&mut heartbeat));
    drop(heartbeat);
    if summary.interrupted {
        message::say("interrupted");
        return Ok((Vec::new(), Account::interrupted()));
    }
    stats::print(options.resources.stats, &summary.stats, 0);
    Ok((summary.found, Account::failed(Item::Entry, summary.failed)))
}

fn print(rows: &[DigestRow<'_>], form: TreeFormat, output: &Output) -> anyhow::Result<()> {
    let mut text = Vec::new();
    match form {
        TreeFormat::Text => rows.iter().for_each(|row| push_line(&mut text, row)),
        TreeFormat::Json => {
            let rows: Vec<Value> = rows.iter().map(as_json).collect();
            text = serde_json::to_vec_pretty(&rows)?;
            text.push(b'\n');
        }
        TreeFormat::Jsonl => {
            rows.iter().for_each(|row| text.extend(format!("{}\n", as_json(row)).into_bytes()))
        }
    }
    output.put(text)?;
    Ok(output.finish()?)
}

/// Appends `DIGEST  DIRECTORY`, with the name escaped as in coreutils.
fn push_line(text: &mut Vec<u8>, row: &DigestRow<'_>) {
    let folder = names::path_bytes(&row.folder);
    let stores = access::stores();
    let name = stores.without_secrets(&folder);
    if is_escaped(&name) {
        text.push(b'\\');
    }
    text.extend_from_slice(row.digest.as_bytes());
    text.extend_from_slice(b"  ");
    push_name(text, &name);
    text.push(b'\n');
}

fn as_json(row: &DigestRow<'_>) -> Value {
    let mut object = json!({});
    add_typed(&mut object, "path", row.folder);
    object["algorithm"] = row.system.name.into();
    object["digest"] = json!(row.digest);
    Schema::TREE.mark(&mut object);
    object
}
