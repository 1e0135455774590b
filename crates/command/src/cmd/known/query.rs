//! `hashmill known query`: one line of output for each digest, in order.

use super::options::Query;
use crate::exit::Carry;
use crate::output;
use crate::results::report::ListReport;
use crate::words::message;
use crate::words::message::Shown;
use hashmill_job::account::{Account, Item};
use hashmill_job::sets::{Malformed, Query as Job, QueryEvent, QueryFormat};
use hashmill_os::names;
use std::ops::ControlFlow;

/// Runs the command, and returns its account.
///
/// # Errors
/// If an index or a list is not usable, or the output cannot be written.
pub fn run(args: &Query) -> anyhow::Result<Account> {
    let digests: Vec<Box<[u8]>> = args.digests.iter().map(|digest| names::bytes(digest).into()).collect();
    let lists = match (&*args.digests, &*args.from) {
        ([], []) => vec!["-".into()],
        (_, lists) => lists.to_vec(),
    };
    let form = match args.format {
        ListReport::Text => QueryFormat::Tabs,
        ListReport::Json => QueryFormat::List,
        ListReport::Jsonl => QueryFormat::Objects,
    };
    let guard = args.guarded.guard()?;
    let job = Job { digests, lists, form, guard, ..Job::new(args.types.open(&args.known)?) };
    let mut known = Account::default();
    let done = job.run(output::stdout()?, &mut |event| {
        known.add(tell(&event));
        ControlFlow::Continue(())
    });
    Ok(known.carried_by(done)?.account())
}

/// Prints the message of an event, and returns its account.
fn tell(event: &QueryEvent<'_>) -> Account {
    match event {
        QueryEvent::Malformed(Malformed { list, number, text, why }) => {
            let (list, text) = (Shown(list.unwrap_or(b"operand")), Shown(text));
            message::say(format_args!("{list}: line {number}: '{text}': {why}"));
            return Account::failed(Item::Record, 1);
        }
        QueryEvent::NotHeld(bits) => {
            message::say(format_args!("no set has digests of {bits} bits: they are all unknown"));
        }
        QueryEvent::NotHeldBy(set, bits) => {
            message::about_path(
                set,
                format_args!("has no digests of {bits} bits: they were not looked up in it"),
            );
        }
        QueryEvent::Signature(notice) => message::say(notice),
        QueryEvent::MetBad => return Account::differing(Item::Record, 1),
        _ => {}
    }
    Account::default()
}
