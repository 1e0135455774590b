//! Verification of the signatures beside a list before an operation relies on it: a broken signature stops the
//! operation.

use super::beside;
use super::judge::{Judged, judge, signers};
use super::trusted::TrustFiles;
use crate::error::SignatureError;
use crate::error::{Error, File as Tried};
use crate::history;
use crate::listing::{ListCopy, Listing};
use crate::stores::Stores;
use hashmill_os::names;
use hashmill_sign::{Message, Signer, Trust};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A check of the signatures beside a list before the list is used. The default one needs no signature and refuses
/// broken ones.
#[derive(Clone)]
pub struct Guard {
    /// The trusted signers; `None` means that no signature is verified.
    pub trust: Option<Trust>,
    /// Number of different signers that are needed.
    pub needed: usize,
    /// The access to stores with lists.
    pub stores: Stores,
}

impl Default for Guard {
    fn default() -> Guard {
        Guard { trust: Some(TrustFiles::default().nobody()), needed: 0, stores: Stores::default() }
    }
}

impl Guard {
    /// Returns whether signatures are not verified.
    pub fn is_ignoring(&self) -> bool {
        self.trust.is_none()
    }

    /// Adds these keys to the trusted ones, and needs a signature by one of them or of the others.
    pub fn trusting(mut self, signers: &[Signer]) -> Guard {
        if let Some(trust) = self.trust.as_mut().filter(|_| !signers.is_empty()) {
            trust.keys.extend(signers.iter().map(Signer::public));
            self.needed = self.needed.max(1);
        }
        self
    }

    /// Returns whether a good signature is needed.
    pub fn is_needed(&self) -> bool {
        self.needed > 0
    }

    /// Returns a list and the results of verifying the signatures beside it. `-` is standard input, which has no
    /// signatures. The bytes that were verified are those that the list returns, whatever happens to its file.
    ///
    /// # Errors
    /// If a signature is broken or can't be read, or there are fewer good ones than needed.
    pub fn pass(&self, list: &OsStr) -> Result<(Listing, Vec<Judged>), Error> {
        let stdin = list == "-";
        if stdin && self.needed > 0 {
            return Err(SignatureError::Stdin.into());
        }
        // The chain of a history is signed; it has the digests of all other parts.
        let chain = if stdin { None } else { history::chain_of(Path::new(list)) };
        let folder = chain.as_ref().map(|_| Path::new(list));
        let path = chain.as_deref().unwrap_or(Path::new(list));
        let signatures = if stdin { Vec::new() } else { beside::all(path) };
        match &self.trust {
            Some(trust) if !signatures.is_empty() || self.needed > 0 => {
                let held =
                    ListCopy::copy(path, &self.stores).map_err(Error::at(Path::new(list), Tried::Read))?;
                let (listing, judged) = self.verify((held, path), signatures, trust)?;
                Ok((listing.of_history(folder), judged))
            }
            _ => Ok((Listing::unsigned(path.as_os_str(), &self.stores).of_history(folder), Vec::new())),
        }
    }

    fn verify(
        &self,
        (mut held, list): (ListCopy, &Path),
        signatures: Vec<PathBuf>,
        trust: &Trust,
    ) -> Result<(Listing, Vec<Judged>), Error> {
        let name = &*names::path_bytes(list);
        let mut message = Message::new(held.bytes());
        let judged = judge(&mut message, signatures, trust).map_err(Error::file(name, Tried::Read))?;
        let (bad, judged): (Vec<_>, Vec<_>) =
            judged.into_iter().partition(|judged| judged.is_broken() || judged.is_unreadable());
        if let Some(bad) = bad.into_iter().next() {
            return Err(SignatureError::Broken(Box::new(bad)).into());
        }
        let (found, needed) = (signers(&judged, trust), self.needed);
        if found < needed {
            return Err(SignatureError::TooFew { list: name.into(), found, needed }.into());
        }
        let signed = judged.iter().any(Judged::is_good);
        Ok((Listing::held(held, signed), judged))
    }
}
