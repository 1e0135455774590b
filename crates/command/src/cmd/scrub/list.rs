//! `--manifest`: the list that a new state begins with.

use super::options::Options;
use crate::progress;
use crate::results::report::Progress;
use crate::words::message;
use crate::words::message::count;
use hashmill_job::account::{Account, Item};
use hashmill_job::scrub::{KnownList, Learnt};

/// Reads the list, if one was named.
///
/// # Errors
/// If it is not usable.
pub fn read(options: &Options) -> anyhow::Result<Option<KnownList>> {
    let Some(path) = &options.manifest else { return Ok(None) };
    let guard = options.guarded.guard()?;
    let read = || {
        let algorithms = options.algorithms.as_ref();
        KnownList::read(path, &guard, algorithms, &mut |notice| message::say(notice))
    };
    let list = progress::reading_of(Progress::Auto, "reading", progress::bytes_of(&[path], 1), read)?;
    Ok(Some(list))
}

/// Tells what the state did not take of the list, and returns the exit code for that.
pub fn tell(learnt: &Learnt) -> Account {
    let about = |number: u64, one: &str, many: &str| {
        if number > 0 {
            message::about(&learnt.list, count(number, one, many));
        }
    };
    about(learnt.elsewhere, "file lies elsewhere, and is not kept", "files lie elsewhere, and are not kept");
    about(
        learnt.lacking,
        "file has no digest that counts, and is taken as new",
        "files have no digest that counts, and are taken as new",
    );
    about(
        learnt.contradictory,
        "record contradicts an earlier one of its file, which counts",
        "records contradict earlier ones of their files, which count",
    );
    about(learnt.too_long, "path is too long for a state", "paths are too long for a state");
    Account::failed(Item::Record, u64::from(!learnt.is_complete()))
}
