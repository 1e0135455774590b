//! Similarity digests of files: scores, similar pairs, searches and saved indexes.
//!
//! * [`DigestsJob`] makes the record of every file of a selection, with its similarity digests.
//! * [`SimilarityJob`] takes digests by one algorithm, of files or from lists, and finds similar ones:
//!   [`SimilarityJob::pairs`], [`SimilarityJob::between`], [`SimilarityJob::clusters`], [`SimilarityJob::search`]; or
//!   saves them: [`SimilarityJob::build`].
//! * [`compare`] and [`compare_digests`] compute the score of two files or digests.
//!
//! ```
//! use hashmill_content::Selection;
//! use hashmill_job::similarity::{PairOrder, SimilarityJob};
//! use hashmill_similar::find;
//! use std::ops::ControlFlow::Continue;
//!
//! # let folder = std::env::temp_dir().join(format!("similarity-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let text: String = (0..2000).map(|number| format!("line {number}\n")).collect();
//! std::fs::write(folder.join("a"), &text)?;
//! std::fs::write(folder.join("b"), text + "one more")?;
//! let mut scores = Vec::new();
//! let job = SimilarityJob::new(Selection::from_paths([&folder]), find("ssdeep").expect("it is built in"));
//! job.pairs(PairOrder::First, &mut |_| Continue(()), &mut |pair| {
//!     scores.push(pair.score);
//!     Continue(())
//! })?;
//! assert!(scores.len() == 1 && scores[0] > 90);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod event;
mod files;
mod index;
mod lists;
mod members;
mod named;
mod pairs;
mod search;

pub use compare::{Compared, compare, compare_digests};
pub use event::{Comparing, SimilarityEvent, SimilarityObserver, SimilaritySummary};
pub use files::DigestsJob;
pub use index::{IndexInfo, info};
pub use members::{Input, SimilarityJob};
pub use named::algorithm_of;
pub use pairs::{Cluster, Match, OnMatch, PairOrder, Side};
pub use search::literal;

pub use crate::error::SimilarityError;
