//! Certificates (RFC 5280), and the checks that they must pass in a chain.

use super::algorithms::{fits, of_certificates};
use super::asn1::Extension;
use super::names::{self, GeneralName, Name, NameConstraints};
use crate::Broken;
use crate::asn1::{AlgorithmId, Form, PublicKeyInfo, explicit, implicit, sequence};
use crate::broken::malformed;
use crate::error::Text;
use crate::ssh::Moment;
use der::asn1::{Any, BitString, GeneralizedTime, Int, ObjectIdentifier, OctetString, UtcTime};
use der::{Decode, Encode, Reader, Tag};
use std::time::Duration;

/// id-kp-timeStamping.
const TIME_STAMPING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8");
/// anyExtendedKeyUsage.
const ANY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");
/// proxyCertInfo (RFC 3820): certificates that are not of their subject.
const PROXY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.14");
const SUBJECT_KEY_ID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.14");
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
const SUBJECT_ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const NAME_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.30");
const AUTHORITY_KEY_ID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
const POLICY_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.36");
const EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");

/// Extensions that may be critical: those that are checked here, and those without meaning to a verifier that neither
/// requires policies nor looks up revocation.
const UNDERSTOOD: [ObjectIdentifier; 9] = [
    KEY_USAGE,
    SUBJECT_ALT_NAME,
    BASIC_CONSTRAINTS,
    NAME_CONSTRAINTS,
    EXTENDED_KEY_USAGE,
    ObjectIdentifier::new_unwrap("2.5.29.31"), // cRLDistributionPoints
    ObjectIdentifier::new_unwrap("2.5.29.32"), // certificatePolicies
    ObjectIdentifier::new_unwrap("2.5.29.33"), // policyMappings
    ObjectIdentifier::new_unwrap("2.5.29.54"), // inhibitAnyPolicy
];

/// A parsed certificate.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    /// The original bytes.
    pub der: Vec<u8>,
    tbs: Vec<u8>,
    algorithm: AlgorithmId,
    signature: Vec<u8>,
    version: u8,
    pub serial: Int,
    pub issuer: Name,
    pub subject: Name,
    pub key: PublicKeyInfo,
    pub from: Moment,
    pub until: Moment,
    constraints: Option<BasicConstraints>,
    usage: Option<BitString>,
    /// The purposes, and whether the extension is critical.
    extended: Option<(bool, Vec<ObjectIdentifier>)>,
    pub names: Vec<GeneralName>,
    pub name_constraints: Option<NameConstraints>,
    subject_id: Option<OctetString>,
    issuer_id: Option<AuthorityKeyId>,
    /// An extension that excludes it from any chain.
    hindrance: Option<ObjectIdentifier>,
}

sequence! {
    /// Certificate: its three parts.
    Parts |reader| {
        tbs: Any = reader.decode()?,
        algorithm: AlgorithmId = reader.decode()?,
        signature: BitString = reader.decode()?,
    }
}

sequence! {
    /// TBSCertificate.
    TbsCertificate |reader| {
        version: Option<u8> = explicit(reader, 0)?,
        serial: Int = reader.decode()?,
        algorithm: AlgorithmId = reader.decode()?,
        issuer: Name = reader.decode()?,
        validity: Validity = reader.decode()?,
        subject: Name = reader.decode()?,
        key: PublicKeyInfo = reader.decode()?,
        issuer_unique_id: Option<BitString> = implicit(reader, 1, Form::Primitive)?,
        subject_unique_id: Option<BitString> = implicit(reader, 2, Form::Primitive)?,
        extensions: Option<Vec<Extension>> = explicit(reader, 3)?,
    }
}

sequence! {
    /// Validity.
    Validity |reader| {
        from: Duration = time(reader)?,
        until: Duration = time(reader)?,
    }
}

sequence! {
    /// BasicConstraints.
    BasicConstraints |reader| {
        is_authority: Option<bool> = reader.decode()?,
        longest: Option<u8> = reader.decode()?,
    }
}

sequence! {
    /// AuthorityKeyIdentifier.
    AuthorityKeyId |reader| {
        key: Option<OctetString> = implicit(reader, 0, Form::Primitive)?,
        issuer: Option<Vec<GeneralName>> = implicit(reader, 1, Form::Constructed)?,
        serial: Option<Int> = implicit(reader, 2, Form::Primitive)?,
    }
}

sequence! {
    /// PolicyConstraints.
    PolicyConstraints |reader| {
        explicit: Option<u32> = implicit(reader, 0, Form::Primitive)?,
        mapping: Option<u32> = implicit(reader, 1, Form::Primitive)?,
    }
}

