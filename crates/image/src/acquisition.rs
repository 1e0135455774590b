//! Facts about the acquisition of an image.

use serde::Serialize;

/// Facts about the acquisition; `None` if not stated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Acquisition {
    /// The case number.
    pub case_number: Option<String>,
    /// The evidence number.
    pub evidence_number: Option<String>,
    /// A description or name.
    pub description: Option<String>,
    /// The examiner.
    pub examiner: Option<String>,
    /// The examiner's notes.
    pub notes: Option<String>,
    /// The time of acquisition.
    pub acquired: Option<Date>,
    /// The clock of the acquiring system at that time.
    pub system_date: Option<Date>,
    /// The operating system of the acquiring system.
    pub operating_system: Option<String>,
    /// The acquiring program.
    pub software: Option<String>,
    /// The program's version.
    pub software_version: Option<String>,
    /// The device's model.
    pub model: Option<String>,
    /// The device's serial number.
    pub serial: Option<String>,
    /// The device's label.
    pub label: Option<String>,
    /// The process whose memory was acquired.
    pub process: Option<String>,
    /// A password hash is stored; the image is not encrypted with it.
    pub password: bool,
}

/// A point in time as headers state it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Date {
    /// Seconds since 1970, UTC.
    Unix(i64),
    /// Year, month, day, hour, minute, second, in an unknown time zone.
    Local([u16; 6]),
    /// Other text.
    Other(String),
}
