//! Faults of signatures and time stamps.

use crate::ssh::{Moment, SshFault};
use crate::stamp::PkiStatus;
use der::asn1::ObjectIdentifier;
use std::fmt;

/// The reason why a signature or a time stamp is not good.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// It violates its format.
    Malformed(Malformed),
    /// It has the right format, but uses a feature that is not supported.
    Unsupported(Unsupported),
    /// The signature does not match this message and the key.
    Signature,
    /// It names another key as its own.
    OtherKey,
    /// It was made for another namespace.
    Namespace {
        /// The namespace of the signature.
        found: String,
        /// The namespace that was requested.
        wanted: String,
    },
    /// The time stamp is for other bytes.
    Imprint,
    /// The time stamp answers another request.
    Nonce,
    /// The time stamp states a time in the future.
    Future(Moment),
    /// The certificate of the time stamp can't be trusted.
    Certificate(CertificateFault),
}

/// A violation of the format of a signature or a time stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Malformed {
    /// The file is longer than any signature.
    LongSignature,
    /// The file is longer than any time stamp.
    LongStamp,
    /// It is not the JSON of a bundle; the error.
    Bundle(String),
    /// A bundle does not contain exactly one signed item.
    Envelope,
    /// A bundle does not have exactly one signature.
    OneSignature,
    /// The payload of a bundle has this type, which is not the requested one.
    PayloadType(String),
    /// A bundle does not name its key.
    NoKeyName,
    /// The file is not text.
    NotText,
    /// Lines end with CR LF.
    CrLf,
    /// The first line is not this one.
    Begin(&'static str),
    /// The last line is not this one.
    End(&'static str),
    /// Lines differ in width.
    Width,
    /// The base64 is invalid.
    Base64(base64::DecodeError),
    /// A key, a signature or another field of OpenSSH is invalid.
    Ssh(SshFault),
    /// The signature is not of version 1.
    Version,
    /// The key and the signature are of different kinds.
    Kinds,
    /// The namespace is empty.
    Namespace,
    /// A signature of minisign does not have four lines.
    FourLines,
    /// The comments are missing.
    Comments,
    /// The comments are longer than minisign reads.
    LongComments,
    /// It contains a byte at which minisign stops reading a line.
    LineStop,
    /// The signatures have the wrong length.
    SignatureLength,
    /// The text differs from the one that minisign writes.
    Mini,
    /// A signature has a weak point.
    WeakPoint,
    /// It is not valid DER.
    Der(der::Error),
    /// A certificate is not valid DER.
    Certificate(der::Error),
    /// It is not signed.
    NotSigned,
    /// It is not signed like a time stamp.
    NotStamp,
    /// The authority refused the request.
    Refused {
        /// The status of the answer.
        status: PkiStatus,
        /// The text of the answer.
        text: String,
    },
    /// The answer has no time stamp.
    NoStamp,
    /// It does not have exactly one signer.
    Signers,
    /// It has no content.
    NoContent,
    /// It has no signed attributes.
    NoAttributes,
    /// This attribute does not occur exactly once, with one value.
    Attribute(ObjectIdentifier),
    /// It does not name its certificate.
    CertificateUnnamed,
    /// It names its certificate in an unknown way.
    CertificateName,
    /// It names two different hash algorithms.
    Hashes,
    /// An algorithm has unexpected parameters.
    Parameters(ObjectIdentifier),
    /// Its time does not have the format of RFC 3161.
    Time,
}

/// A feature of a signature or a time stamp that is not supported.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// A bundle of this kind.
    Bundle(String),
    /// A bundle of a digest only.
    BundleCertificate,
    /// A bundle of a digest alone.
    MessageSignature,
    /// Entries of a transparency log.
    LogEntries,
    /// Time stamps in a bundle.
    BundleStamps,
    /// A signature by a certificate of OpenSSH of this kind.
    SshCertificate(String),
    /// A key of this kind.
    Key(String),
    /// A signature by this algorithm.
    Signature(String),
    /// A hash of this name.
    Hash(String),
    /// A minisign signature without prehashing, of a message too long for that.
    LongLegacy,
    /// A hash with this identifier.
    HashId(ObjectIdentifier),
    /// A signature with this identifier.
    SignatureId(ObjectIdentifier),
    /// A signature with this identifier, by this kind of key and hash.
    SignatureKey(ObjectIdentifier),
    /// Critical extensions.
    CriticalExtensions,
    /// Unsigned attributes and revocation lists.
    Unsigned,
    /// More certificates than this.
    ManyCertificates(usize),
    /// A signer that is identified only by its key.
    KeyOnlySigner,
}

