//! Structures of time stamps: RFC 3161, 5652 and 5035.

use super::names::{GeneralName, Name};
use crate::asn1::{AlgorithmId, Form, contents, explicit, implicit, sequence, set};
use crate::broken::{malformed, unsupported};
use crate::{Broken, Hash};
use der::Tag;
use der::asn1::{Any, BitString, Int, ObjectIdentifier, OctetString};

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

/// The version of requests and of stamps.
pub(super) const V1: u8 = 1;

sequence! {
    /// TimeStampReq.
    TimeStampRequest |reader| {
        version: u8 = reader.decode()?,
        imprint: MessageImprint = reader.decode()?,
        policy: Option<ObjectIdentifier> = reader.decode()?,
        nonce: Option<Int> = reader.decode()?,
        wants_certificate: Option<bool> = reader.decode()?,
        extensions: Option<Vec<Extension>> = implicit(reader, 0, Form::Constructed)?,
    }
}

sequence! {
    /// MessageImprint.
    MessageImprint |reader| {
        algorithm: AlgorithmId = reader.decode()?,
        hash: OctetString = reader.decode()?,
    }
}

sequence! {
    /// TimeStampResp.
    TimeStampResponse |reader| {
        status: StatusInfo = reader.decode()?,
        token: Option<ContentInfo> = reader.decode()?,
    }
}

sequence! {
    /// PKIStatusInfo.
    StatusInfo |reader| {
        status: u8 = reader.decode()?,
        texts: Option<Vec<String>> = reader.decode()?,
        failure: Option<BitString> = reader.decode()?,
    }
}

sequence! {
    /// ContentInfo.
    ContentInfo |reader| {
        kind: ObjectIdentifier = reader.decode()?,
        content: Option<Any> = explicit(reader, 0)?,
    }
}

sequence! {
    /// TSTInfo, with a time that may have fractional seconds.
    TstInfo |reader| {
        version: u8 = reader.decode()?,
        policy: ObjectIdentifier = reader.decode()?,
        imprint: MessageImprint = reader.decode()?,
        serial_number: Int = reader.decode()?,
        time: Any = reader.decode()?,
        accuracy: Option<Accuracy> = reader.decode()?,
        ordering: Option<bool> = reader.decode()?,
        nonce: Option<Int> = reader.decode()?,
        tsa: Option<GeneralName> = explicit(reader, 0)?,
        extensions: Option<Vec<Extension>> = implicit(reader, 1, Form::Constructed)?,
    }
}

sequence! {
    /// Accuracy.
    Accuracy |reader| {
        seconds: Option<u64> = reader.decode()?,
        milliseconds: Option<u16> = implicit(reader, 0, Form::Primitive)?,
        microseconds: Option<u16> = implicit(reader, 1, Form::Primitive)?,
    }
}

sequence! {
    /// Extension.
    Extension |reader| {
        id: ObjectIdentifier = reader.decode()?,
        critical: Option<bool> = reader.decode()?,
        value: OctetString = reader.decode()?,
    }
}

sequence! {
    /// SignedData. Of sets there are the contents.
    SignedData |reader| {
        version: u8 = reader.decode()?,
        digest_algorithms: Vec<u8> = set(reader)?,
        content: ContentInfo = reader.decode()?,
        certificates: Option<Vec<u8>> = contents(reader, 0)?,
        crls: Option<Vec<u8>> = contents(reader, 1)?,
        signers: Vec<u8> = set(reader)?,
    }
}

sequence! {
    /// SignerInfo. Of sets there are the contents.
    SignerInfo |reader| {
        version: u8 = reader.decode()?,
        id: Any = reader.decode()?,
        digest: AlgorithmId = reader.decode()?,
        signed: Option<Vec<u8>> = contents(reader, 0)?,
        algorithm: AlgorithmId = reader.decode()?,
        signature: OctetString = reader.decode()?,
        unsigned: Option<Vec<u8>> = contents(reader, 1)?,
    }
}

sequence! {
    /// IssuerAndSerialNumber.
    IssuerAndNumber |reader| {
        issuer: Name = reader.decode()?,
        serial: Int = reader.decode()?,
    }
}

sequence! {
    /// Attribute, with the contents of the set of its values.
    SignedAttribute |reader| {
        id: ObjectIdentifier = reader.decode()?,
        values: Vec<u8> = set(reader)?,
    }
}

sequence! {
    /// SigningCertificate and SigningCertificateV2: the hashes of the certificates for verification.
    SigningCertificate |reader| {
        certificates: Vec<CertificateId> = reader.decode()?,
        policies: Option<Any> = reader.decode()?,
    }
}

sequence! {
    /// ESSCertID and ESSCertIDv2.
    CertificateId |reader| {
        algorithm: Option<AlgorithmId> = reader.decode()?,
        hash: OctetString = reader.decode()?,
        issuer_serial: Option<IssuerSerial> = reader.decode()?,
    }
}

sequence! {
    /// IssuerSerial: an issuer and a serial number.
    IssuerSerial |reader| {
        issuer: Vec<GeneralName> = reader.decode()?,
        serial: Int = reader.decode()?,
    }
}

/// Returns the hash that an identifier refers to.
pub(super) fn hash(algorithm: &AlgorithmId) -> Result<Hash, Broken> {
    if !algorithm.is_plain() {
        return Err(malformed(format!("unexpected parameters of the algorithm {}", algorithm.oid)));
    }
    match algorithm.oid {
        SHA256 => Ok(Hash::Sha256),
        SHA384 => Ok(Hash::Sha384),
        SHA512 => Ok(Hash::Sha512),
        other => Err(unsupported(format!("the hash algorithm {other}"))),
    }
}

/// Checks that a request or a stamp is of version 1.
pub(super) fn check_version(version: u8) -> der::Result<()> {
    if version == V1 { Ok(()) } else { Err(Tag::Integer.value_error().into()) }
}
