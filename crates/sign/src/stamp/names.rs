//! Names in certificates: equality and name constraints (RFC 5280, 4.2.1.10 and 7.1).

use super::certificate::Certificate;
use crate::Broken;
use crate::asn1::{Form, elements, implicit, sequence, set};
use der::asn1::{Any, ObjectIdentifier, Uint};
use der::{Decode, DecodeValue, Encode, FixedTag, Header, Reader, Tag, TagNumber, Tagged};
use std::fmt::{self, Write};

/// A name of a certificate: parts from the root of a directory downwards, each a set of attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub Vec<Vec<NameAttribute>>);

sequence! {
    /// AttributeTypeAndValue.
    NameAttribute |reader| {
        id: ObjectIdentifier = reader.decode()?,
        value: Any = reader.decode()?,
    }
}

/// GeneralName: a directory name, or a name of another kind, which is not interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GeneralName {
    Directory(Name),
    Other(Any),
}

sequence! {
    /// GeneralSubtree.
    GeneralSubtree |reader| {
        base: GeneralName = reader.decode()?,
        minimum: Option<Uint> = implicit(reader, 0, Form::Primitive)?,
        maximum: Option<Uint> = implicit(reader, 1, Form::Primitive)?,
    }
}

sequence! {
    /// NameConstraints.
    NameConstraints |reader| {
        permitted: Option<Vec<GeneralSubtree>> = implicit(reader, 0, Form::Constructed)?,
        excluded: Option<Vec<GeneralSubtree>> = implicit(reader, 1, Form::Constructed)?,
    }
}

/// The kinds of general names by their tags.
const OTHER_NAME: u32 = 0;
const MAIL: u32 = 1;
const HOST: u32 = 2;
const DIRECTORY: u32 = 4;
const URI: u32 = 6;
const REGISTERED_ID: u32 = 8;

/// The short names of attributes (RFC 4519 and others).
const SHORT: [(&str, &str); 23] = [
    ("2.5.4.3", "CN"),
    ("2.5.4.4", "SN"),
    ("2.5.4.5", "SERIALNUMBER"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "STREET"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("2.5.4.12", "TITLE"),
    ("2.5.4.13", "DESCRIPTION"),
    ("2.5.4.15", "BUSINESSCATEGORY"),
    ("2.5.4.16", "POSTALADDRESS"),
    ("2.5.4.17", "POSTALCODE"),
    ("2.5.4.18", "POSTOFFICEBOX"),
    ("2.5.4.41", "NAME"),
    ("2.5.4.42", "GIVENNAME"),
    ("2.5.4.43", "INITIALS"),
    ("2.5.4.46", "DNQUALIFIER"),
    ("2.5.4.65", "PSEUDONYM"),
    ("1.2.840.113549.1.9.1", "EMAIL"),
    ("0.9.2342.19200300.100.1.1", "UID"),
    ("0.9.2342.19200300.100.1.25", "DC"),
];

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
        (GeneralName::Directory(one), GeneralName::Directory(other)) => same(one, other),
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
    let permitted = constraints.permitted.as_deref().unwrap_or_default();
    let excluded = constraints.excluded.as_deref().unwrap_or_default();
    let all = || permitted.iter().chain(excluded);
    let is_bounded = |minimum: &Uint| minimum.as_bytes() != [0];
    if all().any(|tree| tree.minimum.as_ref().is_some_and(is_bounded) || tree.maximum.is_some()) {
        return Err(by.unfit("has unsupported name constraints (minimum, maximum)"));
    }
    if let Some(what) = unsupported(certificate, is_signer, all) {
        return Err(certificate.unfit(format!("has a constrained name of an unsupported kind: {what}")));
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
            let why = format!("has a name that '{}' must not certify (nameConstraints)", by.subject);
            return Err(certificate.unfit(why));
        }
    }
    Ok(())
}

fn directory(name: &GeneralName) -> Option<&Name> {
    match name {
        GeneralName::Directory(name) => Some(name),
        GeneralName::Other(_) => None,
    }
}

/// Returns the place of a constrained name that is not a directory name. Those are not compared here, and a name that
/// can't be shown to be allowed is rejected.
fn unsupported<'a, I: Iterator<Item = &'a GeneralSubtree>>(
    certificate: &Certificate,
    is_signer: bool,
    trees: impl Fn() -> I,
) -> Option<&'static str> {
    let constrained = |kind: u32| trees().any(|tree| tree.base.kind() == kind);
    let (mail, host) = (constrained(MAIL), constrained(HOST));
    for name in certificate.names.iter().filter(|name| directory(name).is_none()) {
        if constrained(name.kind()) || mail && name.kind() == OTHER_NAME {
            return Some("subjectAltName");
        }
    }
    let attributes = || certificate.subject.0.iter().flatten();
    if mail && attributes().any(|attribute| attribute.id == EMAIL) {
        return Some("emailAddress");
    }
    let hosts = attributes().filter(|attribute| attribute.id == COMMON_NAME);
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
    name.0.iter().map(|one| part(one)).collect()
}

fn part(part: &[NameAttribute]) -> Part {
    let mut all: Part = part.iter().map(attribute).collect();
    all.sort();
    all
}

/// Normalises an attribute: text is lowercased (only ASCII letters) with single blanks (RFC 5280, 7.1); other values
/// are unchanged.
fn attribute(attribute: &NameAttribute) -> (ObjectIdentifier, Option<Tag>, Vec<u8>) {
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
        None => (attribute.id, Some(tag), bytes.to_vec()),
        Some(text) => (attribute.id, None, folded(&text)),
    }
}

