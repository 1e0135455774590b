//! When and where a manifest is made, for formats that must say so.

use crate::case::{host, now};
use hashloom_manifest::Time;
use hashloom_manifest::format::Made;
use std::env;

/// Seconds since 1970 that stand for now, so that the same records give the same bytes anywhere. Source:
/// reproducible-builds.org, "SOURCE_DATE_EPOCH".
const DATE: &str = "SOURCE_DATE_EPOCH";

/// Now and here. Where a date is given, it is used, and no machine is named.
pub(crate) fn made() -> Made {
    let given = env::var(DATE).ok().and_then(|seconds| seconds.parse().ok());
    match given {
        Some(seconds) => Made { at: Time { seconds, nanoseconds: 0 }, ..Made::default() },
        None => Made { at: now(), host: host() },
    }
}
