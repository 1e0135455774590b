//! `hashmill verify --model`: a directory against the bundle that signs it.

use super::Options;
use crate::cmd::models;
use crate::cmd::models::{below, relative};
use crate::exit::Carry;
use crate::options::resources::ResourceOptions;
use crate::output::{self, Output};
use crate::progress::Heartbeat;
use crate::results::json::add_typed;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::message;
use crate::words::message::Shown;
use crate::{keys, signal, stats};
use anyhow::{bail, ensure};
use clap::Args;
use hashmill_engine::Cancel;
use hashmill_job::account::{Account, Item};
use hashmill_job::model::{ModelVerification, Verified};
use hashmill_lists::SignedBy;
use hashmill_lists::signatures::beside;
use hashmill_manifest::audit::Category;
use hashmill_os::names;
use hashmill_sign::bundle::Bundle;
use hashmill_terminal::add_path;
use hashmill_tree::model::Difference;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The model, and the options for reading it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Models (OpenSSF model signing)")]
pub struct ModelOptions {
    /// Compare this directory with the statement that MANIFEST signs: a bundle of model_signing or of hashmill sign
    /// --model; --public-key is the key in PEM
    #[arg(long, value_name = "DIR", conflicts_with_all = ["signature", "allowed_signers", "require", "timestamp_response", "timestamp_roots", "timestamp_request", "ignore_timestamp"])]
    pub model: Option<PathBuf>,
    /// Leave out this path below the model, and all below it, in addition to those that the signature leaves out; may
    /// be given more than once
    #[arg(long, value_name = "PATH")]
    pub ignore: Vec<String>,
    /// Read files that symbolic links lead to; else each link is a difference
    #[arg(long)]
    pub follow: bool,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// Verifies a model.
///
/// # Errors
/// If the options do not go together, the key is not usable, or the result can't be written.
pub fn run(folder: &Path, options: &Options) -> anyhow::Result<Account> {
    let [key] = &options.trusted.public_key[..] else { bail!("--model: needs one --public-key") };
    ensure!(!folder.is_file(), "{}: is a file; a model is a directory", folder.display());
    let key = keys::public_of_models(key)?;
    let who = key.to_string();
    let place = &options.manifest;
    let bundle = match beside::read(place, Bundle::LONGEST) {
        Ok(bundle) => bundle,
        Err(error) => {
            message::about_path(place, format_args!("cannot read: {error}"));
            return Ok(Account::failed(Item::Record, 1));
        }
    };
    let mut left_out = models::ignored(&options.models.ignore)?;
    left_out.extend(relative(folder, place)?);
    let cancel = Cancel::default();
    let output = output::stdout()?;
    signal::watch(cancel.clone(), output.clone())?;
    let verify = ModelVerification {
        folder: names::path_bytes(folder).into(),
        bundle,
        key,
        left_out,
        follow: options.models.follow,
        resources: options.models.resources.resources(),
        cancel,
    };
    let run = match verify.start()? {
        Ok(run) => run,
        Err(refused) => {
            let kind = if refused.is_unsupported() { "UNSUPPORTED" } else { "BROKEN" };
            match options.format {
                ListReport::Text => {
                    say(&output, &names::path_bytes(place), format_args!("{kind} signature: {refused}"))?;
                }
                _ => {
                    told(folder, place, &kind.to_lowercase(), json!({ "why": refused.to_string() }), &output)?
                }
            }
            output.finish()?;
            return Ok(if refused.is_unsupported() {
                Account::failed(Item::Record, 1)
            } else {
                Account::differing(Item::Record, 1)
            });
        }
    };
    let mut heartbeat = Some(Heartbeat::start(options.models.resources.progress, run.live(), output.clone()));
    let verified = run.run(&mut models::teller(&mut heartbeat));
    drop(heartbeat);
    if verified.measured.interrupted {
        message::say("interrupted");
        return Ok(Account::interrupted());
    }
    stats::print(options.models.resources.stats, &verified.measured.stats, 0);
    tell_beside(folder, place, &verified);
    let failed = Account::failed(Item::Record, u64::from(!verified.measured.failed.is_empty()));
    failed.carried_by(match options.format {
        ListReport::Text => report(folder, place, &verified, &who, &output),
        _ => told(folder, place, "good", facts(folder, &verified, &who), &output),
    })?;
    failed.carried_by(output.finish())?;
    let differs = !verified.differences.is_empty() || !verified.measured.misfits.is_empty();
    Ok(failed.and(Account::differing(Item::Record, u64::from(differs))))
}

/// Prints the result for programs.
fn told(folder: &Path, place: &Path, verdict: &str, mut facts: Value, output: &Output) -> anyhow::Result<()> {
    facts["verdict"] = verdict.into();
    facts["verified"] = json!(facts["differences"].as_array().is_some_and(Vec::is_empty));
    add_typed(&mut facts, "file", place);
    add_typed(&mut facts, "model", folder);
    Schema::VERIFY_MODEL.mark(&mut facts);
    Ok(output.put(format!("{facts}\n"))?)
}

/// Returns the findings for programs: every difference in the words of an audit.
fn facts(folder: &Path, verified: &Verified, who: &str) -> Value {
    let measured = &verified.measured;
    let entry = |category: Category, path: &[u8]| {
        let mut entry = json!({ "category": category.word() });
        add_path(&mut entry, "path", &below(folder, path));
        entry
    };
    let differences = verified.differences.iter().map(|(name, difference)| {
        let category = match difference {
            Difference::Unsigned => Category::New,
            Difference::Missing => Category::Missing,
            Difference::Changed => Category::Changed,
        };
        entry(category, name.as_bytes())
    });
    let misfits = measured.misfits.iter().map(|misfit| {
        let mut entry = entry(Category::New, misfit.path());
        entry["why"] = misfit.to_string().into();
        entry
    });
    let failed = measured.failed.iter().map(|path| entry(Category::Unreadable, path));
    let differences: Vec<Value> = differences.chain(misfits).chain(failed).collect();
    let signer =
        SignedBy { name: None, key: who.into(), namespace: None, time: None, trusted: true, forgeable: None };
    json!({ "entries": measured.resources.len(), "signer": signer, "differences": differences })
}

/// Prints notes on standard error that are not part of the result.
fn tell_beside(folder: &Path, place: &Path, verified: &Verified) {
    models::tell_uncovered(folder, &verified.measured);
    if !verified.names_key {
        message::about(
            &names::path_bytes(place),
            "does not name its key; it was made before model_signing 1.0",
        );
    }
}

/// Prints each difference, or that there is none.
fn report(
    folder: &Path,
    place: &Path,
    verified: &Verified,
    who: &str,
    output: &Output,
) -> anyhow::Result<()> {
    let measured = &verified.measured;
    for (name, difference) in &verified.differences {
        let what = match difference {
            Difference::Unsigned => "is not signed",
            Difference::Missing => "is signed and missing",
            Difference::Changed => "differs from what was signed",
        };
        say(output, &below(folder, name.as_bytes()), what)?;
    }
    for misfit in &measured.misfits {
        say(output, &below(folder, misfit.path()), format_args!("is not signed: {misfit}"))?;
    }
    if verified.is_good() {
        let entries = message::count(measured.resources.len() as u64, "entry", "entries");
        let shown = Shown::path(place);
        let text = format!("good signature by the key {who}; {entries} as signed in {}", Shown::path(folder));
        say(output, shown.to_string().as_bytes(), text)?;
    }
    Ok(())
}

fn say(output: &Output, path: &[u8], what: impl std::fmt::Display) -> anyhow::Result<()> {
    let what = what.to_string();
    Ok(output.put(format!("{}: {}\n", Shown(path), Shown(what.as_bytes())))?)
}