/// The reason why the certificate of a time stamp can't be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateFault {
    /// The signer's certificate is not in the time stamp.
    Absent,
    /// The signature names a certificate that is not in the chain.
    NotInChain,
    /// No chain leads to a root.
    NoRoot {
        /// The subject of the certificate.
        subject: String,
        /// The issuer of the certificate.
        issuer: String,
    },
    /// A certificate was not valid at the time of the stamp.
    NotValid {
        /// The subject of the certificate.
        subject: String,
        /// The time of the stamp.
        time: Moment,
        /// The start of its validity.
        from: Moment,
        /// The end of its validity.
        until: Moment,
    },
    /// A certificate is not suitable for its position in the chain.
    Unfit {
        /// The subject of the certificate.
        subject: String,
        /// The reason.
        why: Unfit,
    },
}

/// The reason why a certificate is not suitable for its position in a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// It has an extension that is not supported.
    Extension(ObjectIdentifier),
    /// It is not only for time stamps.
    NotForStamps,
    /// It is not only for signatures.
    NotForSignatures,
    /// It is not a certificate of an authority.
    NotAuthority,
    /// Its key may not sign certificates.
    NotForCertificates,
    /// It allows fewer authorities below it.
    PathLength,
    /// It belongs to an authority for other purposes than time stamps.
    OtherPurpose,
    /// The time stamp names another authority.
    OtherAuthority,
    /// It has a name constraint that is not supported.
    Constraint,
    /// It has a constrained name that can't be compared, in this place.
    NameUnsupported(&'static str),
    /// It has a name that this authority must not certify.
    NameForbidden(String),
    /// It does not lead to a root, and the time stamp does not need it.
    Unneeded,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Malformed(fault) => write!(f, "malformed: {fault}"),
            Broken::Unsupported(what) => write!(f, "not supported: {what}"),
            Broken::Signature => f.write_str("the signature does not fit these bytes"),
            Broken::OtherKey => f.write_str("it names another key"),
            Broken::Namespace { found, wanted } => {
                write!(f, "made for the namespace '{found}', not '{wanted}'")
            }
            Broken::Imprint => f.write_str("it is for other bytes"),
            Broken::Nonce => f.write_str("it answers another request (the nonce differs)"),
            Broken::Future(time) => write!(f, "it states a time in the future: {time}"),
            Broken::Certificate(fault) => write!(f, "{fault}"),
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Malformed::Begin(line) => return write!(f, "it does not begin with '{line}'"),
            Malformed::End(line) => return write!(f, "it does not end with '{line}'"),
            Malformed::Bundle(why) => return write!(f, "it is not a Sigstore bundle: {why}"),
            Malformed::PayloadType(kind) => return write!(f, "its payload has the type '{kind}'"),
            Malformed::Base64(source) => return write!(f, "{source}"),
            Malformed::Ssh(source) => return write!(f, "{source}"),
            Malformed::Der(source) => return write!(f, "{source}"),
            Malformed::Certificate(source) => return write!(f, "a certificate: {source}"),
            Malformed::Refused { status, text } => {
                let blank = if text.is_empty() { "" } else { " " };
                return write!(f, "the authority refused it: {status:?}{blank}{text}");
            }
            Malformed::Attribute(id) => return write!(f, "expected one attribute {id} with one value"),
            Malformed::Parameters(id) => return write!(f, "unexpected parameters of the algorithm {id}"),
            Malformed::Envelope => "it does not contain exactly one signed item",
            Malformed::OneSignature => "it does not have exactly one signature",
            Malformed::NoKeyName => "it does not name a key",
            Malformed::LongSignature => "it is too long for a signature",
            Malformed::LongStamp => "it is too long for a time stamp",
            Malformed::NotText => "it is not text",
            Malformed::CrLf => {
                "its lines end with CR LF, which ssh-keygen refuses; make them end with LF alone"
            }
            Malformed::Width => "its lines differ in width",
            Malformed::Version => "it is not of version 1",
            Malformed::Kinds => "its key and its signature are of different kinds",
            Malformed::Namespace => "the namespace is empty",
            Malformed::FourLines => "it does not have four lines",
            Malformed::Comments => "its comments are missing or in the wrong place",
            Malformed::LongComments => "its comments are longer than minisign allows",
            Malformed::LineStop => "it has a byte at which minisign stops reading a line",
            Malformed::SignatureLength => "its signatures do not have the right length",
            Malformed::Mini => "it is not in the exact form that minisign writes",
            Malformed::WeakPoint => "it has a weak point, which minisign refuses",
            Malformed::NotSigned => "it is not signed",
            Malformed::NotStamp => "it is not signed like a time stamp",
            Malformed::NoStamp => "the answer has no time stamp",
            Malformed::Signers => "a time stamp has exactly one signer",
            Malformed::NoContent => "it has no content",
            Malformed::NoAttributes => "it has no signed attributes",
            Malformed::CertificateUnnamed => "it does not name its certificate",
            Malformed::CertificateName => "it names its certificate in an unknown way",
            Malformed::Hashes => "its two hash algorithms differ",
            Malformed::Time => "its time is not in the form of RFC 3161",
        })
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::Bundle(kind) => write!(f, "bundles of the kind {kind}"),
            Unsupported::BundleCertificate => {
                f.write_str("bundles by a certificate (model_signing sign certificate or sigstore)")
            }
            Unsupported::MessageSignature => f.write_str("bundles that sign only a digest"),
            Unsupported::LogEntries => f.write_str("entries of a transparency log"),
            Unsupported::BundleStamps => f.write_str("time stamps in a bundle"),
            Unsupported::SshCertificate(kind) => {
                write!(f, "signatures by certificates of OpenSSH ({kind})")
            }
            Unsupported::Key(kind) => write!(f, "keys of the kind {kind}"),
            Unsupported::Signature(algorithm) => write!(f, "signatures by {algorithm}"),
            Unsupported::Hash(name) => write!(f, "the hash {name}"),
            Unsupported::LongLegacy => {
                f.write_str("a signature of more than 1 GiB made without hashing first (minisign -l)")
            }
            Unsupported::HashId(id) => write!(f, "the hash algorithm {id}"),
            Unsupported::SignatureId(id) => write!(f, "signatures of the kind {id}"),
            Unsupported::SignatureKey(id) => write!(f, "signatures of the kind {id} with this key and hash"),
            Unsupported::CriticalExtensions => f.write_str("critical extensions in a time stamp"),
            Unsupported::Unsigned => f.write_str("unsigned attributes and revocation lists in a time stamp"),
            Unsupported::ManyCertificates(most) => write!(f, "more than {most} certificates in a time stamp"),
            Unsupported::KeyOnlySigner => f.write_str("signers that are identified only by their key"),
        }
    }
}

