//! `hashmill image acquire`: a device or file as an image, read once and verified.

mod shown;

use super::open::weight;
use super::options::{Acquire, AcquiredCase};
use crate::exit::Carry;
use crate::options::algorithms::tell_truncated;
use crate::options::force::Force;
use crate::output;
use crate::progress::{Heartbeat, is_watched};
use crate::results::report::Report;
use crate::signal;
use crate::words::{message, typed};
use anyhow::{Context, bail, ensure};
use hashmill_content::Resources;
use hashmill_engine::Cancel;
use hashmill_image::{Acquisition, Date, ImageForm, ProblemKind};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::acquire::{AcquireEvent, AcquireJob, AcquireResult, AcquiredImage};
use hashmill_lists::made::made;
use hashmill_manifest::json_line;
use shown::{document, text};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::{env, io};

/// The usual size of a segment of an E01, in bytes: 1.4 GiB, which other programs take, too.
const SEGMENT: u64 = 1_503_238_553;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, the device can't be acquired, or the image can't be written.
pub fn run(options: &Acquire) -> anyhow::Result<Account> {
    let job = job(options)?;
    let cancel = job.cancel.clone();
    signal::watch_with(move || cancel.set(), None)?;
    let (mut heartbeat, progress) = (None, options.how.progress);
    let result = job.run(&mut |event| {
        // The display of one pass ends before the next begins.
        drop(heartbeat.take());
        if let AcquireEvent::Reading(live) | AcquireEvent::Verifying(live) = event {
            heartbeat = Some(Heartbeat::new(progress, Arc::clone(live)));
        }
        ControlFlow::Continue(())
    });
    drop(heartbeat);
    match result? {
        AcquireResult::Whole(acquired) => {
            let account = account(&acquired);
            report_unreadable(options, &acquired);
            account.carried_by(print(options, &acquired, account))?;
            Ok(account)
        }
        AcquireResult::Differs(acquired) => {
            let account = report_difference(options, &acquired);
            account.carried_by(print(options, &acquired, account))?;
            Ok(account)
        }
        AcquireResult::Unread(error) => {
            message::about(&error.path, &error.problem);
            message::about_path(&options.output, "is not written, as not all could be read");
            Ok(Account::failed(Item::Operand, 1))
        }
        _ => {
            message::say("interrupted: no image is written");
            Ok(Account::interrupted())
        }
    }
}

/// Makes the job of the options.
fn job(options: &Acquire) -> anyhow::Result<AcquireJob> {
    let form = ImageForm::from_name(&options.output);
    let asked = options.algorithms.clone().unwrap_or_default();
    if let Some((_, row)) = asked.likeness.first() {
        bail!("-c {}: images are acquired with digests; 'image hash' has likeness digests", row.name);
    }
    tell_truncated(&asked);
    check_form(options, form)?;
    let memory = usize::try_from(options.how.memory).unwrap_or(usize::MAX);
    let resources = Resources {
        threads: options.how.threads,
        memory,
        counts: is_watched(options.how.progress),
        files: signal::files(),
        ..Resources::default()
    };
    Ok(AcquireJob {
        source: options.path.clone(),
        to: Force { force: options.force }.at(&options.output),
        segment_size: options.segment_size.or_else(|| (form == Some(ImageForm::Ewf)).then_some(SEGMENT)),
        compression: options.compression,
        bad_blocks: options.bad_blocks,
        facts: facts(&options.case)?,
        algorithms: asked,
        resources,
        cancel: Cancel::default(),
    })
}

/// Refuses options that the form of the image has no use for.
fn check_form(options: &Acquire, form: Option<ImageForm>) -> anyhow::Result<()> {
    let (Some(form), output) = (form, &options.output) else { return Ok(()) };
    let has_size = options.segment_size.is_some();
    ensure!(
        form != ImageForm::Raw || !has_size,
        "--segment-size: {} is one file: name the first of several .001",
        message::Shown::path(output)
    );
    ensure!(
        form != ImageForm::SplitRaw || has_size,
        "{}: say how long its files are: --segment-size SIZE",
        message::Shown::path(output)
    );
    if form != ImageForm::Ewf {
        let header = ["compression", "case", "evidence", "examiner", "description", "notes"];
        if let Some(option) = header.into_iter().find(|option| typed::has_option(option)) {
            bail!(
                "--{option}: has no effect here: it needs an E01, and raw media have no headers and chunks"
            );
        }
    }
    Ok(())
}

/// Returns what the headers say.
fn facts(case: &AcquiredCase) -> io::Result<Acquisition> {
    let now = Some(Date::Unix(made()?.at.seconds));
    Ok(Acquisition {
        case_number: case.case.clone(),
        evidence_number: case.evidence.clone(),
        description: case.description.clone(),
        examiner: case.examiner.clone(),
        notes: case.notes.clone(),
        acquired: now.clone(),
        system_date: now,
        operating_system: Some(system().to_string()),
        software_version: Some(format!("hashmill {}", env!("CARGO_PKG_VERSION"))),
        ..Acquisition::default()
    })
}

/// Returns the name of the system, as images have it.
fn system() -> &'static str {
    match env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    }
}

fn account(acquired: &AcquiredImage) -> Account {
    let outcome = if acquired.unreadable.is_empty() { Outcome::Done } else { Outcome::Incomplete };
    Account::new(Item::Operand, outcome, 1)
}

/// Prints that parts of the source are zeros in the image.
fn report_unreadable(options: &Acquire, acquired: &AcquiredImage) {
    if acquired.unreadable.is_empty() {
        return;
    }
    let bytes: u64 = acquired.unreadable.iter().map(|range| range.end - range.start).sum();
    let places = message::count(acquired.unreadable.len() as u64, "place", "places");
    let listed = match (acquired.form(), acquired.written.unlisted) {
        (ImageForm::Ewf, 0) => "; the image lists them".to_string(),
        (ImageForm::Ewf, beyond) => {
            format!("; the image lists them, but for {beyond} beyond the last sector that it can name")
        }
        _ => String::new(),
    };
    let what = format!("{bytes} bytes in {places} can't be read; the image has zeros there{listed}");
    message::about_path(&options.path, what);
}

/// Prints why an image has no name. Returns the account of that.
fn report_difference(options: &Acquire, acquired: &AcquiredImage) -> Account {
    acquired.reread.findings.iter().for_each(|finding| {
        message::about_path(&options.output, format_args!("{}: {finding}", weight(finding)));
    });
    let is_unread =
        |finding: &hashmill_image::Finding| matches!(finding.kind, ProblemKind::Unreadable { .. });
    message::about_path(
        &options.output,
        "is not written, as what was read back is not what was written (the device that holds it is not to be trusted)",
    );
    match acquired.reread.findings.iter().any(is_unread) {
        true => Account::failed(Item::Output, 1),
        false => Account::differing(Item::Output, 1),
    }
}

fn print(options: &Acquire, acquired: &AcquiredImage, account: Account) -> anyhow::Result<()> {
    let printed = match options.format {
        Report::Text => text(options, acquired),
        Report::Json => {
            json_line(&document(options, acquired, account)).context("cannot be written as JSON")? + "\n"
        }
    };
    Ok(output::print_result(printed)?)
}
