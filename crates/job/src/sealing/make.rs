//! Seals a manifest that lies there.

use super::files::{
    SEAL, Stoppable, about, name, open_list, own_secret, read_seal, read_secret, unless_cancelled,
};
use super::{Sealed, beside, write};
use crate::error::{Error, SealError};
use crate::output::Output;
use hashloom_engine::Cancel;
use hashloom_seal::{ORIGIN, SealOptions, Secret, build};
use std::path::{Path, PathBuf};

/// Which manifest is sealed, and how.
#[derive(Debug, Clone)]
pub struct Job {
    /// The manifest, in any format.
    pub manifest: PathBuf,
    /// Where the seal is written; without it beside the manifest.
    pub output: Option<PathBuf>,
    /// Replaces whatever is there.
    pub force: bool,
    /// The algorithm of the tree: any cryptographic one of 256 bits or more.
    pub algorithm: &'static str,
    /// Who seals: a name that the seal begins with.
    pub origin: String,
    /// The seal of an older manifest that this one begins with. It says algorithm and origin.
    pub old: Option<PathBuf>,
    /// Every leaf is salted from the secret in this file, which is made if there is none.
    pub secret: Option<PathBuf>,
    /// Ends the job soon after it is set, with [`SealError::Interrupted`].
    pub cancel: Cancel,
}

impl Job {
    /// A seal by SHA-256 beside this manifest, without salts.
    pub fn new(manifest: &Path) -> Job {
        let (output, force, old, secret, cancel) = Default::default();
        let (algorithm, origin) = ("sha256", ORIGIN.into());
        Job { manifest: manifest.to_path_buf(), output, force, algorithm, origin, old, secret, cancel }
    }

    /// Seals.
    ///
    /// # Errors
    /// If the manifest can't be sealed or does not begin with the older one, or the seal can't be written.
    pub fn run(&self) -> Result<Sealed, Error> {
        let place = self.output.clone().unwrap_or_else(|| beside(&self.manifest));
        if let Some(old) = self.old.as_ref().filter(|old| is_same(old, &place)) {
            return Err(SealError::SameFile(name(old)).into());
        }
        let old = self.old.as_deref().map(read_seal).transpose()?;
        let secret = match (&self.secret, &old) {
            // The salts of an older seal come from a secret that there is.
            (Some(place), Some(_)) => Some(read_secret(place)?),
            (place, _) => place.as_deref().map(own_secret).transpose()?,
        };
        let options = match &old {
            Some(old) => old.successor(secret.as_ref()).map_err(SealError::Successor)?,
            None => self.options(secret.as_ref())?,
        };
        let built =
            build(Stoppable::of(open_list(&self.manifest)?, &self.cancel), &options, &mut |_, _| false);
        let seal = built.and_then(|built| {
            old.map_or(Ok(()), |old| old.check_beginning(built.earlier.as_ref())).map(|()| built.seal)
        });
        let seal = seal.map_err(about(&self.manifest)).map_err(unless_cancelled(&self.cancel))?;
        write(Output::typed_or((self.output.as_deref(), &place), self.force, SEAL)?, &seal)?;
        Ok(Sealed { place, seal })
    }

    /// How a manifest is sealed that goes on with no other.
    fn options<'a>(&self, secret: Option<&'a Secret>) -> Result<SealOptions<'a>, Error> {
        let options = SealOptions::by(self.algorithm).map_err(SealError::Algorithm)?;
        let salts = secret.map(Secret::salts).transpose().map_err(SealError::Random)?;
        Ok(SealOptions { origin: self.origin.as_str().into(), salts, ..options })
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
