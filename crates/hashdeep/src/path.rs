//! Display forms of paths: relative to the working directory, normalised lexically, bare, escaped.

/// Normalises a path like hashdeep: removes double slashes, `/./`, and `/../` with the component before it. Links are
/// not resolved, and one or two dots at the end stay.
pub fn tidy(path: &[u8]) -> Vec<u8> {
    let mut tidy: Vec<u8> = Vec::with_capacity(path.len());
    let mut climbing = true;
    for &byte in path {
        tidy.push(byte);
        if byte != b'/' {
            continue;
        }
        let kept = tidy.len() - trailing(&tidy);
        tidy.truncate(kept);
        if climbing && tidy.ends_with(b"/../") {
            climbing = climb(&mut tidy);
        }
    }
    tidy
}

/// Returns the number of redundant bytes at the end: a second slash, or `./` after a slash.
fn trailing(path: &[u8]) -> usize {
    match path {
        [.., b'/', b'/'] => 1,
        [.., b'/', b'.', b'/'] => 2,
        _ => 0,
    }
}

/// Removes `/../` with the component before it, which is missing at the root. Returns false for the first component of
/// a relative path, which stays together with everything after it.
fn climb(path: &mut Vec<u8>) -> bool {
    let at = path.len() - 4;
    match path[..at].iter().rposition(|byte| *byte == b'/') {
        Some(before) => path.truncate(before + 1),
        None if at == 0 => path.truncate(1),
        None => return false,
    }
    true
}

/// Returns the name without its directories.
pub fn bare(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Joins a directory and a name.
pub fn below(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, slash, name].concat()
}

/// Escapes characters beyond Latin-1 as `U+XXXX` and writes those of Latin-1 as one byte each, as hashdeep does. Bytes
/// that are not UTF-8 stay.
pub fn escape(path: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        for character in chunk.valid().chars() {
            match u8::try_from(u32::from(character)) {
                Ok(latin) => escaped.push(latin),
                Err(_) => escaped.extend(format!("U+{:04X}", u32::from(character)).bytes()),
            }
        }
        escaped.extend_from_slice(chunk.invalid());
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied_by_their_letters() {
        for (path, tidied) in [
            ("/a//b///c", "/a/b/c"),
            ("/a/./b/././c/.", "/a/b/c/."),
            ("/a/../b", "/b"),
            ("/a/b/../../c", "/c"),
            ("/a/.//../b", "/b"),
            ("/../x", "/x"),
            ("/../../x", "/x"),
            ("a/../b", "a/../b"),
            ("a/../b/../c", "a/../b/../c"),
            ("x/a/../b", "x/b"),
            ("/a/..", "/a/.."),
            ("../x", "../x"),
            ("./x", "./x"),
            ("/a/.../b", "/a/.../b"),
        ] {
            assert_eq!(String::from_utf8(tidy(path.as_bytes())).unwrap(), tidied, "{path}");
        }
    }

    #[test]
    fn escapes_are_as_in_4_4() {
        assert_eq!(escape("né☺😀".as_bytes()), b"n\xe9U+263AU+1F600");
        assert_eq!(escape(b"a\xff\xe2b"), b"a\xff\xe2b");
    }

    #[test]
    fn bare_names_have_no_slash() {
        assert_eq!(bare(b"/a/b"), b"b");
        assert_eq!(bare(b"b"), b"b");
        assert_eq!(bare(b"a/"), b"");
    }
}
