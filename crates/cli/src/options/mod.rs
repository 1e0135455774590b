//! Options that several commands share. Nothing here knows a command: each command owns its other options.

pub mod algorithms;
pub mod case;
pub mod errors;
pub mod known;
pub mod report;
pub mod resources;
pub mod signatures;
pub mod sources;
pub mod values;
