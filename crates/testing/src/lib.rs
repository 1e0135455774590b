//! What the tests of several crates share: random numbers that are the same everywhere, folders that go away, programs
//! to compare with, changed copies of seeds for parsers, and made-up images, archives and lists.
//!
//! For tests alone: everything here panics where something goes wrong.

mod folder;
#[cfg(feature = "index")]
pub mod index;
pub mod mutate;
mod program;
mod random;
#[cfg(feature = "samples")]
pub mod samples;
mod watch;

pub use folder::Folder;
pub use program::{installed, is_root, preloadable, run, this_program};
pub use random::{Random, paint, times};
