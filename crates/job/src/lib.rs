//! Whole operations as library calls: options are types, events and results are data.
//!
//! * [`hash`] hashes what a [`Selection`] finds, and gives records or writes a manifest of them.
//! * [`audit`] compares what is there with manifests.
//! * [`check`] checks the files that lists of digests name.
//! * [`bagit`] makes and verifies bags.
//! * [`classify`] says what the records of a manifest are known as.
//! * [`convert`] and [`merge`] write manifests anew: in another format, or several as one.
//! * [`diff`] compares two folders, two manifests, or one of each.
//! * [`dupes`] finds files with the same content.
//! * `imaging` says what forensic images hold, verifies them and writes their media.
//! * [`sealing`] seals manifests, and proves what was sealed.
//! * [`sets`] builds indexes of known digests, says what they hold, and looks lists of digests up.
//! * [`signatures`] signs files, and verifies signatures and time stamps.
//! * [`similarity`] makes similarity digests and finds similar files.
//! * [`model`] signs what is in a directory, and verifies it, as OpenSSF model signing does.
//! * [`tree`] makes one digest of a directory, as other systems define it.
//!
//! Each tells what happens through an observer, and ends with a summary. What an operation can't tell its caller
//! (a file of ours that can't be removed as the process ends) goes to [`on_warning`].
//!
//! Manifests are written safely, whoever writes them: [`output`] gives a file its name when it is whole,
//! [`manifest_writer`] holds back pieces of files that may still fail, [`resume`] goes on with what an interrupted run
//! left, [`signatures`] and [`sealing`] sign and seal the very bytes that were written.
//!
//! Wherever a path is read or written, so is a location in a store (`stores`).
//!
//! What a build leaves out by a feature of Cargo (`images`, `sign`, `stores`) is refused as a [`Misfit`], or said.
//!
//! This crate knows nothing of options as text, terminals, exit codes or standard error.
//!
//! ```
//! use hashloom_job::hash::{Event, Job};
//! use hashloom_job::{Algorithms, Selection};
//! use std::ops::ControlFlow;
//!
//! # let folder = std::env::temp_dir().join(format!("job-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! std::fs::write(folder.join("a.txt"), "abc")?;
//! let mut found = Vec::new();
//! let job = Job::new(Selection::of([&folder]), Algorithms::named("md5,sha256")?);
//! let summary = job.run(&mut |event| {
//!     if let Event::Hashed(record) = event {
//!         found.push(record.digests[0].digest.to_string());
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(found, ["900150983cd24fb0d6963f7d28e17f72"]);
//! assert_eq!(summary.stats.failed, 0);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod algorithms;
pub mod audit;
pub mod bagit;
mod bare_names;
pub mod case;
pub mod check;
pub mod classify;
pub mod companions;
pub mod convert;
mod counting;
pub mod diff;
mod digested;
pub mod dupes;
mod error;
mod flow;
pub mod hash;
pub mod history;
#[cfg(feature = "images")]
pub mod images;
#[cfg(not(feature = "images"))]
#[path = "no_images.rs"]
mod images;
#[cfg(feature = "images")]
pub mod imaging;
pub mod kinds;
pub mod labels;
pub mod learn;
pub mod listed;
pub mod listing;
mod location;
mod made;
pub mod manifest_writer;
pub mod merge;
mod misfit;
mod mixed;
pub mod model;
mod notice;
pub mod output;
pub mod own;
mod paths;
#[cfg(feature = "stores")]
pub mod proof;
#[cfg(feature = "stores")]
pub mod remotes;
mod replace;
mod resources;
pub mod resume;
pub mod run;
pub mod sealing;
mod seen;
mod selection;
pub mod sets;
mod shown;
pub mod signatures;
pub mod similarity;
mod spool;
pub mod stated;
#[cfg(feature = "stores")]
pub mod stores;
#[cfg(not(feature = "stores"))]
#[path = "no_stores.rs"]
mod stores;
pub mod system;
pub mod tree;
mod unfinished;
pub mod unsupported;
mod warning;

pub use algorithms::Algorithms;
pub use bare_names::SharedNames;
pub use error::{Error, File};
pub use flow::{Entries, Flow};
pub use hashloom_terminal::without_numbers;
pub use location::{hinted, is_location, remote_hint, without_secrets};
pub use misfit::{Misfit, NotOfImages};
pub use notice::Notice;
pub use own::identity;
pub use resources::Resources;
pub use selection::{Bytes, ListError, PathList, Selected, Selection, below, path_of};
pub use shown::{Shown, add_path, count, hidden, path_b64, path_text};
pub use unfinished::{Identity, before_files, left, tidy};
pub use warning::{Warning, on_warning};
