//! Sets of known digests, compiled to an index file and looked up exactly and in batches.
//!
//! This crate knows nothing of options, or how files are hashed.
//!
//! [`build`] compiles files (lists, manifests, the NSRL's RDS) to an index; [`Builder`] compiles records. [`Index`]
//! finds digests in one index; [`Sets`] queries several and joins their answers. `docs/known-format.md` describes the
//! format of the file.
//!
//! ```
//! use hashmill_digest::{find, hash};
//! use hashmill_known::{Category, Filter, Input, Strictness, BuildOptions, Sets, build};
//!
//! # let folder = std::env::temp_dir().join(format!("known-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let (list, set) = (folder.join("bad.txt"), folder.join("bad.hmk"));
//! std::fs::write(&list, "900150983cd24fb0d6963f7d28e17f72  abc\n")?;
//! let inputs = [Input::new(&list, Category::Bad)];
//! build(&set, &inputs, &BuildOptions::default(), Strictness::Strict, &mut |path, notice| {
//!     eprintln!("{}: {notice:?}", path.display());
//! })?;
//!
//! let sets = Sets::open(&[&set], Filter::default())?;
//! let digest = hash(find("md5")?, b"abc");
//! let answer = sets.query(&digest)?.expect("it is in the list");
//! assert_eq!(answer.category, Category::Bad);
//! assert_eq!(&*answer.set, "bad");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(
    not(feature = "tables"),
    allow(dead_code, unused_imports, reason = "databases alone use some of it")
)]

mod about;
mod build;
mod bytes;
mod checks;
mod classify;
mod detail;
mod error;
mod import;
mod index;
mod layout;
mod query;
mod table;

pub use about::{About, BuildInput, DigestCounts};
pub use build::{Annotation, BuildOptions, BuildProgress, Builder, DetailNumber};
pub use classify::Classifier;
pub use detail::{Category, Claim, Detail, InvalidCategory, Product};
pub use error::{Error, Why};
pub use import::{Input, LeftOutReason, Notice, Notices, Strictness, Taken, build};
pub use index::{Hit, Index};
pub use layout::VERSION;
pub use query::{Answer, Filter, Sets};
pub use table::SHORTEST;
