//! Why a manifest is not written anew.

use crate::shown::Shown;
use hashloom_digest::Algorithm;
use std::fmt;

/// Why a manifest is not written anew.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConvertError {
    /// The format names algorithms, and nothing says which one the digests of a manifest are of.
    Guessed {
        /// The manifest.
        manifest: Box<[u8]>,
        /// An algorithm that has digests of this length.
        likeliest: &'static Algorithm,
        /// The format.
        format: &'static str,
    },
    /// The format can't carry something, and to leave it out was not allowed.
    Lossy(Losses),
}

/// What of manifests a format can't carry. As text, a list of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Losses {
    /// The name of the format.
    pub format: &'static str,
    pub(crate) what: Vec<String>,
}

impl Losses {
    /// Whether nothing is lost.
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
            ConvertError::Lossy(losses) => write!(f, "the format {} can't carry {losses}", losses.format),
        }
    }
}

impl std::error::Error for ConvertError {}
