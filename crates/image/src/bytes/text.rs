//! Texts inside images: their encodings, and the tab-separated tables of header sections.

use serde::Serialize;

/// A value of a header, with its tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Field {
    /// The tag: `c`, `av`, `case_number`.
    pub tag: String,
    /// The value as stored.
    pub value: String,
}

/// Decodes a header text: UTF-16 with a byte-order mark, or else UTF-8, or else Latin-1.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match str::from_utf8(bytes) {
            Ok(text) => text.to_string(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Returns the values of the category `main` of a header.
pub(crate) fn main_fields(text: &str) -> Vec<Field> {
    let mut lines = text.lines().skip_while(|line| *line != "main").skip(1);
    let (Some(tags), Some(values)) = (lines.next(), lines.next()) else { return Vec::new() };
    let pairs = tags.split('\t').zip(values.split('\t'));
    let set = pairs.filter(|(tag, value)| !tag.is_empty() && !value.trim().is_empty());
    set.map(|(tag, value)| Field { tag: tag.to_string(), value: value.to_string() }).collect()
}

/// Returns the values of an XML header: elements that contain only text.
pub(crate) fn xml_fields(text: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    for element in text.split('<') {
        let Some((tag, value)) = element.split_once('>') else { continue };
        if !tag.starts_with(['/', '?', '!']) && !value.trim().is_empty() {
            fields.push(Field { tag: tag.to_string(), value: unescape(value.trim()) });
        }
    }
    fields
}

fn unescape(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_string(), |text, (entity, char)| text.replace(entity, char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_xml_give_fields() {
        let fields = main_fields("1\r\nmain\r\nc\tn\te\r\ncase\t\tme\r\n\r\n");
        let pairs: Vec<_> = fields.iter().map(|field| (field.tag.as_str(), field.value.as_str())).collect();
        assert_eq!(pairs, [("c", "case"), ("e", "me")]);
        let fields = xml_fields("<?xml?><xheader><notes>a &amp; b</notes></xheader>");
        assert_eq!(fields, [Field { tag: "notes".into(), value: "a & b".into() }]);
    }

    #[test]
    fn encodings_are_told_apart() {
        assert_eq!(decode(b"\xff\xfea\0\xfc\0"), "aü");
        assert_eq!(decode("ü".as_bytes()), "ü");
        assert_eq!(decode(b"\xfc"), "ü");
    }
}
