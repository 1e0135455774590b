//! Code page 437, in which short names are.

/// The characters from 0x80 on.
const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»\
    ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Returns bytes of the code page as UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Vec<u8> {
    let char = |byte: &u8| match byte.checked_sub(0x80) {
        None => char::from(*byte),
        Some(upper) => UPPER.chars().nth(usize::from(upper)).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(char).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_a_character() {
        assert_eq!(UPPER.chars().count(), 128);
        assert_eq!(utf8(b"A\x80\xe1\xe5\xff"), "AÇßσ\u{a0}".as_bytes());
    }
}
