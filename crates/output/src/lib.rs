//! Files that are written safely, and sorting of more than fits into memory.
//!
//! An [`Output`] is a file that appears under its name when it is complete, a stream, or something that goes to a
//! [`Destination`] elsewhere as a whole. Until then it is [`Unfinished`]: a new file that nobody else can change. The
//! unfinished files of a run are known by its [`RunFiles`], which removes them when the run is cut short, and takes
//! warnings about them. An existing file is only replaced by one of its own [`OutputKind`]; how a kind is recognised, the caller
//! says.
//!
//! ```text
//!   output ── replace        what may be replaced
//!      │
//!   batch ── unfinished ── run_files ── warning
//!   sort ── runs ── scratch  more than fits into memory
//! ```
//!
//! This crate knows no formats, records, stores or options.
//!
//! ```
//! use hashmill_output::{Output, OutputKind, LocalPath};
//! use std::io::Write;
//!
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("list");
//! let mut output = Output::file(&LocalPath::from(path.as_path()), OutputKind::Anything)?;
//! output.write_all(b"content")?;
//! assert!(!path.exists());
//! output.finish()?;
//! assert_eq!(std::fs::read(&path)?, b"content");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod output;
mod replace;
mod run_files;
pub mod runs;
pub mod scratch;
pub mod sort;
mod unfinished;
mod warning;

pub use batch::FileBatch;
pub use output::{Destination, Output, Screen, Tone, WriteError, replaces};
pub use replace::{ListKind, LocalPath, OutputKind};
pub use run_files::RunFiles;
pub use unfinished::{Unfinished, adopt, beside, directory, follow, sweep_all};
pub use warning::Warning;
