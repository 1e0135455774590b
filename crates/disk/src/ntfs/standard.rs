//! The times and attributes of a file ($STANDARD_INFORMATION).

use super::attribute::STANDARD_INFORMATION;
use super::file::File;
use crate::fields::{le32, le64};
use crate::{Time, Times};

/// Returns the times and the attributes of a file.
pub(super) fn facts(file: &File<'_>) -> (Times, u32) {
    let Some(attribute) = file.attributes(STANDARD_INFORMATION).next() else { return Default::default() };
    let bytes = attribute.resident().unwrap_or_default();
    let at = |offset| le64(bytes, offset).filter(|intervals| *intervals != 0).map(Time::from_filetime);
    let times = Times { created: at(0), modified: at(8), changed: at(0x10), accessed: at(0x18) };
    (times, le32(bytes, 0x20).unwrap_or_default())
}
