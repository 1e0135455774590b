//! Whole operations as library calls: options are types, events and results are data.
//!
//! * [`hash`] hashes the files that a [`Selection`](hashmill_content::Selection) finds, and gives records or writes a manifest of them.
//! * [`audit`] compares files with manifests.
//! * [`check`] checks the files that lists of digests name, and stores whose names are digests.
//! * [`bagit`] makes and verifies bags.
//! * [`classify`] classifies the records of a manifest by sets of known digests.
//! * [`convert`] writes a manifest in another format, and [`merge`] merges several manifests into one.
//! * [`diff`] compares two folders, two manifests, or one of each.
//! * [`dupes`] finds files with the same content.
//! * [`sealing`] seals manifests, and makes and verifies proofs.
//! * [`sets`] builds and inspects indexes of known digests, and looks lists of digests up in them.
//! * [`signatures`] signs files, and verifies signatures and time stamps.
//! * [`similarity`] makes similarity digests and finds similar files.
//! * [`model`] signs the files of a directory and verifies them, as OpenSSF model signing does.
//! * [`tree`] computes one digest of a directory, as other systems define it.
//!
//! Each operation reports events to an observer, and ends with a summary. Its unfinished files are known by the
//! [`RunFiles`](hashmill_output::RunFiles) in its resources or its output, which remove them when the process ends early and take warnings about
//! them. Operations with different ones know nothing of each other.
//!
//! All operations write manifests safely: [`output`](hashmill_content::output) gives a file its name once it is complete, [`manifest_writer`]
//! holds back pieces of files that may still fail, [`resume`] continues an interrupted run, and [`signatures`] and
//! [`sealing`] sign and seal exactly the bytes that were written.
//!
//! A location in a store (`stores`) can stand wherever a path is read or written.
//!
//! Asking for a Cargo feature that was not built (`images`, `sign`, `stores`) is refused as a [`Misfit`], or its
//! absence is reported.
//!
//! This crate knows nothing of options as text, terminals, exit codes or standard error.
//!
//! ```
//! use hashmill_job::hash::{HashEvent, HashJob};
//! use hashmill_content::Selection;
//! use hashmill_job::Algorithms;
//! use std::ops::ControlFlow;
//!
//! # let folder = std::env::temp_dir().join(format!("job-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! std::fs::write(folder.join("a.txt"), "abc")?;
//! let mut found = Vec::new();
//! let job = HashJob::new(Selection::from_paths([&folder]), Algorithms::named("md5,sha256")?);
//! let summary = job.run(&mut |event| {
//!     if let HashEvent::Hashed(record) = event {
//!         found.push(record.digests[0].digest.to_string());
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(found, ["900150983cd24fb0d6963f7d28e17f72"]);
//! assert_eq!(summary.stats.failed, 0);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(
    not(all(feature = "images", feature = "sign", feature = "stores", feature = "tables")),
    allow(dead_code, unused_imports, reason = "parts that a build lacks would use it")
)]

pub mod account;
mod algorithms;
pub mod audit;
pub mod bagit;
mod bare_names;
mod begun;
mod blocks;
pub mod case;
pub mod check;
pub mod classify;
pub mod companions;
pub mod convert;
pub mod diff;
mod digested;
pub mod dupes;
mod entries;
mod error;
#[cfg(feature = "stores")]
pub mod evidence;
#[cfg(feature = "images")]
pub mod extract;
mod file_state;
pub mod hash;
pub mod history;
pub mod kinds;
pub mod labels;
pub mod learn;
pub mod listed;
pub mod listing;
mod made;
pub mod manifest_writer;
pub mod merge;
mod misfit;
pub mod model;
mod notice;
mod outer;
mod paths;
pub mod resume;
pub mod reuse;
pub mod run;
#[cfg(feature = "tables")]
pub mod scrub;
pub mod sealing;
mod seen;
pub mod sets;
pub mod signatures;
pub mod similarity;
mod spelling;
mod spool;
mod states;
pub mod tree;
pub mod unsupported;

pub use algorithms::Algorithms;
pub use bare_names::SharedNames;
pub use error::Error;
pub use misfit::Misfit;
pub use notice::Notice;
