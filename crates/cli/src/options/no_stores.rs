//! Object stores in a build that does not reach them: there are no options.

use clap::Args;
use serde::Serialize;
use std::num::NonZeroU64;

/// Nothing.
#[derive(Debug, Default, Clone, Args)]
pub struct Way {}

/// Nothing.
#[derive(Debug, Default, Clone, Args)]
pub struct Stores {}

/// There are none.
pub const NAMES: &[&str] = &[];

/// What can't be asked.
#[derive(Serialize)]
pub enum Requests {}

#[cfg(feature = "images")]
impl Way {
    /// Nothing takes memory.
    pub fn configure(&self, _memory: (u64, bool), _rate: Option<NonZeroU64>) -> u64 {
        0
    }
}

impl Stores {
    /// Nothing takes memory.
    pub fn configure(&self, _memory: (u64, bool), _rate: Option<NonZeroU64>) -> u64 {
        0
    }
}

/// None.
pub fn requests() -> Option<Requests> {
    None
}

impl Requests {
    /// Nothing.
    pub fn text(&self) -> String {
        match *self {}
    }
}
