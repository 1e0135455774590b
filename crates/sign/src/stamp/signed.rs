//! The signature of a time stamp: CMS SignedData by one signer, over attributes that name the content and the
//! certificate. Everything outside the signature is checked to be the only thing that could stand there, so
//! that no bit of a stamp can be changed unseen.

use super::asn1::{
    CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2, SignedData,
    SigningCertificate, TST_INFO, hash, plain,
};
use crate::{Broken, Hash};
use cms::content_info::CmsVersion;
use cms::signed_data::{SignerIdentifier, SignerInfo};
use der::asn1::{Any, ObjectIdentifier, OctetString};
use der::{Decode, Encode};
use ring::digest;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use webpki::{EndEntityCert, ring as algorithms};
use x509_cert::Certificate;
use x509_cert::attr::Attributes;
use x509_cert::ext::pkix::SubjectKeyIdentifier;

/// The most certificates in a stamp: chains are of three or four, and the work of sorting them out grows fast.
const MOST: usize = 32;

/// What is signed, and by which of the certificates.
#[derive(Debug, Clone)]
pub(super) struct Signed {
    /// The content: a TSTInfo.
    pub content: Vec<u8>,
    /// All certificates in the stamp.
    pub certificates: Vec<CertificateDer<'static>>,
    /// The signer's among them.
    pub signer: usize,
}

/// Reads and verifies a SignedData: afterwards the content is what the signer's certificate signed. Whether
/// that certificate is to be trusted is another question.
pub(super) fn verify(bytes: &[u8]) -> Result<Signed, Broken> {
    let data = SignedData::from_der(bytes).map_err(Broken::malformed)?;
    let info = only_signer(&data)?;
    let content = data.content.econtent.as_ref().ok_or_else(|| Broken::malformed("it has no content"))?;
    let content = content.decode_as::<OctetString>().map_err(Broken::malformed)?.into_bytes();
    let certificates = certificates(&data)?;
    let signer = signer(info, &certificates)?;
    let attributes = info.signed_attrs.as_ref().ok_or_else(|| Broken::malformed("no signed attributes"))?;
    let digest = hash(&info.digest_alg)?;
    check(attributes, &digest.of(&content), &certificates[signer])?;
    // Signed is the set of attributes with the tag of a set, not the one that it has in its place.
    let message = attributes.to_der().map_err(Broken::malformed)?;
    signature(info, digest, &message, &certificates[signer])?;
    Ok(Signed { content, certificates, signer })
}

/// The one signer, of data that has nothing else in it.
fn only_signer(data: &SignedData) -> Result<&SignerInfo, Broken> {
    let [info] = data.signers.as_slice() else {
        return Err(Broken::malformed("a time stamp has exactly one signer"));
    };
    let version = match info.sid {
        SignerIdentifier::IssuerAndSerialNumber(_) => CmsVersion::V1,
        SignerIdentifier::SubjectKeyIdentifier(_) => CmsVersion::V3,
    };
    let as_should = data.version == CmsVersion::V3
        && info.version == version
        && data.content.econtent_type == TST_INFO
        && data.digest_algorithms.as_slice() == [info.digest_alg.clone()];
    if !as_should {
        return Err(Broken::malformed("it is not signed as a time stamp is"));
    }
    if info.unsigned_attrs.is_some() || data.crls.is_some() {
        return Err(Broken::Unsupported("unsigned attributes and revocation lists in a time stamp".into()));
    }
    Ok(info)
}

fn certificates(data: &SignedData) -> Result<Vec<CertificateDer<'static>>, Broken> {
    let all = data.certificates.iter().flat_map(|certificates| certificates.iter());
    if all.clone().count() > MOST {
        return Err(Broken::Unsupported(format!("more than {MOST} certificates in a time stamp")));
    }
    let bytes = |certificate: &Any| certificate.to_der().map(CertificateDer::from).map_err(Broken::malformed);
    all.map(bytes).collect()
}

/// Which certificate the signer's identifier means.
fn signer(info: &SignerInfo, certificates: &[CertificateDer<'static>]) -> Result<usize, Broken> {
    let means = |bytes: &CertificateDer<'_>| {
        let Ok(certificate) = Certificate::from_der(bytes) else { return false };
        let certificate = certificate.tbs_certificate;
        match &info.sid {
            SignerIdentifier::IssuerAndSerialNumber(id) => {
                id.issuer == certificate.issuer && id.serial_number == certificate.serial_number
            }
            SignerIdentifier::SubjectKeyIdentifier(id) => certificate
                .get::<SubjectKeyIdentifier>()
                .is_ok_and(|found| found.is_some_and(|(_, found)| found == *id)),
        }
    };
    certificates.iter().position(means).ok_or_else(|| {
        Broken::Certificate("its signer's certificate is not in it: ask the authority to include it".into())
    })
}

