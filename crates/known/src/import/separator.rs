//! The separators of fields, and lines cut at them.

/// The separator of fields in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// This character. Fields may be in quotes.
    At(u8),
    /// Any number of blanks.
    Blanks,
    /// Nothing: the line is one field.
    Nothing,
}

impl Separator {
    /// The separators of tables in the order in which they are tried.
    pub const ALL: [Separator; 5] = [
        Separator::At(b','),
        Separator::At(b'\t'),
        Separator::At(b';'),
        Separator::At(b'|'),
        Separator::Blanks,
    ];

    /// Returns the fields of a line; none if its quotes are not paired.
    pub fn fields(self, line: &[u8]) -> Vec<&[u8]> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self {
            Separator::Nothing => vec![line],
            Separator::Blanks => blanks(line).collect(),
            Separator::At(byte) => match quoted(line, byte) {
                Some(fields) => fields,
                // Only fields between commas are always in quotes where they need them.
                None if byte == b',' => Vec::new(),
                None => line.split(|other| *other == byte).collect(),
            },
        }
    }
}

fn blanks(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// Cuts a line whose fields may be in quotes, with blanks around them.
fn quoted(line: &[u8], separator: u8) -> Option<Vec<&[u8]>> {
    let (mut fields, mut start) = (Vec::new(), 0);
    loop {
        let blanks = line[start..].iter().take_while(|byte| **byte == b' ' && separator != b' ').count();
        let inside = match line.get(start + blanks) {
            Some(b'"') => quoted_length(&line[start + blanks..])? + blanks,
            _ => 0,
        };
        let rest = &line[start + inside..];
        let end = rest.iter().position(|byte| *byte == separator);
        fields.push(&line[start..end.map_or(line.len(), |end| start + inside + end)]);
        match end {
            Some(end) => start += inside + end + 1,
            None => return Some(fields),
        }
    }
}

/// Returns the length of a text in quotes, in which quotes are doubled; none if it does not end.
fn quoted_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text[at..].iter().position(|byte| *byte == b'"')? + 1;
        match text.get(at) {
            Some(b'"') => at += 1,
            _ => return Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_be_in_quotes_behind_blanks() {
        let cut = |separator, line: &'static str| -> Vec<&str> {
            let fields = Separator::At(separator).fields(line.as_bytes());
            fields.into_iter().map(|field| str::from_utf8(field).unwrap()).collect()
        };
        assert_eq!(cut(b',', "a,\"b, \"\"c\"\"\", d\r"), ["a", "\"b, \"\"c\"\"\"", " d"]);
        assert_eq!(cut(b',', "\"a\", \"b, c\" , \"\""), ["\"a\"", " \"b, c\" ", " \"\""]);
        assert_eq!(cut(b',', ""), [""]);
        assert_eq!(cut(b',', "a,"), ["a", ""]);
        assert!(cut(b',', "\"a,b").is_empty());
        assert_eq!(cut(b'\t', "5\" disk\tb"), ["5\" disk", "b"]);
        assert_eq!(cut(b';', "\"a;b"), ["\"a", "b"]);
    }
}
