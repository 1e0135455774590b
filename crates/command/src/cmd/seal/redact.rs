//! `hashmill seal redact`.

use super::files::told;
use super::options::Redact;
use crate::progress;
use crate::words::message;
use anyhow::Context;
use hashmill_job::account::{Account, Item};
use hashmill_lists::sealing::{Globs, Redacted, Redaction};

/// Writes a manifest with some of its records hidden.
///
/// # Errors
/// If the manifest can't be read, or the redacted one can't be written.
pub fn redact(args: &Redact) -> anyhow::Result<Account> {
    let job = Redaction {
        sealed: args.sealed.sealed_manifest(&args.manifest),
        keep: Globs::parse(&args.keep).context("--keep")?,
        hide: Globs::parse(&args.hide).context("--hide")?,
        ..Redaction::new(&args.manifest, args.force.at(&args.output))
    };
    let total = progress::bytes_of(&[&args.manifest], 2);
    let redacted = progress::reading_of(args.watched.progress, "redacting", total, || job.run());
    let Some(Redacted { counts, is_salted }) = told(redacted)? else {
        return Ok(Account::differing(Item::List, 1));
    };
    let shown = message::count(counts.shown, "record", "records");
    message::say(format_args!("{shown} shown, {} hidden", counts.hidden));
    if counts.hidden > 0 && !is_salted {
        message::say(
            "the seal has no salts: whoever guesses a hidden record can confirm it (seal create --secret)",
        );
    }
    Ok(Account::default())
}
