//! Code page 437, in which short names of FAT are, and names in zip archives.

/// The characters from 0x80 on.
const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»\
    ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Returns bytes of code page 437 as UTF-8. The bytes below 0x20 stay as they are.
pub fn code_page_437(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_ascii() {
        return bytes.to_vec();
    }
    let character = |byte: &u8| match byte.checked_sub(0x80) {
        None => char::from(*byte),
        Some(upper) => UPPER.chars().nth(usize::from(upper)).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(character).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_a_character() {
        assert_eq!(UPPER.chars().count(), 128);
        assert_eq!(code_page_437(b"A\x80\xe1\xe5\xff"), "AÇßσ\u{a0}".as_bytes());
        assert_eq!(code_page_437(b"a/b\n"), b"a/b\n");
    }
}
