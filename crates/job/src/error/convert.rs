//! Errors of converting and merging manifests.

use hashmill_digest::Algorithm;
use hashmill_terminal::Shown;
use std::fmt;

/// An error of converting or merging manifests.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConvertError {
    /// The format names algorithms, but nothing names the algorithm of a manifest's digests.
    Guessed {
        /// The path of the manifest.
        manifest: Box<[u8]>,
        /// An algorithm that has digests of this length.
        likeliest: &'static Algorithm,
        /// The name of the format.
        format: &'static str,
    },
    /// The name of the output states another algorithm than that of the digests, which the format does not name.
    Misnamed {
        /// The path of the output.
        path: Box<[u8]>,
        /// The algorithm that it states.
        named: &'static str,
        /// An algorithm of the digests.
        other: &'static str,
    },
    /// The format can't represent something, and leaving it out was not allowed.
    Lossy(Losses),
}

/// The parts of manifests that a format can't represent. The text form lists them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Losses {
    /// The name of the format.
    pub format: &'static str,
    pub(crate) what: Vec<String>,
}

impl Losses {
    /// Returns whether nothing is lost.
    pub fn is_empty(&self) -> bool {
        self.what.is_empty()
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what.join(", "))
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Guessed { manifest, likeliest: Algorithm { name, bits, .. }, format } => {
                let manifest = Shown(manifest);
                write!(
                    f,
                    "{manifest}: nothing says which algorithm its digests of {bits} bits are of ({name}?), and the format {format} names it"
                )
            }
            ConvertError::Misnamed { path, named, other } => write!(
                f,
                "{}: the name says {named}, and there are digests by {other}, which readers would take for {named} (choose another name)",
                Shown(path)
            ),
            ConvertError::Lossy(losses) => write!(f, "the format {} can't carry {losses}", losses.format),
        }
    }
}

impl std::error::Error for ConvertError {}
