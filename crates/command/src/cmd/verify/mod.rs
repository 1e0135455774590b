//! `hashmill verify`: signatures and time stamps of a file.

mod model;

use crate::cmd::sign::unreadable;
use crate::exit::Carry;
use crate::options::signatures::Trusted;
use crate::output::{self, Output, WriteError};
use crate::progress;
use crate::results::json::add_typed;
use crate::results::report::{ListReport, Progress};
use crate::results::schema::Schema;
use crate::words::message;
use crate::words::message::Shown;
use anyhow::ensure;
use clap::Args;
use hashmill_job::account::{Account, Item};
use hashmill_lists::signatures::judge::Judged;
use hashmill_lists::signatures::trusted::{request, roots};
use hashmill_lists::signatures::verify::{JudgedStamp, StampCheck, StampWorth, VerifyJob, VerifySummary};
use hashmill_sign::Broken;
use hashmill_sign::ssh::Moment;
use hashmill_sign::stamp::StampStatement;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// hashmill verify
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_group("ResourceOptions", |group| group.requires("model")))]
pub struct Options {
    /// The signed file; with --model the signature of the model
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// A signature; may be given more than once [default: all that lie beside MANIFEST: MANIFEST.sig,
    /// MANIFEST.2.sig …, MANIFEST.minisig …]
    #[arg(long, value_name = "FILE")]
    pub signature: Vec<PathBuf>,
    /// The format of the result
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub trusted: Trusted,
    #[command(flatten)]
    pub stamps: Stamps,
    #[command(flatten)]
    pub models: model::ModelOptions,
}

/// Time stamps.
#[derive(Debug, Args)]
#[command(next_help_heading = "Time stamps (RFC 3161)")]
pub struct Stamps {
    /// The certificates that a time stamp's must lead to (PEM); then there must be a time stamp
    #[arg(long, value_name = "FILE")]
    pub timestamp_roots: Option<PathBuf>,
    /// The time stamp, as the authority sent it [default: MANIFEST.tsr, if it is there; it must be good then]
    #[arg(long, value_name = "FILE")]
    pub timestamp_response: Option<PathBuf>,
    /// The request that it must answer (its nonce)
    #[arg(long, value_name = "FILE")]
    pub timestamp_request: Option<PathBuf>,
    /// Don't look at a time stamp; else one that can't be verified is exit code 1
    #[arg(long, conflicts_with_all = ["timestamp_roots", "timestamp_response", "timestamp_request"])]
    pub ignore_timestamp: bool,
}

const EXAMPLES: &str = "\
Exit codes: 0 good; 1 a signature or time stamp is broken or was not verified,
or there are too few good ones; 2 something can't be read; 64 the command line
is wrong, or a key is not usable.

Examples:
  hashmill verify photos.manifest --allowed-signers allowed_signers
  hashmill verify photos.manifest --allowed-signers allowed_signers --require 2
  hashmill verify photos.manifest --public-key minisign.pub
  hashmill verify photos.manifest --timestamp-roots roots.pem
  hashmill verify --model llama llama/model.sig --public-key key.pub";

/// Returns how to verify the signature of OpenPGP that a file is, or that lies beside it.
fn of_openpgp(path: &Path) -> String {
    let beside = ["", ".asc", ".gpg"].map(|ending| {
        let mut name = path.as_os_str().to_os_string();
        name.push(ending);
        PathBuf::from(name)
    });
    let is_one =
        |path: &PathBuf| path.is_file() && path.extension().is_some_and(|end| end == "asc" || end == "gpg");
    let found = beside.into_iter().find(is_one);
    found.map_or_else(String::new, |found| format!("; gpg --verify checks {}", message::Shown::path(&found)))
}

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, or a key is not usable.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    if let Some(folder) = &options.models.model {
        return model::run(folder, options);
    }
    ensure!(
        options.trusted.is_anybody() || options.stamps.timestamp_roots.is_some(),
        "name trusted signers: --allowed-signers FILE, --public-key FILE, or --timestamp-roots FILE ('hashmill check LIST' checks the files that a list names{})",
        of_openpgp(&options.manifest)
    );
    let job = VerifyJob {
        signatures: options.signature.clone(),
        needed: options.trusted.needed(),
        stamp: options.stamps.read()?,
        ..VerifyJob::new(&options.manifest, options.trusted.read()?)
    };
    let output = output::stdout()?;
    let summary = match progress::reading(Progress::Auto, "verifying", || job.run()) {
        Ok(summary) => summary,
        Err(error) => return unreadable(error, &options.manifest),
    };
    if options.format != ListReport::Text {
        return told(&options.manifest, &summary, output);
    }
    let account = signed(&options.manifest, &summary, &output)?;
    let stamped =
        summary.stamp.map_or(Ok(Account::default()), |stamp| stamped(&options.manifest, &stamp, &output));
    let account = account.and(account.carried_by(stamped)?);
    account.carried_by(output.finish())?;
    Ok(account)
}

