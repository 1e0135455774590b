//! `hashmill image hash`: the operation of `hash`, for the media of images of every kind.

use super::open::{account_of_end, open};
use super::options::Hash;
use crate::access;
use crate::cmd::hash::{Display, show};
use crate::options::algorithms::{tell_foreign_to_hashdeep, tell_truncated};
use crate::options::format;
use crate::output;
use hashmill_content::entry::stated::Stated;
use hashmill_content::imaging::OpenOptions;
use hashmill_content::{Selection, images};
use hashmill_image::Format;
use hashmill_job::account::Account;
use hashmill_job::hash::{HashJob, Input, Manifest};
use hashmill_source::WalkItem;
use std::path::Path;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(options: &Hash) -> anyhow::Result<Account> {
    let (opening, mut account) = (options.opening.options()?, Account::default());
    let (mut found, stated): (Vec<WalkItem>, _) = (Vec::new(), Stated::default());
    for path in &options.paths {
        match open(path, &opening) {
            Ok(image) => {
                found.extend(entries(path, image.format(), &opening, &stated));
                account.add(account_of_end(path, image));
            }
            Err(refused) => account.add(*refused),
        }
    }
    if found.is_empty() && !account.is_fine() {
        return Ok(account);
    }
    let written = output::named(options.output.as_deref());
    let format = format::choose(options.format, written, "hashdeep")?;
    output::fits(format, options.output.as_deref())?;
    let algorithms = format::algorithms(options.algorithms.as_ref(), format, written)?;
    tell_truncated(&algorithms);
    tell_foreign_to_hashdeep(options.format, &algorithms);
    let places: Vec<_> = options.paths.iter().chain(&options.opening.backing.backing).collect();
    let job = HashJob {
        input: Input::Images(Box::new(found.into_iter()), stated),
        piece: options.piecewise,
        resources: options.resources.resources_for(&places),
        ..HashJob::new(Selection::default(), algorithms)
    };
    let manifest = Manifest::new(format, options.force.to(options.output.as_deref())?);
    let display = Display { resources: &options.resources, list: None, manifest: written, quick: false };
    Ok(account.and(show(job, manifest, &display)?))
}

fn entries(path: &Path, format: Format, opening: &OpenOptions, stated: &Stated) -> Vec<WalkItem> {
    let entry = images::operand(path, &access::stores());
    match format {
        Format::Ewf1Logical | Format::Ewf2Logical => images::singles(entry, stated).collect(),
        _ => vec![images::media(entry, opening.clone(), stated)],
    }
}
