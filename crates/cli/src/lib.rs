//! hashmill as a library: hashes files and trees of files as fast as the machine allows, and verifies their contents.
//!
//! A file:
//!
//! ```
//! # let place = std::env::temp_dir().join(format!("hashmill-one-{}", std::process::id()));
//! # std::fs::write(&place, "abc")?;
//! # let path = &place;
//! let digest = hashmill::hash_file(path, hashmill::SHA256)?;
//! # assert!(digest.to_string().starts_with("ba7816bf"));
//! # std::fs::remove_file(place)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A folder, with several digests in one read; a file that can't be read is an error in its place:
//!
//! ```
//! # let place = std::env::temp_dir().join(format!("hashmill-five-{}", std::process::id()));
//! # std::fs::create_dir_all(&place)?;
//! # std::fs::write(place.join("a"), "abc")?;
//! # let folder = &place;
//! # let mut number = 0;
//! for file in hashmill::hash_folder(folder, &[hashmill::BLAKE3, hashmill::MD5]) {
//!     let file = file?;
//!     println!("{}  {}", file.digests[0].digest, file.path.display());
//! #   number += 1;
//! }
//! # assert_eq!(number, 1);
//! # std::fs::remove_dir_all(place)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A manifest, and later an audit of the folder:
//!
//! ```
//! # let place = std::env::temp_dir().join(format!("hashmill-ten-{}", std::process::id()));
//! # let (folder, manifest) = (place.join("photos"), place.join("photos.manifest"));
//! # std::fs::create_dir_all(&folder)?;
//! # std::fs::write(folder.join("a.jpg"), "abc")?;
//! let written = hashmill::write_manifest(&manifest, &folder, &[hashmill::BLAKE3])?;
//! assert!(written.is_fine());
//!
//! # std::fs::write(folder.join("a.jpg"), "changed")?;
//! let audit = hashmill::audit_folder(&folder, &manifest)?;
//! for file in &audit.differences {
//!     println!("{}: {}", file.path.display(), file.category);
//! }
//! if !audit.is_passed() {
//!     println!("{} differ; {}", audit.differences.len(), audit.problems.join("; "));
//! }
//! # assert!(!audit.is_passed());
//! # std::fs::remove_dir_all(place)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # All operations
//!
//! Behind these calls are jobs, which have all the options of the command:
//!
//! | type or call | does |
//! |---|---|
//! | [`hash::HashJob`], [`tree::TreeJob`], [`similarity::DigestsJob`] | digests of files, of directories, similarity digests |
//! | [`audit::AuditJob`], [`check::CheckJob`], [`diff::DiffJob`] | files against manifests, lists, or another folder |
//! | [`similarity::SimilarityJob`], [`similarity::compare`], [`dupes::DupesJob`] | similar files; equal files |
//! | [`check::store::StoreJob`] | stores whose names are digests |
//! | [`sets::Build`], [`sets::info`], [`sets::Query`], [`known::Sets`] | sets of known digests: build, show, query |
//! | [`labels::Labels`], [`classify::ClassifyJob`] | files and records, matched with sets of known digests |
//! | [`convert::ConvertJob`], [`merge::MergeJob`] | manifests in other formats; several manifests as one |
//! | `imaging::info`, `imaging::ImageVerification`, `imaging::Export` | forensic images (feature `images`) |
//! | [`lists::signatures::sign::SignJob`], [`lists::signatures::verify::VerifyJob`] | signatures and time stamps (feature `sign`) |
//! | [`lists::sealing::SealJob`], [`lists::sealing::verify`], [`lists::sealing::prove`], [`lists::sealing::verify_proof`] | seals and proofs |
//! | [`lists::sealing::Redaction`], [`lists::sealing::Roots`] | records hidden, two manifests or seals compared |
//! | `lists::sealing::outboard` (feature `sign`) | any range of a large file, verified by its BLAKE3 digest |
//! | [`bagit`] | bags |
//! | `command::run` (feature `command`) | everything, by the words of a command line |
//!
//! Options are structures with defaults ([`Selection`], [`Resources`]). Events go to an observer, which returns whether to go on;
//! setting a [`Cancel`](engine::Cancel) from another thread also ends a job. Each summary has an account ([`account::Account`]) of
//! all that was met. Nothing is printed, and errors name the file.
//!
//! # Features
//!
//! All are on by default. `command` is the program and needs packages for options and terminals; a library does without it:
//! `hashmill = { version = "0.1", default-features = false, features = ["images"] }`. `images`, `sign`, `stores`, `tables` and
//! `yara` are described in `docs/features.md`. Asking for a part that was not built is an error.

mod algorithms;
mod auditing;
mod failure;
mod hashing;

pub use algorithms::{BLAKE3, MD5, SHA1, SHA3_256, SHA256, SHA512, XXH128};
pub use auditing::{Difference, FolderAudit, audit_folder};
pub use failure::Failure;
pub use hashing::{HashedFile, HashedFiles, hash_file, hash_folder, write_manifest};

#[cfg(feature = "command")]
pub use hashmill_command as command;
#[cfg(feature = "images")]
pub use hashmill_content::imaging;
pub use hashmill_content::{BackingFiles, Inside, PathList, Resources, Selection, Stores};
pub use hashmill_job::*;

pub use hashmill_bag as bag;
pub use hashmill_content as content;
pub use hashmill_digest as digest;
pub use hashmill_engine as engine;
#[cfg(feature = "images")]
pub use hashmill_image as image;
pub use hashmill_known as known;
pub use hashmill_lists as lists;
pub use hashmill_manifest as manifest;
pub use hashmill_objects as objects;
#[cfg(feature = "yara")]
pub use hashmill_rules as rules;
pub use hashmill_seal as seal;
#[cfg(feature = "sign")]
pub use hashmill_sign as sign;
pub use hashmill_similar as similar;
pub use hashmill_source as source;
