//! Properties of a message that are known before its first byte.

/// Properties of a message that are known before its first byte. Only a few digests depend on them: see
/// [`crate::Algorithm::wants_size`] and [`crate::Algorithm::of_entry`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct About<'a> {
    /// The size in bytes, if known. With a wrong size the digest is wrong.
    pub size: Option<u64>,
    /// The path of its file; empty if it has none.
    pub path: &'a [u8],
}

impl<'a> About<'a> {
    /// Describes a file by its path.
    pub fn file(path: &'a [u8], size: Option<u64>) -> Self {
        About { size, path }
    }

    /// Returns the name of its file without folders; empty if it has none.
    pub fn name(&self) -> &'a [u8] {
        self.path.rsplit(|byte| *byte == b'/').next().unwrap_or(self.path)
    }

    /// Describes a message without a name.
    pub fn sized(size: Option<u64>) -> Self {
        About { size, path: &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::About;

    #[test]
    fn the_name_is_the_last_part_of_a_path() {
        for (path, name) in [("a", "a"), ("./a", "a"), ("a//b", "b"), ("/", ""), ("-", "-"), ("a/b c", "b c")]
        {
            assert_eq!(About::file(path.as_bytes(), None).name(), name.as_bytes(), "{path}");
        }
    }
}
