//! One digest of a whole directory, as other systems define it. Each system is a row of [`SYSTEMS`].
//!
//! This crate does no I/O: the caller walks the directory, hashes its files with the system's algorithm
//! ([`System::files`]), and passes the entries to [`System::digest`].
//! It knows nothing of records or options.
//!
//! ```
//! use hashmill_digest::{find, hash};
//! use hashmill_tree::{Entry, EntryKind, Options, find_system};
//!
//! let dirhash = find_system("dirhash").unwrap();
//! let digest = hash(find(dirhash.files).unwrap(), b"abc");
//! let entries = [Entry { path: (*b"a").into(), kind: EntryKind::File { executable: false, digest } }];
//! let options = Options { prefix: "example@v1".into(), ..Options::default() };
//! assert!(dirhash.digest(&entries, &options).unwrap().starts_with("h1:"));
//! ```

mod dirhash;
mod entry;
mod error;
mod git;
pub mod model;
mod system;

pub use entry::{Entry, EntryKind};
pub use error::Error;
pub use system::{Executable, Links, Options, SYSTEMS, System, find_system};
