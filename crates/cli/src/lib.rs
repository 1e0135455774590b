//! hashmill as a library: hashes trees of files, audits them, checks lists of digests, and has all other operations of
//! the command.
//!
//! | call | does |
//! |---|---|
//! | [`hash::HashJob`], [`tree::TreeJob`], [`similarity::DigestsJob`] | digests of files, of directories, similarity digests |
//! | [`audit::AuditJob`], [`check::CheckJob`], [`diff::DiffJob`] | files against manifests, lists, or another folder |
//! | [`similarity::SimilarityJob`], [`similarity::compare`], [`dupes::DupesJob`] | similar files; equal files |
//! | [`check::store::StoreJob`] | stores whose names are digests |
//! | [`sets::Build`], [`sets::info`], [`sets::Query`], [`known::Sets`] | sets of known digests: build, show, query |
//! | [`labels::Labels`], [`classify::ClassifyJob`] | files and records, matched with sets of known digests |
//! | [`convert::ConvertJob`], [`merge::MergeJob`] | manifests in other formats; several manifests as one |
//! | [`imaging::info`], [`imaging::ImageVerification`], [`imaging::Export`] | forensic images (feature `images`) |
//! | [`signatures::sign::SignJob`], [`signatures::verify::VerifyJob`] | signatures and time stamps (feature `sign`) |
//! | [`sealing::SealJob`], [`sealing::verify`], [`sealing::prove`], [`sealing::verify_proof`] | seals and proofs |
//! | [`sealing::Redaction`], [`sealing::Roots`] | records hidden, two manifests or seals compared |
//! | [`sealing::outboard`] (feature `sign`) | any range of a large file, verified by its BLAKE3 digest |
//! | [`bagit`] | bags |
//! | [`command::run`] | everything, by the words of a command line |
//!
//! Options are structures with defaults. Events go to an observer, which returns whether to go on; setting a
//! [`Cancel`](engine::Cancel) from another thread also ends a job. Nothing is printed, and errors name the file.
//!
//! ```
//! use hashmill::audit::{self, Entry};
//! use hashmill::content::output::To;
//! use hashmill::hash::{HashEvent, HashJob, Manifest};
//! use hashmill::signatures::guard::Guard;
//! use hashmill::manifest::format::find_format;
//! use hashmill::{Algorithms, Selection};
//! use std::fs;
//! use std::ops::ControlFlow::Continue;
//!
//! # let place = std::env::temp_dir().join(format!("hashmill-doc-{}", std::process::id()));
//! # fs::create_dir_all(place.join("tree"))?;
//! # let (tree, list) = (place.join("tree"), place.join("list.jsonl"));
//! fs::write(tree.join("a.txt"), "abc")?;
//! fs::write(tree.join("b.txt"), "message digest")?;
//!
//! // Hash a folder: a record for each file, in the order of their paths.
//! let mut digests = Vec::new();
//! let job = HashJob::new(Selection::from_paths([&tree]), Algorithms::named("md5,blake3")?);
//! job.run(&mut |event| {
//!     match event {
//!         HashEvent::Hashed(record) => digests.push(record.digests[0].digest.to_string()),
//!         HashEvent::Failed(error, _) => eprintln!("{error}"),
//!         _ => {}
//!     }
//!     Continue(())
//! })?;
//! assert_eq!(digests, ["900150983cd24fb0d6963f7d28e17f72", "f96b697d7cb7938d525a2f31aaf161d0"]);
//!
//! // Write the same as a manifest, which gets its name when it is complete.
//! let job = HashJob::new(Selection::from_paths([&tree]), Algorithms::named("md5,blake3")?);
//! let format = find_format("jsonl").expect("a format that is built in");
//! job.write(Manifest::new(format, To::File(list.clone().into())), &mut |_| Continue(()))?;
//!
//! // Audit: compare the files with the manifest.
//! fs::write(tree.join("a.txt"), "changed")?;
//! let manifests = vec![(list.clone(), Guard::default().open(list.as_os_str(), &mut |_| ())?)];
//! let mut found = Vec::new();
//! let summary = audit::AuditJob::new(manifests, Some(Selection::from_paths([&tree]))).run(&mut |event| {
//!     if let audit::AuditEvent::Verdict(verdict, label) = event {
//!         found.push(Entry::from_verdict(verdict, label).category.to_string());
//!     }
//!     Continue(())
//! })?;
//! assert_eq!(found, ["changed", "matched"]);
//! assert!(summary.counted.differs());
//! # fs::remove_dir_all(&place)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub use hashmill_manifest as manifest;
pub use hashmill_objects as objects;
pub use hashmill_seal as seal;
#[cfg(feature = "sign")]
pub use hashmill_sign as sign;
pub use hashmill_similar as similar;
pub use hashmill_source as source;
