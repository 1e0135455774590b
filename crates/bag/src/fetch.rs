//! `fetch.txt`: files to be fetched from elsewhere. This crate never fetches them.

use crate::Version;
use crate::path;
use crate::text::lines;

/// A file to be fetched from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// The source.
    pub url: String,
    /// The size, if stated.
    pub size: Option<u64>,
    /// The path in the bag.
    pub path: String,
}

/// An unusable line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bad {
    /// The line with this number does not have three fields.
    Line(u64),
    /// The path, and why it can't be used.
    Path(String, String),
}

impl Fetch {
    /// Reads lines of the form `URL SIZE PATH`.
    pub(crate) fn parse(text: &str, version: Version) -> impl Iterator<Item = Result<Fetch, Bad>> {
        lines(text).map(move |(number, line)| Fetch::line(line, version).unwrap_or(Err(Bad::Line(number))))
    }

    /// Returns whether the source is an absolute URL: a scheme, which is no drive, and something after it.
    pub fn is_absolute(&self) -> bool {
        let Some((scheme, rest)) = self.url.split_once(':') else { return false };
        let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        scheme.len() > 1
            && !rest.is_empty()
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(is_of_scheme)
    }

    fn line(line: &str, version: Version) -> Option<Result<Fetch, Bad>> {
        let (url, rest) = line.trim_start().split_once([' ', '\t'])?;
        let (size, path) = rest.trim_start().split_once([' ', '\t'])?;
        let size = if size == "-" { None } else { Some(size.parse().ok()?) };
        let path = path::decode(path.trim_start(), version);
        let plain = path::plain(&path);
        Some(match path::check(&path) {
            Err(why) => Err(Bad::Path(path, why.to_string())),
            Ok(()) if !plain.starts_with("data/") => Err(Bad::Path(plain, "is not below data".into())),
            Ok(()) => Ok(Fetch { url: url.into(), size, path: plain }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_three_parts() {
        let text = "http://x/a%20b 12 data/a b\nhttp://x/c - ./data/c%0A\nhttp://x/d\nhttp://x 1 ../e\nhttp://x 1 bagit.txt\n";
        let found: Vec<_> = Fetch::parse(text, Version::CURRENT).collect();
        let fetch = |url: &str, size, path: &str| Ok(Fetch { url: url.into(), size, path: path.into() });
        assert_eq!(found[0], fetch("http://x/a%20b", Some(12), "data/a b"));
        assert_eq!(found[1], fetch("http://x/c", None, "data/c\n"));
        assert_eq!(found[2], Err(Bad::Line(3)));
        assert_eq!(found[3], Err(Bad::Path("../e".into(), "leads up with ..".into())));
        assert_eq!(found[4], Err(Bad::Path("bagit.txt".into(), "is not below data".into())));
    }

    #[test]
    fn sources_are_absolute_or_not() {
        let is_absolute =
            |url: &str| Fetch { url: url.into(), size: None, path: "data/a".into() }.is_absolute();
        for url in ["http://x/a", "s3://b/k", "ark:/1/2", "urn:x:y", "file:///a"] {
            assert!(is_absolute(url), "{url}");
        }
        for url in ["a", "/a", "//x/a", "../a", "C:/a", "1x:a", "http:", ":a", "a b:c"] {
            assert!(!is_absolute(url), "{url}");
        }
    }
}
