//! Walks trees in a fixed order, filters entries, and reads files so that the caller knows for certain whether it got
//! all bytes of a file that did not change.
//!
//! This crate knows nothing of digests and records, and prints nothing.
//!
//! * [`walk`] yields a [`WalkItem`] for each entry: a file, a skip with its reason, or a failure. The order is that of the
//!   operands, and below each that of the bytes of the whole path. Where listing is slow, threads list ahead; the walk alone
//!   decides what is met.
//! * Entries below an operand are opened from the operand's directory, so that a link which is put there during the run
//!   leads nowhere.
//! * [`Reader`] reads an entry, or a content that the entry brings, and proves at its end that size, mtime and ctime are
//!   those at opening.
//! * [`Devices`] tells what an entry's device is made of, and with what [`Policy`] its files are read.
//!
//! ```
//! use hashmill_source::{Reader, Reading, WalkItem, WalkOptions, walk};
//!
//! # fn main() -> Result<(), hashmill_source::Error> {
//! let operands = [Box::from(b"src".as_slice())].into_iter();
//! let mut buffer = vec![0; 64 << 10];
//! for found in walk(operands, WalkOptions::default()) {
//!     let WalkItem::File(entry) = found else { continue };
//!     let mut reader = Reader::open(&entry, &Reading::default())?;
//!     let mut total = 0;
//!     loop {
//!         let read = reader.read(&mut buffer)?;
//!         total += read as u64;
//!         if read < buffer.len() {
//!             break;
//!         }
//!     }
//!     // Only now is it certain that these were all bytes, and that the file did not change.
//!     reader.finish(total)?;
//! }
//! # Ok(())
//! # }
//! ```

mod beneath;
mod content;
mod deadline;
mod device;
mod entry;
mod error;
mod fd_limit;
mod holes;
mod meta;
mod opening;
mod path;
mod read;
#[cfg_attr(target_os = "linux", path = "sys/linux/mod.rs")]
#[cfg_attr(target_os = "macos", path = "sys/macos/mod.rs")]
#[cfg_attr(windows, path = "sys/windows/mod.rs")]
mod sys;
mod walk;

/// Whether files of this system have attributes as Windows has them.
pub const HAS_ATTRIBUTES: bool = sys::HAS_ATTRIBUTES;

/// Whether files of this system may have streams beside their content.
pub const HAS_STREAMS: bool = sys::HAS_STREAMS;

/// Whether files of this system may have their content in a cloud.
pub const HAS_PLACEHOLDERS: bool = sys::HAS_PLACEHOLDERS;

pub use beneath::{OperandDirectory, meta_in, meta_of};
pub use content::{Bytes, EntryContent};
pub use device::{Block, Device, Devices, Medium, Policy, ReadOrder, tells_identities};
pub use entry::{Entry, Origin, WalkItem};
pub use error::{Error, InsideFailure, Problem};
pub use fd_limit::FdLimitWait;
pub use hashmill_mapped::Mapped;
pub use meta::skip::Skip;
pub use meta::{Identity, Meta, identity, mode};
pub use read::aligned::AlignedBytes;
pub use read::rate::Rate;
pub use read::reading::{BadBlocks, Io, MapFiles, Note, Notes, Reading};
pub use read::residency::Cached;
pub use read::settle::settled;
pub use read::stream::{Stdin, interrupt};
pub use read::{Reader, address_space_is_ample};
pub use walk::filter::{BadGlob, Filter, FilterBuilder, LetterCase};
pub use walk::ignore::IgnoreRules;
pub use walk::options::{Choice, LookAhead, WalkOptions};
pub use walk::parent_cache::ParentCache;
pub use walk::walk;
