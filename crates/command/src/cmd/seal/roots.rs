//! `hashmill diff --roots`: two manifests, or seals, compared by the roots of their trees.

use crate::access;
use crate::exit::Carry;
use crate::output;
use crate::words::message;
use crate::words::message::Shown;
use hashmill_job::Error;
use hashmill_job::account::{Account, Item};
use hashmill_lists::sealing::{Compared, Roots};
use hashmill_seal::diff::Side;
use std::ffi::OsStr;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

/// Compares two operands by their roots. For two manifests, the records that only one has are listed: `-` for the
/// first, `+` for the second.
///
/// # Errors
/// If one is neither a seal nor a manifest, or they can't be compared.
pub fn compare(first: &OsStr, second: &OsStr) -> anyhow::Result<Account> {
    let mut output = output::stdout()?;
    let roots = Roots { stores: access::stores(), ..Roots::new(Path::new(first), Path::new(second)) };
    let (mut failed, mut known) = (None, Account::default());
    let compared = roots.run(&mut |side, record| {
        known = Account::differing(Item::List, 1);
        let sign = if side == Side::First { '-' } else { '+' };
        if failed.is_none() {
            failed = writeln!(output, "{sign} {}", Shown(&record.path)).err();
        }
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(error) = failed {
        return known.carried_by(Err(Error::from(output.error(error))));
    }
    let compared = compared?;
    match compared {
        Compared::OtherRecords => message::say("the records differ; two manifests tell which"),
        Compared::OtherCase => message::say("the records are the same, but the case data are not"),
        Compared::OtherBytes => {
            message::say("the records are the same, but other bytes of the manifests are not");
        }
        _ => {}
    }
    known.carried_by(output.finish())?;
    Ok(Account::differing(Item::List, u64::from(compared.differs())))
}
