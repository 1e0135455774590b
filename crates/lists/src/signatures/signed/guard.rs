//! Verification of the signatures beside a list before an operation relies on it: a broken signature stops the
//! operation.

use super::beside;
use super::judge::{Judged, judge, signers};
use super::trusted::TrustFiles;
use crate::error::Error;
use crate::error::SignatureError;
use crate::history;
use crate::listing::{ListCopy, Listing};
use crate::signatures::name;
use hashmill_content::File as Tried;
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_manifest::Named;
use hashmill_manifest::format::{Hint, Opened};
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
    /// Whether needed signatures may be of digests that anybody can forge.
    pub allows_weak: bool,
    /// The access to stores with lists.
    pub stores: Stores,
}

impl Default for Guard {
    fn default() -> Guard {
        let trust = Some(TrustFiles::default().nobody());
        Guard { trust, needed: 0, allows_weak: false, stores: Stores::default() }
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
    /// If a signature is broken or can't be read, or there are fewer good ones than needed, or good ones are needed and prove
    /// nothing, because anybody can forge the digests of the list.
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
        let (listing, mut judged) = match &self.trust {
            Some(trust) if !signatures.is_empty() || self.needed > 0 => {
                let held =
                    ListCopy::copy(path, &self.stores).map_err(Error::at(Path::new(list), Tried::Read))?;
                self.verify(held, path, folder, signatures, trust)?
            }
            _ => (Listing::unsigned(path.as_os_str(), &self.stores).of_history(folder), Vec::new()),
        };
        if !stdin && self.trust.is_some() {
            judged.extend(name::openpgp(path).into_iter().map(Judged::openpgp));
        }
        Ok((listing, judged))
    }

    fn verify(
        &self,
        mut held: ListCopy,
        list: &Path,
        history: Option<&Path>,
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
        let looked = signed.then(|| held.look(Hint::from_name(name), history).ok()).flatten();
        let forgeable = looked.and_then(forgeable);
        if let Some(algorithm) = forgeable.filter(|_| needed > 0 && !self.allows_weak) {
            return Err(SignatureError::Forgeable { list: name.into(), algorithm: algorithm.name }.into());
        }
        let mut judged = judged;
        judged.iter_mut().for_each(|judged| judged.forgeable = forgeable.filter(|_| judged.is_good()));
        Ok((Listing::held(held, signed).of_history(history), judged))
    }
}

/// Returns an algorithm of a list by which alone a file has a digest, and that anybody can forge. Records that can't be
/// read are reported by whoever uses the list.
pub(super) fn forgeable(list: Opened<'_>) -> Option<&'static Algorithm> {
    list.reader.filter_map(Result::ok).find_map(|record| {
        let is_forgeable = |named: &Named| named.algorithm.class.is_forgeable();
        let first = record.digests.first().filter(|_| record.digests.iter().all(is_forgeable))?;
        Some(first.algorithm)
    })
}
