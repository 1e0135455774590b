//! Reads what disks hold: partition tables and file systems, down to the bytes of every file, deleted ones too.
//!
//! A [`Medium`] is anything with bytes at positions. [`volumes`] reads its partition table. [`file_system`] recognises and opens the file system on a
//! [`Medium`]; [`Walk`] yields each of its entries once, with its metadata and the places of its bytes
//! ([`Content`]).
//!
//! The content of a disk may have been made to mislead. Nothing here panics, runs without end, or takes more memory than
//! the limits that are stated beside it; what can't be read becomes the [`Problem`] of one entry, and the rest is read.
//!
//! All files of a disk:
//!
//! ```no_run
//! use hashmill_disk::{DeletedEntries, DiskContent, Limits, Medium, Range, Seekable, Walk, file_system, volumes};
//! use std::sync::Arc;
//!
//! let medium: Arc<dyn Medium> = Arc::new(Seekable::new(std::fs::File::open("disk.raw")?)?);
//! for partition in volumes(&medium)?.partitions {
//!     let range: Arc<dyn Medium> = Arc::new(Range::new(Arc::clone(&medium), partition.start, partition.size));
//!     let DiskContent::FileSystem(system) = file_system(&range)? else { continue };
//!     for entry in Walk::new(&*system, DeletedEntries::LeftOut, Limits::default()) {
//!         let path = String::from_utf8_lossy(&entry.path);
//!         match entry.node {
//!             Ok(node) => println!("p{}/{path}: {} bytes", partition.number, node.size),
//!             Err(problem) => println!("p{}/{path}: {problem}", partition.number),
//!         }
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`volumes`] finds no partitions where a file system has the whole medium; `examples/files.rs` looks for it there, too.
//!
//! This crate knows nothing of records or options, and has no `unsafe` code.

mod clusters;
mod code_page;
mod content;
mod exfat;
mod ext;
mod fat;
mod fields;
mod file_system;
mod foreign;
mod iso9660;
mod medium;
mod name;
mod ntfs;
mod problem;
mod registry;
mod runs;
mod volumes;

pub use code_page::code_page_437;
pub use content::{Coded, Content};
pub use file_system::info::{FileSystemInfo, FileSystemKind};
pub use file_system::node::{Allocation, Node, NodeKind, Recovery, Time, Times};
pub use file_system::walk::{Limits, Walk, WalkEntry};
pub use file_system::{DeletedEntries, DirectoryListing, FileSystem, Named};
pub use medium::{Medium, Range, Seekable};
pub use name::{utf16, utf16_le};
pub use problem::Problem;
pub use registry::{DiskContent, FILE_SYSTEMS, FileSystemFormat, Open, file_system, other_file_systems};
pub use runs::{ByteRun, ByteRuns};
pub use volumes::{Partition, Scheme, Volumes, volumes};
