//! The properties of a file besides its bytes: times, permissions, the owner, extended attributes.

use super::patience::patiently;
use hashmill_manifest::Time;
use hashmill_os::names::path_to_try;
use hashmill_os::{Attribute, copy_attributes, open_to_read};
use hashmill_source::Meta;
use std::collections::BTreeMap;
use std::fs::{File, FileTimes};
use std::io;
use std::time::{Duration, SystemTime};

/// The properties that copies lack, with the numbers of copies.
pub(super) type Lost = BTreeMap<String, u64>;

/// Where the properties of a copy come from.
#[derive(Debug)]
pub(super) enum PropertySource {
    /// The file at this path, which had these metadata when it was read.
    File(Box<[u8]>, Box<Meta>),
    /// Something without properties but for this time: a member, an object.
    Time(Option<Time>),
}

/// Counts the properties that a copy lacks.
pub(super) fn count_lost(lost: &mut Lost, lacking: &[Attribute]) {
    lacking.iter().for_each(|attribute| *lost.entry(attribute.to_string()).or_insert(0) += 1);
}

/// Gives a copy the properties of its source. Returns those that the system refused.
///
/// # Errors
/// If the source is no longer what was read, or times or permissions can't be set.
pub(super) fn give(origin: &PropertySource, to: &File) -> io::Result<Vec<Attribute>> {
    match origin {
        PropertySource::File(path, meta) => {
            let from = patiently(|| open_to_read(&path_to_try(path)))?;
            let now = hashmill_source::meta_of(&from)?;
            if (now.dev, now.ino) != (meta.dev, meta.ino) || !meta.same_content(&now) {
                return Err(io::Error::other("the source was changed after it was read"));
            }
            copy_attributes(&from, to)
        }
        PropertySource::Time(Some(time)) => {
            to.set_times(FileTimes::new().set_modified(system_time(*time)))?;
            Ok(Vec::new())
        }
        PropertySource::Time(None) => Ok(Vec::new()),
    }
}

fn system_time(time: Time) -> SystemTime {
    let seconds = Duration::from_secs(time.seconds.unsigned_abs());
    let whole = match time.seconds < 0 {
        true => SystemTime::UNIX_EPOCH.checked_sub(seconds),
        false => SystemTime::UNIX_EPOCH.checked_add(seconds),
    };
    let time = whole.and_then(|whole| whole.checked_add(Duration::from_nanos(time.nanoseconds.into())));
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}
