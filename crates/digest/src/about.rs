//! What is known of a message before its first byte.

/// What is known of a message before its first byte. Few digests depend on more than the bytes: see
/// [`crate::Algorithm::wants_size`] and [`crate::Algorithm::of_entry`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct About<'a> {
    /// How many bytes it has, where that is known. If it is not true, the digest is of no use.
    pub size: Option<u64>,
    /// The name of the file that it is in, without folders; empty if it has none.
    pub name: &'a [u8],
}

impl<'a> About<'a> {
    /// The message is the file of this path.
    pub fn file(path: &'a [u8], size: Option<u64>) -> Self {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        About { size, name }
    }

    /// The message has no name.
    pub fn sized(size: Option<u64>) -> Self {
        About { size, name: &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::About;

    #[test]
    fn the_name_is_the_last_part_of_a_path() {
        for (path, name) in [("a", "a"), ("./a", "a"), ("a//b", "b"), ("/", ""), ("-", "-"), ("a/b c", "b c")]
        {
            assert_eq!(About::file(path.as_bytes(), None).name, name.as_bytes(), "{path}");
        }
    }
}
