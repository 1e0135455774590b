//! Audits against a manifest that is too long for memory.
//!
//! The manifest is copied into a temporary file in the order of its paths, and each file that is met is looked up there.
//! One in another order is copied in both, as verdicts have the order of the manifest. Of the files, only those that were
//! moved or copied are kept. Manifests that have digests without a named algorithm, pieces, repeated paths or signatures,
//! and several at a time, are read into memory.

mod blocks;
mod judge;
mod list;
#[cfg(test)]
mod tests;

pub(crate) use blocks::Blocks;
pub(super) use judge::StreamedJudge;
pub(super) use list::StreamedList;
