//! Names that a destination can't hold, or not side by side: they are told before the first byte is read. Most file systems hold
//! all names, and there nothing is looked at.

mod survey;

use super::folder::CopyFolder;
use super::name_rules::NameRules;
use super::naming::Naming;
use super::{CopyEvent, CopyJob, CopyObserver, PART_OF_MEMORY, is_device};
use crate::error::Error;
use hashmill_content::selection::Selected;
use hashmill_engine::Plan;
use hashmill_os::names::path_bytes;
use hashmill_source::{Skip, WalkItem};
use hashmill_terminal::Shown;
use std::path::{Path, PathBuf};
use survey::NameSurvey;

/// The most names of a destination that are told one by one.
const MOST_TOLD: usize = 10;

/// The names that a destination holds.
#[derive(Debug, Default)]
pub(super) struct HeldNames {
    /// `None` if it holds all.
    pub(super) rules: Option<NameRules>,
    /// The number of folders of the sources that become one with another there.
    pub(super) merged: u64,
}

/// A destination that holds not all names.
struct OddPlace<'a> {
    /// Its number among all.
    number: usize,
    path: &'a PathBuf,
    folder: CopyFolder,
    survey: NameSurvey,
}

impl CopyJob {
    /// Tells the names that destinations can't hold. Returns what names each of them holds.
    ///
    /// # Errors
    /// If options contradict each other, or there is no room for temporary files.
    pub(super) fn tell_names(
        &self,
        observer: &mut CopyObserver<'_>,
        naming: &Naming,
        plan: &Plan,
    ) -> Result<Vec<HeldNames>, Error> {
        let mut held: Vec<HeldNames> = self.to.iter().map(|_| HeldNames::default()).collect();
        let mut odd = self.odd_places(naming, plan.memory / PART_OF_MEMORY);
        if odd.is_empty() {
            return Ok(held);
        }
        let Selected { entries, .. } = self.entries(&self.resources)?;
        for item in entries {
            if self.cancel.is_set() {
                return Ok(held);
            }
            let path = match &item {
                WalkItem::File(entry) => &entry.path,
                WalkItem::Skipped { path, why: Skip::Link | Skip::EmptyFolder } => path,
                _ => continue,
            };
            let Some(name) = naming.name(path) else { continue };
            for OddPlace { folder, survey, .. } in &mut odd {
                survey.add(folder.below(&name), path)?;
            }
        }
        for OddPlace { number, path, survey, .. } in odd {
            let (rules, found) = survey.end()?;
            held[number] = HeldNames { rules: Some(rules), merged: found.merged };
            let shown = Shown(&path_bytes(path)).to_string();
            for told in &found.told {
                self.tell(observer, CopyEvent::Remark(&format!("{shown}: {told}")));
            }
            if let Some(more @ 1..) = found.number.checked_sub(found.told.len() as u64) {
                self.tell(observer, CopyEvent::Remark(&format!("{shown}: and {more} more such names")));
            }
        }
        Ok(held)
    }

    /// Returns the folders that hold not all names.
    fn odd_places(&self, naming: &Naming, memory: usize) -> Vec<OddPlace<'_>> {
        let mut odd = Vec::new();
        for (number, path) in self.to.iter().enumerate() {
            if self.is_bucket(path) || is_device(path) {
                continue;
            }
            let folder = CopyFolder::new(naming.target(path), self.force, self.resources.files.clone());
            let root = folder.root();
            let there = root.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("."));
            // A folder that can't be written is told when copies are.
            let rules = NameRules::probe(there, &self.resources.files).ok().filter(|rules| !rules.take_all());
            if let Some(rules) = rules {
                odd.push(OddPlace { number, path, folder, survey: NameSurvey::new(rules, memory) });
            }
        }
        odd
    }
}
