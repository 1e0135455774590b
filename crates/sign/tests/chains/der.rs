//! A handwritten DER encoder, which can also write invalid structures for tests.

/// Encodes a tag, the length and the contents.
pub fn tlv(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len();
    let mut bytes = vec![tag];
    match length {
        0..=0x7f => bytes.push(length as u8),
        0x80..=0xff => bytes.extend([0x81, length as u8]),
        _ => bytes.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    bytes.extend(contents);
    bytes
}

pub fn seq(parts: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}

pub fn set(part: &[u8]) -> Vec<u8> {
    tlv(0x31, part)
}

pub fn oid(text: &str) -> Vec<u8> {
    let arcs: Vec<u64> = text.split('.').map(|arc| arc.parse().unwrap()).collect();
    let mut bytes = Vec::new();
    for arc in [&[arcs[0] * 40 + arcs[1]], &arcs[2..]].concat() {
        let mut groups = vec![(arc & 0x7f) as u8];
        let mut rest = arc >> 7;
        while rest > 0 {
            groups.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        groups.reverse();
        bytes.extend(groups);
    }
    tlv(6, &bytes)
}

pub fn int(number: u8) -> Vec<u8> {
    match number {
        0..=0x7f => tlv(2, &[number]),
        _ => tlv(2, &[0, number]),
    }
}

pub fn boolean(yes: bool) -> Vec<u8> {
    tlv(1, &[if yes { 0xff } else { 0 }])
}

pub fn bits(bytes: &[u8]) -> Vec<u8> {
    tlv(3, &[&[0], bytes].concat())
}

pub fn octets(bytes: &[u8]) -> Vec<u8> {
    tlv(4, bytes)
}

pub fn null() -> Vec<u8> {
    tlv(5, &[])
}

/// Encodes a name with a common name and an organisation, as text of this type.
pub fn name(tag: u8, organisation: &str, common: &str) -> Vec<u8> {
    let part = |id: &str, text: &str| set(&seq(&[&oid(id), &tlv(tag, text.as_bytes())]));
    match common {
        "" => seq(&[&part("2.5.4.10", organisation)]),
        _ => seq(&[&part("2.5.4.10", organisation), &part("2.5.4.3", common)]),
    }
}

pub fn time(text: &str) -> Vec<u8> {
    tlv(0x18, text.as_bytes())
}
