//! The account of a run: how many of each kind of item it met, by their outcomes. An exit code follows from the account
//! alone.

use hashmill_content::entry::unread::NotLookedInto;
use hashmill_engine::Stats;
use hashmill_source::Skip;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The kinds of what a run meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A word of the command line, or a line of a list of paths: a file, a folder, a location, a digest.
    Operand,
    /// An entry of a walk or of a store, or a member of something that was looked into.
    Entry,
    /// A medium, an archive or another file with entries in it.
    Container,
    /// A list of digests: a manifest, a set, a signature, a state.
    List,
    /// A line or record of a list.
    Record,
    /// A file that is written, or standard output.
    Output,
}

/// The ways in which something that was met ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was read, compared or written, and all is as it should be.
    Done,
    /// It was compared, and differs from what was stated.
    Differs,
    /// It was not verified for longer than it may be.
    Late,
    /// It has no bytes: a folder, a link, a device of a file system.
    NoBytes,
    /// It was left out by what was typed, by settings, or because it belongs to the run.
    LeftOut,
    /// It could have been looked into, and was not.
    NotLookedInto,
    /// Not all of its parts could be listed.
    Incomplete,
    /// It could not be read, understood, computed or written.
    Failed,
    /// All that depends on it could not be done.
    Unusable,
}

/// All items, in the order of their numbers.
pub const ITEMS: [Item; 6] =
    [Item::Operand, Item::Entry, Item::Container, Item::List, Item::Record, Item::Output];

/// All outcomes, in the order of their numbers.
pub const OUTCOMES: [Outcome; 9] = [
    Outcome::Done,
    Outcome::Differs,
    Outcome::Late,
    Outcome::NoBytes,
    Outcome::LeftOut,
    Outcome::NotLookedInto,
    Outcome::Incomplete,
    Outcome::Failed,
    Outcome::Unusable,
];

impl Item {
    /// Returns the word used in outputs.
    pub const fn word(self) -> &'static str {
        match self {
            Item::Operand => "operands",
            Item::Entry => "entries",
            Item::Container => "containers",
            Item::List => "lists",
            Item::Record => "records",
            Item::Output => "outputs",
        }
    }
}

impl Outcome {
    /// Returns the word used in outputs.
    pub const fn word(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Differs => "differs",
            Outcome::Late => "late",
            Outcome::NoBytes => "no_bytes",
            Outcome::LeftOut => "left_out",
            Outcome::NotLookedInto => "not_looked_into",
            Outcome::Incomplete => "incomplete",
            Outcome::Failed => "failed",
            Outcome::Unusable => "unusable",
        }
    }
}

/// The numbers of items with each outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    numbers: [[u64; OUTCOMES.len()]; ITEMS.len()],
    /// Whether a signal ended the run; the account then doesn't cover everything.
    pub is_interrupted: bool,
    /// Whether the reader of standard output closed it before everything was written.
    pub is_unread: bool,
}

impl Account {
    /// Returns the account of a number of items with the same outcome.
    pub fn new(item: Item, outcome: Outcome, number: u64) -> Account {
        let mut account = Account::default();
        account.count(item, outcome, number);
        account
    }

    /// Returns the account of a number of items that are as they should be.
    pub fn done(item: Item, number: u64) -> Account {
        Account::new(item, Outcome::Done, number)
    }

    /// Returns the account of a number of items that differ from what was stated.
    pub fn differing(item: Item, number: u64) -> Account {
        Account::new(item, Outcome::Differs, number)
    }

    /// Returns the account of a number of items that could not be read, understood or written.
    pub fn failed(item: Item, number: u64) -> Account {
        Account::new(item, Outcome::Failed, number)
    }

    /// Returns the account of a number of items without which nothing can be judged.
    pub fn unusable(item: Item, number: u64) -> Account {
        Account::new(item, Outcome::Unusable, number)
    }

    /// Returns the account of a run that a signal ended.
    pub fn interrupted() -> Account {
        Account { is_interrupted: true, ..Account::default() }
    }

    /// Returns the account of a run whose standard output nobody reads any more.
    pub fn unread() -> Account {
        Account { is_unread: true, ..Account::default() }
    }

