//! What names a place in a store, or on a web server, and not a file.

/// What locations begin with.
const SCHEMES: [&[u8]; 6] = [b"s3://", b"gs://", b"az://", b"https://", b"http://", b"file://"];

/// Whether these bytes name a location: what `s3://`, `gs://`, `az://`, `https://`, `http://` or `file://` begins.
pub fn is_location(text: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Whether these bytes name a bucket, or something in one.
pub(crate) fn is_in_bucket(text: &[u8]) -> bool {
    SCHEMES[..3].iter().any(|scheme| text.starts_with(scheme))
}

/// Whether these bytes name a bucket, or what ends with a slash in one: it is walked like a folder.
pub(crate) fn is_folder(text: &[u8]) -> bool {
    let rest = SCHEMES[..3].iter().find_map(|scheme| text.strip_prefix(*scheme));
    rest.is_some_and(|rest| rest.ends_with(b"/") || !rest.contains(&b'/'))
}

/// A location as it is shown: without a user and a password, which others would see.
pub(crate) fn without_secret(text: &[u8]) -> Box<[u8]> {
    let start = text.windows(3).position(|window| window == b"://").map_or(0, |at| at + 3);
    let end = text[start..].iter().position(|byte| *byte == b'/').map_or(text.len(), |at| start + at);
    match text[start..end].iter().rposition(|byte| *byte == b'@') {
        Some(at) if is_location(text) => {
            [&text[..start], "…".as_bytes(), &text[start + at..]].concat().into()
        }
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_and_what_ends_with_a_slash_are_folders() {
        for (text, is) in [
            ("s3://b", true),
            ("gs://b/p/", true),
            ("az://c/p", false),
            ("https://h/p/", false),
            ("d/", false),
        ] {
            assert_eq!(is_folder(text.as_bytes()), is, "{text}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        for (text, shown) in [
            ("s3://key:word@b/k@x", "s3://…@b/k@x"),
            ("s3://b/k@x", "s3://b/k@x"),
            ("a@b", "a@b"),
            ("https://u@h", "https://…@h"),
        ] {
            assert_eq!(without_secret(text.as_bytes()), shown.as_bytes().into(), "{text}");
        }
    }

    #[test]
    fn paths_are_no_locations() {
        for (text, is) in
            [("s3://b/k", true), ("https://h/f", true), ("./s3://b", false), ("s3:/b", false), ("-", false)]
        {
            assert_eq!(is_location(text.as_bytes()), is, "{text}");
        }
    }
}
