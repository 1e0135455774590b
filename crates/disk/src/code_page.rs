//! Code page 437, in which short names of FAT are, and names in zip archives.

/// The characters from 0x80 on.
const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»\
    ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Returns bytes of code page 437 as UTF-8. The bytes below 0x20 stay as they are.
pub fn code_page_437(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_ascii() {
        return bytes.to_vec();
    }
    characters(bytes).collect::<String>().into_bytes()
}

/// Returns bytes of code page 437 as UTF-8 in lower case, as far as the code page has the small letter.
pub(crate) fn code_page_437_lower(bytes: &[u8]) -> Vec<u8> {
    let small = |character: char| {
        let lower =
            character.to_lowercase().next().filter(|&lower| lower.is_ascii() || UPPER.contains(lower));
        lower.unwrap_or(character)
    };
    characters(bytes).map(small).collect::<String>().into_bytes()
}

fn characters(bytes: &[u8]) -> impl Iterator<Item = char> {
    bytes.iter().map(|byte| match byte.checked_sub(0x80) {
        None => char::from(*byte),
        Some(upper) => UPPER.chars().nth(usize::from(upper)).unwrap_or(char::REPLACEMENT_CHARACTER),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_a_character() {
        assert_eq!(UPPER.chars().count(), 128);
        assert_eq!(code_page_437(b"A\x80\xe1\xe5\xff"), "AÇßσ\u{a0}".as_bytes());
        assert_eq!(code_page_437(b"a/b\n"), b"a/b\n");
        // É, Ü and Σ have small letters there, Γ has none.
        assert_eq!(code_page_437_lower(b"CAF\x90\x9a\xe4\xe2.X"), "caféüσΓ.x".as_bytes());
    }
}
