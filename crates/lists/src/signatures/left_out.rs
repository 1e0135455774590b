//! Signatures in a build that can't verify them: no key signs, and signatures beside a list are reported as not
//! verified.

use super::name;
use crate::kinds;
use hashmill_content::output::OutputKind;

/// The kind of files that are signatures of OpenSSH, minisign or sigstore, recognised by their beginning.
pub const SIGNATURE: OutputKind = OutputKind::Other("signature", |path| {
    kinds::has(path, &[b"-----BEGIN SSH SIGNATURE-----", b"untrusted comment: "]) || kinds::is_bundle(path)
});

/// A signing key; this build has none.
#[derive(Debug)]
pub enum Signer {}

/// Opening of lists with signatures beside them.
pub mod guard {
    use super::Signer;
    use super::name;
    use crate::error::Error;
    use crate::history;
    use crate::judged::Judged;
    use crate::listing::Listing;
    use hashmill_content::stores::Stores;
    use std::ffi::OsStr;
    use std::path::Path;

    /// A check that reports the signatures beside a list.
    #[derive(Debug, Default, Clone)]
    pub struct Guard {
        /// Whether signatures are not reported.
        pub ignores: bool,
        /// The access to stores with lists.
        pub stores: Stores,
    }

    impl Guard {
        /// Returns whether signatures are not even reported.
        pub fn is_ignoring(&self) -> bool {
            self.ignores
        }

        /// Returns itself: there are no keys to trust.
        #[must_use]
        pub fn trusting(self, _: &[Signer]) -> Guard {
            self
        }

        /// Returns whether a good signature is needed: no build without signatures can be asked for that.
        pub fn is_needed(&self) -> bool {
            false
        }

        /// Returns a list and the signatures beside it. `-` is standard input, which has no signatures.
        ///
        /// # Errors
        /// Never.
        pub fn pass(&self, list: &OsStr) -> Result<(Listing, Vec<Judged>), Error> {
            let chain = if list == "-" { None } else { history::chain_of(Path::new(list)) };
            let folder = chain.as_ref().map(|_| Path::new(list));
            let path = chain.as_deref().unwrap_or(Path::new(list));
            let beside = if self.ignores || list == "-" {
                Vec::new()
            } else {
                [name::all(path), name::openpgp(path)].concat()
            };
            let judged = beside.into_iter().map(|path| Judged { path }).collect();
            Ok((Listing::unsigned(path.as_os_str(), &self.stores).of_history(folder), judged))
        }
    }
}

/// Signing of outputs.
pub mod staged {
    use super::{Signer, name};
    use crate::error::Error;
    use hashmill_content::Misfit;
    use hashmill_content::output::{Output, WriteError};
    use std::path::{Path, PathBuf};

    /// Keys and the file that they will sign; this build has none.
    pub enum Signing {}

    /// Signatures that wait for their names; there are never any.
    #[derive(Default)]
    pub struct Staged(());

    impl Signing {
        /// Fails, as this build can't sign.
        ///
        /// # Errors
        /// [`Misfit::LeftOut`].
        pub fn prepare(_: Vec<Signer>, _: &Path) -> Result<Signing, Error> {
            Err(Misfit::LeftOut { what: "signatures", feature: "sign" }.into())
        }

        /// Does nothing: there is no value to call it with.
        ///
        /// # Errors
        /// Never.
        pub fn turn_to(&mut self, _: &Path) -> Result<(), Error> {
            match *self {}
        }

        /// Does nothing: there is no value to call it with.
        ///
        /// # Errors
        /// Never.
        pub fn stage(&mut self, _: &Output) -> Result<Staged, Error> {
            match *self {}
        }
    }

    impl Staged {
        /// Does nothing.
        ///
        /// # Errors
        /// Never.
        pub fn finish(self) -> Result<(), WriteError> {
            Ok(())
        }
    }

    /// Returns all signatures beside a file: this build can't find out which ones still fit.
    pub fn stale(file: &Path) -> Vec<PathBuf> {
        name::all(file)
    }
}
