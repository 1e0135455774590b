//! Helpers for the tests of several crates: reproducible random numbers, temporary folders, programs for comparison,
//! mutated seeds for parsers, and generated images, archives and lists.
//!
//! Only for tests: everything here panics on errors.

mod folder;
#[cfg(feature = "index")]
pub mod index;
mod missing;
pub mod mutate;
mod program;
mod random;
mod request;
#[cfg(feature = "samples")]
pub mod samples;
mod watch;

pub use folder::Folder;
pub use missing::{not_compared, not_possible};
pub use program::{
    all_installed, found, had_modules, installed, is_name, is_of_windows, is_root, named, path, preloadable,
    python, run, set_up, tested, this_program, vectors,
};
pub use random::{Random, cases, paint};
pub use request::Request;
