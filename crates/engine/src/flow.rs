//! The types that connect an operation with its surroundings: the entries that go in, and the observer's answer to each
//! event.

use crate::Cancel;
use hashmill_source::WalkItem;

/// Entries on their way from the walk to the engine.
pub type Entries = Box<dyn Iterator<Item = WalkItem> + Send>;

/// The observer's answer to an event: go on, or stop.
pub type Flow = std::ops::ControlFlow<()>;

/// Returns this item alone.
pub fn one(found: WalkItem) -> Entries {
    Box::new(std::iter::once(found))
}

/// Ends a run if its observer wants no more events.
pub fn heed(flow: Flow, cancel: &Cancel) {
    if flow.is_break() {
        cancel.set();
    }
}
