//! Globs that select records by their paths.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

/// Globs like those that select files to hash: one without a slash is matched with names, others with whole paths.
#[derive(Debug, Clone)]
pub struct Globs {
    texts: Box<[Box<str>]>,
    names: GlobSet,
    paths: GlobSet,
}

impl Default for Globs {
    fn default() -> Globs {
        Globs { texts: Box::default(), names: GlobSet::empty(), paths: GlobSet::empty() }
    }
}

impl Globs {
    /// Parses globs.
    ///
    /// # Errors
    /// If one can't be parsed.
    pub fn parse(texts: &[impl AsRef<str>]) -> Result<Globs, globset::Error> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for text in texts.iter().map(AsRef::as_ref) {
            let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build()?;
            let all = if text.contains('/') { &mut paths } else { &mut names };
            all.add(glob);
        }
        let texts = texts.iter().map(|text| text.as_ref().into()).collect();
        Ok(Globs { texts, names: names.build()?, paths: paths.build()? })
    }

    /// Returns each glob alone, with its text.
    pub fn each(&self) -> impl Iterator<Item = (&str, Globs)> {
        let alone = |text: &str| Globs::parse(&[text]).ok();
        self.texts.iter().filter_map(move |text| Some((&**text, alone(text)?)))
    }

    /// Returns whether there are no globs.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    /// Returns whether a glob is this path itself.
    pub fn has_path(&self, path: &[u8]) -> bool {
        self.texts.iter().any(|text| text.as_bytes() == path)
    }

    /// Returns whether any glob matches this path.
    pub fn match_any(&self, path: &[u8]) -> bool {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let is = |globs: &GlobSet, text: &[u8]| {
            !globs.is_empty() && globs.is_match_candidate(&Candidate::from_bytes(text))
        };
        is(&self.names, name) || is(&self.paths, path) || self.has_path(path)
    }
}
