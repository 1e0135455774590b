//! Patterns of names on the command line, which programs for Windows replace themselves: shells there don't.

use crate::{names, sys};

/// Returns the folder and the pattern of names that a typed path stands for. Only its last name may be a pattern: one with
/// `*` or `?`, which no name of Windows has. None on other systems, where shells replace patterns.
pub fn pattern(path: &[u8]) -> Option<(&[u8], &[u8])> {
    split(path).filter(|_| sys::REPLACES_PATTERNS)
}

fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let (folder, name) = path.split_at(start);
    name.iter().any(|byte| b"*?".contains(byte)).then_some((folder, name))
}

/// Returns whether a name fits a pattern, in any case. A name without an extension fits as if it ended in a dot.
pub fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let letters =
        |text: &[u8]| -> Vec<char> { String::from_utf8_lossy(text).to_lowercase().chars().collect() };
    let (pattern, mut name) = (letters(pattern), letters(name));
    if pattern.contains(&'.') && !name.contains(&'.') {
        name.push('.');
    }
    // Which letters of the pattern may come next. All ways are tried at once, so that no pattern takes long.
    let mut places = vec![false; pattern.len() + 1];
    places[0] = true;
    for letter in name {
        pass(&pattern, &mut places, &['*']);
        let mut next = vec![false; places.len()];
        for at in (0..pattern.len()).filter(|at| places[*at]) {
            next[at] |= pattern[at] == '*';
            next[at + 1] |= pattern[at] == '?' || pattern[at] == letter;
        }
        places = next;
    }
    pass(&pattern, &mut places, &['*', '?']);
    places[pattern.len()]
}

/// Goes on behind each of the wildcards that may stand for nothing: `*`, and at the end of the name `?`.
fn pass(pattern: &[char], places: &mut [bool], wildcards: &[char]) {
    for at in 0..pattern.len() {
        places[at + 1] |= places[at] && wildcards.contains(&pattern[at]);
    }
}

/// Returns the paths that a typed path stands for, sorted: the path itself, or those that its pattern fits. One that
/// fits nothing stays as it is, so that it is told as a path that is not there.
pub fn expand(path: Vec<u8>) -> Vec<Vec<u8>> {
    let Some((folder, wanted)) = pattern(&path) else { return vec![path] };
    let place = names::path_to_try(if folder.is_empty() { b"." } else { folder });
    let listed = crate::names_in(&place).map_or_else(|_| Vec::new(), |(listed, _)| listed);
    let mut found: Vec<Vec<u8>> = listed
        .into_iter()
        .map(names::into_bytes)
        .filter(|name| fits(wanted, name))
        .map(|name| [folder, &name].concat())
        .collect();
    found.sort_unstable();
    if found.is_empty() { vec![path] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_in_the_last_name() {
        assert_eq!(split(b"C:/a/*.txt"), Some((&b"C:/a/"[..], &b"*.txt"[..])));
        assert_eq!(split(b"?"), Some((&b""[..], &b"?"[..])));
        assert_eq!(split(b"//?/C:/a"), None);
        assert_eq!(pattern(b"a*").is_some(), sys::REPLACES_PATTERNS);
    }

    #[test]
    fn names_fit_as_they_do_at_a_prompt() {
        for (wanted, name) in [
            ("*", "a"),
            ("*.*", "a"),
            ("*.*", "a.b.c"),
            ("*.TXT", "a.txt"),
            ("a?.txt", "AB.txt"),
            ("a?", "a"),
            ("a.*", "a"),
            ("*b*d*", "abcde"),
            ("**a**", "a"),
            ("gr\u{f6}*", "Gr\u{d6}\u{df}e"),
        ] {
            assert!(fits(wanted.as_bytes(), name.as_bytes()), "{wanted} {name}");
        }
        for (wanted, name) in
            [("*.txt", "a.txt2"), ("a?", "abc"), ("b*", "ab"), ("*.", "a.b"), ("", "a"), ("a*b", "ac")]
        {
            assert!(!fits(wanted.as_bytes(), name.as_bytes()), "{wanted} {name}");
        }
        assert!(!fits("*a".repeat(40).as_bytes(), "a".repeat(39).as_bytes()));
    }

    #[test]
    fn a_pattern_stands_for_what_fits() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a.txt", "c.jpg"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let typed = |name: &str| [&*names::path_bytes(folder.path()), b"/", name.as_bytes()].concat();
        let found = expand(typed("*.TXT"));
        let wanted: &[&str] = if sys::REPLACES_PATTERNS { &["a.txt", "b.txt"] } else { &["*.TXT"] };
        assert_eq!(found, wanted.iter().map(|name| typed(name)).collect::<Vec<_>>());
        assert_eq!(expand(typed("*.png")), [typed("*.png")]);
        assert_eq!(expand(typed("a.txt")), [typed("a.txt")]);
    }
}
