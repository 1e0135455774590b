//! Lists that may be relied on: opened with the signatures beside them, with their histories and their seals.
//!
//! * [`Guard`](signatures::guard::Guard) opens a list as a [`Listing`](listing::Listing), and demands or reports signatures.
//! * [`history`] finds the lists that continue each other, [`companions`] the files that belong to a list.
//! * [`learn`] finds out which algorithm the digests of a list are by if nothing names it, and [`listed`] where the files
//!   lie that it names.
//! * [`entries`] holds the records of lists that don't fit into memory.
//! * [`signatures`] signs files and verifies signatures, [`sealing`] seals manifests and makes proofs.
//! * [`kinds`] recognises files that are lists and what belongs to them, so that nothing else is replaced.
//!
//! ```text
//!   sealing   companions   named    entries
//!         \    |     |       |
//!       signatures   |       |
//!          |    \    |       |
//!       listing  kinds       |
//!            \   |           |
//!            history      unsupported
//!                 \       /
//!               error, judged
//! ```
//!
//! This crate knows nothing of operations on files: of audits, comparisons and their verdicts.
#![cfg_attr(
    not(all(feature = "images", feature = "sign", feature = "stores", feature = "tables")),
    allow(dead_code, unused_imports, reason = "parts that a build lacks would use it")
)]

pub mod companions;
pub mod digested;
pub mod distinct;
pub mod entries;
mod error;
mod file_state;
pub mod history;
#[cfg_attr(not(feature = "sign"), path = "no_judged.rs")]
pub mod judged;
pub mod kinds;
pub mod listing;
pub mod made;
mod named;
pub mod sealing;
pub mod signatures;
mod signed_by;
pub mod unsupported;

pub use error::{Error, SIGNED_GUESS, SealError, SignatureError};
pub use named::{learn, listed, paths, spelling};
pub use signed_by::SignedBy;
