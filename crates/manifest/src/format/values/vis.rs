//! Names in the notation of BSD's vis(3): C escapes, octal digits, and meta characters as `\M-C`, `\M^C`, `\^C`.

/// Encodes a name: everything except ASCII letters, digits, `/` and harmless punctuation becomes octal escapes.
pub(in crate::format) fn encode(name: &[u8], out: &mut Vec<u8>) {
    for byte in name {
        if byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#' | b'*' | b'?' | b'[' | b'=' | b'"' | b'\'')
        {
            out.push(*byte);
        } else {
            let digit = |shift: u8| b'0' + (byte >> shift & 7);
            out.extend_from_slice(&[b'\\', digit(6), digit(3), digit(0)]);
        }
    }
}

/// Decodes a name; returns `None` if a backslash is not the start of an escape.
pub(in crate::format) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let (code, after) = escape(after)?;
        out.push(code);
        rest = after;
    }
    Some(out)
}

/// Decodes the escape after a backslash; returns its byte and the rest.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let octal = text.iter().take(3).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
    if octal == 3 {
        let code = text[..3].iter().fold(0_u32, |code, digit| 8 * code + u32::from(digit - b'0'));
        return Some((u8::try_from(code).ok()?, &text[3..]));
    }
    let (kind, rest) = text.split_first()?;
    let code = match kind {
        b'M' => return meta(rest),
        b'^' => return control(rest, 0),
        b'0' => 0,
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'E' => 27,
        b's' => b' ',
        other if other.is_ascii_punctuation() => *other,
        _ => return None,
    };
    Some((code, rest))
}

/// Decodes `-C` or `^C` after `\M`.
fn meta(text: &[u8]) -> Option<(u8, &[u8])> {
    match text {
        [b'-', letter, rest @ ..] => Some((letter | 0x80, rest)),
        [b'^', rest @ ..] => control(rest, 0x80),
        _ => None,
    }
}

fn control(text: &[u8], high: u8) -> Option<(u8, &[u8])> {
    let (letter, rest) = text.split_first()?;
    let code = if *letter == b'?' { 0x7f } else { letter & 0x1f };
    Some((code | high, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_comes_back() {
        let name: Vec<u8> = (1..=255).collect();
        let mut text = Vec::new();
        encode(&name, &mut text);
        assert!(text.iter().all(u8::is_ascii_graphic));
        assert_eq!(decode(&text), Some(name));
    }

    #[test]
    fn what_bsd_writes_is_read() {
        for (text, wanted) in [
            (&br"caf\M-C\M-)"[..], Some("caf\u{e9}".as_bytes())),
            (br"n\#=\\x", Some(b"n#=\\x")),
            (br"with\sspace\040x", Some(b"with space x")),
            (br"\^A\M^A\^?", Some(b"\x01\x81\x7f")),
            (br"a\", None),
            (br"\q", None),
            (br"\777", None),
        ] {
            assert_eq!(decode(text).as_deref(), wanted, "{}", text.escape_ascii());
        }
    }
}
