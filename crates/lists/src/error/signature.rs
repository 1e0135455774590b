//! Errors of signatures.

use crate::judged::Judged;
use hashmill_terminal::Shown;
use std::fmt;

/// A list is signed, but nothing names the algorithm of its digests: anyone relying on the signature would rely on a guess.
pub const SIGNED_GUESS: &str = "it is signed, but nothing names the algorithm of its digests, and a guess is not enough; name it with -c";

/// An error of signatures that stops an operation.
#[derive(Debug)]
#[non_exhaustive]
pub enum SignatureError {
    /// A signature beside a list is broken, or can't be read.
    Broken(Box<Judged>),
    /// A list has too few good signatures.
    TooFew {
        /// The path of the list.
        list: Box<[u8]>,
        /// The number of different signers of good signatures.
        found: usize,
        /// The number of signers that are needed.
        needed: usize,
    },
    /// A list has enough good signatures, but of digests that anybody can forge.
    Forgeable {
        /// The path of the list.
        list: Box<[u8]>,
        /// The algorithm of such digests.
        algorithm: &'static str,
    },
    /// A signature is needed, but standard input has none beside it.
    Stdin,
    /// Something else exists at the path of a new signature.
    Taken {
        /// The path of the signature.
        path: Box<[u8]>,
        /// The file that is signed.
        file: Box<[u8]>,
    },
    /// Another signer's signature lies beside a manifest that is about to be replaced.
    Foreign(Box<[u8]>),
    /// A file of keys, signers, certificates or requests is not valid.
    Unusable {
        /// The path of the file.
        path: Box<[u8]>,
        /// The reason.
        why: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An agent has no key that can sign, has several, or does not answer.
    Agent(Box<dyn std::error::Error + Send + Sync>),
    /// Neither a key nor a time stamp was requested.
    Nothing,
    /// A key was given twice.
    SameKey,
    /// The number of outputs differs from the number of keys.
    Outputs,
    /// The namespace is empty.
    Namespace,
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignatureError::Broken(judged) => judged.fmt(f),
            SignatureError::TooFew { list, found, needed } => {
                let list = Shown(list);
                write!(f, "{list}: {found} of {needed} required good signatures by different signers")
            }
            SignatureError::Forgeable { list, algorithm } => write!(
                f,
                "{}: its signatures prove nothing: anybody can make other files with the same {algorithm} digests",
                Shown(list)
            ),
            SignatureError::Stdin => f.write_str("standard input has no signature beside it"),
            SignatureError::Taken { path, file } => {
                let (path, file) = (Shown(path), Shown(file));
                write!(f, "{path}: is there, and is not a signature of {file} as it is now; remove it")
            }
            SignatureError::Foreign(path) => write!(
                f,
                "{}: another signer's signature of the manifest that is to be replaced; move it away",
                Shown(path)
            ),
            SignatureError::Unusable { path, why } => write!(f, "{}: {why}", Shown(path)),
            SignatureError::Agent(why) => why.fmt(f),
            SignatureError::Nothing => f.write_str("neither a key nor a time stamp was asked for"),
            SignatureError::SameKey => f.write_str("the same key twice"),
            SignatureError::Outputs => f.write_str("one for each key is needed, or none"),
            SignatureError::Namespace => f.write_str("must not be empty"),
        }
    }
}

impl std::error::Error for SignatureError {}
