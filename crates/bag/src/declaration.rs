//! `bagit.txt`, the file that makes a directory a bag.

use crate::info::Info;
use crate::text::{Encoding, lines};
use std::fmt;
use std::str::FromStr;

/// A version of BagIt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot.
    pub minor: u32,
}

/// The content of `bagit.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declaration {
    /// The BagIt version.
    pub version: Version,
    /// The encoding of all other tag files.
    pub encoding: Encoding,
}

/// The reason why a `bagit.txt` can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadDeclaration {
    /// A byte-order mark at the start, which BagIt forbids.
    Mark,
    /// Not UTF-8, or a line without a colon.
    NotText,
    /// A missing label.
    Missing(&'static str),
    /// A version that is not `M.N`.
    NoVersion(String),
    /// A version older than 0.93 or newer than 1.x.
    OtherVersion(Version),
    /// An unsupported encoding.
    OtherEncoding(String),
}

impl Version {
    /// The version of RFC 8493.
    pub const CURRENT: Version = Version { major: 1, minor: 0 };
    /// The oldest version that is supported.
    const OLDEST: Version = Version { major: 0, minor: 93 };

    /// Returns the name of the file with the bag's metadata.
    pub fn info_name(self) -> &'static str {
        if self <= (Version { major: 0, minor: 95 }) { "package-info.txt" } else { "bag-info.txt" }
    }
}

impl Declaration {
    /// The `bagit.txt` of new bags.
    pub const TEXT: &str = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

    /// The labels of its lines, in this order and nothing else.
    const LABELS: [&str; 2] = ["BagIt-Version", "Tag-File-Character-Encoding"];

    /// Reads a `bagit.txt`. Of labels that come twice, the first counts.
    ///
    /// # Errors
    /// [`BadDeclaration`] if it can't be used.
    pub fn parse(bytes: &[u8]) -> Result<Declaration, BadDeclaration> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return Err(BadDeclaration::Mark);
        }
        let text = str::from_utf8(bytes).map_err(|_| BadDeclaration::NotText)?;
        let (fields, bad) = Info::parse(text);
        if !bad.is_empty() {
            return Err(BadDeclaration::NotText);
        }
        let value = |label| fields.get(label).ok_or(BadDeclaration::Missing(label));
        let [version, encoding] = Declaration::LABELS;
        let version = value(version)?;
        let version: Version = version.parse().map_err(|()| BadDeclaration::NoVersion(version.into()))?;
        if version < Version::OLDEST || version.major > 1 {
            return Err(BadDeclaration::OtherVersion(version));
        }
        let name = value(encoding)?;
        let encoding = Encoding::from_name(name).ok_or_else(|| BadDeclaration::OtherEncoding(name.into()))?;
        Ok(Declaration { version, encoding })
    }

    /// Returns the differences of a `bagit.txt` that can be used from the two lines that it must have.
    pub(crate) fn faults(bytes: &[u8]) -> Vec<String> {
        let text = String::from_utf8_lossy(bytes);
        let mut wanted = Declaration::LABELS.into_iter();
        let mut faults = Vec::new();
        for (number, line) in lines(&text) {
            let written = line.split_once(':').map_or(line, |(label, _)| label);
            let (label, wanted) = (written.trim(), wanted.next());
            if !wanted.is_some_and(|wanted| label.eq_ignore_ascii_case(wanted)) {
                let wanted = wanted.map_or("nothing", |wanted| wanted);
                faults.push(format!("line {number} is {label}, but {wanted} belongs there"));
            }
            if label != written {
                faults.push(format!("line {number} has white space around {label}"));
            }
        }
        faults
    }
}

impl FromStr for Version {
    type Err = ();

    fn from_str(text: &str) -> Result<Version, ()> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits).ok_or(())
        };
        let (major, minor) = text.split_once('.').ok_or(())?;
        Ok(Version { major: number(major)?, minor: number(minor)? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for BadDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadDeclaration::Mark => f.write_str("starts with a byte-order mark, which BagIt does not allow"),
            BadDeclaration::NotText => f.write_str("is not UTF-8 text of lines 'label: value'"),
            BadDeclaration::Missing(label) => write!(f, "has no {label}"),
            BadDeclaration::NoVersion(text) => write!(f, "'{text}' is not a version of BagIt"),
            BadDeclaration::OtherVersion(version) => {
                write!(f, "BagIt {version} is not supported; 0.93 to 1.x are")
            }
            BadDeclaration::OtherEncoding(name) => {
                write!(f, "tag files in {name} are not supported; UTF-8, UTF-16, US-ASCII and ISO-8859-1 are")
            }
        }
    }
}

impl std::error::Error for BadDeclaration {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_all_versions_are_read() {
        assert_eq!(
            Declaration::parse(Declaration::TEXT.as_bytes()),
            Ok(Declaration { version: Version::CURRENT, encoding: Encoding::Utf8 })
        );
        let old = b"BagIt-version: 0.93\r\nTag-File-Character-Encoding:  utf-8\r\n";
        assert_eq!(Declaration::parse(old).unwrap().version.info_name(), "package-info.txt");
    }

    #[test]
    fn what_cannot_be_gone_by_is_told() {
        let with = |version: &str, encoding: &str| {
            let text = format!("BagIt-Version: {version}\nTag-File-Character-Encoding: {encoding}\n");
            Declaration::parse(text.as_bytes())
        };
        assert!(matches!(with("2.0", "UTF-8"), Err(BadDeclaration::OtherVersion(_))));
        assert!(matches!(with("0.92", "UTF-8"), Err(BadDeclaration::OtherVersion(_))));
        assert!(matches!(with("one", "UTF-8"), Err(BadDeclaration::NoVersion(_))));
        assert!(matches!(with("1.+0", "UTF-8"), Err(BadDeclaration::NoVersion(_))));
        assert!(matches!(with("1.0", "UTF-7"), Err(BadDeclaration::OtherEncoding(_))));
        assert_eq!(
            Declaration::parse(b"BagIt-Version: 1.0\n"),
            Err(BadDeclaration::Missing("Tag-File-Character-Encoding"))
        );
        assert_eq!(Declaration::parse(b"\xef\xbb\xbfBagIt-Version: 1.0\n"), Err(BadDeclaration::Mark));
        assert_eq!(Declaration::parse(b"\xff"), Err(BadDeclaration::NotText));
    }

    #[test]
    fn two_lines_in_their_order_are_wanted() {
        let (version, encoding) = ("BagIt-Version: 1.0\n", "Tag-File-Character-Encoding: UTF-8\n");
        let faults = |lines: &[&str]| Declaration::faults(lines.concat().as_bytes()).len();
        assert_eq!(faults(&[version, encoding]), 0);
        assert_eq!(faults(&[version, "\r", encoding, "\n"]), 0);
        assert_eq!(faults(&[version, encoding, "A: b\n"]), 1);
        assert_eq!(faults(&[encoding, version]), 2);
        assert_eq!(faults(&[version, "BagIt-Version: 0.97\n", encoding]), 2);
        assert_eq!(faults(&["BagIt-Version : 1.0\n", encoding]), 1);
    }
}
