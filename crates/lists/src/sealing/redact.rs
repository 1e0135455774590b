//! Redaction: writing a manifest with some of its records hidden.

use super::files::SealedManifest;
use super::globs::Globs;
use crate::error::{Error, SealError};
use crate::kinds;
use hashmill_content::output::{OutputPath, create};
use hashmill_manifest::Record;
use hashmill_seal::redact::{self, Counts};
use std::path::Path;

/// A manifest to redact, and the records to hide.
#[derive(Debug, Clone)]
pub struct Redaction {
    /// The sealed manifest.
    pub sealed: SealedManifest,
    /// Path of the redacted manifest. It gets this name only when it is complete.
    pub output: OutputPath,
    /// Globs of records that are shown; if there are none, all are.
    pub keep: Globs,
    /// Globs of records that are hidden.
    pub hide: Globs,
}

/// A redacted manifest that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redacted {
    /// The numbers of shown and hidden records.
    pub counts: Counts,
    /// Whether leaves have salts. Without salts, a reader can confirm a guess of a hidden record.
    pub is_salted: bool,
}

impl Redaction {
    /// Makes a redaction that hides nothing of this manifest, with its seal beside it.
    pub fn new(manifest: &Path, output: OutputPath) -> Redaction {
        let (keep, hide) = Default::default();
        Redaction { sealed: SealedManifest::new(manifest), output, keep, hide }
    }

    /// Writes the redacted manifest.
    ///
    /// # Errors
    /// [`SealError::Differs`] if the manifest is not as it was sealed; others if it can't be read, a glob matches
    /// none of its records, or the redacted one can't be written. No partial manifest is left then.
    pub fn run(&self) -> Result<Redacted, Error> {
        let (seal, secret) = self.sealed.read()?;
        self.sealed.options(&seal, secret.as_ref())?;
        let mut output = create(&self.output, kinds::REDACTED)?;
        let mut unmatched: Vec<(&str, Globs)> = self.keep.each().chain(self.hide.each()).collect();
        let mut hides = |record: &Record| {
            unmatched.retain(|(_, glob)| !glob.match_any(&record.path));
            self.hides(&record.path)
        };
        let done = redact::redact(self.sealed.open()?, &seal, secret.as_ref(), &mut hides, &mut output);
        if done.is_err() || !unmatched.is_empty() {
            output.discard();
        }
        let counts = done.map_err(self.sealed.failed())?;
        if let Some((glob, _)) = unmatched.first() {
            return Err(SealError::NothingMatches((*glob).into()).into());
        }
        output.finish()?;
        Ok(Redacted { counts, is_salted: seal.is_salted() })
    }

    fn hides(&self, path: &[u8]) -> bool {
        let is_kept = self.keep.is_empty() || self.keep.match_any(path);
        !is_kept || self.hide.match_any(path)
    }
}
