//! Lists of patterns, as in ssh_config(5): `*` and `?`, comma-separated, `!` in front of what must not match.

/// Whether the list takes the text: some pattern matches, and no negated one does.
pub(crate) fn takes(list: &str, text: &str) -> bool {
    let mut taken = false;
    for pattern in list.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(pattern.as_bytes(), text.as_bytes()) => return false,
            None if matches(pattern.as_bytes(), text.as_bytes()) => taken = true,
            _ => {}
        }
    }
    taken
}

/// Goes back to the last star only, so that no pattern takes long.
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
            assert_eq!(takes(list, text), wanted, "{list} {text}");
        }
    }
}
