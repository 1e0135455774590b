//! `hashmill sign --model`: a bundle of Sigstore around a statement about a directory.

use super::Options;
use crate::cmd::models;
use crate::cmd::models::{below, relative};
use crate::options::model::Serialization;
use crate::options::resources::ResourceOptions;
use crate::output::{create, stdout};
use crate::progress::Heartbeat;
use crate::results::report::ListReport;
use crate::words::message;
use crate::{keys, signal, stats};
use anyhow::{bail, ensure};
use clap::Args;
use hashmill_engine::Cancel;
use hashmill_job::account::{Account, Item};
use hashmill_job::model::{Measure, Sign};
use hashmill_lists::signatures::beside::SIGNATURE;
use hashmill_lists::signatures::staged;
use hashmill_os::names;
use hashmill_source::Filter;
use hashmill_tree::model::LEFT_OUT;
use std::path::{Path, PathBuf};

/// The model, and the options for signing it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Models (OpenSSF model signing)")]
pub struct ModelOptions {
    /// Sign the files of this directory; --key is a private key in PEM (ECDSA on P-256, P-384 or P-521), and --output
    /// the signature
    #[arg(long, value_name = "DIR", conflicts_with_all = ["manifest", "agent", "key_format", "timestamp", "timestamp_request", "timestamp_response"])]
    pub model: Option<PathBuf>,
    /// Leave out this path below the model, and all below it; the signature says so. May be given more than
    /// once; .git, .gitattributes, .github, .gitignore and the signature are left out anyway
    #[arg(long, value_name = "PATH", conflicts_with = "manifest")]
    pub ignore: Vec<String>,
    /// Sign files that symbolic links lead to; else links are refused
    #[arg(long, conflicts_with = "manifest")]
    pub follow: bool,
    #[command(flatten)]
    pub serialization: Serialization,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// Signs a model.
///
/// # Errors
/// If the options do not go together, the key is not usable, or the signature can't be written.
pub fn run(folder: &Path, options: &Options) -> anyhow::Result<Account> {
    let ([key], [place]) = (&options.key[..], &options.output[..]) else {
        bail!("--model: needs one --key and one --output");
    };
    ensure!(!folder.is_file(), "{}: is a file; a model is a directory", folder.display());
    let (method, algorithm) = options.models.serialization.how()?;
    let signer = keys::load_of_models(key)?;
    let who = signer.public().to_string();
    let cancel = Cancel::default();
    let output = stdout()?;
    signal::watch(cancel.clone(), output.clone())?;
    let measure = Measure {
        folder: names::path_bytes(folder).into(),
        method,
        algorithm,
        left_out: left_out(folder, place, &options.models.ignore)?,
        filter: Filter::default(),
        follow: options.models.follow,
        resources: options.models.resources.resources(),
        cancel,
    };
    let run = Sign { measure, signer }.start()?;
    let mut heartbeat = Some(Heartbeat::start(options.models.resources.progress, run.live(), output));
    let signed = run.run(&mut models::teller(&mut heartbeat))?;
    drop(heartbeat);
    let measured = &signed.measured;
    if measured.interrupted {
        message::say("interrupted");
        return Ok(Account::interrupted());
    }
    stats::print(options.models.resources.stats, &measured.stats, 0);
    for misfit in &measured.misfits {
        message::about(&below(folder, misfit.path()), format_args!("{misfit}"));
    }
    let Some(bundle) = signed.bundle else {
        message::about_path(folder, "not signed, as not all of it could be");
        return Ok(Account::failed(Item::List, 1));
    };
    models::tell_uncovered(folder, measured);
    staged::write(create(&options.force.at(place), SIGNATURE)?, &bundle)?.finish()?;
    let count = message::count(measured.resources.len() as u64, models::noun(method), models::nouns(method));
    if options.format == ListReport::Text {
        message::about_path(place, format_args!("{count} signed with the key {who}"));
        return Ok(Account::default());
    }
    let entries = measured.resources.len();
    super::print(options.format, &[super::signed(folder, place, &who, Some(entries))])?;
    Ok(Account::default())
}

/// Returns the paths that are not part of a model: the signature itself, the ignored paths, and git's own files.
fn left_out(folder: &Path, signature: &Path, ignored: &[String]) -> anyhow::Result<Vec<String>> {
    let mut all = models::ignored(ignored)?;
    all.extend(relative(folder, signature)?);
    all.extend(LEFT_OUT.iter().map(ToString::to_string));
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
