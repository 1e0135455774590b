//! Findings about an object or a storage root, by the codes of the standard.

use std::fmt;

/// A finding about an object or a storage root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OcflFinding {
    /// The path below the object or the storage root.
    pub path: Vec<u8>,
    /// The consequence.
    pub fault: OcflFault,
    /// The code of the standard.
    pub code: &'static str,
    /// The finding in words.
    pub detail: String,
}

/// The consequence of a finding, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OcflFault {
    /// The standard advises against it.
    Warning,
    /// It does not belong there.
    Superfluous,
    /// It must be there, and is not.
    Missing,
    /// It is not as it must be.
    Damaged,
    /// It can't be checked.
    Unsupported,
}

impl OcflFinding {
    /// Creates a finding about a path. The codes of warnings begin with `W`.
    pub(crate) fn new(path: &[u8], code: &'static str, detail: impl Into<String>) -> OcflFinding {
        let fault = if code.starts_with('W') { OcflFault::Warning } else { OcflFault::Damaged };
        OcflFinding { path: path.into(), fault, code, detail: detail.into() }
    }

    /// Changes the consequence.
    pub(crate) fn with_fault(self, fault: OcflFault) -> OcflFinding {
        OcflFinding { fault, ..self }
    }
}

impl fmt::Display for OcflFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}
