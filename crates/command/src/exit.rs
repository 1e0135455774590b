//! Exit codes, which follow from the account of a command alone.

use crate::output::{Output, WriteError};
use crate::results::json::Results;
use crate::sys;
use crate::words::message;
use hashmill_content::{self as content, File as Tried, FileError};
use hashmill_job::Error;
use hashmill_job::account::{Account, Item, OUTCOMES, Outcome};
use hashmill_job::bagit::BagError;
use hashmill_known::Why;
use hashmill_lists as lists;
use std::{error, fmt};

/// The exit code of a command that a signal ended; complete results are kept.
pub const INTERRUPTED: u8 = 130;
/// The exit code of a command whose reader of standard output went away: the process dies of SIGPIPE.
const UNREAD: u8 = 141;
/// The exit code of a command that has judged nothing.
const UNUSABLE: u8 = 64;
/// The exit code where something could not be read, understood or written; each was named.
const FAILED: u8 = 2;

/// Returns the exit code that an outcome asks for.
fn code_of_outcome(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Done | Outcome::NoBytes | Outcome::LeftOut => 0,
        Outcome::Differs => 1,
        Outcome::Late => 3,
        Outcome::NotLookedInto | Outcome::Incomplete | Outcome::Failed => FAILED,
        Outcome::Unusable => UNUSABLE,
    }
}

/// Returns the place of an exit code from the best to the worst. The numbers are not in this order: 141 and 3 are better
/// than 1.
fn rank(code: u8) -> Option<usize> {
    [0, UNREAD, 3, 1, FAILED, UNUSABLE, INTERRUPTED].iter().position(|known| *known == code)
}

/// Returns the exit code of a command: the worst that its account asks for. What is unusable hides nothing that was
/// judged: beside other outcomes it is one that failed.
pub fn code(account: &Account) -> u8 {
    let outcomes = OUTCOMES.into_iter().filter(|outcome| account.has(*outcome));
    let is_alone = outcomes.clone().all(|outcome| outcome == Outcome::Unusable);
    let codes = outcomes.map(|outcome| match code_of_outcome(outcome) {
        UNUSABLE if !is_alone => FAILED,
        code => code,
    });
    let ends = [(account.is_unread, UNREAD), (account.is_interrupted, INTERRUPTED)];
    let ends = ends.into_iter().filter_map(|(is_so, code)| is_so.then_some(code));
    codes.chain(ends).max_by_key(|code| rank(*code)).unwrap_or(0)
}

/// Returns the code of the process; or ends the process by SIGPIPE, like other filters whose reader has gone.
pub fn end(account: &Account) -> u8 {
    let code = code(&account.and(message::lost()));
    if code == UNREAD {
        sys::die_of_pipe();
    }
    code
}

/// An account that is known before a result is written.
pub trait Carry {
    /// Gives a result of writing this account: if the reader of standard output closed it, the command still ends with
    /// what was known by then.
    ///
    /// # Errors
    /// That of the result.
    fn carried_by<T>(self, done: Result<T, impl Into<anyhow::Error>>) -> anyhow::Result<T>;
}

impl Carry for Account {
    fn carried_by<T>(self, done: Result<T, impl Into<anyhow::Error>>) -> anyhow::Result<T> {
        done.map_err(|error| {
            let error = error.into();
            if is_closed(&error) { Closed(self.and(account_of(&error))).into() } else { error }
        })
    }
}

/// Ends the results and their output, and returns the account.
///
/// # Errors
/// If they can't be written.
pub fn end_results(account: Account, output: &Output, results: Results) -> anyhow::Result<Account> {
    account.carried_by(results.end())?;
    account.carried_by(output.finish())?;
    Ok(account)
}

/// Returns the account of an error that ended a command.
pub fn account_of(error: &anyhow::Error) -> Account {
    if let Some(Closed(account)) = error.downcast_ref() {
        return *account;
    }
    if let Some((item, outcome)) = error.downcast_ref().and_then(of_list) {
        return Account::new(item, outcome, 1);
    }
    let (item, outcome) = match error.downcast_ref::<Error>() {
        Some(Error::Known(error)) => match error.why {
            Why::Cancelled => return Account::interrupted(),
            _ if error.is_of_output() => (Item::Output, Outcome::Failed),
            // One that can't be read, or be built from its inputs.
            _ => (Item::List, Outcome::Unusable),
        },
        // The error concerns a file that was just written.
        Some(Error::Seal { .. }) => (Item::Output, Outcome::Failed),
        // As where a file or a folder of several can't be read.
        #[cfg(feature = "stores")]
        Some(Error::Store(_)) => (Item::Operand, Outcome::Failed),
        // All that was told is kept.
        #[cfg(feature = "tables")]
        Some(Error::State(error)) if error.is_of_system() => (Item::Output, Outcome::Failed),
        Some(Error::Bag(BagError::NotUndone { .. })) => (Item::Output, Outcome::Failed),
        Some(Error::File(FileError { tried: Tried::Write | Tried::Remove, .. })) => {
            (Item::Output, Outcome::Failed)
        }
        _ => match written(error) {
            Some(error) => return of_write(error),
            None => (Item::Operand, Outcome::Unusable),
        },
    };
    Account::new(item, outcome, 1)
}

