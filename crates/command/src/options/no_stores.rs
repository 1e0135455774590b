//! Stand-in for options of object stores in builds without them.

use clap::Args;
use serde::Serialize;
use std::num::NonZeroU64;

/// No options.
#[derive(Debug, Default, Clone, Args)]
pub struct StoreOptions {}

/// No options.
#[derive(Debug, Default, Clone, Args)]
pub struct Stores {}

/// The names of these options: none.
pub const NAMES: &[&str] = &[];

/// Counts of requests, which never exist.
#[derive(Serialize)]
pub enum Requests {}

impl StoreOptions {
    /// Returns 0: stores take no memory.
    pub fn configure(&self, _memory: u64, _named: bool, _rate: Option<NonZeroU64>) -> u64 {
        0
    }
}

impl Stores {
    /// Returns 0: stores take no memory.
    pub fn configure(&self, _memory: u64, _named: bool, _rate: Option<NonZeroU64>) -> u64 {
        0
    }
}

/// Returns no counts.
pub fn requests() -> Option<Requests> {
    None
}

impl Requests {
    /// No options.
    pub fn text(&self) -> String {
        match *self {}
    }
}