impl Stamps {
    /// Reads the files.
    fn read(&self) -> anyhow::Result<StampCheck> {
        Ok(StampCheck {
            roots: self.timestamp_roots.as_deref().map(roots).transpose()?,
            stamp: self.timestamp_response.clone(),
            request: self.timestamp_request.as_deref().map(request).transpose()?,
            ignore: self.ignore_timestamp,
        })
    }
}

/// Writes the result as JSON; `text` holds the lines for people.
fn told(file: &Path, summary: &VerifySummary, output: Output) -> anyhow::Result<Account> {
    let VerifySummary { judged, found, needed, stamp } = summary;
    let signatures = judged.iter().map(|judged| {
        let mut result = json!({
            "verdict": judged.word(),
            "signer": judged.signer(),
            "broken": judged.is_broken(),
            "unreadable": judged.is_unreadable(),
            "text": judged.to_string(),
        });
        add_typed(&mut result, "path", &judged.path);
        result
    });
    let signatures: Vec<Value> = signatures.collect();
    let stamp = stamp.as_ref().map(|stamp| (stamp, worth(file, &stamp.worth)));
    let account =
        stamp.as_ref().map_or(Account::default(), |(_, (account, _))| *account).and(worth_of_all(summary));
    let mut result = json!({
        "verified": account.is_fine(),
        "found": found,
        "needed": needed,
        "signatures": signatures,
        "timestamp": stamp.map(|(stamp, (account, text))| told_stamp(stamp, account, &text)),
    });
    add_typed(&mut result, "file", file);
    Schema::VERIFY.mark(&mut result);
    account.carried_by(output.put(format!("{result}\n")))?;
    account.carried_by(output.finish())?;
    Ok(account)
}

/// Returns a time stamp for programs. One that was not verified may claim any time.
fn told_stamp(stamp: &JudgedStamp, account: Account, text: &str) -> Value {
    let says = match &stamp.worth {
        StampWorth::Good(says) | StampWorth::Unverified(says) => Some(says),
        _ => None,
    };
    let mut result = json!({
        "verdict": stamp.worth.word(),
        "good": account.is_fine(),
        "time": says.map(|says| says.time.to_string()),
        "authority": says.map(|says| says.authority.to_string()),
        "text": Shown(text.as_bytes()).to_string(),
    });
    add_typed(&mut result, "path", &stamp.path);
    result
}

/// Returns the combined exit code of all signatures.
fn worth_of_all(summary: &VerifySummary) -> Account {
    let broken = summary.judged.iter().any(Judged::is_broken);
    let unreadable = summary.judged.iter().any(Judged::is_unreadable);
    Account::differing(Item::Record, u64::from(broken || summary.found < summary.needed))
        .and(Account::failed(Item::Record, u64::from(unreadable)))
}

fn signed(file: &Path, summary: &VerifySummary, output: &Output) -> Result<Account, WriteError> {
    let VerifySummary { judged, found, needed, .. } = summary;
    for judged in judged {
        output.put(format!("{judged}\n"))?;
    }
    if found < needed {
        let other = of_openpgp(file);
        let what = format_args!("{found} of {needed} required good signatures by different signers{other}");
        message::about_path(file, what);
    }
    Ok(worth_of_all(summary))
}

/// Prints the result of the time stamp.
fn stamped(file: &Path, stamp: &JudgedStamp, output: &Output) -> Result<Account, WriteError> {
    let path = Shown::path(&stamp.path);
    let (account, text) = worth(file, &stamp.worth);
    output.put(format!("{path}: {}\n", Shown(text.as_bytes())))?;
    Ok(account)
}

fn worth(file: &Path, worth: &StampWorth) -> (Account, String) {
    match worth {
        StampWorth::Good(seen) => (Account::default(), good(seen)),
        StampWorth::Unverified(StampStatement { time, authority, .. }) => (
            Account::differing(Item::Record, 1),
            format!(
                "time stamp NOT VERIFIED: it says {time} by '{authority}'; give the certificates to trust with --timestamp-roots, or go on without it with --ignore-timestamp"
            ),
        ),
        StampWorth::Broken(Broken::Unsupported(what)) => {
            (Account::differing(Item::Record, 1), format!("UNSUPPORTED time stamp: {what}"))
        }
        StampWorth::Broken(broken) => {
            (Account::differing(Item::Record, 1), format!("BROKEN time stamp: {broken}"))
        }
        StampWorth::Absent => (Account::differing(Item::Record, 1), "there is no time stamp".into()),
        StampWorth::Unreadable(error) => (Account::failed(Item::Record, 1), format!("cannot read: {error}")),
        StampWorth::FileUnreadable(error) => {
            (Account::failed(Item::Record, 1), format!("cannot read {}: {error}", file.display()))
        }
        // Results of later versions of the library.
        other => (Account::failed(Item::Record, 1), format!("{other:?}")),
    }
}

fn good(seen: &StampStatement) -> String {
    let over = Some(seen.until).filter(|until| *until < Moment::now());
    let over = over.map_or(String::new(), |until| format!(" (valid then; its certificate ended on {until})"));
    format!("good time stamp: these bytes existed at {}, says '{}'{over}", seen.time, seen.authority)
}
