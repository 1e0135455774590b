//! Lists of patterns, as in ssh_config(5): `*` and `?`, comma-separated, `!` before a negated pattern.

/// A list with a pattern of at least this many bytes matches nothing, as in OpenSSH.
const LONGEST_PATTERN: usize = 1023;

/// Returns whether the list matches the text: some pattern does, and no negated one does.
pub(crate) fn takes(list: &[u8], text: &[u8]) -> bool {
    let mut taken = false;
    for pattern in patterns(list) {
        if pattern.len() >= LONGEST_PATTERN {
            return false;
        }
        match pattern.strip_prefix(b"!") {
            Some(pattern) if matches(pattern, text) => return false,
            None if matches(pattern, text) => taken = true,
            _ => {}
        }
    }
    taken
}

/// Returns the names in a list: patterns without wildcards that the list itself matches.
pub(crate) fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    patterns(list).filter(move |pattern| {
        !pattern.is_empty()
            && !pattern.starts_with(b"!")
            && !pattern.iter().any(|byte| matches!(byte, b'*' | b'?'))
            && takes(list, pattern)
    })
}

fn patterns(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == b',')
}

/// Matches with backtracking to the last star only, so that no pattern takes long.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star = None;
    while place < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(b'?') => (at, place) = (at + 1, place + 1),
            Some(letter) if *letter == text[place] => (at, place) = (at + 1, place + 1),
            _ => {
                let Some((back, from)) = star else { return false };
                star = Some((back, from + 1));
                (at, place) = (back + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_as_in_ssh_config() {
        for (list, text, wanted) in [
            ("alice@example.org", "alice@example.org", true),
            ("alice@example.org", "alice@example.orgs", false),
            ("*@example.org", "bob@example.org", true),
            ("*@example.org,!bob@*", "bob@example.org", false),
            ("!bob@*,*@example.org", "alice@example.org", true),
            ("!bob@*", "alice@example.org", false),
            ("?ob", "bob", true),
            ("?ob", "ob", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("*", "", true),
            ("", "", true),
            ("", "x", false),
            ("file,git", "git", true),
        ] {
            assert_eq!(takes(list.as_bytes(), text.as_bytes()), wanted, "{list} {text}");
        }
    }

    #[test]
    fn a_pattern_that_is_too_long_spoils_its_list() {
        let long = "a".repeat(LONGEST_PATTERN);
        assert!(takes(&long.as_bytes()[1..], &long.as_bytes()[1..]));
        assert!(!takes(long.as_bytes(), long.as_bytes()));
        assert!(!takes(format!("x,{long}").as_bytes(), b"x"));
    }

    #[test]
    fn names_are_told_from_patterns() {
        let found = |list: &str| {
            let all = names(list.as_bytes()).map(|name| String::from_utf8(name.to_vec()).unwrap());
            all.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("a@x,*@y,b?,c@x"), "a@x c@x");
        assert_eq!(found("a@x,!a*,c@x,"), "c@x");
    }
}
