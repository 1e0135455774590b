//! Verification of the signatures of a file, one by one and together.

pub use super::judged::{Judged, Worth};

use super::beside;
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

/// Returns whether bytes look like a detached signature of OpenPGP: it begins with a signature packet, in the old or
/// new form (RFC 9580, 4.2), or with its own armour.
fn is_openpgp(bytes: &[u8]) -> bool {
    matches!(bytes, [0x88 | 0x89 | 0x8a | 0xc2, ..]) || bytes.starts_with(b"-----BEGIN PGP SIGNATURE-----")
}
