//! The digest of a model with another serialization than the default of `tree`.

use super::Options;
use crate::cmd::models;
use crate::output::Output;
use crate::progress::Heartbeat;
use crate::stats;
use crate::words::message;
use anyhow::{bail, ensure};
use hashmill_engine::Cancel;
use hashmill_job::account::{Account, Item};
use hashmill_job::model::{Measure, ModelContent};
use hashmill_job::tree::TreeDigest;
use hashmill_os::names;
use hashmill_source::Filter;
use hashmill_tree::System;
use hashmill_tree::model::{LEFT_OUT, Model, Serialization};
use std::path::Path;

/// The only system with several serializations.
const NAME: &str = "model";

/// Computes the digests of models.
///
/// # Errors
/// If the options do not go together.
pub fn digests(
    folder: &Path,
    filter: Filter,
    cancel: Cancel,
    options: &Options,
    output: &Output,
) -> anyhow::Result<(Vec<TreeDigest>, Account)> {
    let [system] = options.systems[..] else {
        bail!("--serialization and --hash-type are for the system {NAME} alone");
    };
    ensure!(system.name == NAME, "--serialization and --hash-type are for the system {NAME} alone");
    let (method, algorithm) = options.models.how()?;
    let measure = Measure {
        folder: names::path_bytes(folder).into(),
        method,
        algorithm,
        left_out: LEFT_OUT.iter().map(ToString::to_string).collect(),
        filter,
        follow: options.follow,
        resources: options.resources.resources_for(&[folder]),
        cancel,
    };
    let run = measure.start()?;
    let mut heartbeat = Some(Heartbeat::start(options.resources.progress, run.live(), output.clone()));
    let measured = run.run(&mut models::teller(&mut heartbeat));
    drop(heartbeat);
    if measured.interrupted {
        message::say("interrupted");
        return Ok((Vec::new(), Account::interrupted()));
    }
    stats::print(options.resources.stats, &measured.stats, 0);
    models::tell_uncovered(folder, &measured);
    let account = Account::failed(Item::Entry, u64::from(!measured.failed.is_empty()));
    let found = found(system, measured, Serialization::new(method, algorithm));
    Ok((found.into_iter().collect(), account))
}

/// Returns the digest, or the reason why there is none; nothing if an entry could not be read, which was reported.
fn found(system: &'static System, mut measured: ModelContent, how: Serialization) -> Option<TreeDigest> {
    if !measured.failed.is_empty() {
        return None;
    }
    let digest = match measured.misfits.pop() {
        Some(misfit) => Err(misfit),
        None => {
            let model = Model::new(String::new(), how, measured.resources);
            Ok(model.digest().to_string())
        }
    };
    Some(TreeDigest { system, digest })
}
