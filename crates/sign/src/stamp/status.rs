//! The status of an authority's answer (RFC 3161, 2.4.2; RFC 4210, 5.2.3).

use der::Tag;

/// The status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PkiStatus {
    /// The authority granted the request.
    Accepted,
    /// It granted the request with changes.
    GrantedWithMods,
    /// It refused the request.
    Rejection,
    /// It has not decided yet.
    Waiting,
    /// It warns of a revocation to come.
    RevocationWarning,
    /// It tells of a revocation.
    RevocationNotification,
    /// It warns that a key has been updated.
    KeyUpdateWarning,
}

impl PkiStatus {
    pub(super) fn from_number(number: u8) -> der::Result<PkiStatus> {
        Ok(match number {
            0 => PkiStatus::Accepted,
            1 => PkiStatus::GrantedWithMods,
            2 => PkiStatus::Rejection,
            3 => PkiStatus::Waiting,
            4 => PkiStatus::RevocationWarning,
            5 => PkiStatus::RevocationNotification,
            6 => PkiStatus::KeyUpdateWarning,
            _ => return Err(Tag::Integer.value_error().into()),
        })
    }
}
