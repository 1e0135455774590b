//! Whole operations as library calls: options are types, events and results are data.
//!
//! | Operation | Module |
//! |---|---|
//! | hash files, as records or into a manifest | [`hash`], continued by [`resume`], spared by [`reuse`] |
//! | compare files with manifests, folders with each other | [`audit`], [`check`], [`diff`] |
//! | files with the same, or with similar content | [`dupes`], [`similarity`] |
//! | sets of known digests | [`sets`], [`classify`] |
//! | one digest of a folder; models as OpenSSF signs them | [`tree`], [`model`] |
//! | bags | [`bagit`] |
//! | copies that are verified, in one read of their source | [`copy`](mod@copy) |
//! | rewrite manifests | [`convert`], [`merge`] |
//! | verify for years, and repair | `scrub` |
//! | a copy in a store, by what the store says; files of an image | `evidence`, `extract` |
//! | a device or file as an image | `acquire` |
//!
//! A caller meets a job (as [`HashJob`](hash::HashJob)) with a [`Selection`](hashmill_content::Selection) and
//! [`Resources`](hashmill_content::Resources), its events, its summary with an [`Account`](account::Account), and [`Error`]. Each
//! operation reports events to an observer. Its unfinished files are known by the [`RunFiles`](hashmill_output::RunFiles) in its
//! resources or its output, which remove them when the process ends early and take warnings about them. Operations with
//! different ones know nothing of each other.
//!
//! ```text
//!   one folder for each operation
//!        |          |
//!   resume, reuse   labels, run, case
//!        |          |
//!     manifest_writer, seen, notice
//!        |
//!   error, misfit, account, algorithms
//! ```
//!
//! Manifests are written safely: an output gets its name once it is complete, [`manifest_writer`] holds back pieces of files
//! that may still fail, and signatures and seals are of exactly the bytes that were written. A location in a store can
//! stand wherever a path is read or written. A feature that was not built (`images`, `sign`, `stores`, `tables`) is refused as a
//! [`Misfit`], or its absence is reported.
//!
//! The evidence of a store is judged here and not in `hashmill-evidence`, which knows only single objects: the comparison
//! is an audit with other means, and counts as one.
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
#[cfg(feature = "images")]
pub mod acquire;
mod algorithms;
pub mod audit;
pub mod bagit;
mod blocks;
pub mod case;
pub mod check;
pub mod classify;
pub mod convert;
pub mod copy;
pub mod diff;
pub mod dupes;
mod error;
#[cfg(feature = "stores")]
pub mod evidence;
#[cfg(feature = "images")]
pub mod extract;
pub mod hash;
pub mod labels;
pub mod manifest_writer;
mod media;
pub mod merge;
mod misfit;
pub mod model;
mod notice;
mod outer;
pub mod resume;
pub mod reuse;
pub mod run;
#[cfg(feature = "tables")]
pub mod scrub;
mod seen;
pub mod sets;
pub mod similarity;
pub mod tree;

pub use algorithms::Algorithms;
pub use error::Error;
pub use manifest_writer::SharedNames;
pub use misfit::Misfit;
pub use notice::Notice;