/// Returns the outcome of an error of a list, if it is not that the list is unusable.
fn of_list(error: &lists::Error) -> Option<(Item, Outcome)> {
    match error {
        lists::Error::Seal { .. } => Some((Item::Output, Outcome::Failed)),
        #[cfg(feature = "stores")]
        lists::Error::Store(_) => Some((Item::Operand, Outcome::Failed)),
        lists::Error::File(FileError { tried: Tried::Write | Tried::Remove, .. }) => {
            Some((Item::Output, Outcome::Failed))
        }
        _ => None,
    }
}

fn of_write(error: &WriteError) -> Account {
    match () {
        () if error.closed() => Account::unread(),
        () if error.is_refused() => Account::new(Item::Output, Outcome::Unusable, 1),
        () => Account::new(Item::Output, Outcome::Failed, 1),
    }
}

/// The reader of standard output closed it; with the account of what was known by then.
#[derive(Debug)]
struct Closed(Account);

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reader of standard output closed it")
    }
}

impl error::Error for Closed {}

/// Returns whether the reader of standard output has closed it: then nobody would read a message.
pub fn is_closed(error: &anyhow::Error) -> bool {
    error.is::<Closed>() || written(error).is_some_and(WriteError::closed)
}

/// Returns the error of an output, if it is one.
fn written(error: &anyhow::Error) -> Option<&WriteError> {
    match (error.downcast_ref(), error.downcast_ref(), error.downcast_ref()) {
        (Some(Error::Write(error)), ..)
        | (_, Some(lists::Error::Write(error)), _)
        | (.., Some(content::Error::Write(error))) => Some(error),
        _ => error.downcast_ref(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    fn account(outcomes: &[Outcome]) -> Account {
        let one = |outcome: &Outcome| Account::new(Item::List, *outcome, 1);
        outcomes.iter().map(one).fold(Account::default(), Account::and)
    }

    #[test]
    fn the_worst_outcome_counts() {
        use Outcome::{Differs, Done, Failed, Late, Unusable};
        let cases: [(&[Outcome], u8); 9] = [
            (&[], 0),
            (&[Done, Outcome::NoBytes, Outcome::LeftOut], 0),
            (&[Done, Late], 3),
            (&[Late, Differs], 1),
            (&[Differs, Failed], 2),
            (&[Done, Outcome::NotLookedInto], 2),
            (&[Unusable, Unusable], 64),
            // An unusable one hides no other.
            (&[Unusable, Done], 2),
            (&[Differs, Unusable], 2),
        ];
        for (outcomes, wanted) in cases {
            assert_eq!(code(&account(outcomes)), wanted, "{outcomes:?}");
        }
        assert_eq!(code(&Account::interrupted().and(account(&[Unusable]))), INTERRUPTED);
        assert_eq!(code(&Account::unread().and(account(&[Differs]))), 1);
        assert_eq!(code(&Account::unread().and(account(&[Done]))), UNREAD);
    }

    #[test]
    fn the_documented_codes_are_these() {
        let page = include_str!("../../../docs/exit-codes.md");
        for outcome in OUTCOMES {
            let row = format!("| `{outcome:?}` | {} |", code_of_outcome(outcome));
            assert!(page.contains(&row), "{row}");
        }
    }

    #[test]
    fn what_is_known_counts_when_the_reader_has_gone() {
        use Outcome::{Differs, Done, Failed};
        let closed = || WriteError::of_stream("standard output", io::ErrorKind::BrokenPipe.into());
        let ends = |outcomes: &[Outcome]| {
            let one = |done: anyhow::Result<()>, outcome: &Outcome| account(&[*outcome]).carried_by(done);
            let done = outcomes.iter().fold(Err(closed().into()), one);
            code(&account_of(&done.unwrap_err()))
        };
        assert_eq!(ends(&[]), UNREAD);
        assert_eq!(ends(&[Done]), UNREAD);
        assert_eq!(ends(&[Differs, Done]), 1);
        assert_eq!(ends(&[Done, Failed, Differs]), FAILED);
        // Another error is not about the reader.
        let full = WriteError::of_stream("standard output", io::ErrorKind::StorageFull.into());
        let other = account(&[Differs]).carried_by::<()>(Err(full)).unwrap_err();
        assert!(is_closed(&closed().into()) && !is_closed(&other));
        assert_eq!(code(&account_of(&other)), FAILED);
    }
}
