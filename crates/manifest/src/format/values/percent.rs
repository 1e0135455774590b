//! Percent-encoding (RFC 3986, section 2.1).

/// Decodes percent-encoded bytes; everything else is unchanged.
pub(in crate::format) fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *byte == b'%').and_then(hex);
        out.push(code.unwrap_or(*byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    out
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
    u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_decoded_and_signs_stay() {
        assert_eq!(decoded(b"a%20b%C3%a9%%2G%2"), b"a b\xc3\xa9%%2G%2");
    }
}
