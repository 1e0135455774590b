//! Paths and locations among the operands of one walk, in the order in which they were named.

use crate::error::Error;
use crate::flow::Entries;
use crate::location::is_location;
use crate::selection::Bytes;
use crate::stores;
use hashloom_source::{Found, WalkOptions, walk};
use parking_lot::Mutex;
use std::iter::Peekable;
use std::sync::Arc;

type Operands = Box<dyn Iterator<Item = Bytes> + Send>;

/// What is below all operands. That there may be locations among them is said if it is known.
///
/// # Errors
/// None so far.
pub(crate) fn walk_all(operands: Operands, maybe: bool, options: WalkOptions) -> Result<Entries, Error> {
    if !maybe {
        return Ok(Box::new(walk(operands, options)));
    }
    let operands = Run(Arc::new(Mutex::new(operands.peekable())));
    Ok(Box::new(Mixed { operands, options, inside: Box::new(std::iter::empty()) }))
}

/// What is below one operand.
pub(crate) fn walk_one(operand: &[u8], options: WalkOptions) -> Entries {
    match is_location(operand) {
        true => stores::entries(operand, &options),
        false => Box::new(walk(std::iter::once(operand.into()), options)),
    }
}

struct Mixed {
    operands: Run,
    options: WalkOptions,
    /// What is below the operands at hand: one location, or the paths up to the next.
    inside: Entries,
}

/// The operands up to the next location.
#[derive(Clone)]
struct Run(Arc<Mutex<Peekable<Operands>>>);

impl Iterator for Run {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        self.0.lock().next_if(|operand| !is_location(operand))
    }
}

impl Run {
    /// The next operand, if it is a location; else none, and whether there is any.
    fn location(&self) -> (Option<Bytes>, bool) {
        let mut operands = self.0.lock();
        let location = operands.next_if(|operand| is_location(operand));
        let more = operands.peek().is_some();
        (location, more)
    }
}

impl Iterator for Mixed {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.inside.next() {
                return Some(found);
            }
            self.inside = match self.operands.location() {
                (Some(location), _) => stores::entries(&location, &self.options),
                (None, true) => Box::new(walk(self.operands.clone(), self.options.clone())),
                (None, false) => return None,
            };
        }
    }
}
