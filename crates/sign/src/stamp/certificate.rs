//! Certificates (RFC 5280), and the checks that they must pass in a chain.

use super::algorithms::{fits, of_certificates};
use super::names;
use crate::ssh::Moment;
use crate::{Broken, CertificateFault, Malformed, Unfit};
use der::asn1::{Any, BitString, ObjectIdentifier};
use der::{Decode, Encode, Sequence};
use x509_cert::certificate::Version;
use x509_cert::ext::pkix::name::{GeneralName, GeneralNames};
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages, NameConstraints,
    PolicyConstraints, SubjectAltName, SubjectKeyIdentifier,
};
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::{TbsCertificate, time::Time};

/// id-kp-timeStamping.
const TIME_STAMPING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8");
/// anyExtendedKeyUsage.
const ANY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");
/// proxyCertInfo (RFC 3820): certificates that are not of their subject.
const PROXY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.14");
/// policyConstraints.
const POLICY_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.36");

/// Extensions that may be critical: those that are checked here, and those without meaning to a verifier that neither
/// requires policies nor looks up revocation.
const UNDERSTOOD: [&str; 9] = [
    "2.5.29.15", // keyUsage
    "2.5.29.17", // subjectAltName
    "2.5.29.19", // basicConstraints
    "2.5.29.30", // nameConstraints
    "2.5.29.31", // cRLDistributionPoints
    "2.5.29.32", // certificatePolicies
    "2.5.29.33", // policyMappings
    "2.5.29.37", // extKeyUsage
    "2.5.29.54", // inhibitAnyPolicy
];

/// A parsed certificate.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    /// The original bytes.
    pub der: Vec<u8>,
    tbs: Vec<u8>,
    algorithm: AlgorithmIdentifierOwned,
    signature: Vec<u8>,
    version: Version,
    pub serial: SerialNumber,
    pub issuer: Name,
    pub subject: Name,
    pub key: SubjectPublicKeyInfoOwned,
    pub from: Moment,
    pub until: Moment,
    constraints: Option<BasicConstraints>,
    usage: Option<KeyUsage>,
    extended: Option<(bool, ExtendedKeyUsage)>,
    pub names: GeneralNames,
    pub name_constraints: Option<NameConstraints>,
    subject_id: Option<SubjectKeyIdentifier>,
    issuer_id: Option<AuthorityKeyIdentifier>,
    /// An extension that excludes it from any chain.
    hindrance: Option<ObjectIdentifier>,
}

/// The three parts of a certificate.
#[derive(Sequence)]
struct Parts {
    tbs: Any,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

impl Certificate {
    pub fn parse(der: &[u8]) -> Result<Certificate, Broken> {
        Certificate::read(der).map_err(|error| Malformed::Certificate(error).into())
    }

