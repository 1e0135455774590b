//! Zip (APPNOTE 6.3.10), with 64-bit sizes, bytes before the archive, and names in UTF-8 or code page 437.
//!
//! A zip archive says most things twice: in its directory and in a header before each member. Programs differ in
//! which they believe, so an archive may show other members to each of them. Here the directory counts, and a member
//! whose header differs can't be read. Bytes of one member that are also those of another, names that come twice,
//! members that the directory lacks, and several directories are told, the latter two as an error after the last
//! member.
//!
//! Without a directory, as in a download that was cut off, members are found by their headers, and an error follows
//! the last one.
//!
//! The comments of the archive and its members are not read, nor do the times of headers count.

mod bare;
mod checked;
mod descriptor;
mod end;
mod entry;
mod extra;
mod gaps;
mod listing;
mod local;
mod method;
mod segments;
mod stored;
mod survey;
mod window;

use crate::Archive;
use crate::{Directory, DirectoryMember, Limits, Medium, Problem, Recognition};
use end::End;
pub(crate) use end::volumes;
pub use segments::{ZipDirectory, ZipPlace, ZipSegment};
use std::sync::{Arc, OnceLock};
use survey::Survey;

/// The signatures before the first member of an archive of several volumes (8.5.3), and of one that became one.
const SEVERAL: [u8; 4] = *b"PK\x07\x08";
const SINGLE: [u8; 4] = *b"PK00";

/// An open archive.
#[derive(Debug)]
struct Zip {
    medium: Arc<dyn Medium>,
    limits: Limits,
    /// The end of it; without one, the place of the first member.
    end: Result<End, u64>,
    survey: OnceLock<Arc<Survey>>,
}

/// Returns whether bytes begin like an archive, or one ends in the last 64 KiB. An empty directory is too little at an end.
pub(crate) fn recognizes(medium: &dyn Medium) -> Recognition {
    if first(medium).is_some() || end::read(medium, 0) == Some(end::END) {
        return Recognition::Yes;
    }
    match end::find(medium) {
        Ok(Some(end)) if end.count == 0 => Recognition::No,
        Ok(Some(end)) if !end.is_last => Recognition::ByEnd,
        Ok(None) | Err(Problem::Io(_)) => Recognition::No,
        Ok(Some(_)) | Err(_) => Recognition::Yes,
    }
}

/// Returns whether bytes begin as the first of several volumes does.
pub(crate) fn is_first_volume(medium: &dyn Medium) -> bool {
    end::read(medium, 0) == Some(SEVERAL)
}

/// Opens an archive.
pub(crate) fn open(medium: Arc<dyn Medium>, limits: &Limits) -> Result<Archive, Problem> {
    let end = match end::find(&*medium)? {
        Some(end) => Ok(end),
        None if end::read(&*medium, 0) == Some(SEVERAL) && medium.volumes().is_empty() => {
            return Err(end::several_volumes());
        }
        None => Err(first(&*medium).ok_or_else(|| Problem::damaged("its end record leads to no directory"))?),
    };
    Ok(Archive::Directory(Arc::new(Zip { medium, limits: *limits, end, survey: OnceLock::new() })))
}

/// Returns the place of the first member, if it is at the start.
fn first(medium: &dyn Medium) -> Option<u64> {
    let at = if [SEVERAL, SINGLE].contains(&end::read(medium, 0)?) { 4 } else { 0 };
    (end::read(medium, at)? == local::LOCAL).then_some(at)
}

impl Directory for Zip {
    fn members(&self) -> Box<dyn Iterator<Item = Result<DirectoryMember, Problem>> + Send + '_> {
        match &self.end {
            Ok(end) => {
                let survey =
                    self.survey.get_or_init(|| Arc::new(Survey::new(&self.medium, end, &self.limits)));
                Box::new(listing::Listing::new(&self.medium, self.limits, end, survey))
            }
            Err(first) => Box::new(bare::Bare::new(&self.medium, self.limits, *first)),
        }
    }
}

#[cfg(test)]
mod tests;
