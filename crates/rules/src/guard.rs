//! A bound on the operators of a condition, which the compiler takes apart by recursion.

/// The most operators of one condition, other than `and` and `or`.
pub(crate) const MAX_OPERATORS: usize = 10_000;

/// The words that are operators.
const WORDS: [&[u8]; 10] = [
    b"not",
    b"defined",
    b"contains",
    b"icontains",
    b"startswith",
    b"istartswith",
    b"endswith",
    b"iendswith",
    b"iequals",
    b"matches",
];

/// Returns the line of a condition with too many operators.
pub(crate) fn find_excess(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut in_condition, mut operators) = (0, 0_usize, false, 0);
    while at < bytes.len() {
        let length = token(&bytes[at..]);
        match &bytes[at..at + length] {
            b"condition" => in_condition = true,
            b"{" => depth += 1,
            b"}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    (in_condition, operators) = (false, 0);
                }
            }
            word if in_condition && is_operator(word) => operators += 1,
            _ => {}
        }
        if operators > MAX_OPERATORS {
            return Some(bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1);
        }
        at += length;
    }
    None
}

fn is_operator(token: &[u8]) -> bool {
    matches!(token, [byte] if b"+-*\\%&|^~<>=!".contains(byte)) || WORDS.contains(&token)
}

/// Returns the length of the first token: a comment, a string, a regular expression, a word, or one byte. Division is
/// written as a backslash, so that each slash that begins no comment begins a regular expression.
fn token(bytes: &[u8]) -> usize {
    let rest = || bytes.len();
    match bytes {
        [b'/', b'/', ..] => memchr(bytes, b'\n').unwrap_or_else(rest),
        [b'/', b'*', ..] => {
            let end = bytes[2..].windows(2).position(|two| two == b"*/");
            end.map_or_else(rest, |end| end + 4)
        }
        [quote @ (b'"' | b'/'), ..] => quoted(bytes, *quote),
        [first, ..] if is_word(*first) => bytes.iter().position(|byte| !is_word(*byte)).unwrap_or_else(rest),
        _ => 1,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn memchr(bytes: &[u8], wanted: u8) -> Option<usize> {
    bytes.iter().position(|byte| *byte == wanted)
}

/// Returns the length of a string or regular expression, which ends at its quote or its line.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote || byte == b'\n' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_counted_in_conditions_alone() {
        let minus = "-".repeat(MAX_OPERATORS + 1);
        let fine = [
            format!("rule r {{ strings: $a = \"{minus}\" condition: $a }}"),
            format!("rule r {{ condition: \"{minus}\" == \"\\\"{minus}\" }}"),
            format!("rule r {{ condition: true // {minus}\n}}"),
            format!("rule r {{ condition: /* {minus} */ true or /\\/{minus}/ }}"),
            format!("rule r {{ strings: $a = {{ 00 }} condition: {} }}", "1 == 1 or ".repeat(1000))
                .repeat(20),
        ];
        for text in fine {
            assert_eq!(find_excess(&text), None, "{}", &text[..40]);
        }
        let words = "not ".repeat(MAX_OPERATORS + 1);
        for excess in [minus, words] {
            assert_eq!(find_excess(&format!("// one\nrule r {{ condition: /}}/ and {excess} }}")), Some(2));
        }
    }
}
