//! What the signatures of a file are worth, one by one and together.

use super::beside;
use crate::shown::Shown;
use hashloom_sign::{Broken, Message, Signature, Trust, Verdict};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// One signature.
#[derive(Debug)]
pub struct Judged {
    /// Where it lies.
    pub path: PathBuf,
    /// What it is worth.
    pub worth: Worth,
}

/// What a file beside is worth.
#[derive(Debug)]
pub enum Worth {
    /// It was looked at.
    Verdict(Verdict),
    /// It is a signature of OpenPGP, which often has the same name: not looked at.
    OpenPgp,
    /// It can't be read.
    Unreadable(io::Error),
}

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

impl Judged {
    /// Whether it is a signature and does not fit.
    pub fn is_broken(&self) -> bool {
        matches!(self.worth, Worth::Verdict(Verdict::Broken(_)))
    }

    /// Whether it can't be read.
    pub fn is_unreadable(&self) -> bool {
        matches!(self.worth, Worth::Unreadable(_))
    }
}

/// "M.sig: good signature by …".
impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worth = match &self.worth {
            Worth::Verdict(Verdict::Good(good)) => good.to_string(),
            Worth::Verdict(Verdict::Broken(Broken::Unsupported(what))) => {
                format!("UNSUPPORTED signature, which counts as none: {what}")
            }
            Worth::Verdict(Verdict::Broken(broken)) => format!("BROKEN signature: {broken}"),
            Worth::Verdict(Verdict::Unchecked(number)) => {
                format!("not checked: the public key {number} of minisign was not given")
            }
            Worth::OpenPgp => "not looked at: a signature of OpenPGP".into(),
            Worth::Unreadable(error) => format!("cannot read: {error}"),
        };
        write!(f, "{}: {}", Shown::path(&self.path), Shown(worth.as_bytes()))
    }
}

/// Detached signatures of OpenPGP begin with a signature packet, in its old or new form (RFC 9580, 4.2), or with
/// armour of their own.
fn is_openpgp(bytes: &[u8]) -> bool {
    matches!(bytes, [0x88 | 0x89 | 0x8a | 0xc2, ..]) || bytes.starts_with(b"-----BEGIN PGP SIGNATURE-----")
}