    /// Returns this account if the condition holds, else an empty one.
    #[must_use]
    pub fn when(self, condition: bool) -> Account {
        if condition { self } else { Account::default() }
    }

    /// Returns the account of both.
    #[must_use]
    pub fn and(mut self, other: Account) -> Account {
        self.add(other);
        self
    }

    /// Adds a number of items with the same outcome.
    pub fn count(&mut self, item: Item, outcome: Outcome, number: u64) {
        self.numbers[item as usize][outcome as usize] += number;
    }

    /// Gives a number of items that are done another outcome.
    pub fn turn(&mut self, item: Item, outcome: Outcome, number: u64) {
        let done = &mut self.numbers[item as usize][Outcome::Done as usize];
        *done = done.saturating_sub(number);
        self.count(item, outcome, number);
    }

    /// Returns how many items have this outcome.
    pub fn number(&self, item: Item, outcome: Outcome) -> u64 {
        self.numbers[item as usize][outcome as usize]
    }

    /// Returns whether anything has this outcome.
    pub fn has(&self, outcome: Outcome) -> bool {
        ITEMS.iter().any(|item| self.number(*item, outcome) > 0)
    }

    /// Returns whether entries were met, and all of them were left out.
    pub fn is_idle(&self) -> bool {
        let met = |item, outcome| self.number(item, outcome) > 0;
        let is_only = |outcome| outcome == Outcome::LeftOut || !met(Item::Entry, outcome);
        let has_records = OUTCOMES.into_iter().any(|outcome| met(Item::Record, outcome));
        met(Item::Entry, Outcome::LeftOut) && OUTCOMES.into_iter().all(is_only) && !has_records
    }

    /// Returns whether everything was met as it should be, and the output was read.
    pub fn is_fine(&self) -> bool {
        self.is_complete() && !self.is_unread && !self.has(Outcome::Differs) && !self.has(Outcome::Late)
    }

    /// Returns whether everything that was met was read, understood and written.
    pub fn is_complete(&self) -> bool {
        use Outcome::{Failed, Incomplete, NotLookedInto, Unusable};
        let lacks =
            [NotLookedInto, Incomplete, Failed, Unusable].into_iter().any(|outcome| self.has(outcome));
        !lacks && !self.is_interrupted
    }

    /// Returns it for programs: the numbers of items with each outcome, without those that are 0.
    pub fn to_json(&self) -> Value {
        let mut shown = Map::new();
        for item in ITEMS {
            let numbers =
                OUTCOMES.into_iter().map(|outcome| (outcome.word().to_string(), self.number(item, outcome)));
            let numbers = numbers.filter(|(_, number)| *number > 0);
            let numbers: Map<String, Value> = numbers.map(|(word, number)| (word, number.into())).collect();
            if !numbers.is_empty() {
                shown.insert(item.word().to_string(), numbers.into());
            }
        }
        shown.into()
    }

    /// Adds another account.
    pub fn add(&mut self, other: Account) {
        let counters = self.numbers.as_flattened_mut().iter_mut();
        counters.zip(other.numbers.as_flattened()).for_each(|(own, more)| *own += more);
        self.is_interrupted |= other.is_interrupted;
        self.is_unread |= other.is_unread;
    }
}

/// Returns a line for each reason why files were not looked into, with the account of those that should have been; they
/// are told once.
pub fn of_unread(unread: &NotLookedInto) -> (Vec<String>, Account) {
    let (lines, number) = unread.take();
    (lines, Account::failed(Item::Container, number))
}

/// Returns the account of the entries of a run. These were skipped for reasons other than filters, and of this number of
/// hashed files some parts could not be read.
pub(crate) fn of_entries(stats: &Stats, skipped: &BTreeMap<Skip, u64>, damaged: u64) -> Account {
    let without: u64 = skipped.iter().filter(|(why, _)| !why.has_bytes()).map(|(_, number)| number).sum();
    let mut account = Account::done(Item::Entry, stats.hashed.saturating_sub(damaged));
    account.count(Item::Entry, Outcome::Incomplete, damaged);
    account.count(Item::Entry, Outcome::NoBytes, without);
    account.count(Item::Entry, Outcome::LeftOut, stats.skipped.saturating_sub(without));
    account.count(Item::Entry, Outcome::Failed, stats.failed);
    account
}
