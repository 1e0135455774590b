//! Names that were typed and that nothing turned out to have: a run that ends tells of them, and its account has them.

use super::message;
use hashmill_job::account::{Account, Item};
use std::sync::{Mutex, PoisonError};

/// Returns what was typed and had no effect, each with the reason.
type Watch = Box<dyn Fn() -> Vec<String> + Send>;

/// The watches of the command that runs.
static WATCHES: Mutex<Vec<Watch>> = Mutex::new(Vec::new());

fn watches<R>(change: impl FnOnce(&mut Vec<Watch>) -> R) -> R {
    change(&mut WATCHES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Begins a command: nothing is watched.
pub fn begin() {
    watches(Vec::clear);
}

/// Asks at the end of the command what was not used.
pub fn watch(unused: impl Fn() -> Vec<String> + Send + 'static) {
    watches(|all| all.push(Box::new(unused)));
}

/// Tells what was typed and had no effect, unless the run was cut short.
pub fn tell(account: Account) -> Account {
    if account.is_interrupted || account.is_unread {
        return account;
    }
    let unused: Vec<String> = watches(std::mem::take).iter().flat_map(|unused| unused()).collect();
    unused.iter().for_each(message::say);
    account.and(Account::unusable(Item::Operand, unused.len() as u64))
}
