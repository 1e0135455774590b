//! Time and place of making a manifest, for formats that state them.

use hashmill_manifest::Time;
use hashmill_manifest::format::Made;
use std::env;
use std::io::{self, ErrorKind};
use std::time::SystemTime;

/// An environment variable with the time to use instead of now, in seconds since 1970, so that the same records give
/// the same bytes anywhere. Source: reproducible-builds.org, "SOURCE_DATE_EPOCH".
const DATE: &str = "SOURCE_DATE_EPOCH";

/// The last second of the year 9999: RFC 3339 has four digits for a year.
const LAST: i64 = 253_402_300_799;

/// Returns the time and the host. If `SOURCE_DATE_EPOCH` is set, it is the time, and no host is named.
///
/// # Errors
/// If `SOURCE_DATE_EPOCH` is set and not a valid time: a document must not state a time that nobody asked for.
pub fn made() -> io::Result<Made> {
    let Some(given) = env::var_os(DATE) else { return Ok(Made { at: now(), host: host() }) };
    let seconds =
        given.to_str().and_then(|text| text.parse().ok()).filter(|seconds| (0..=LAST).contains(seconds));
    let wrong =
        || io::Error::new(ErrorKind::InvalidInput, format!("{DATE}: not a number of seconds since 1970"));
    let seconds = seconds.ok_or_else(wrong)?;
    Ok(Made { at: Time { seconds, nanoseconds: 0 }, ..Made::default() })
}

/// Returns the current time.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Time { seconds: since.as_secs().try_into().unwrap_or(i64::MAX), nanoseconds: since.subsec_nanos() }
}

/// Returns the machine's name; empty if the system doesn't tell.
pub fn host() -> Box<[u8]> {
    hashmill_os::host_name().into()
}
