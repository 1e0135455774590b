//! Display forms of paths: joined, bare, escaped.

/// Returns the name without its directories.
pub fn bare(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Joins a directory and a name. An empty directory is the working directory.
pub fn below(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if directory.is_empty() || directory.ends_with(b"/") { b"" } else { b"/" };
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
