//! Facts about content as bytes, beside the digests of a record that may be reused.

use hashmill_facts::{
    Basis, Bits, ChiSquare, ContentFacts, ContentType, Entropy, Fact, FactSet, Pronom, PronomFormat,
    Signatures,
};
use std::sync::Arc;

/// Returns facts as bytes; `None` if one of those that are asked for is missing, or comes from other signatures than these.
pub(super) fn to_bytes(
    facts: Option<&ContentFacts>,
    asked: FactSet,
    pronom: Option<&Signatures>,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for fact in asked.iter() {
        match fact {
            Fact::Type => {
                let ContentType { mime, name, extensions } = facts?.content_type.as_deref()?;
                bytes.extend((extensions.len() as u32).to_le_bytes());
                [mime, name].into_iter().chain(extensions).for_each(|text| push_text(text, &mut bytes));
            }
            // A record does not say by which rules it was judged.
            Fact::Yara => return None,
            Fact::Entropy => {
                let Entropy { bits, chi_square } = facts?.entropy?;
                bytes.extend(bits.millionths().to_le_bytes());
                bytes.extend(chi_square.map_or(u64::MAX, ChiSquare::hundredths).to_le_bytes());
            }
            Fact::Puid => {
                let Pronom { signatures, formats } = facts?.pronom.as_deref()?;
                // Other signatures may find other formats.
                if pronom.is_none_or(|own| own.label() != signatures) {
                    return None;
                }
                bytes.extend((formats.len() as u32).to_le_bytes());
                push_text(signatures, &mut bytes);
                for PronomFormat { puid, name, version, mime, basis } in formats {
                    [puid, name, version, mime].into_iter().for_each(|text| push_text(text, &mut bytes));
                    push_text(basis.word(), &mut bytes);
                }
            }
        }
    }
    Some(bytes)
}

/// Returns the facts in these bytes; what follows from them is not among them.
pub(super) fn from_bytes(mut bytes: &[u8], asked: FactSet) -> Option<ContentFacts> {
    let mut facts = ContentFacts::default();
    for fact in asked.iter() {
        match fact {
            Fact::Type => {
                let count = u32::from_le_bytes(take(&mut bytes)?);
                let (mime, name) = (take_text(&mut bytes)?, take_text(&mut bytes)?);
                let extensions = (0..count).map(|_| take_text(&mut bytes)).collect::<Option<_>>()?;
                facts.content_type = Some(Arc::new(ContentType { mime, name, extensions }));
            }
            Fact::Entropy => {
                let bits = Bits::from_millionths(u32::from_le_bytes(take(&mut bytes)?))?;
                let chi_square = Some(u64::from_le_bytes(take(&mut bytes)?)).filter(|none| *none < u64::MAX);
                let chi_square = chi_square.map(ChiSquare::from_hundredths);
                facts.entropy = Some(Entropy { bits, chi_square });
            }
            Fact::Yara => return None,
            Fact::Puid => {
                let count = u32::from_le_bytes(take(&mut bytes)?);
                let signatures = take_text(&mut bytes)?.into();
                let formats = (0..count).map(|_| take_format(&mut bytes)).collect::<Option<_>>()?;
                facts.pronom = Some(Arc::new(Pronom { signatures, formats }));
            }
        }
    }
    Some(facts)
}

fn take_format(bytes: &mut &[u8]) -> Option<PronomFormat> {
    let [puid, name, version, mime, basis] = [(); 5].map(|()| take_text(bytes));
    let basis = Basis::from_word(&basis?)?;
    Some(PronomFormat { puid: puid?, name: name?, version: version?, mime: mime?, basis })
}

fn push_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn take_text(bytes: &mut &[u8]) -> Option<Box<str>> {
    let length = u32::from_le_bytes(take(bytes)?);
    let (text, rest) = bytes.split_at_checked(length as usize)?;
    *bytes = rest;
    str::from_utf8(text).ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_back_from_their_bytes() {
        let content_type = ContentType {
            mime: "a/b".into(),
            name: "größer".into(),
            extensions: ["x".into(), "yz".into()].into(),
        };
        let entropy = Entropy { bits: Bits::from_millionths(7).unwrap(), chi_square: None };
        let all = ContentFacts {
            content_type: Some(Arc::new(content_type)),
            entropy: Some(entropy),
            ..ContentFacts::default()
        };
        let both = FactSet::parse("type,entropy").unwrap();
        let bytes = to_bytes(Some(&all), both, None).unwrap();
        assert_eq!(from_bytes(&bytes, both), Some(all.clone()));
        assert!((0..bytes.len()).all(|end| from_bytes(&bytes[..end], both).is_none()));
        // A record that lacks one is not reused where it is asked for.
        let entropy = FactSet::parse("entropy").unwrap();
        let untyped = ContentFacts { content_type: None, ..all };
        assert_eq!(to_bytes(Some(&untyped), both, None), None);
        assert_eq!(to_bytes(None, entropy, None), None);
        let bytes = to_bytes(Some(&untyped), entropy, None).unwrap();
        assert_eq!(from_bytes(&bytes, entropy), Some(untyped));
        assert_eq!(to_bytes(None, FactSet::default(), None), Some(Vec::new()));
    }

    #[test]
    fn formats_come_back_if_the_signatures_are_the_same() {
        let xml = |version| {
            format!(
                "<FFSignatureFile Version='{version}'><FileFormatCollection><FileFormat ID='1' PUID='fmt/1' Name='ä'>\
                 <Extension>a</Extension></FileFormat></FileFormatCollection></FFSignatureFile>"
            )
        };
        let [same, other] = [7, 8].map(|version| {
            let mut signatures = Signatures::default();
            signatures.add(xml(version).as_bytes()).unwrap();
            signatures
        });
        let puid = FactSet::one(Fact::Puid);
        let found = Some(Arc::new(same.identify(b"", b"", 0, b"x.a")));
        let facts = ContentFacts { pronom: found, ..ContentFacts::default() };
        let bytes = to_bytes(Some(&facts), puid, Some(&same)).unwrap();
        assert_eq!(from_bytes(&bytes, puid), Some(facts.clone()));
        assert!((0..bytes.len()).all(|end| from_bytes(&bytes[..end], puid).is_none()));
        assert_eq!(to_bytes(Some(&facts), puid, Some(&other)), None);
        assert_eq!(to_bytes(Some(&facts), puid, None), None);
    }
}