    fn read(der: &[u8]) -> der::Result<Certificate> {
        let wrong = |tag: der::Tag| tag.value_error();
        let parts = Parts::from_der(der)?;
        let bytes = parts.tbs.to_der()?;
        let tbs = TbsCertificate::from_der(&bytes)?;
        let extensions = tbs.extensions.as_deref().unwrap_or_default();
        let mut ids: Vec<_> = extensions.iter().map(|extension| extension.extn_id).collect();
        ids.sort();
        let sound = ids.windows(2).all(|pair| pair[0] != pair[1])
            && (extensions.is_empty() || tbs.version == Version::V3)
            && tbs.signature == parts.algorithm;
        if !sound {
            return Err(wrong(der::Tag::Sequence));
        }
        let hindrance = extensions.iter().find(|extension| {
            let id = extension.extn_id;
            let policy = id == POLICY_CONSTRAINTS
                && PolicyConstraints::from_der(extension.extn_value.as_bytes())
                    .is_ok_and(|policy| policy.require_explicit_policy.is_none());
            id == PROXY || extension.critical && !UNDERSTOOD.contains(&id.to_string().as_str()) && !policy
        });
        Ok(Certificate {
            hindrance: hindrance.map(|extension| extension.extn_id),
            constraints: tbs.get()?.map(|(_, it)| it),
            usage: tbs.get()?.map(|(_, it)| it),
            extended: tbs.get()?,
            names: tbs.get::<SubjectAltName>()?.map(|(_, it)| it.0).unwrap_or_default(),
            name_constraints: tbs.get()?.map(|(_, it)| it),
            subject_id: tbs.get()?.map(|(_, it)| it),
            issuer_id: tbs.get()?.map(|(_, it)| it),
            der: der.to_vec(),
            algorithm: parts.algorithm,
            signature: parts.signature.as_bytes().ok_or_else(|| wrong(der::Tag::BitString))?.to_vec(),
            version: tbs.version,
            from: moment(tbs.validity.not_before).ok_or_else(|| wrong(der::Tag::UtcTime))?,
            until: moment(tbs.validity.not_after).ok_or_else(|| wrong(der::Tag::UtcTime))?,
            serial: tbs.serial_number,
            issuer: tbs.issuer,
            subject: tbs.subject,
            key: tbs.subject_public_key_info,
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
        let key = match (&id.key_identifier, &issuer.subject_id) {
            (Some(wanted), Some(found)) => *wanted == found.0,
            _ => true,
        };
        let serial = id.authority_cert_serial_number.as_ref().is_none_or(|serial| *serial == issuer.serial);
        let mut names = id.authority_cert_issuer.iter().flatten();
        let name = names.find_map(|name| match name {
            GeneralName::DirectoryName(name) => Some(names::same(name, &issuer.issuer)),
            _ => None,
        });
        names::same(&self.issuer, &issuer.subject) && key && serial && name.unwrap_or(true)
    }

    /// Checks that it has no unsupported critical extension.
    pub fn is_understood(&self) -> Result<(), Broken> {
        match self.hindrance {
            None => Ok(()),
            Some(id) => Err(self.unfit(Unfit::Extension(id))),
        }
    }

    /// Checks that it is only for time stamps, in a critical extension (RFC 3161, 2.3), and that its key usage, if any,
    /// only allows signatures.
    pub fn is_only_for_stamps(&self) -> Result<(), Broken> {
        let extended = self.extended.as_ref();
        if !extended.is_some_and(|(critical, usage)| *critical && usage.0 == [TIME_STAMPING]) {
            return Err(self.unfit(Unfit::NotForStamps));
        }
        let signs = KeyUsages::DigitalSignature | KeyUsages::NonRepudiation;
        if self.usage.is_some_and(|usage| usage.0.is_empty() || !signs.contains(usage.0)) {
            return Err(self.unfit(Unfit::NotForSignatures));
        }
        Ok(())
    }

    /// Checks that it may issue others, with `below` authorities between it and the signer.
    pub fn is_authority(&self, below: usize) -> Result<(), Broken> {
        // Roots of version 1 have no extensions that could state it.
        let old = self.version == Version::V1 && self.is_root();
        if !old && !self.constraints.as_ref().is_some_and(|constraints| constraints.ca) {
            return Err(self.unfit(Unfit::NotAuthority));
        }
        if self.usage.is_some_and(|usage| !usage.key_cert_sign()) {
            return Err(self.unfit(Unfit::NotForCertificates));
        }
        let longest = self.constraints.as_ref().and_then(|constraints| constraints.path_len_constraint);
        if longest.is_some_and(|longest| below > usize::from(longest)) {
            return Err(self.unfit(Unfit::PathLength));
        }
        let stamps =
            |usage: &ExtendedKeyUsage| usage.0.iter().any(|id| [TIME_STAMPING, ANY_USAGE].contains(id));
        let extended = self.extended.as_ref().filter(|_| !self.is_root());
        if extended.is_some_and(|(_, usage)| !stamps(usage)) {
            return Err(self.unfit(Unfit::OtherPurpose));
        }
        Ok(())
    }

    /// Returns whether it is valid at a time. As in OpenSSL, the last second is excluded.
    pub fn holds(&self, time: Moment) -> bool {
        (self.from..self.until).contains(&time)
    }

    /// Creates the error that it is not suitable for its position.
    pub fn unfit(&self, why: Unfit) -> Broken {
        CertificateFault::Unfit { subject: self.subject.to_string(), why }.into()
    }
}

fn moment(time: Time) -> Option<Moment> {
    Moment::from_second(time.to_unix_duration().as_secs().try_into().ok()?).ok()
}
