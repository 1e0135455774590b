//! Signatures in a build without them: no key signs, and those that lie beside a list are named as not looked at.

use super::name;
use crate::kinds;
use crate::output::Kind;

/// Signatures of OpenSSH, minisign and sigstore, by what they begin with.
pub const SIGNATURE: Kind = Kind::Other("signature", |path| {
    kinds::has(
        path,
        &[b"-----BEGIN SSH SIGNATURE-----", b"untrusted comment: ", b"application/vnd.dev.sigstore.bundle"],
    )
});

/// A key that signs: there is none.
#[derive(Debug)]
pub enum Signer {}

/// Signatures of lists.
pub mod judged {
    use crate::shown::Shown;
    use crate::signatures::signer::SignedBy;
    use std::fmt;
    use std::path::PathBuf;

    /// A signature that nobody looked at.
    #[derive(Debug)]
    pub struct Judged {
        /// Where it lies.
        pub path: PathBuf,
    }

    impl Judged {
        /// Returns who made it: nobody knows.
        pub fn signer(&self) -> Option<SignedBy> {
            None
        }
    }

    impl fmt::Display for Judged {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let path = Shown::path(&self.path);
            write!(f, "{path}: WARNING: not looked at: this build has no signatures (feature sign)")
        }
    }
}

/// Lists that are about to be relied on.
pub mod guard {
    use super::judged::Judged;
    use super::name;
    use crate::error::Error;
    use crate::history;
    use crate::listing::Listing;
    use std::ffi::OsStr;
    use std::path::Path;

    /// Names what lies beside a list.
    #[derive(Debug, Default, Clone)]
    pub struct Guard {
        /// Says nothing of it.
        pub ignores: bool,
    }

    impl Guard {
        /// A list, and the signatures beside it. `-` is standard input, which has nothing beside it.
        ///
        /// # Errors
        /// None.
        pub fn pass(&self, list: &OsStr) -> Result<(Listing, Vec<Judged>), Error> {
            let chain = if list == "-" { None } else { history::chain_of(Path::new(list)) };
            let folder = chain.as_ref().map(|_| Path::new(list));
            let path = chain.as_deref().unwrap_or(Path::new(list));
            let beside = if self.ignores || list == "-" { Vec::new() } else { name::all(path) };
            let judged = beside.into_iter().map(|path| Judged { path }).collect();
            Ok((Listing::unsigned(path.as_os_str()).of_history(folder), judged))
        }
    }
}

/// Signing what is written.
pub mod staged {
    use super::{Signer, name};
    use crate::error::Error;
    use crate::misfit::Misfit;
    use crate::output::{Output, WriteError};
    use std::path::{Path, PathBuf};

    /// Keys and the file that they will sign: there are none.
    pub enum Signing {}

    /// Signatures that wait for their names: always none.
    #[derive(Default)]
    pub struct Staged(());

    impl Signing {
        /// Nothing can be signed.
        ///
        /// # Errors
        /// [`Misfit::LeftOut`].
        pub fn prepare(_: Vec<Signer>, _: &Path) -> Result<Signing, Error> {
            Err(Misfit::LeftOut { what: "signatures", feature: "sign" }.into())
        }

        /// Nothing is signed.
        ///
        /// # Errors
        /// None.
        pub fn stage(&mut self, _: &Output) -> Result<Staged, Error> {
            match *self {}
        }
    }

    impl Staged {
        /// Nothing gets a name.
        ///
        /// # Errors
        /// None.
        pub fn finish(self) -> Result<(), WriteError> {
            Ok(())
        }
    }

    /// Signatures of what was there before: whether one still fits can't be told, so each counts.
    pub fn stale(file: &Path) -> Vec<PathBuf> {
        name::all(file)
    }
}
