//! Structures of RFC 3161, 5652 and 5035 that the libraries lack, or parse less exactly than needed here.

use crate::{Broken, Hash, Malformed, Unsupported};
use cms::content_info::CmsVersion;
use cms::signed_data::{EncapsulatedContentInfo, SignerInfo};
use der::asn1::{Any, Int, ObjectIdentifier, OctetString, SetOfVec};
use der::{Sequence, Tag, Tagged};
use x509_cert::ext::Extensions;
use x509_cert::ext::pkix::name::{GeneralName, GeneralNames};
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::AlgorithmIdentifierOwned;
use x509_tsp::{Accuracy, MessageImprint, TspVersion};

pub(super) const SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");
pub(super) const TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");
pub(super) const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
pub(super) const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
pub(super) const SIGNING_CERTIFICATE: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.12");
pub(super) const SIGNING_CERTIFICATE_V2: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.47");
const SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2");
const SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3");

/// TSTInfo, with a time that may have fractional seconds.
#[derive(Clone, Debug, Sequence)]
pub(super) struct TstInfo {
    pub version: TspVersion,
    pub policy: ObjectIdentifier,
    pub message_imprint: MessageImprint,
    pub serial_number: Int,
    pub gen_time: Any,
    #[asn1(optional = "true")]
    pub accuracy: Option<Accuracy>,
    #[asn1(default = "Default::default")]
    pub ordering: bool,
    #[asn1(optional = "true")]
    pub nonce: Option<Int>,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    pub tsa: Option<GeneralName>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    pub extensions: Option<Extensions>,
}

/// SignedData, with certificates as the original bytes.
#[derive(Clone, Debug, Sequence)]
pub(super) struct SignedData {
    pub version: CmsVersion,
    pub digest_algorithms: SetOfVec<AlgorithmIdentifierOwned>,
    pub content: EncapsulatedContentInfo,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub certificates: Option<SetOfVec<Any>>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub crls: Option<SetOfVec<Any>>,
    pub signers: SetOfVec<SignerInfo>,
}

/// SigningCertificate and SigningCertificateV2: the hashes of the certificates for verification.
#[derive(Clone, Debug, Sequence)]
pub(super) struct SigningCertificate {
    pub certificates: Vec<CertificateId>,
    #[asn1(optional = "true")]
    pub policies: Option<Any>,
}

/// ESSCertID and ESSCertIDv2.
#[derive(Clone, Debug, Sequence)]
pub(super) struct CertificateId {
    #[asn1(optional = "true")]
    pub algorithm: Option<AlgorithmIdentifierOwned>,
    pub hash: OctetString,
    #[asn1(optional = "true")]
    pub issuer_serial: Option<IssuerSerial>,
}

/// IssuerSerial: an issuer and a serial number.
#[derive(Clone, Debug, Sequence)]
pub(super) struct IssuerSerial {
    pub issuer: GeneralNames,
    pub serial: SerialNumber,
}

/// Returns the hash that an identifier refers to.
pub(super) fn hash(algorithm: &AlgorithmIdentifierOwned) -> Result<Hash, Broken> {
    if !plain(algorithm) {
        return Err(Malformed::Parameters(algorithm.oid).into());
    }
    match algorithm.oid {
        SHA256 => Ok(Hash::Sha256),
        SHA384 => Ok(Hash::Sha384),
        SHA512 => Ok(Hash::Sha512),
        other => Err(Unsupported::HashId(other).into()),
    }
}

/// Returns whether an identifier has no parameters, or the NULL that some programs write.
pub(super) fn plain(algorithm: &AlgorithmIdentifierOwned) -> bool {
    let empty = |any: &Any| any.tag() == Tag::Null && any.value().is_empty();
    algorithm.parameters.as_ref().is_none_or(empty)
}

/// Returns the identifier of SHA-256 for requests.
pub(super) fn sha256() -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid: SHA256, parameters: Some(Any::null()) }
}
