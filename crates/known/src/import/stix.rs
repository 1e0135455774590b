//! Digests in patterns of STIX 2.

/// Returns the names of algorithms and the digests that a pattern compares those of files with:
/// `[file:hashes.MD5 = '…' OR file:hashes.'SHA-256' IN ('…', '…')]`. What is excluded (`!=`, `NOT`) is not returned.
pub(super) fn digests(pattern: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (at, step) in pattern.match_indices("hashes.") {
        let before = &pattern[..at];
        let start = before.rfind(|letter: char| letter.is_whitespace() || "[(".contains(letter));
        let object = &before[start.map_or(0, |start| start + 1)..];
        if !is_file(object) {
            continue;
        }
        let Some((name, rest)) = name(&pattern[at + step.len()..]) else { continue };
        let rest = rest.trim_start();
        let values = match (rest.strip_prefix('='), rest.strip_prefix("IN")) {
            (Some(value), _) => value,
            (_, Some(list)) => list.trim_start().strip_prefix('(').unwrap_or_default(),
            _ => continue,
        };
        let is_list = rest.starts_with("IN");
        found.extend(literals(values, is_list).map(|value| (name, value)));
    }
    found
}

/// Returns whether digests of an object are of the content of a file: of the file itself, or of the file that a process
/// refers to, but not of a part.
fn is_file(object: &str) -> bool {
    let is_part = object.contains("extensions");
    !is_part && (object == "file:" || object == "artifact:" || object.ends_with("_ref."))
}

/// Returns a name, which may be in quotes, and the text behind it.
fn name(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|letter| matches!(letter, '\'' | '"'));
    match quote {
        Some(quote) => text[1..].split_once(quote),
        None => {
            let end = text.find(|letter: char| !letter.is_alphanumeric() && !"-_".contains(letter))?;
            Some(text.split_at(end))
        }
    }
}

/// Returns the texts in single quotes, of a list up to its end.
fn literals(text: &str, is_list: bool) -> impl Iterator<Item = &str> {
    let end = if is_list { text.find(')').unwrap_or(text.len()) } else { text.len() };
    let most = if is_list { usize::MAX } else { 1 };
    text[..end].split('\'').skip(1).step_by(2).take(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_of_files_are_found_and_others_are_not() {
        for (pattern, expected) in [
            ("[file:hashes.MD5 = 'a' OR file:hashes.'SHA-256'='b']", vec![("MD5", "a"), ("SHA-256", "b")]),
            (
                "[file:hashes.\"SHA-1\" IN ('a', 'b') AND file:name = 'c']",
                vec![("SHA-1", "a"), ("SHA-1", "b")],
            ),
            ("[process:image_ref.hashes.MD5 = 'a']", vec![("MD5", "a")]),
            ("[file:hashes.MD5 != 'a']", vec![]),
            ("[file:hashes.MD5 NOT = 'a']", vec![]),
            ("[x509-certificate:hashes.MD5 = 'a']", vec![]),
            ("[file:extensions.'windows-pebinary-ext'.sections[*].hashes.MD5 = 'a']", vec![]),
            ("[file:hashes.MD5", vec![]),
            ("[file:hashes.'MD5", vec![]),
        ] {
            assert_eq!(digests(pattern), expected, "{pattern}");
        }
    }
}
