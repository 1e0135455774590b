//! Versions of the standard, and names of version directories.

use std::fmt;

/// A version of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OcflVersion {
    /// 1.0
    V1_0,
    /// 1.1
    V1_1,
}

impl OcflVersion {
    const ALL: [OcflVersion; 2] = [OcflVersion::V1_0, OcflVersion::V1_1];

    /// Returns a version by its number.
    pub(crate) fn from_number(number: &[u8]) -> Option<OcflVersion> {
        OcflVersion::ALL.into_iter().find(|version| version.to_string().as_bytes() == number)
    }

    /// Returns a version by the type of an inventory.
    pub(crate) fn from_type(text: &str) -> Option<OcflVersion> {
        OcflVersion::ALL.into_iter().find(|version| version.type_text() == text)
    }

    /// Returns the type of inventories.
    pub(crate) fn type_text(self) -> String {
        format!("https://ocfl.io/{self}/spec/#inventory")
    }

    /// Returns `code` for 1.1 and `before` for 1.0, which has no codes from E103 on.
    pub(crate) fn code(self, code: &'static str, before: &'static str) -> &'static str {
        if self == OcflVersion::V1_0 { before } else { code }
    }
}

impl fmt::Display for OcflVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OcflVersion::V1_0 => "1.0",
            OcflVersion::V1_1 => "1.1",
        })
    }
}

/// The name of a version: `v1`, or `v0001`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VersionName {
    pub(crate) number: u64,
    /// The number of digits, if there is a zero before them.
    digits: usize,
    is_padded: bool,
}

impl VersionName {
    pub(crate) fn parse(name: &str) -> Option<VersionName> {
        let digits = name.strip_prefix('v')?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: u64 = digits.parse().ok().filter(|number| is_number && *number > 0)?;
        Some(VersionName { number, digits: digits.len(), is_padded: digits.starts_with('0') })
    }

    pub(crate) fn is_padded(self) -> bool {
        self.is_padded
    }

    /// Returns the codes of what is wrong with a name after that of the first version.
    pub(crate) fn faults_after(self, first: VersionName) -> &'static [&'static str] {
        match (first.is_padded, self.is_padded) {
            (true, false) => &["E011", "E013"],
            (true, true) if first.digits != self.digits => &["E012", "E013"],
            (false, true) => &["E012", "E013"],
            _ => &[],
        }
    }
}

impl fmt::Display for VersionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.is_padded { self.digits } else { 0 };
        write!(f, "v{:0digits$}", self.number)
    }
}
