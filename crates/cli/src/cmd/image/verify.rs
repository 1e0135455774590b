//! `hashloom image verify`: whether images are what they were when they were made.

use super::open::{Name, cause, open, weight};
use super::options::Verify;
use super::watch::Watch;
use crate::exit::Exit;
use crate::message::{self, Shown, count};
use crate::options::report::Report;
use crate::output::{self, Output, WriteError};
use anyhow::{Context, bail};
use hashloom_digest::Algorithm;
use hashloom_image::{Error, Format, Image, Outcome, Problem, Segment, Span, Verdict, Verification};
use serde::Serialize;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What is told of an image, as programs read it.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    name: Name,
    #[serde(flatten)]
    told: Told<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Told<'a> {
    Checked {
        format: Format,
        segments: &'a [Segment],
        acquisition_errors: &'a [Span],
        #[serde(flatten)]
        verification: &'a Verification,
    },
    Refused {
        verdict: &'static str,
        error: String,
    },
}

/// Where results go.
struct Reports {
    format: Report,
    output: Output,
    record: Option<Output>,
}

/// The command, from options to exit code.
///
/// # Errors
/// If a result cannot be written.
pub fn run(options: &Verify) -> anyhow::Result<Exit> {
    let asked = options.algorithms.clone().unwrap_or_default();
    if let Some((_, row)) = asked.likeness.first() {
        bail!("-c {}: verifying compares digests; 'image hash' has likeness digests", row.name);
    }
    let algorithms = asked.digests;
    let record = options.output.as_deref().map(Output::file).transpose()?;
    let mut reports = Reports { format: options.format, output: output::stdout()?, record };
    let mut exit = Exit::Fine;
    let mut images = Vec::new();
    for path in &options.paths {
        match open(path, options.raw) {
            Ok(image) if image.format() == Format::Raw && algorithms.is_empty() && is_whole(&image) => {
                let what = "is not an image that stores digests: raw media can't be verified; \
                    -c computes digests of them";
                message::about(path.as_os_str().as_bytes(), what);
                reports.refused(path, "not-an-image", what.to_string())?;
                exit = exit.and(Exit::Unusable.noted());
            }
            Ok(image) => images.push((path, image)),
            Err((refused, error)) => {
                exit = exit.and(refused.noted());
                reports.refused(path, refusal(&error), cause(&error, path))?;
            }
        }
    }
    let exit = exit.and(verify_all(options, images, &algorithms, &mut reports)?);
    match (exit, &reports.record) {
        (Exit::Interrupted, record) => record.iter().for_each(Output::discard),
        (_, record) => record.as_ref().map_or(Ok(()), Output::finish)?,
    }
    reports.output.finish()?;
    Ok(exit)
}

fn is_whole(image: &Image) -> bool {
    image.findings().is_empty()
}

/// Why an image could not be looked into, in a word for programs.
fn refusal(error: &Error) -> &'static str {
    match error.problem {
        Problem::Io(_) => "unreadable",
        Problem::Encrypted(_) => "encrypted",
        Problem::Compression(_) | Problem::Container(_) => "unsupported",
        _ => "not-an-image",
    }
}

fn verify_all(
    options: &Verify,
    images: Vec<(&PathBuf, Image)>,
    algorithms: &[&'static Algorithm],
    reports: &mut Reports,
) -> anyhow::Result<Exit> {
    let total = images.iter().map(|(_, image)| bytes(image)).sum();
    let mut watch = Watch::start(options.how.progress, &reports.output, images.len() as u64, total)?;
    let wanted = hashloom_image::Options { means: options.how.means(), algorithms: algorithms.to_vec() };
    let mut exit = Exit::Fine;
    for (path, image) in images {
        let Some(verification) = hashloom_image::verify(&image, &wanted, &|done| watch.note(done)) else {
            message::say("interrupted");
            return Ok(Exit::Interrupted);
        };
        watch.next(bytes(&image));
        exit = exit.and(exit_of(verification.verdict).noted());
        reports.checked(path, &image, &verification)?;
    }
    Ok(exit)
}

/// Bytes that verifying reads: the media, and files with stored digests once more.
fn bytes(image: &Image) -> u64 {
    let stored = |entry: &&hashloom_image::Entry| entry.md5.is_some() || entry.sha1.is_some();
    let files = image.entries().iter().filter(stored).filter(|entry| !entry.folder);
    files.fold(image.media_size(), |sum, entry| sum.saturating_add(entry.size))
}

/// What the verdict means for the exit code. An image that stores nothing to compare is not verified.
fn exit_of(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Verified | Verdict::VerifiedWithNotes => Exit::Fine,
        Verdict::DigestsMatch | Verdict::NoDigest | Verdict::Mismatch | Verdict::Damaged => Exit::Differs,
        Verdict::Incomplete | Verdict::Unsupported => Exit::Failed,
    }
}

impl Reports {
    fn refused(&mut self, path: &Path, verdict: &'static str, error: String) -> anyhow::Result<()> {
        self.json(path, Told::Refused { verdict, error }, self.format == Report::Json)
    }

    fn checked(&mut self, path: &Path, image: &Image, verification: &Verification) -> anyhow::Result<()> {
        if self.format == Report::Text {
            let text = text(path, verification);
            write(&mut self.output, &text)?;
        }
        let told = Told::Checked {
            format: image.format(),
            segments: image.segments(),
            acquisition_errors: image.acquisition_errors(),
            verification,
        };
        self.json(path, told, self.format == Report::Json)
    }

    fn json(&mut self, path: &Path, told: Told<'_>, print: bool) -> anyhow::Result<()> {
        if !print && self.record.is_none() {
            return Ok(());
        }
        let record = Record { name: Name::of(path.as_os_str().as_bytes()), told };
        let line = serde_json::to_string(&record).context("cannot be written as JSON")? + "\n";
        if print {
            write(&mut self.output, &line)?;
        }
        if let Some(record) = &mut self.record {
            write(record, &line)?;
        }
        Ok(())
    }
}

fn write(output: &mut Output, text: &str) -> Result<(), WriteError> {
    output.write_all(text.as_bytes()).map_err(|error| output.error(error))
}

fn text(path: &Path, verification: &Verification) -> String {
    let path = Shown(path.as_os_str().as_bytes());
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
        let matching = verification
            .claims
            .iter()
            .any(|check| check.claim.algorithm == computed.algorithm && check.outcome == Outcome::Match);
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

/// How many single files match, and each that does not.
fn entries(verification: &Verification) -> String {
    let checks = &verification.entries;
    if checks.is_empty() {
        return String::new();
    }
    let matching = checks.iter().filter(|check| check.outcome == Outcome::Match).count();
    let digests = count(checks.len() as u64, "stored digest", "stored digests");
    let mut text = format!("  files      {digests}: {matching} match\n");
    for check in checks.iter().filter(|check| check.outcome != Outcome::Match) {
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

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "verified",
        Verdict::VerifiedWithNotes => "verified, with notes",
        Verdict::DigestsMatch => "NOT verified: the digests match, but parts of the image are damaged",
        Verdict::NoDigest => "not verified: no digest is stored",
        Verdict::Mismatch => "NOT verified: a stored digest does not match",
        Verdict::Damaged => "NOT verified: damaged",
        Verdict::Incomplete => "NOT verified: parts are missing",
        Verdict::Unsupported => "NOT verified: stored in an unsupported way",
    }
}

fn compared(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Match => "matches",
        Outcome::MatchWithTail => "matches, with the bytes past the last whole sector",
        Outcome::Mismatch => "DOES NOT MATCH",
        Outcome::NotComputed => "not compared, as parts are missing",
    }
}
