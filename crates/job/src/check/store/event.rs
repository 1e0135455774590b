//! Events and results of a check.

use crate::account::{Account, Item, Outcome};
use crate::notice::Notice;
use hashmill_engine::Stats;
use hashmill_manifest::audit::{Category, Incomparable, Sides};

/// A step of a check.
#[derive(Debug)]
pub enum StoreEvent<'a> {
    /// The verdict on a file of the store, by its path; with the content of both sides, if that was requested and the
    /// object is damaged.
    Verdict(&'a [u8], ObjectVerdict, Option<&'a Sides>),
    /// The reason for the next verdict.
    Reason(&'a [u8], &'a str),
    /// A remark on the next verdict, which is not worse for it.
    Warning(&'a [u8], &'a str),
    /// A file or folder could not be read.
    Failed(&'a hashmill_source::Error),
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// A callback for events.
pub type StoreObserver<'o> = dyn FnMut(StoreEvent<'_>) -> hashmill_engine::flow::Flow + 'o;

/// The verdict on a file of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectVerdict {
    /// The object has the digest that is claimed.
    Right,
    /// The object has another digest.
    Damaged,
    /// Something names the object, and it is not there.
    Missing,
    /// No part of the store, or an object that nothing names.
    Superfluous,
    /// The file could not be read.
    Unreadable,
    /// The object can't be checked.
    Unsupported,
    /// A part of the store that has no digest.
    Apart,
}

impl ObjectVerdict {
    /// All verdicts.
    pub const ALL: [ObjectVerdict; 7] = [
        ObjectVerdict::Right,
        ObjectVerdict::Damaged,
        ObjectVerdict::Missing,
        ObjectVerdict::Superfluous,
        ObjectVerdict::Unreadable,
        ObjectVerdict::Unsupported,
        ObjectVerdict::Apart,
    ];

    /// Returns the account of one file with this verdict.
    pub fn account(self) -> Account {
        Account::new(Item::Record, self.outcome(), 1)
    }

    /// Returns the outcome of a file with this verdict.
    fn outcome(self) -> Outcome {
        match self {
            ObjectVerdict::Right | ObjectVerdict::Apart => Outcome::Done,
            ObjectVerdict::Damaged | ObjectVerdict::Missing | ObjectVerdict::Superfluous => Outcome::Differs,
            ObjectVerdict::Unreadable | ObjectVerdict::Unsupported => Outcome::Failed,
        }
    }

    /// Returns the machine-readable word, which is the same as in an audit.
    pub const fn word(self) -> &'static str {
        match self {
            ObjectVerdict::Right => Category::Matched.word(),
            ObjectVerdict::Damaged => Category::Changed.word(),
            ObjectVerdict::Missing => Category::Missing.word(),
            ObjectVerdict::Superfluous => Category::New.word(),
            ObjectVerdict::Unreadable => Category::Unreadable.word(),
            ObjectVerdict::Unsupported => Incomparable::Unsupported.word(),
            ObjectVerdict::Apart => Incomparable::Apart.word(),
        }
    }
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct StoreSummary {
    /// The number of files with each verdict.
    counts: [u64; ObjectVerdict::ALL.len()],
    /// The number of objects in packs that have the digests of their names. Those that don't have a verdict each.
    pub packed: u64,
    /// Counters and times of the runs.
    pub stats: Stats,
    /// Whether the check was cancelled.
    pub interrupted: bool,
}

impl StoreSummary {
    /// Counts a verdict.
    pub(super) fn add(&mut self, verdict: ObjectVerdict) {
        self.counts[verdict as usize] += 1;
    }

    /// Returns the account of the store. One in which nothing was verified differs from what was said.
    pub fn account(&self) -> Account {
        if self.interrupted {
            return Account::interrupted();
        }
        let mut account = Account::done(Item::Record, self.packed);
        for verdict in ObjectVerdict::ALL {
            account.count(Item::Record, verdict.outcome(), self.count(verdict));
        }
        account.count(Item::Operand, Outcome::Differs, self.is_empty().into());
        account
    }

    /// Returns the number of files with a verdict.
    pub fn count(&self, verdict: ObjectVerdict) -> u64 {
        self.counts[verdict as usize]
    }

    /// Returns whether no object was compared with its digest.
    pub fn is_empty(&self) -> bool {
        self.count(ObjectVerdict::Right) + self.count(ObjectVerdict::Damaged) == 0
    }
}
