//! `fetch.txt`: files to be fetched from elsewhere. This crate never fetches them.

use crate::Version;
use crate::path::{self, Unsafe};
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
    Path(String, Unsafe),
}

impl Fetch {
    /// Reads lines of the form `URL SIZE PATH`.
    pub(crate) fn parse(text: &str, version: Version) -> impl Iterator<Item = Result<Fetch, Bad>> {
        lines(text).map(move |(number, line)| Fetch::line(line, version).unwrap_or(Err(Bad::Line(number))))
    }

    fn line(line: &str, version: Version) -> Option<Result<Fetch, Bad>> {
        let (url, rest) = line.trim_start().split_once([' ', '\t'])?;
        let (size, path) = rest.trim_start().split_once([' ', '\t'])?;
        let size = if size == "-" { None } else { Some(size.parse().ok()?) };
        let path = path::decode(path.trim_start(), version);
        Some(match path::check(&path) {
            Ok(()) => Ok(Fetch { url: url.into(), size, path: path::plain(&path) }),
            Err(why) => Err(Bad::Path(path, why)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_three_parts() {
        let text = "http://x/a%20b 12 data/a b\nhttp://x/c - ./data/c%0A\nhttp://x/d\nhttp://x 1 ../e\n";
        let found: Vec<_> = Fetch::parse(text, Version::CURRENT).collect();
        let fetch = |url: &str, size, path: &str| Ok(Fetch { url: url.into(), size, path: path.into() });
        assert_eq!(found[0], fetch("http://x/a%20b", Some(12), "data/a b"));
        assert_eq!(found[1], fetch("http://x/c", None, "data/c\n"));
        assert_eq!(found[2], Err(Bad::Line(3)));
        assert_eq!(found[3], Err(Bad::Path("../e".into(), Unsafe::Parent)));
    }
}