fn folded(text: &[u8]) -> Vec<u8> {
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let words = text.split(blank).filter(|word| !word.is_empty());
    words.map(<[u8]>::to_ascii_lowercase).collect::<Vec<_>>().join(&b' ')
}

impl GeneralName {
    /// Returns the number of its tag.
    fn kind(&self) -> u32 {
        match self {
            GeneralName::Directory(_) => DIRECTORY,
            GeneralName::Other(any) => any.tag().number().value(),
        }
    }
}

impl<'a> Decode<'a> for GeneralName {
    type Error = der::Error;

    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<GeneralName> {
        let any = Any::decode(reader)?;
        let tag = any.tag();
        let Tag::ContextSpecific { constructed, number: TagNumber(kind) } = tag else {
            return Err(tag.unexpected_error(None).into());
        };
        // Names that are structures themselves: other names, X.400, directory names and EDI.
        let is_structure = matches!(kind, OTHER_NAME | 3..=5);
        let is_text = matches!(kind, MAIL | HOST | URI);
        if kind > REGISTERED_ID || constructed != is_structure || is_text && !any.value().is_ascii() {
            return Err(tag.value_error().into());
        }
        match kind {
            DIRECTORY => Name::from_der(any.value()).map(GeneralName::Directory),
            _ => Ok(GeneralName::Other(any)),
        }
    }
}

impl FixedTag for Name {
    const TAG: Tag = Tag::Sequence;
}

impl<'a> DecodeValue<'a> for Name {
    type Error = der::Error;

    fn decode_value<R: Reader<'a>>(reader: &mut R, _: Header) -> der::Result<Name> {
        let mut parts = Vec::new();
        while !reader.is_finished() {
            parts.push(elements(&set(reader)?)?);
        }
        Ok(Name(parts))
    }
}

impl fmt::Display for Name {
    /// Writes the name as RFC 4514 defines it: the last part first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.0.iter().rev().enumerate() {
            f.write_str(if at == 0 { "" } else { "," })?;
            for (at, attribute) in part.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { "+" })?;
                show(attribute, f)?;
            }
        }
        Ok(())
    }
}

fn show(attribute: &NameAttribute, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let NameAttribute { id, value } = attribute;
    let short = id.to_string();
    let short = SHORT.iter().find(|(known, _)| *known == short).map(|(_, name)| *name);
    let (Some(name), Some(text)) = (short, text(value)) else {
        write!(f, "{id}=#")?;
        let bytes = value.to_der().map_err(|_| fmt::Error)?;
        return bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"));
    };
    write!(f, "{name}=")?;
    let last = text.char_indices().next_back().map(|(at, _)| at);
    for (at, char) in text.char_indices() {
        match char {
            '#' if at == 0 => f.write_str("\\#")?,
            ' ' if at == 0 || Some(at) == last => f.write_str("\\ ")?,
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' => write!(f, "\\{char}")?,
            '\x00'..='\x1f' | '\x7f' => write!(f, "\\{:02x}", u32::from(char))?,
            _ => f.write_char(char)?,
        }
    }
    Ok(())
}

/// Returns a value as text if it is of a type whose characters are those of ASCII or UTF-8.
fn text(value: &Any) -> Option<&str> {
    let text = str::from_utf8(value.value()).ok()?;
    match value.tag() {
        Tag::Utf8String => Some(text),
        Tag::PrintableString | Tag::Ia5String | Tag::TeletexString => {
            Some(text).filter(|text| text.is_ascii())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(parts: &[&[(&str, Tag, &[u8])]]) -> Name {
        let attribute = |(id, tag, bytes): &(&str, Tag, &[u8])| NameAttribute {
            id: ObjectIdentifier::new_unwrap(id),
            value: Any::new(*tag, *bytes).unwrap(),
        };
        Name(parts.iter().map(|part| part.iter().map(attribute).collect()).collect())
    }

    #[test]
    fn names_are_shown_as_rfc_4514_says() {
        let utf8 = Tag::Utf8String;
        let shown = name(&[
            &[("2.5.4.6", Tag::PrintableString, b"CH")],
            &[("2.5.4.10", utf8, b"A, \"B\"; C+D"), ("2.5.4.11", utf8, "\u{fc} ".as_bytes())],
            &[("2.5.4.3", utf8, b"#1\\\x01")],
            &[("2.5.4.97", utf8, b"x")],
            &[("2.5.4.3", Tag::BmpString, b"\0x")],
        ]);
        let wanted =
            "2.5.4.3=#1e020078,2.5.4.97=#0c0178,CN=\\#1\\\\\\01,O=A\\, \\\"B\\\"\\; C\\+D+OU=\u{fc}\\ ,C=CH";
        assert_eq!(shown.to_string(), wanted);
    }

    #[test]
    fn general_names_have_the_tags_of_their_kinds() {
        for (bytes, kind) in [
            (&b"\x82\x01x"[..], Some(HOST)),
            (b"\xa0\x00", Some(OTHER_NAME)),
            (b"\xa4\x02\x30\x00", Some(DIRECTORY)),
            (b"\x88\x01\x2a", Some(REGISTERED_ID)),
            (b"\xa2\x01x", None),
            (b"\x82\x01\xff", None),
            (b"\x80\x00", None),
            (b"\xa4\x00", None),
            (b"\x89\x00", None),
            (b"\x30\x00", None),
        ] {
            assert_eq!(GeneralName::from_der(bytes).ok().map(|name| name.kind()), kind, "{bytes:x?}");
        }
    }
}
