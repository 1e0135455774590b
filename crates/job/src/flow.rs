//! Whether an operation goes on.

/// What the caller of an operation says to each of its events: to go on or to stop.
pub type Flow = std::ops::ControlFlow<()>;
