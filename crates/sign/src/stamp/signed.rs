//! The signature of a time stamp: CMS SignedData with one signer, over attributes that bind the content and the
//! certificate. Bytes outside the signature must have their only valid value, so that every changed bit of a stamp is
//! detected.

use super::algorithms::{fits, is_for, is_known, of_stamps};
use super::asn1::{
    CONTENT_TYPE, CertificateId, IssuerAndNumber, IssuerSerial, MESSAGE_DIGEST, SIGNING_CERTIFICATE,
    SIGNING_CERTIFICATE_V2, SignedAttribute, SignedData, SignerInfo, SigningCertificate, TST_INFO, hash,
};
use super::certificate::Certificate;
use super::names::{self, GeneralName};
use crate::asn1::{AlgorithmId, elements};
use crate::broken::{NO_CONTENT, malformed, unsupported};
use crate::{Broken, Hash};
use der::asn1::{Any, ObjectIdentifier, OctetString};
use der::{Decode, Encode, Tag, Tagged};
use ring::digest;

/// The most certificates in a stamp: chains have three or four, and the cost of a search grows fast.
const MAX_CERTIFICATES: usize = 32;

/// The version of data with another content type than plain data, and of a signer that is named by its certificate.
const VERSIONS: (u8, u8) = (3, 1);

/// The signed content and the signer's certificate.
#[derive(Debug, Clone)]
pub(super) struct Signed {
    /// The content: a TSTInfo.
    pub content: Vec<u8>,
    /// All certificates in the stamp.
    pub certificates: Vec<Certificate>,
    /// The index of the signer's certificate.
    pub signer: usize,
    /// The certificates for verification, as named in the signature.
    named: Vec<CertificateRef>,
}

/// A reference to a certificate by its hash, and optionally its issuer and serial number.
#[derive(Debug, Clone)]
struct CertificateRef {
    hash: Vec<u8>,
    algorithm: Option<Hash>,
    issuer: Option<IssuerSerial>,
    /// Whether it refers to the signer's certificate.
    first: bool,
}

impl Signed {
    /// Returns the signer's certificate.
    pub fn certificate(&self) -> &Certificate {
        &self.certificates[self.signer]
    }

    /// Checks that a chain contains all certificates that the signature names.
    pub fn names_chain(&self, chain: &[&Certificate]) -> Result<(), Broken> {
        let there = |named: &CertificateRef| chain[1..].iter().any(|certificate| named.means(certificate));
        match self.named.iter().all(|named| named.first || there(named)) {
            true => Ok(()),
            false => Err(Broken::Certificate(
                "the signature names a certificate that its chain does not have".into(),
            )),
        }
    }
}

impl CertificateRef {
    fn means(&self, certificate: &Certificate) -> bool {
        let found = match self.algorithm {
            Some(hash) => hash.digest(&certificate.der),
            // SHA-1 only selects the certificate; trust does not depend on it.
            None => digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, &certificate.der).as_ref().to_vec(),
        };
        let by = |issuer: &IssuerSerial| match issuer.issuer.as_slice() {
            [GeneralName::Directory(name)] => {
                names::same(name, &certificate.issuer) && issuer.serial == certificate.serial
            }
            _ => false,
        };
        found == self.hash && self.issuer.as_ref().is_none_or(by)
    }
}

/// Parses and verifies a SignedData: on success the content was signed with the signer's certificate. Whether to trust
/// that certificate is a separate question.
pub(super) fn verify(bytes: &[u8]) -> Result<Signed, Broken> {
    let data = SignedData::from_der(bytes)?;
    let info = only_signer(&data)?;
    let content = data.content.content.as_ref().ok_or_else(|| malformed(NO_CONTENT))?;
    let content = content.decode_as::<OctetString>()?.into_bytes().to_vec();
    let certificates = certificates(&data)?;
    let signer = signer(&info, &certificates)?;
    let signed = info.signed.as_deref().ok_or_else(|| malformed("it has no signed attributes"))?;
    let digest = hash(&info.digest)?;
    let named = check(&elements(signed)?, &digest.digest(&content), &certificates[signer])?;
    // The signature covers the attributes with the tag of a set, not with the tag in the file.
    let message = Any::new(Tag::Set, signed)?.to_der()?;
    signature(&info, digest, &message, &certificates[signer])?;
    Ok(Signed { content, certificates, signer, named })
}

/// Returns the only signer, and checks that the data contain nothing else.
fn only_signer(data: &SignedData) -> Result<SignerInfo, Broken> {
    let Ok([info]) = <[SignerInfo; 1]>::try_from(elements::<SignerInfo>(&data.signers)?) else {
        return Err(malformed("a time stamp has exactly one signer"));
    };
    let as_should = (data.version, info.version) == VERSIONS
        && data.content.kind == TST_INFO
        && elements::<AlgorithmId>(&data.digest_algorithms)? == [info.digest.clone()];
    if !as_should {
        return Err(malformed("it is not signed like a time stamp"));
    }
    if info.unsigned.is_some() || data.crls.is_some() {
        return Err(unsupported("unsigned attributes and revocation lists in a time stamp"));
    }
    Ok(info)
}

