//! Names in certificates: equality and name constraints (RFC 5280, 4.2.1.10 and 7.1).

use super::certificate::Certificate;
use crate::{Broken, Unfit};
use der::asn1::ObjectIdentifier;
use der::{Tag, Tagged};
use std::mem::discriminant;
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::ext::pkix::constraints::name::GeneralSubtree;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::name::{Name, RelativeDistinguishedName};

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const EMAIL: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.1");

/// A part of a name, normalised for comparison.
type Part = Vec<(ObjectIdentifier, Option<Tag>, Vec<u8>)>;

/// Returns whether two names are the same, ignoring case, blanks and the type of their text.
pub(super) fn same(one: &Name, other: &Name) -> bool {
    one == other || parts(one) == parts(other)
}

/// Returns whether two names are equal: directory names as in [`same`], others byte by byte.
pub(super) fn equal(one: &GeneralName, other: &GeneralName) -> bool {
    match (one, other) {
        (GeneralName::DirectoryName(one), GeneralName::DirectoryName(other)) => same(one, other),
        _ => one == other,
    }
}

/// Checks that an authority above a certificate may certify its names.
pub(super) fn are_allowed(
    certificate: &Certificate,
    by: &Certificate,
    is_signer: bool,
) -> Result<(), Broken> {
    let Some(constraints) = &by.name_constraints else { return Ok(()) };
    let permitted = constraints.permitted_subtrees.as_deref().unwrap_or_default();
    let excluded = constraints.excluded_subtrees.as_deref().unwrap_or_default();
    let all = || permitted.iter().chain(excluded);
    if all().any(|tree| tree.minimum != 0 || tree.maximum.is_some()) {
        return Err(by.unfit(Unfit::Constraint));
    }
    if let Some(what) = unsupported(certificate, is_signer, all) {
        return Err(certificate.unfit(Unfit::NameUnsupported(what)));
    }
    let subject = (!certificate.subject.0.is_empty()).then_some(&certificate.subject);
    let others = certificate.names.iter().filter_map(directory);
    for name in subject.into_iter().chain(others) {
        let within = |trees: &[GeneralSubtree]| {
            let mut bases = trees.iter().filter_map(|tree| directory(&tree.base)).peekable();
            bases.peek()?;
            Some(bases.any(|base| parts(name).starts_with(&parts(base))))
        };
        if within(permitted) == Some(false) || within(excluded) == Some(true) {
            return Err(certificate.unfit(Unfit::NameForbidden(by.subject.to_string())));
        }
    }
    Ok(())
}

fn directory(name: &GeneralName) -> Option<&Name> {
    match name {
        GeneralName::DirectoryName(name) => Some(name),
        _ => None,
    }
}

/// Returns the place of a constrained name that is not a directory name. Those are not compared here, and a name that
/// can't be shown to be allowed is rejected.
fn unsupported<'a, I: Iterator<Item = &'a GeneralSubtree>>(
    certificate: &Certificate,
    is_signer: bool,
    trees: impl Fn() -> I,
) -> Option<&'static str> {
    let constrained = |kind: fn(&GeneralName) -> bool| trees().any(|tree| kind(&tree.base));
    let mail = constrained(|base| matches!(base, GeneralName::Rfc822Name(_)));
    let host = constrained(|base| matches!(base, GeneralName::DnsName(_)));
    for name in certificate.names.iter().filter(|name| directory(name).is_none()) {
        let of_kind = trees().any(|tree| discriminant(&tree.base) == discriminant(name));
        if of_kind || mail && matches!(name, GeneralName::OtherName(_)) {
            return Some("subjectAltName");
        }
    }
    let attributes = || certificate.subject.0.iter().flat_map(|part| part.0.iter());
    if mail && attributes().any(|attribute| attribute.oid == EMAIL) {
        return Some("emailAddress");
    }
    let hosts = attributes().filter(|attribute| attribute.oid == COMMON_NAME);
    if host && is_signer && hosts.into_iter().any(|attribute| is_host(attribute.value.value())) {
        return Some("commonName");
    }
    None
}

/// Returns whether a common name may be meant as a host name.
fn is_host(text: &[u8]) -> bool {
    text.contains(&b'.') && !text.contains(&b' ')
}

fn parts(name: &Name) -> Vec<Part> {
    name.0.iter().map(part).collect()
}

fn part(part: &RelativeDistinguishedName) -> Part {
    let mut all: Part = part.0.iter().map(attribute).collect();
    all.sort();
    all
}

/// Normalises an attribute: text is lowercased (only ASCII letters) with single blanks (RFC 5280, 7.1); other values
/// are unchanged.
fn attribute(attribute: &AttributeTypeAndValue) -> (ObjectIdentifier, Option<Tag>, Vec<u8>) {
    let (tag, bytes) = (attribute.value.tag(), attribute.value.value());
    let text = match tag {
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String | Tag::VisibleString => Some(bytes.to_vec()),
        // As in OpenSSL: the first 256 characters of Unicode.
        Tag::TeletexString => {
            Some(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes())
        }
        Tag::BmpString => {
            let units =
                bytes.chunks(2).map(|pair| pair.iter().fold(0, |unit, byte| unit << 8 | u16::from(*byte)));
            String::from_utf16(&units.collect::<Vec<_>>()).ok().map(String::into_bytes)
        }
        _ => None,
    };
    match text {
        None => (attribute.oid, Some(tag), bytes.to_vec()),
        Some(text) => (attribute.oid, None, folded(&text)),
    }
}

fn folded(text: &[u8]) -> Vec<u8> {
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let words = text.split(blank).filter(|word| !word.is_empty());
    words.map(<[u8]>::to_ascii_lowercase).collect::<Vec<_>>().join(&b' ')
}
