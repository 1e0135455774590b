//! When and where a manifest is made, for formats that must say so.

use crate::case::{host, now};
use hashloom_manifest::Time;
use hashloom_manifest::format::Made;
use std::env;
use std::io::{self, ErrorKind};

/// Seconds since 1970 that stand for now, so that the same records give the same bytes anywhere. Source:
/// reproducible-builds.org, "SOURCE_DATE_EPOCH".
const DATE: &str = "SOURCE_DATE_EPOCH";

/// The last second of the year 9999: RFC 3339 has four digits for a year.
const LAST: i64 = 253_402_300_799;

/// Now and here. Where a date is given, it is used, and no machine is named.
///
/// # Errors
/// If what is given is no date: a document must not say that it was made at another time.
pub(crate) fn made() -> io::Result<Made> {
    let Some(given) = env::var_os(DATE) else { return Ok(Made { at: now(), host: host() }) };
    let seconds =
        given.to_str().and_then(|text| text.parse().ok()).filter(|seconds| (0..=LAST).contains(seconds));
    let wrong =
        || io::Error::new(ErrorKind::InvalidInput, format!("{DATE}: not a number of seconds since 1970"));
    let seconds = seconds.ok_or_else(wrong)?;
    Ok(Made { at: Time { seconds, nanoseconds: 0 }, ..Made::default() })
}
