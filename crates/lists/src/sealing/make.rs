//! Sealing of an existing manifest.

use super::files::{
    SEAL, Stoppable, about, name, open_list, own_secret, read_seal, read_secret, unless_cancelled,
};
use super::{Sealed, beside, write};
use crate::error::{Error, SealError};
use hashmill_content::output::{OutputPath, RunFiles, create_typed_or};
use hashmill_content::stores::Stores;
use hashmill_engine::Cancel;
use hashmill_os::names::canonical;
use hashmill_seal::{ORIGIN, Seal, SealOptions, Secret, build};
use std::path::{Path, PathBuf};

/// A manifest to seal, and the options.
#[derive(Debug, Clone)]
pub struct SealJob {
    /// The manifest, in any format.
    pub manifest: PathBuf,
    /// Path of the seal; `None` is beside the manifest.
    pub output: Option<OutputPath>,
    /// Whether an existing file is replaced in any case.
    pub force: bool,
    /// Algorithm of the tree: any cryptographic one of 256 bits or more.
    pub algorithm: &'static str,
    /// Name of the sealer, in the first line of the seal.
    pub origin: String,
    /// The seal of an older manifest that this one begins with. It determines algorithm and origin.
    pub old: Option<PathBuf>,
    /// File of the secret that every leaf is salted from; it is created if it does not exist.
    pub secret: Option<PathBuf>,
    /// The unfinished files of the job, and the receiver of warnings about files.
    pub files: RunFiles,
    /// The access to stores with manifests.
    pub stores: Stores,
    /// Ends the job soon after it is set, with [`SealError::Interrupted`].
    pub cancel: Cancel,
}

impl SealJob {
    /// Makes a job with SHA-256 and the seal beside this manifest, without salts.
    pub fn new(manifest: &Path) -> SealJob {
        let (output, force, old, secret) = Default::default();
        let (files, stores, cancel) = Default::default();
        let (algorithm, origin) = ("sha256", ORIGIN.into());
        let manifest = manifest.to_path_buf();
        SealJob { manifest, output, force, algorithm, origin, old, secret, files, stores, cancel }
    }

    /// Seals the manifest.
    ///
    /// # Errors
    /// If the manifest can't be sealed or does not begin with the older one, or the seal can't be written.
    pub fn run(&self) -> Result<Sealed, Error> {
        let place = self.output.as_ref().map_or_else(|| beside(&self.manifest), |typed| typed.path.clone());
        if let Some(old) = self.old.as_ref().filter(|old| is_same(old, &place)) {
            return Err(SealError::SameFile(name(old)).into());
        }
        let old = self.old.as_deref().map(read_seal).transpose()?;
        // Before a secret is made and the manifest is read.
        let stores = self.stores.clone();
        let beside = OutputPath { force: self.force, stores, ..OutputPath::new(&place, &self.files) };
        let output = create_typed_or(self.output.as_ref(), &beside, SEAL)?;
        let seal = self.seal(old)?;
        write(output, &seal)?;
        Ok(Sealed { place, seal })
    }

    /// Makes the seal, or that of a manifest that begins with an older one.
    fn seal(&self, old: Option<Seal>) -> Result<Seal, Error> {
        let secret = match (&self.secret, &old) {
            // The salts of an older seal come from an existing secret.
            (Some(place), Some(_)) => Some(read_secret(place, &self.files)?),
            (place, _) => place.as_deref().map(|place| own_secret(place, &self.files)).transpose()?,
        };
        let options = match &old {
            Some(old) => old.successor(secret.as_ref()).map_err(SealError::Successor)?,
            None => self.options(secret.as_ref())?,
        };
        let built = build(
            Stoppable::boxed(open_list(&self.manifest, &self.stores)?, &self.cancel),
            &options,
            &mut |_, _| false,
        );
        let seal = built.and_then(|built| {
            old.map_or(Ok(()), |old| old.check_beginning(built.earlier.as_ref())).map(|()| built.seal)
        });
        seal.map_err(about(&self.manifest)).map_err(unless_cancelled(&self.cancel))
    }

    /// Returns the options for a manifest that continues no other.
    fn options<'a>(&self, secret: Option<&'a Secret>) -> Result<SealOptions<'a>, Error> {
        let options = SealOptions::by(self.algorithm).map_err(SealError::Algorithm)?;
        let salts = secret.map(Secret::salts).transpose().map_err(SealError::Random)?;
        Ok(SealOptions { origin: self.origin.as_str().into(), salts, ..options })
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    canonical(one).is_ok_and(|one| canonical(other).is_ok_and(|other| one == other))
}
