//! Documents that are not manifests.

/// A kind of document that is refused: one row of [`super::DOCUMENTS`].
#[derive(Debug)]
pub struct Document {
    /// The kind of document, with an article.
    pub name: &'static str,
    /// Advice to the user.
    pub advice: &'static str,
    /// Returns whether a file with these first bytes is of this kind.
    pub(super) is: fn(&FirstLines<'_>) -> bool,
}

/// The first bytes of a file, and its first lines that are neither blank nor comments.
pub(super) struct FirstLines<'a> {
    pub bytes: &'a [u8],
    pub lines: Vec<&'a [u8]>,
}

impl FirstLines<'_> {
    pub fn starts(&self, magic: &[u8]) -> bool {
        self.bytes.starts_with(magic)
    }

    /// Returns whether the text starts with this lowercase tag, after white space and in any case.
    pub fn tag(&self, wanted: &[u8]) -> bool {
        let text = self.bytes.trim_ascii_start();
        text.get(..wanted.len()).is_some_and(|start| start.eq_ignore_ascii_case(wanted))
    }

    pub fn has(&self, part: &[u8]) -> bool {
        memchr::memmem::find(self.bytes, part).is_some()
    }

    pub fn line(&self, fits: impl Fn(&[u8]) -> bool) -> bool {
        self.lines.iter().any(|line| fits(line.trim_ascii_end()))
    }
}
