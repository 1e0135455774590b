//! The plan of a copy, without a byte read or written.

use super::CopyJob;
use super::naming::Naming;
use super::site::CopySite;
use crate::error::Error;
use hashmill_content::selection::Selected;
use hashmill_os::{Links, facts_at};
use hashmill_source::{Entry, Skip, WalkItem};
use std::path::Path;
use std::sync::Arc;

/// The plan for an entry at a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planned {
    /// It would be copied.
    New,
    /// Something of this name is there: a file of the same size is compared and left if it is the same.
    There,
}

/// A step of a survey.
#[derive(Debug)]
pub enum SurveyEvent<'a> {
    /// A file or link of this path would have this place at a destination.
    Planned(&'a [u8], &'a Path, Planned),
    /// An entry is not copied, for this reason.
    Skipped(&'a [u8], Skip),
    /// An entry could not be read.
    Failed(&'a hashmill_source::Error),
    /// The entry of this path can't be in a bag, for this reason.
    Unfit(&'a [u8], &'a str),
}

/// The plan for a destination.
#[derive(Debug, Default, Clone, Copy)]
pub struct PlaceSurvey {
    /// The number of new files.
    pub files: u64,
    /// Their bytes, as far as their sizes are known.
    pub bytes: u64,
    /// The number of files and links that are there.
    pub there: u64,
    /// The free bytes; `None` if they can't be told.
    pub free: Option<u64>,
}

impl CopyJob {
    /// Says what would go where, and how much.
    ///
    /// # Errors
    /// As [`CopyJob::run`].
    pub fn survey(mut self, observer: &mut dyn FnMut(SurveyEvent<'_>)) -> Result<Vec<PlaceSurvey>, Error> {
        let naming = Naming::new(&self.selection.paths)?;
        self.check()?;
        self.open_bags(&naming, &mut |path, why| observer(SurveyEvent::Unfit(path, why)))?;
        self.selection.is_located = true;
        let sites = self.to.iter().map(|to| self.site(to, &naming));
        let sites = sites.collect::<Result<Vec<Arc<dyn CopySite>>, Error>>()?;
        let free = |site: &Arc<dyn CopySite>| PlaceSurvey { free: site.free(), ..PlaceSurvey::default() };
        let mut places: Vec<PlaceSurvey> = sites.iter().map(free).collect();
        let Selected { entries, .. } = self.entries(&self.resources)?;
        for item in entries {
            if self.cancel.is_set() {
                break;
            }
            let (path, size) = match &item {
                WalkItem::File(entry) => (&*entry.path, size_of(entry)),
                WalkItem::Skipped { path, why: Skip::Link } => (&**path, 0),
                WalkItem::Skipped { path, why } => {
                    observer(SurveyEvent::Skipped(path, *why));
                    continue;
                }
                WalkItem::Failed(error) => {
                    observer(SurveyEvent::Failed(error));
                    continue;
                }
            };
            let Some(name) = naming.name(path) else { continue };
            for (site, survey) in sites.iter().zip(&mut places) {
                let place = site.path(&name);
                let planned = if site.is_there(&name) { Planned::There } else { Planned::New };
                match planned {
                    Planned::There => survey.there += 1,
                    Planned::New => {
                        survey.files += 1;
                        survey.bytes += size;
                    }
                }
                observer(SurveyEvent::Planned(path, &place, planned));
            }
        }
        Ok(places)
    }
}

fn size_of(entry: &Entry) -> u64 {
    let path = || hashmill_content::selection::path_of(&entry.path);
    entry.size.or_else(|| facts_at(&path(), Links::Follow).ok().map(|facts| facts.size)).unwrap_or(0)
}