/// The versions of certificates as they are encoded.
const V1: u8 = 0;
const V3: u8 = 2;

/// The longest serial number in bytes (RFC 5280, 4.1.2.2), with one more for a sign that some programs add.
const LONGEST_SERIAL: usize = 21;

/// Bits of keyUsage.
const DIGITAL_SIGNATURE: usize = 0;
const NON_REPUDIATION: usize = 1;
const CERTIFICATES: usize = 5;

impl Certificate {
    pub fn parse(der: &[u8]) -> Result<Certificate, Broken> {
        Certificate::read(der).map_err(|error| malformed(format!("a certificate: {error}")))
    }

    fn read(der: &[u8]) -> der::Result<Certificate> {
        let parts = Parts::from_der(der)?;
        let bytes = parts.tbs.to_der()?;
        let tbs = TbsCertificate::from_der(&bytes)?;
        let version = tbs.version.unwrap_or(V1);
        let extensions = Extensions(tbs.extensions.as_deref().unwrap_or_default());
        let sound = extensions.are_different()
            && (extensions.0.is_empty() || version == V3)
            && version <= V3
            && tbs.serial.as_bytes().len() <= LONGEST_SERIAL
            && tbs.algorithm == parts.algorithm;
        if !sound {
            return Err(Tag::Sequence.value_error().into());
        }
        let of_time = || Tag::UtcTime.value_error();
        Ok(Certificate {
            hindrance: extensions.hindrance(),
            constraints: extensions.read(BASIC_CONSTRAINTS)?.map(|(_, it)| it),
            usage: extensions.read(KEY_USAGE)?.map(|(_, it)| it),
            extended: extensions.read(EXTENDED_KEY_USAGE)?,
            names: extensions.read(SUBJECT_ALT_NAME)?.map(|(_, it)| it).unwrap_or_default(),
            name_constraints: extensions.read(NAME_CONSTRAINTS)?.map(|(_, it)| it),
            subject_id: extensions.read(SUBJECT_KEY_ID)?.map(|(_, it)| it),
            issuer_id: extensions.read(AUTHORITY_KEY_ID)?.map(|(_, it)| it),
            der: der.to_vec(),
            algorithm: parts.algorithm,
            signature: parts.signature.as_bytes().ok_or_else(|| Tag::BitString.value_error())?.to_vec(),
            version,
            from: moment(tbs.validity.from).ok_or_else(of_time)?,
            until: moment(tbs.validity.until).ok_or_else(of_time)?,
            serial: tbs.serial,
            issuer: tbs.issuer,
            subject: tbs.subject,
            key: tbs.key,
            tbs: bytes,
        })
    }

    /// Returns whether subject and issuer have the same name: a certificate authority's new key, or a root.
    pub fn is_self_issued(&self) -> bool {
        names::same(&self.subject, &self.issuer)
    }

    /// Returns whether it names itself as its issuer, in all identifiers.
    pub fn is_root(&self) -> bool {
        self.names_as_issuer(self)
    }

    /// Returns whether another certificate is its issuer's, and signed it.
    pub fn is_issued_by(&self, issuer: &Certificate) -> bool {
        self.names_as_issuer(issuer) && self.is_signed_by(issuer)
    }

    /// Returns whether it was signed with the key of another certificate.
    pub fn is_signed_by(&self, issuer: &Certificate) -> bool {
        names::same(&self.issuer, &issuer.subject)
            && of_certificates(&self.algorithm)
                .any(|algorithm| fits(&issuer.key, algorithm, &self.tbs, &self.signature))
    }

    /// Returns whether the name, key identifier and serial number of a certificate are those that it gives for its
    /// issuer.
    fn names_as_issuer(&self, issuer: &Certificate) -> bool {
        let Some(id) = &self.issuer_id else { return names::same(&self.issuer, &issuer.subject) };
        let key = match (&id.key, &issuer.subject_id) {
            (Some(wanted), Some(found)) => wanted == found,
            _ => true,
        };
        let serial = id.serial.as_ref().is_none_or(|serial| *serial == issuer.serial);
        let mut names = id.issuer.iter().flatten();
        let name = names.find_map(|name| match name {
            GeneralName::Directory(name) => Some(names::same(name, &issuer.issuer)),
            GeneralName::Other(_) => None,
        });
        names::same(&self.issuer, &issuer.subject) && key && serial && name.unwrap_or(true)
    }

    /// Checks that it has no unsupported critical extension.
    pub fn check_understood(&self) -> Result<(), Broken> {
        match self.hindrance {
            None => Ok(()),
            Some(id) => Err(self.unfit(format!("has an extension that is not supported ({id})"))),
        }
    }