/// The attributes that must be there: of this content, signed with this certificate.
fn check(attributes: &Attributes, digest: &[u8], certificate: &[u8]) -> Result<(), Broken> {
    let kind: ObjectIdentifier = attribute(attributes, CONTENT_TYPE)?;
    let found: OctetString = attribute(attributes, MESSAGE_DIGEST)?;
    if kind != TST_INFO || found.as_bytes() != digest {
        return Err(Broken::Signature);
    }
    let mut named = false;
    for (kind, is_new) in [(SIGNING_CERTIFICATE, false), (SIGNING_CERTIFICATE_V2, true)] {
        if attributes.iter().any(|attribute| attribute.oid == kind) {
            named_by(&attribute(attributes, kind)?, is_new, certificate)?;
            named = true;
        }
    }
    if named { Ok(()) } else { Err(Broken::malformed("it does not name its certificate")) }
}

/// Whether the first certificate that is named is this one.
fn named_by(names: &SigningCertificate, is_new: bool, certificate: &[u8]) -> Result<(), Broken> {
    let [first, ..] = names.certificates.as_slice() else {
        return Err(Broken::malformed("it does not name its certificate"));
    };
    let found = match &first.algorithm {
        Some(algorithm) if is_new => hash(algorithm)?.of(certificate),
        None if is_new => Hash::Sha256.of(certificate),
        // Only picks the certificate; what is trusted does not hang on it.
        _ => digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, certificate).as_ref().to_vec(),
    };
    if first.hash.as_bytes() == found { Ok(()) } else { Err(Broken::Signature) }
}

/// The only value of the only attribute of a kind.
fn attribute<T: for<'a> Decode<'a>>(attributes: &Attributes, kind: ObjectIdentifier) -> Result<T, Broken> {
    let mut all = attributes.iter().filter(|attribute| attribute.oid == kind);
    let wrong = || Broken::malformed(format_args!("not one attribute {kind} with one value"));
    let (Some(attribute), None) = (all.next(), all.next()) else { return Err(wrong()) };
    let [value] = attribute.values.as_slice() else { return Err(wrong()) };
    let bytes = value.to_der().map_err(Broken::malformed)?;
    T::from_der(&bytes).map_err(Broken::malformed)
}

fn signature(
    info: &SignerInfo,
    digest: Hash,
    message: &[u8],
    certificate: &CertificateDer<'static>,
) -> Result<(), Broken> {
    let kinds = kinds(info, digest)?;
    let signer = EndEntityCert::try_from(certificate);
    let signer = signer.map_err(|error| Broken::Certificate(error.to_string()))?;
    let mut unsupported = true;
    for kind in kinds {
        match signer.verify_signature(*kind, message, info.signature.as_bytes()) {
            Ok(()) => return Ok(()),
            Err(webpki::Error::UnsupportedSignatureAlgorithmForPublicKeyContext(_)) => {}
            Err(_) => unsupported = false,
        }
    }
    if unsupported {
        let kind = info.signature_algorithm.oid;
        return Err(Broken::Unsupported(format!("signatures of the kind {kind} with this key and hash")));
    }
    Err(Broken::Signature)
}

type Kinds = &'static [&'static dyn SignatureVerificationAlgorithm];

/// Identifiers of signatures, the hash that goes with each (any, where the identifier names none), and what the
/// signature may be: which of these it is, the key tells.
static KINDS: &[(&str, Option<Hash>, Kinds)] = &[
    (RSA, Some(Hash::Sha256), &[algorithms::RSA_PKCS1_2048_8192_SHA256]),
    (RSA, Some(Hash::Sha384), &[algorithms::RSA_PKCS1_2048_8192_SHA384]),
    (RSA, Some(Hash::Sha512), &[algorithms::RSA_PKCS1_2048_8192_SHA512]),
    ("1.2.840.113549.1.1.11", Some(Hash::Sha256), &[algorithms::RSA_PKCS1_2048_8192_SHA256]),
    ("1.2.840.113549.1.1.12", Some(Hash::Sha384), &[algorithms::RSA_PKCS1_2048_8192_SHA384]),
    ("1.2.840.113549.1.1.13", Some(Hash::Sha512), &[algorithms::RSA_PKCS1_2048_8192_SHA512]),
    (
        "1.2.840.10045.4.3.2",
        Some(Hash::Sha256),
        &[algorithms::ECDSA_P256_SHA256, algorithms::ECDSA_P384_SHA256],
    ),
    (
        "1.2.840.10045.4.3.3",
        Some(Hash::Sha384),
        &[algorithms::ECDSA_P256_SHA384, algorithms::ECDSA_P384_SHA384],
    ),
    ("1.3.101.112", None, &[algorithms::ED25519]),
];

/// RSA, the hash named apart.
const RSA: &str = "1.2.840.113549.1.1.1";

fn kinds(info: &SignerInfo, digest: Hash) -> Result<Kinds, Broken> {
    let algorithm = &info.signature_algorithm;
    let oid = algorithm.oid.to_string();
    let mut rows = KINDS.iter().filter(|(known, ..)| *known == oid && plain(algorithm)).peekable();
    if rows.peek().is_none() {
        return Err(Broken::Unsupported(format!("signatures of the kind {oid}")));
    }
    let fits = |(_, with, _): &&(&str, Option<Hash>, Kinds)| with.is_none_or(|with| with == digest);
    let row = rows.find(fits).ok_or_else(|| Broken::malformed("its two hash algorithms differ"))?;
    Ok(row.2)
}
