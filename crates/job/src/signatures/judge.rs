//! What the signatures of a file are worth, one by one and together.

pub use super::judged::{Judged, Worth};

use super::beside;
use hashloom_sign::{Message, Signature, Trust, Verdict};
use std::io;
use std::path::{Path, PathBuf};

/// Judges signatures that lie beside a file, which is read once for each hash that they need. It is the caller who
/// opened it: what was judged is what the caller goes on with.
///
/// # Errors
/// If the file itself can't be read.
pub fn judge(message: &mut Message<'_>, signatures: Vec<PathBuf>, trust: &Trust) -> io::Result<Vec<Judged>> {
    judge_read(message, signatures, trust, beside::found)
}

/// As [`judge`], for signatures whose names were typed.
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
                Err(broken) => Verdict::Broken(broken),
            }),
        };
        Ok(Judged { path, worth })
    });
    judged.collect()
}

/// By how many different signers there are good signatures that somebody vouches for.
pub fn signers(judged: &[Judged], trust: &Trust) -> usize {
    let good = judged.iter().filter_map(|judged| match &judged.worth {
        Worth::Verdict(Verdict::Good(good)) => Some(good),
        _ => None,
    });
    trust.signers(good)
}

/// Detached signatures of OpenPGP begin with a signature packet, in its old or new form (RFC 9580, 4.2), or with
/// armour of their own.
fn is_openpgp(bytes: &[u8]) -> bool {
    matches!(bytes, [0x88 | 0x89 | 0x8a | 0xc2, ..]) || bytes.starts_with(b"-----BEGIN PGP SIGNATURE-----")
}
