//! Gives a manifest away with some of its records hidden.

use super::files::SealedManifest;
use super::globs::Globs;
use crate::error::Error;
use crate::kinds;
use crate::output::{Output, OutputPath};
use hashloom_manifest::Record;
use hashloom_seal::redact::{self, Counts};
use std::path::Path;

/// Which records of a manifest are hidden.
#[derive(Debug, Clone)]
pub struct Redaction {
    /// The manifest that was sealed.
    pub sealed: SealedManifest,
    /// Where the redacted manifest is written: under this name only when it is whole.
    pub output: OutputPath,
    /// Only records whose path matches are shown; all, if there are no such globs.
    pub keep: Globs,
    /// Records whose path matches are hidden.
    pub hide: Globs,
}

/// A redacted manifest that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redacted {
    /// How many records it shows and hides.
    pub counts: Counts,
    /// Whether leaves have salts. Without them, whoever guesses a hidden record can confirm it.
    pub is_salted: bool,
}

impl Redaction {
    /// All records of this manifest, whose seal lies beside it.
    pub fn new(manifest: &Path, output: OutputPath) -> Redaction {
        let (keep, hide) = Default::default();
        Redaction { sealed: SealedManifest::new(manifest), output, keep, hide }
    }

    /// Writes the redacted manifest.
    ///
    /// # Errors
    /// [`SealError::Differs`](super::SealError::Differs) if the manifest is not the one that was sealed; others if it can't be read, or the
    /// redacted one not be written. Nothing of it stays then.
    pub fn run(&self) -> Result<Redacted, Error> {
        let (seal, secret) = self.sealed.read()?;
        self.sealed.options(&seal, secret.as_ref())?;
        let mut output = Output::file(&self.output, kinds::REDACTED)?;
        let mut hides = |record: &Record| self.hides(&record.path);
        let done = redact::redact(self.sealed.open()?, (&seal, secret.as_ref()), &mut hides, &mut output);
        if done.is_err() {
            output.discard();
        }
        let counts = done.map_err(self.sealed.failed())?;
        output.finish()?;
        Ok(Redacted { counts, is_salted: seal.is_salted() })
    }

    fn hides(&self, path: &[u8]) -> bool {
        let is_kept = self.keep.is_empty() || self.keep.match_any(path);
        !is_kept || self.hide.match_any(path)
    }
}