impl fmt::Display for CertificateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateFault::Absent => {
                f.write_str("its signer's certificate is not in it: ask the authority to include it")
            }
            CertificateFault::NotInChain => {
                f.write_str("the signature names a certificate that its chain does not have")
            }
            CertificateFault::NoRoot { subject, issuer } => write!(
                f,
                "a foreign certificate: '{subject}', issued by '{issuer}', leads to none of the given roots (roots are self-signed)"
            ),
            CertificateFault::NotValid { subject, time, from, until } => write!(
                f,
                "at the time that it states, {time}, its certificate was not valid: the certificate of '{subject}' was valid from {from} to {until}"
            ),
            CertificateFault::Unfit { subject, why } => write!(f, "the certificate of '{subject}' {why}"),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfit::Extension(id) => return write!(f, "has an extension that is not supported ({id})"),
            Unfit::NameUnsupported(place) => {
                return write!(f, "has a constrained name of an unsupported kind: {place}");
            }
            Unfit::NameForbidden(authority) => {
                return write!(f, "has a name that '{authority}' must not certify (nameConstraints)");
            }
            Unfit::NotForStamps => {
                "is not only for time stamps (extendedKeyUsage must be critical, with timeStamping only)"
            }
            Unfit::NotForSignatures => "is not only for signatures (keyUsage)",
            Unfit::NotAuthority => "does not belong to an authority (basicConstraints)",
            Unfit::NotForCertificates => "is not for signing certificates (keyUsage)",
            Unfit::PathLength => "allows fewer authorities below it (pathLenConstraint)",
            Unfit::OtherPurpose => {
                "belongs to an authority for other purposes than time stamps (extendedKeyUsage)"
            }
            Unfit::OtherAuthority => "does not belong to the authority that the time stamp names (tsa)",
            Unfit::Constraint => "has unsupported name constraints (minimum, maximum)",
            Unfit::Unneeded => {
                "in it leads to none of the given roots; if you trust it, add its root to them"
            }
        })
    }
}

impl From<Malformed> for Broken {
    fn from(fault: Malformed) -> Broken {
        Broken::Malformed(fault)
    }
}

impl From<Unsupported> for Broken {
    fn from(what: Unsupported) -> Broken {
        Broken::Unsupported(what)
    }
}

impl From<CertificateFault> for Broken {
    fn from(fault: CertificateFault) -> Broken {
        Broken::Certificate(fault)
    }
}

impl From<SshFault> for Broken {
    fn from(source: SshFault) -> Broken {
        Malformed::Ssh(source).into()
    }
}

impl From<der::Error> for Broken {
    fn from(source: der::Error) -> Broken {
        Malformed::Der(source).into()
    }
}
