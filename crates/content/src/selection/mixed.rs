//! Paths and locations among the operands of one walk, in the order in which they were named.

use crate::stores::Stores;
use crate::stores::location::Naming;
use hashmill_engine::flow::Entries;
use hashmill_source::{Error as Failure, Problem, WalkItem, WalkOptions, walk};
use parking_lot::Mutex;
use std::iter::Peekable;
use std::sync::Arc;

type Operands = Box<dyn Iterator<Item = Box<[u8]>> + Send>;

/// Walks all operands. There may be locations among them if these have a naming.
pub(crate) fn walk_all(
    operands: Operands,
    naming: Option<Naming>,
    options: WalkOptions,
    stores: &Stores,
) -> Entries {
    let Some(naming) = naming else { return walk_paths(operands, options, stores) };
    let operands = Run(Arc::new(Mutex::new(operands.peekable())), stores.clone());
    Box::new(Mixed { operands, options, naming, inside: Box::new(std::iter::empty()) })
}

/// Walks one operand.
pub fn walk_one(operand: &[u8], options: WalkOptions, stores: &Stores) -> Entries {
    match stores.is_location(operand) {
        true => stores.entries(operand, &options, Naming::Below),
        false => walk_paths(std::iter::once(operand.into()), options, stores),
    }
}

/// Walks paths. One that is not there may be a location of a service whose name is mistyped.
fn walk_paths(
    paths: impl Iterator<Item = Box<[u8]>> + Send + 'static,
    options: WalkOptions,
    stores: &Stores,
) -> Entries {
    let stores = stores.clone();
    Box::new(walk(paths, options).map(move |found| match found {
        WalkItem::Failed(Failure { path, problem: Problem::Stat(source) }) => {
            let source = stores.hinted(&path, source);
            WalkItem::Failed(Failure { path, problem: Problem::Stat(source) })
        }
        found => found,
    }))
}

struct Mixed {
    operands: Run,
    options: WalkOptions,
    naming: Naming,
    /// The entries below the current operands: one location, or the paths up to the next location.
    inside: Entries,
}

/// The operands up to the next location.
#[derive(Clone)]
struct Run(Arc<Mutex<Peekable<Operands>>>, Stores);

impl Iterator for Run {
    type Item = Box<[u8]>;

    fn next(&mut self) -> Option<Box<[u8]>> {
        self.0.lock().next_if(|operand| !self.1.is_location(operand))
    }
}

impl Run {
    /// Returns the next operand if it is a location, and whether any operand is left.
    fn location(&self) -> (Option<Box<[u8]>>, bool) {
        let mut operands = self.0.lock();
        let location = operands.next_if(|operand| self.1.is_location(operand));
        let more = operands.peek().is_some();
        (location, more)
    }
}

impl Iterator for Mixed {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            if let Some(found) = self.inside.next() {
                return Some(found);
            }
            self.inside = match self.operands.location() {
                (Some(location), _) => self.operands.1.entries(&location, &self.options, self.naming),
                (None, true) => walk_paths(self.operands.clone(), self.options.clone(), &self.operands.1),
                (None, false) => return None,
            };
        }
    }
}
