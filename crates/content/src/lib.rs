//! Where content lies, as one walk: files, what is inside of archives and images, objects of stores, and selections of
//! these. Outputs to stores go the same way back.
//!
//! * [`Selection`] is what was asked for: paths, lists of paths, filters, and what to look into ([`Inside`]). Opened with
//!   [`Resources`] it is one iterator of entries, which the engine reads.
//! * [`Stores`] is a job's access to object stores and web servers.
//! * [`output`] gives a destination its file or object.
//!
//! ```text
//!             selection
//!            /         \
//!       operands        |
//!      /        \       |
//!   archives - images   |        entries of what lies in other files
//!            \  |       |
//!          inside       |        file systems of a medium
//!              \        |
//!   wanted   imaging    |        opened images
//!       \      |       /
//!        entry   stores, output
//! ```
//!
//! This crate knows nothing of lists, verdicts and operations.
#![cfg_attr(
    not(all(feature = "images", feature = "stores")),
    allow(dead_code, unused_imports, reason = "parts that a build lacks would use it")
)]

pub mod archive_folder;
#[cfg(feature = "images")]
pub mod archives;
pub mod chosen;
pub mod entry;
pub mod error;
#[cfg(feature = "images")]
pub mod images;
#[cfg(feature = "images")]
pub mod imaging;
#[cfg(feature = "images")]
pub mod inside;
pub mod misfit;
pub mod operands;
pub mod output;
pub mod resources;
pub mod selection;
#[cfg_attr(not(feature = "stores"), path = "stores/left_out.rs")]
pub mod stores;
#[cfg_attr(target_os = "linux", path = "sys/linux.rs")]
#[cfg_attr(target_os = "macos", path = "sys/macos.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;
pub mod system;
pub mod wanted;
pub mod within;

pub use entry::facts::Coverage;
pub use error::{Error, File, FileError};
pub use misfit::{Misfit, NotOfImages};
pub use operands::archive_operand::not_looked_into;
pub use resources::Resources;
pub use selection::{Bytes, ListError, PathList, Selected, Selection, path_of};
pub use stores::Stores;
pub use wanted::{BackingFiles, Inside};
