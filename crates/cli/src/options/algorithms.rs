//! `-c`: algorithms by their names.

pub use hashloom_job::Algorithms;

use hashloom_digest::{Algorithm, Unknown, find};

/// One algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Name(pub &'static Algorithm);

/// A comma-separated list of names.
///
/// # Errors
/// If no algorithm has one of the names.
pub fn algorithms(list: &str) -> Result<Algorithms, Unknown> {
    Algorithms::named(list)
}

/// One name.
///
/// # Errors
/// If no algorithm has it.
pub fn algorithm(name: &str) -> Result<Name, Unknown> {
    find(name).map(Name)
}