    /// Checks that it is only for time stamps, in a critical extension (RFC 3161, 2.3), and that its key usage, if any,
    /// only allows signatures.
    pub fn check_purpose(&self) -> Result<(), Broken> {
        let extended = self.extended.as_ref();
        if !extended.is_some_and(|(critical, usage)| *critical && *usage == [TIME_STAMPING]) {
            return Err(self.unfit(
                "is not only for time stamps (extendedKeyUsage must be critical, with timeStamping only)",
            ));
        }
        let signs = |usage: &BitString| {
            let mut set =
                usage.bits().enumerate().filter(|(_, is_set)| *is_set).map(|(bit, _)| bit).peekable();
            set.peek().is_some() && set.all(|bit| [DIGITAL_SIGNATURE, NON_REPUDIATION].contains(&bit))
        };
        if self.usage.as_ref().is_some_and(|usage| !signs(usage)) {
            return Err(self.unfit("is not only for signatures (keyUsage)"));
        }
        Ok(())
    }

    /// Checks that it may issue others, with `below` authorities between it and the signer.
    pub fn check_authority(&self, below: usize) -> Result<(), Broken> {
        // Roots of version 1 have no extensions that could state it.
        let old = self.version == V1 && self.is_root();
        let says_so = |constraints: &BasicConstraints| constraints.is_authority == Some(true);
        if !old && !self.constraints.as_ref().is_some_and(says_so) {
            return Err(self.unfit("does not belong to an authority (basicConstraints)"));
        }
        if self.usage.as_ref().is_some_and(|usage| usage.get(CERTIFICATES) != Some(true)) {
            return Err(self.unfit("is not for signing certificates (keyUsage)"));
        }
        let longest = self.constraints.as_ref().and_then(|constraints| constraints.longest);
        if longest.is_some_and(|longest| below > usize::from(longest)) {
            return Err(self.unfit("allows fewer authorities below it (pathLenConstraint)"));
        }
        let stamps =
            |usage: &[ObjectIdentifier]| usage.iter().any(|id| [TIME_STAMPING, ANY_USAGE].contains(id));
        let extended = self.extended.as_ref().filter(|_| !self.is_root());
        if extended.is_some_and(|(_, usage)| !stamps(usage)) {
            return Err(
                self.unfit("belongs to an authority for other purposes than time stamps (extendedKeyUsage)")
            );
        }
        Ok(())
    }

    /// Returns whether it is valid at a time. As in OpenSSL, the last second is excluded.
    pub fn holds(&self, time: Moment) -> bool {
        (self.from..self.until).contains(&time)
    }

    /// Creates the error that it is not suitable for its position.
    pub fn unfit(&self, why: impl Into<Text>) -> Broken {
        Broken::Certificate(format!("the certificate of '{}' {}", self.subject, why.into()).into())
    }
}

/// All extensions of a certificate.
struct Extensions<'a>(&'a [Extension]);

impl Extensions<'_> {
    fn are_different(&self) -> bool {
        let mut ids: Vec<_> = self.0.iter().map(|extension| extension.id).collect();
        ids.sort();
        ids.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Reads the extension with an identifier, if it is there; also returns whether it is critical.
    fn read<T: for<'a> Decode<'a, Error = der::Error>>(
        &self,
        id: ObjectIdentifier,
    ) -> der::Result<Option<(bool, T)>> {
        let Some(found) = self.0.iter().find(|extension| extension.id == id) else { return Ok(None) };
        let value = T::from_der(found.value.as_bytes())?;
        Ok(Some((found.critical == Some(true), value)))
    }

    /// Returns an extension that excludes the certificate from any chain.
    fn hindrance(&self) -> Option<ObjectIdentifier> {
        let hindrance = self.0.iter().find(|Extension { id, critical, value }| {
            let policy = *id == POLICY_CONSTRAINTS
                && PolicyConstraints::from_der(value.as_bytes())
                    .is_ok_and(|policy| policy.explicit.is_none());
            *id == PROXY || *critical == Some(true) && !UNDERSTOOD.contains(id) && !policy
        });
        hindrance.map(|extension| extension.id)
    }
}

/// Reads a Time.
fn time<'a, R: Reader<'a>>(reader: &mut R) -> der::Result<Duration> {
    Ok(match Tag::peek(reader)? {
        Tag::UtcTime => UtcTime::decode(reader)?.to_unix_duration(),
        _ => GeneralizedTime::decode(reader)?.to_unix_duration(),
    })
}

fn moment(time: Duration) -> Option<Moment> {
    Moment::from_second(time.as_secs().try_into().ok()?).ok()
}
