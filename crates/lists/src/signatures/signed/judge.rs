//! Verification of the signatures of a file, one by one and together.

pub use crate::judged::{Judged, Worth};

use super::beside;
use crate::signatures::name::is_openpgp;
use hashmill_sign::{Message, Signature, SignatureVerdict, Trust};
use std::io;
use std::path::{Path, PathBuf};

/// Verifies signatures beside a file, which is read once for each hash that they need. The caller opened the file, and
/// so continues with the same bytes that were verified.
///
/// # Errors
/// If the file itself can't be read.
pub fn judge(message: &mut Message<'_>, signatures: Vec<PathBuf>, trust: &Trust) -> io::Result<Vec<Judged>> {
    judge_read(message, signatures, trust, beside::found)
}

/// Verifies signatures like [`judge`], if their names were typed.
///
/// # Errors
/// As [`judge`].
pub fn judge_typed(
    message: &mut Message<'_>,
    signatures: Vec<PathBuf>,
    trust: &Trust,
) -> io::Result<Vec<Judged>> {
    judge_read(message, signatures, trust, beside::read)
}

fn judge_read(
    message: &mut Message<'_>,
    signatures: Vec<PathBuf>,
    trust: &Trust,
    read: impl Fn(&Path, u64) -> io::Result<Vec<u8>>,
) -> io::Result<Vec<Judged>> {
    let judged = signatures.into_iter().map(|path| {
        let worth = match read(&path, Signature::LONGEST) {
            Err(error) => Worth::Unreadable(error),
            Ok(bytes) if is_openpgp(&bytes) => Worth::OpenPgp,
            Ok(bytes) => Worth::Verdict(match Signature::parse(&bytes) {
                Ok(signature) => trust.judge(&signature, message)?,
                Err(broken) => SignatureVerdict::Broken(broken),
            }),
        };
        Ok(Judged { path, worth, forgeable: None })
    });
    judged.collect()
}

/// Returns the number of different signers with good signatures by trusted keys.
pub fn signers(judged: &[Judged], trust: &Trust) -> usize {
    let good = judged.iter().filter_map(|judged| match &judged.worth {
        Worth::Verdict(SignatureVerdict::Good(good)) => Some(good),
        _ => None,
    });
    trust.signers(good)
}
