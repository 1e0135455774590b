//! The chain from an authority's certificate to a trusted root, at the time of the stamp.

use super::certificate::Certificate;
use super::names;
use super::signed::Signed;
use crate::error::text;
use crate::ssh::Moment;
use crate::{Broken, Error};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

/// The most certificates in a chain.
const LONGEST_CHAIN: usize = 10;
/// The most signatures that are verified during the search for a chain.
const PATIENCE: usize = 400;

/// Trusted certificates.
#[derive(Debug, Clone)]
pub struct Roots(Vec<Certificate>);

impl Roots {
    /// Reads a file of certificates (PEM).
    ///
    /// # Errors
    /// If it has none, or one that can't be used.
    pub fn parse(pem: &[u8]) -> Result<Roots, Error> {
        let all = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        let all = all.map_err(|error| Error::Roots(text(error)))?;
        if all.is_empty() {
            return Err(Error::Roots("there is no certificate in the file (expected PEM)".into()));
        }
        let read = |(der, number): (&CertificateDer<'_>, usize)| {
            let wrong = |source| Error::Roots(format!("certificate {number}: {source}").into());
            Certificate::parse(der).map_err(wrong)
        };
        Ok(Roots(all.iter().zip(1..).map(read).collect::<Result<_, _>>()?))
    }

    fn has(&self, certificate: &Certificate) -> bool {
        self.0.iter().any(|root| root.der == certificate.der)
    }
}

/// Verifies that the signer was trusted at a time.
pub(super) fn verify(signed: &Signed, time: Moment, roots: &Roots) -> Result<(), Broken> {
    let signer = signed.certificate();
    signer.check_purpose()?;
    let mut search = Search { signed, time, roots, left: PATIENCE, wrong: None };
    let mut chain = vec![signer];
    if !search.goes_on(&mut chain) {
        return Err(search.wrong.unwrap_or_else(|| no_root(signer)));
    }
    nothing_else(signed, chain, roots)
}

/// A search for chains, through all known issuers.
struct Search<'a> {
    signed: &'a Signed,
    time: Moment,
    roots: &'a Roots,
    /// The number of signatures that may still be verified.
    left: usize,
    /// The fault of the first chain that leads to a root.
    wrong: Option<Broken>,
}

impl<'a> Search<'a> {
    /// Extends a chain; returns whether it leads to a root and is sound. Then it is complete.
    fn goes_on(&mut self, chain: &mut Vec<&'a Certificate>) -> bool {
        let last = chain[chain.len() - 1];
        if last.is_root() {
            return self.roots.has(last) && self.is_sound(chain);
        }
        if chain.len() == LONGEST_CHAIN {
            return false;
        }
        for issuer in self.roots.0.iter().chain(&self.signed.certificates) {
            if self.left == 0 {
                return false;
            }
            if chain.iter().any(|other| other.der == issuer.der) {
                continue;
            }
            self.left -= 1;
            if last.is_issued_by(issuer) {
                chain.push(issuer);
                if self.goes_on(chain) {
                    return true;
                }
                chain.pop();
            }
        }
        false
    }

    fn is_sound(&mut self, chain: &[&Certificate]) -> bool {
        match sound(chain, self.time).and_then(|()| self.signed.names_chain(chain)) {
            Ok(()) => true,
            Err(why) => {
                self.wrong.get_or_insert(why);
                false
            }
        }
    }
}

/// Checks the rules for a chain (RFC 5280, 6.1), from the signer to the root.
fn sound(chain: &[&Certificate], time: Moment) -> Result<(), Broken> {
    let mut below = 0;
    for (at, certificate) in chain.iter().enumerate() {
        certificate.check_understood()?;
        if !certificate.holds(time) {
            return Err(not_valid(certificate, time));
        }
        if at > 0 {
            certificate.check_authority(below)?;
            below += usize::from(!certificate.is_self_issued());
        }
        if at == 0 || !certificate.is_self_issued() {
            let mut above = chain[at + 1..].iter();
            above.try_for_each(|by| names::are_allowed(certificate, by, at == 0))?;
        }
    }
    Ok(())
}

/// Checks that each certificate in a stamp is a root, on the path, or signed by such a one. Changes of other
/// certificates would not be detected.
fn nothing_else(signed: &Signed, chain: Vec<&Certificate>, roots: &Roots) -> Result<(), Broken> {
    let mut vouched: Vec<&Certificate> = chain.into_iter().chain(&roots.0).collect();
    let mut others: Vec<&Certificate> = signed.certificates.iter().collect();
    others.remove(signed.signer);
    others.retain(|other| vouched.iter().all(|known| known.der != other.der));
    while !others.is_empty() {
        let Some(at) = others.iter().position(|other| vouched.iter().any(|by| other.is_signed_by(by))) else {
            return Err(others[0]
                .unfit("in it leads to none of the given roots; if you trust it, add its root to them"));
        };
        vouched.push(others.remove(at));
    }
    Ok(())
}

fn not_valid(certificate: &Certificate, time: Moment) -> Broken {
    let Certificate { subject, from, until, .. } = certificate;
    let why = format!(
        "at the time that it states, {time}, its certificate was not valid: the certificate of '{subject}' was valid from {from} to {until}"
    );
    Broken::Certificate(why.into())
}

fn no_root(signer: &Certificate) -> Broken {
    let Certificate { subject, issuer, .. } = signer;
    let why = format!(
        "a foreign certificate: '{subject}', issued by '{issuer}', leads to none of the given roots (roots are self-signed)"
    );
    Broken::Certificate(why.into())
}
