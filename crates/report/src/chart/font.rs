//! Estimates the width of text. It is the same on every machine, and viewers use their own font of the family, so that
//! widths of one font, DejaVu Sans, and some room serve all.

/// The widths of the characters from space to tilde, in hundredths of an em.
const WIDTHS: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,
    61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97,
    63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// The factor for fonts that are wider.
const ROOM: f64 = 1.065;

/// Returns the width of `text` in pixels at this height.
pub(crate) fn width(text: &str, em: f64) -> u32 {
    let hundredths: f64 = text.chars().map(of_character).sum();
    (hundredths / 100.0 * em * ROOM).round() as u32
}

fn of_character(c: char) -> f64 {
    match c {
        ' '..='~' => f64::from(WIDTHS[c as usize - ' ' as usize]),
        '\u{2009}' => 20.0,
        // Latin, Greek, Cyrillic and other alphabets.
        '\0'..='\u{1FFF}' => 70.0,
        _ => 100.0,
    }
}

/// Returns `text` on one line, shortened to at most `most` pixels, with characters that SVG can't contain replaced.
pub(crate) fn fitted(text: &str, em: f64, most: u32) -> String {
    let mut fitting = drawable(text);
    let mut clean: Vec<char> = fitting.chars().collect();
    while width(&fitting, em) > most && !clean.is_empty() {
        clean.truncate((clean.len() * 15 / 16).min(clean.len() - 1));
        fitting = clean.iter().chain(['…'].iter()).collect();
    }
    fitting
}

/// Returns `text` with spaces for what would break its line, and without control characters and noncharacters, which XML
/// can't contain.
pub(crate) fn drawable(text: &str) -> String {
    let replaced = |c: char| match c {
        '\t' | '\n' | '\r' => ' ',
        c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_texts_are_wide_and_too_long_ones_are_cut() {
        assert_eq!((width("", 14.0), width("iiii", 14.0), width("WWWW", 14.0)), (0, 17, 59));
        assert!(width("größe", 10.0) > width("gre", 10.0) && width("日本", 10.0) >= 20);
        assert_eq!(fitted("short", 14.0, 100), "short");
        let cut = fitted(&"long ".repeat(50), 14.0, 100);
        assert!(cut.ends_with('…') && width(&cut, 14.0) <= 100 && width(&cut, 14.0) > 80, "{cut}");
        assert_eq!(fitted("a\tb\0", 14.0, 100), "a b\u{FFFD}");
    }
}
