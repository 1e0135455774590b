//! The chain of an authority's certificate to a root that is trusted, at the time of the stamp.

use super::signed::Signed;
use super::time::unix;
use crate::ssh::Moment;
use crate::{Broken, Error};
use der::{Decode, Encode};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, TrustAnchor};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage, VerifiedPath, anchor_from_trusted_cert};
use x509_cert::Certificate;
use x509_cert::ext::pkix::ExtendedKeyUsage;

/// id-kp-timeStamping, 1.3.6.1.5.5.7.3.8.
const TIME_STAMPING: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 8];

/// Certificates that are trusted.
#[derive(Debug, Clone)]
pub struct Roots(Vec<CertificateDer<'static>>);

impl Roots {
    /// Reads a file of certificates (PEM).
    ///
    /// # Errors
    /// If it has none, or one that can't be used.
    pub fn parse(pem: &[u8]) -> Result<Roots, Error> {
        let all = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        let all = all.map_err(|error| Error::Roots(error.to_string()))?;
        if all.is_empty() {
            return Err(Error::Roots("there is no certificate in the file (PEM is wanted)".into()));
        }
        for (number, certificate) in all.iter().enumerate() {
            let usable = anchor_from_trusted_cert(certificate);
            usable.map_err(|error| Error::Roots(format!("certificate {}: {error}", number + 1)))?;
        }
        Ok(Roots(all))
    }
}

/// Verifies that the signer was one to trust at a time.
pub(super) fn verify(signed: &Signed, time: Moment, roots: &Roots) -> Result<(), Broken> {
    let signer = &signed.certificates[signed.signer];
    is_only_for_stamps(signer)?;
    let wrong = |error: webpki::Error| Broken::Certificate(why(&error, signed, time));
    let signer = EndEntityCert::try_from(signer).map_err(wrong)?;
    // Each root was tried when it was read.
    let anchors: Vec<TrustAnchor<'_>> =
        roots.0.iter().filter_map(|root| anchor_from_trusted_cert(root).ok()).collect();
    // The signer must say it, which was looked at above; those above it may say nothing.
    let usage = KeyUsage::required_if_present(TIME_STAMPING);
    let whole = |path: &VerifiedPath<'_>| is_valid(path.anchor(), roots, time);
    let path = signer.verify_for_usage(
        ALL_VERIFICATION_ALGS,
        &anchors,
        &signed.certificates,
        unix(time),
        usage,
        None,
        Some(&whole),
    );
    let path = path.map_err(wrong)?;
    let on_path = path.intermediate_certificates().map(|certificate| certificate.der().to_vec());
    let vouched: Vec<Vec<u8>> = on_path.chain(roots.0.iter().map(|root| root.to_vec())).collect();
    nothing_else(signed, vouched)
}

/// A stamp's certificate is for time stamps and nothing else, and must say so as a thing that can't be ignored
/// (RFC 3161, 2.3).
fn is_only_for_stamps(bytes: &[u8]) -> Result<(), Broken> {
    let certificate = Certificate::from_der(bytes).map_err(Broken::malformed)?;
    let usage = certificate.tbs_certificate.get::<ExtendedKeyUsage>().map_err(Broken::malformed)?;
    let good = usage.is_some_and(|(critical, usage)| {
        critical && usage.0.len() == 1 && usage.0[0].as_bytes() == TIME_STAMPING
    });
    if good {
        return Ok(());
    }
    let who = certificate.tbs_certificate.subject;
    Err(Broken::Certificate(format!(
        "the certificate of '{who}' is not one for time stamps (extendedKeyUsage critical, timeStamping alone)"
    )))
}

/// Whether the root that an anchor came from is valid at this time: the library takes anchors as eternal.
fn is_valid(anchor: &TrustAnchor<'_>, roots: &Roots, time: Moment) -> Result<(), webpki::Error> {
    let same =
        |root: &&CertificateDer<'_>| anchor_from_trusted_cert(root).is_ok_and(|other| other == *anchor);
    // A root that was renewed is there twice, with one key.
    let periods: Vec<Validity> = roots.0.iter().filter(same).filter_map(|root| Validity::of(root)).collect();
    match periods.iter().map(|period| period.until).max() {
        Some(until) if !periods.iter().any(|period| period.holds(time)) => {
            Err(webpki::Error::CertExpired { time: unix(time), not_after: unix(until) })
        }
        _ => Ok(()),
    }
}

/// Certificates that nobody needs could be changed unseen: each that is in a stamp must be a root, on the path,
/// or signed by one that is.
fn nothing_else(signed: &Signed, mut vouched: Vec<Vec<u8>>) -> Result<(), Broken> {
    let mut others: Vec<&CertificateDer<'_>> = signed.certificates.iter().collect();
    others.remove(signed.signer);
    others.retain(|other| vouched.iter().all(|known| **known != ***other));
    while !others.is_empty() {
        let Some(at) = others.iter().position(|other| vouched.iter().any(|by| is_signed_by(other, by)))
        else {
            let (who, _) = about(others[0]);
            return Err(Broken::Certificate(format!(
                "the certificate of '{who}' in it leads to none of the given roots; if it is sound, add its root to them"
            )));
        };
        vouched.push(others.remove(at).to_vec());
    }
    Ok(())
}

/// Whether the key of one certificate made the signature of another.
fn is_signed_by(bytes: &[u8], by: &[u8]) -> bool {
    let (Ok(certificate), Ok(by)) = (Certificate::from_der(bytes), Certificate::from_der(by)) else {
        return false;
    };
    let Ok(message) = certificate.tbs_certificate.to_der() else { return false };
    let (Some(key), Some(signature)) = (
        by.tbs_certificate.subject_public_key_info.subject_public_key.as_bytes(),
        certificate.signature.as_bytes(),
    ) else {
        return false;
    };
    let contents = |algorithm: &dyn Fn() -> der::Result<Vec<u8>>| algorithm().unwrap_or_default();
    let kind = contents(&|| certificate.signature_algorithm.to_der());
    let key_kind = contents(&|| by.tbs_certificate.subject_public_key_info.algorithm.to_der());
    certificate.tbs_certificate.issuer == by.tbs_certificate.subject
        && certificate.tbs_certificate.signature == certificate.signature_algorithm
        && ALL_VERIFICATION_ALGS.iter().any(|algorithm| {
            kind.ends_with(&algorithm.signature_alg_id())
                && key_kind.ends_with(&algorithm.public_key_alg_id())
                && algorithm.verify_signature(key, &message, signature).is_ok()
        })
}

struct Validity {
    from: Moment,
    until: Moment,
}

impl Validity {
    fn of(bytes: &[u8]) -> Option<Validity> {
        let validity = Certificate::from_der(bytes).ok()?.tbs_certificate.validity;
        let moment = |time: x509_cert::time::Time| {
            Moment::from_second(time.to_unix_duration().as_secs().try_into().ok()?).ok()
        };
        Some(Validity { from: moment(validity.not_before)?, until: moment(validity.not_after)? })
    }

    fn holds(&self, time: Moment) -> bool {
        (self.from..=self.until).contains(&time)
    }
}

/// Whose a certificate is, and until when it is valid.
pub(super) fn about(bytes: &[u8]) -> (String, Option<Moment>) {
    let who = Certificate::from_der(bytes).map(|certificate| certificate.tbs_certificate.subject.to_string());
    (who.unwrap_or_else(|_| "?".into()), Validity::of(bytes).map(|validity| validity.until))
}

/// What is wrong, with the names of those whom it is about.
fn why(error: &webpki::Error, signed: &Signed, time: Moment) -> String {
    let (who, _) = about(&signed.certificates[signed.signer]);
    match error {
        webpki::Error::CertExpired { .. } | webpki::Error::CertNotValidYet { .. } => {
            let outside = signed.certificates.iter().find_map(|bytes| {
                let validity = Validity::of(bytes).filter(|period| !period.holds(time))?;
                let (who, _) = about(bytes);
                Some(format!(
                    "the certificate of '{who}' was valid from {} to {}",
                    validity.from, validity.until
                ))
            });
            let outside = outside.unwrap_or_else(|| "the root was not valid then".into());
            format!("at the time that it states, {time}, its certificate was not valid: {outside}")
        }
        webpki::Error::UnknownIssuer => {
            let issuer = Certificate::from_der(&signed.certificates[signed.signer]);
            let issuer = issuer.map(|it| it.tbs_certificate.issuer.to_string()).unwrap_or_default();
            format!("a foreign certificate: '{who}', issued by '{issuer}', leads to none of the given roots")
        }
        other => format!("the certificate of '{who}': {other}"),
    }
}
