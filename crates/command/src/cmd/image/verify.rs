//! `hashmill image verify`: verifies that images have not changed since they were made.

use super::open::{account_of, cause, tell_refused, weight};
use super::options::VerifyImageOptions;
use crate::exit::{self, Carry};
use crate::output::{self, Output};
use crate::progress::Heartbeat;
use crate::results::json::{Frame, Results};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::signal;
use crate::words::message;
use crate::words::message::{Shown, count};
use anyhow::{Context, bail};
use hashmill_content::imaging;
use hashmill_content::imaging::{Checked, ImageEvent, Named, Refusal};
use hashmill_engine::{Cancel, Live};
use hashmill_image::{DigestOutcome, Finding, ImageVerdict, Verification};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_lists::kinds;
use hashmill_manifest::json_line;
use hashmill_os::names;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The JSON of an image that was not verified.
#[derive(Serialize)]
struct Refused {
    verdict: &'static str,
    error: String,
}

/// The JSON of an image, with the account of it.
#[derive(Serialize)]
struct Accounted<T> {
    #[serde(flatten)]
    told: T,
    account: Value,
}

/// The outputs of results.
struct Reports<'a> {
    options: &'a VerifyImageOptions,
    output: Output,
    results: Results,
    record: Option<Output>,
    cancel: Cancel,
    heartbeat: Option<Heartbeat>,
    account: Account,
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If a result cannot be written.
pub fn run(options: &VerifyImageOptions) -> anyhow::Result<Account> {
    let asked = options.algorithms.clone().unwrap_or_default();
    if let Some((_, row)) = asked.likeness.first() {
        bail!("-c {}: verifying compares digests; 'image hash' has likeness digests", row.name);
    }
    let record =
        options.output.as_deref().map(|path| output::create(&options.force.at(path), kinds::RESULTS));
    let record = record.transpose()?;
    let job = imaging::ImageVerification {
        images: options.paths.clone(),
        open: options.opening.options()?,
        algorithms: asked.digests,
        resources: options.how.means(&options.paths, &options.opening),
        cancel: Cancel::default(),
    };
    let (output, cancel) = (output::stdout()?, job.cancel.clone());
    let results =
        Results::new(Schema::IMAGE_VERIFY, Frame::new(options.format, options.paths.len()), output.clone());
    let mut reports =
        Reports { options, output, results, record, cancel, heartbeat: None, account: Account::default() };
    let mut done = Ok(());
    let summary = job.run(&mut |event| {
        if done.is_ok() {
            done = reports.take(event);
        }
        if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    reports.account.carried_by(done)?;
    reports.end(summary.interrupted)
}

/// Returns why an image is not verified, with its worst finding.
fn failure(findings: &[Finding]) -> String {
    let worst = findings.iter().min_by_key(|finding| Reverse(finding.kind.severity()));
    worst.map_or("not verified".to_string(), |finding| format!("not verified: {finding}"))
}

/// Returns the exit code of a verdict. An image that stores no digest to compare is not verified.
fn account_of_verdict(verdict: ImageVerdict) -> Account {
    match verdict {
        ImageVerdict::Verified | ImageVerdict::VerifiedWithNotes => Account::done(Item::Container, 1),
        ImageVerdict::DigestsMatch
        | ImageVerdict::NoDigest
        | ImageVerdict::Mismatch
        | ImageVerdict::Damaged => Account::differing(Item::Container, 1),
        ImageVerdict::Incomplete | ImageVerdict::Unsupported => Account::failed(Item::Container, 1),
    }
}

impl Reports<'_> {
    fn take(&mut self, event: ImageEvent<'_>) -> anyhow::Result<()> {
        match event {
            ImageEvent::Refused(path, refusal) => self.refused(path, refusal),
            ImageEvent::Reading(live) => self.begin(live),
            ImageEvent::Checked(path, checked) => self.checked(path, checked),
            _ => Ok(()),
        }
    }

    fn refused(&mut self, path: &Path, refusal: Refusal<'_>) -> anyhow::Result<()> {
        let (account, error) = match refusal {
            Refusal::Open(error) => {
                tell_refused(error, path);
                (account_of(error), cause(error, path))
            }
            _ => {
                let what = "is not an image that stores digests: raw media can't be verified; \
                    -c computes digests of them";
                message::about_path(path, what);
                (Account::unusable(Item::Container, 1), what.to_string())
            }
        };
        self.account.add(account);
        self.json(path, Refused { verdict: refusal.word(), error }, account)
    }

    fn begin(&mut self, live: &Arc<Live>) -> anyhow::Result<()> {
        signal::watch(self.cancel.clone(), self.output.clone())?;
        let progress = self.options.how.progress;
        self.heartbeat = Some(Heartbeat::start(progress, Arc::clone(live), self.output.clone()));
        Ok(())
    }

    fn checked(&mut self, path: &Path, checked: &Checked<'_>) -> anyhow::Result<()> {
        let account = account_of_verdict(checked.verification.verdict);
        self.account.add(account);
        if account.has(Outcome::Failed) {
            // Also on standard error, for users who only keep that.
            message::about_path(path, failure(&checked.verification.findings));
        }
        if self.options.format == ListReport::Text {
            self.output.put(text(path, checked.verification))?;
        }
        self.json(path, checked, account)
    }

    fn json(&mut self, path: &Path, told: impl Serialize, account: Account) -> anyhow::Result<()> {
        let name = names::path_bytes(path);
        let named = Named::new(&name, Accounted { told, account: account.to_json() });
        if self.options.format != ListReport::Text {
            self.results.push(&named)?;
        }
        if let Some(record) = &self.record {
            let named = Schema::IMAGE_VERIFY.document(&named);
            record.put(json_line(&named).context("cannot be written as JSON")? + "\n")?;
        }
        Ok(())
    }

    fn end(mut self, interrupted: bool) -> anyhow::Result<Account> {
        self.heartbeat = None;
        if interrupted {
            message::say("interrupted");
            self.account.add(Account::interrupted());
            self.record.iter().for_each(Output::discard);
        } else {
            self.record.as_ref().map_or(Ok(()), Output::finish)?;
        }
        exit::end_results(self.account, &self.output, self.results)
    }
}

fn text(path: &Path, verification: &Verification) -> String {
    let path = Shown::path(path);
    let mut text = format!("{path}: {}\n", verdict(verification.verdict));
    text += &format!("  media      {} bytes", verification.media_size);
    if verification.read < verification.media_size {
        text += &format!(", {} of them found", verification.read);
    }
    text.push('\n');
    for check in &verification.claims {
        let place = check.claim.place.section.as_ref();
        let place = place.map_or(String::new(), |section| format!("{} at {}", section.name, section.offset));
        let name = check.claim.algorithm.name;
        text +=
            &format!("  {name:10} {} stored ({place}): {}\n", check.claim.digest, compared(check.outcome));
    }
    for computed in &verification.digests {
        let matching = verification.claims.iter().any(|check| {
            check.claim.algorithm == computed.algorithm && check.outcome == DigestOutcome::Match
        });
        if !matching {
            text += &format!("  {:10} {} computed\n", computed.algorithm.name, computed.digest);
        }
    }
    text += &entries(verification);
    for finding in &verification.findings {
        let line = finding.to_string();
        text += &format!("  {:10} {}\n", weight(finding), Shown(line.as_bytes()));
    }
    if verification.omitted_findings > 0 {
        text += &format!("  and {} more\n", count(verification.omitted_findings, "finding", "findings"));
    }
    text
}

/// Formats how many single files match, and each that does not.
fn entries(verification: &Verification) -> String {
    let checks = &verification.entries;
    if checks.is_empty() {
        return String::new();
    }
    let matching = checks.iter().filter(|check| check.outcome == DigestOutcome::Match).count();
    let digests = count(checks.len() as u64, "stored digest", "stored digests");
    let mut text = format!("  files      {digests}: {matching} match\n");
    for check in checks.iter().filter(|check| check.outcome != DigestOutcome::Match) {
        let computed = check.computed.map_or("not computed".into(), |digest| format!("is {digest}"));
        text += &format!(
            "  {:10} {} {} stored, {computed}\n",
            check.algorithm.name,
            Shown(&check.path),
            check.stored
        );
    }
    text
}

fn verdict(verdict: ImageVerdict) -> &'static str {
    match verdict {
        ImageVerdict::Verified => "verified",
        ImageVerdict::VerifiedWithNotes => "verified, with notes",
        ImageVerdict::DigestsMatch => "NOT verified: the digests match, but parts of the image are damaged",
        ImageVerdict::NoDigest => "not verified: no digest is stored",
        ImageVerdict::Mismatch => "NOT verified: a stored digest does not match",
        ImageVerdict::Damaged => "NOT verified: damaged",
        ImageVerdict::Incomplete => "NOT verified: parts are missing",
        ImageVerdict::Unsupported => "NOT verified: stored in an unsupported way",
    }
}

fn compared(outcome: DigestOutcome) -> &'static str {
    match outcome {
        DigestOutcome::Match => "matches",
        DigestOutcome::MatchWithTail => "matches, with the bytes past the last whole sector",
        DigestOutcome::Mismatch => "DOES NOT MATCH",
        DigestOutcome::NotComputed => "not compared, as parts are missing",
    }
}