fn certificates(data: &SignedData) -> Result<Vec<Certificate>, Broken> {
    let all: Vec<Any> = elements(data.certificates.as_deref().unwrap_or_default())?;
    if all.len() > MAX_CERTIFICATES {
        return Err(unsupported(format!("more than {MAX_CERTIFICATES} certificates in a time stamp")));
    }
    // A set has no element twice.
    if (1..all.len()).any(|at| all[..at].contains(&all[at])) {
        return Err(der::Error::from(Tag::Set.value_error()).into());
    }
    all.iter().map(|any| Certificate::parse(&any.to_der()?)).collect()
}

/// Returns the index of the certificate that the signer's identifier refers to.
fn signer(info: &SignerInfo, certificates: &[Certificate]) -> Result<usize, Broken> {
    if info.id.tag() != Tag::Sequence {
        return Err(unsupported("signers that are identified only by their key"));
    }
    let id: IssuerAndNumber = info.id.decode_as()?;
    let means = |certificate: &Certificate| {
        // Nothing covers the identifier, so only its exact form is accepted.
        id.issuer == certificate.issuer && id.serial == certificate.serial
    };
    certificates.iter().position(means).ok_or(Broken::Certificate(
        "its signer's certificate is not in it: ask the authority to include it".into(),
    ))
}

/// Checks the required attributes for this content and certificate. Returns all certificates that they name.
fn check(
    attributes: &[SignedAttribute],
    digest: &[u8],
    certificate: &Certificate,
) -> Result<Vec<CertificateRef>, Broken> {
    let kind: ObjectIdentifier = attribute(attributes, CONTENT_TYPE)?;
    let found: OctetString = attribute(attributes, MESSAGE_DIGEST)?;
    if kind != TST_INFO || found.as_bytes() != digest {
        return Err(Broken::Signature);
    }
    let mut all = Vec::new();
    for (kind, is_new) in [(SIGNING_CERTIFICATE, false), (SIGNING_CERTIFICATE_V2, true)] {
        if attributes.iter().any(|attribute| attribute.id == kind) {
            let names: SigningCertificate = attribute(attributes, kind)?;
            let own = names.certificates.into_iter().enumerate().map(|(at, id)| {
                let named = named(id, is_new)?;
                Ok(CertificateRef { first: at == 0, ..named })
            });
            let own = own.collect::<Result<Vec<_>, Broken>>()?;
            if !own.first().is_some_and(|first| first.means(certificate)) {
                return Err(Broken::Signature);
            }
            all.extend(own);
        }
    }
    if all.is_empty() { Err(malformed("it does not name its certificate")) } else { Ok(all) }
}

fn named(id: CertificateId, is_new: bool) -> Result<CertificateRef, Broken> {
    let algorithm = match &id.algorithm {
        Some(algorithm) if is_new => Some(hash(algorithm)?),
        Some(_) => return Err(malformed("it names its certificate in an unknown way")),
        None => is_new.then_some(Hash::Sha256),
    };
    Ok(CertificateRef {
        hash: id.hash.as_bytes().to_vec(),
        algorithm,
        issuer: id.issuer_serial,
        first: false,
    })
}

/// Returns the only value of the only attribute of a kind.
fn attribute<T: for<'a> Decode<'a, Error = der::Error>>(
    attributes: &[SignedAttribute],
    kind: ObjectIdentifier,
) -> Result<T, Broken> {
    let mut all = attributes.iter().filter(|attribute| attribute.id == kind);
    let wrong = || malformed(format!("expected one attribute {kind} with one value"));
    let (Some(attribute), None) = (all.next(), all.next()) else { return Err(wrong()) };
    let values: Vec<Any> = elements(&attribute.values)?;
    let [value] = values.as_slice() else { return Err(wrong()) };
    Ok(T::from_der(&value.to_der()?)?)
}

fn signature(
    info: &SignerInfo,
    digest: Hash,
    message: &[u8],
    certificate: &Certificate,
) -> Result<(), Broken> {
    let algorithm = &info.algorithm;
    let oid = algorithm.oid.to_string();
    if !is_known(&oid) || !algorithm.is_plain() {
        return Err(unsupported(format!("signatures of the kind {oid}")));
    }
    let kinds = of_stamps(&oid, digest).ok_or_else(|| malformed("its two hash algorithms differ"))?;
    let mut kinds = kinds.filter(|kind| is_for(&certificate.key, *kind)).peekable();
    if kinds.peek().is_none() {
        return Err(unsupported(format!("signatures of the kind {oid} with this key and hash")));
    }
    let good = kinds.any(|kind| fits(&certificate.key, kind, message, info.signature.as_bytes()));
    if good { Ok(()) } else { Err(Broken::Signature) }
}
