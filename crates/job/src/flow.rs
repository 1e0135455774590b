//! What goes through operations: entries in; the answer to each event, whether to go on.

use hashloom_source::Found;

/// Entries on their way from the walk to the engine.
pub type Entries = Box<dyn Iterator<Item = Found> + Send>;

/// What the caller of an operation says to each of its events: to go on or to stop.
pub type Flow = std::ops::ControlFlow<()>;
