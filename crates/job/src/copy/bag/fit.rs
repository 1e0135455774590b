//! Checks before the first byte is read: a bag can hold all that is to be copied, and holds nothing else.

use super::super::CopyJob;
use super::super::naming::Naming;
use super::destination::{CopyBag, DATA, is_unfinished};
use super::left_out::is_left_out;
use crate::bagit::Refusal;
use crate::error::Error;
use hashmill_bag::check;
use hashmill_content::File as Tried;
use hashmill_content::selection::{Selected, below};
use hashmill_os::names::path_bytes;
use hashmill_output::sort::{Sorted, Sorter};
use hashmill_source::{Problem, Skip, WalkItem, WalkOptions, walk};
use std::path::Path;

/// The bytes of memory for sorting names.
const MEMORY: usize = 4 << 20;

/// The most entries of a bag that are named.
const MOST_NAMED: u64 = 10;

/// The names of all that is to be copied, and of what is there.
struct Names {
    sorter: Sorter,
    /// The number of entries that don't fit.
    unfit: u64,
}

/// Checks that the sources can be the payload of these bags, and that there is no other payload. Each entry that is not so is told.
///
/// # Errors
/// If there is one, or the sources or the payload can't be listed.
pub(super) fn check_fit(
    job: &CopyJob,
    bags: &[CopyBag],
    naming: &Naming,
    tell: &mut dyn FnMut(&[u8], &str),
) -> Result<(), Error> {
    let mut names = Names { sorter: Sorter::new(MEMORY), unfit: 0 };
    let Selected { entries, .. } = job.entries(&job.resources)?;
    for item in entries {
        if job.cancel.is_set() {
            return Ok(());
        }
        names.add_source(&item, naming, tell)?;
    }
    for (number, bag) in (0..).zip(bags) {
        names.add_payload(number, bag, tell)?;
    }
    let unfit = names.unfit + foreign(names.sorter.sorted()?, bags, tell)?;
    match (unfit, bags) {
        (0, _) | (_, []) => Ok(()),
        (_, [bag, ..]) => Err(bag.unfit(&format!(
            "can't become a bag of what is to be copied, because of {unfit} {}; nothing was copied",
            if unfit == 1 { "entry" } else { "entries" }
        ))),
    }
}

impl Names {
    /// Adds an entry of the sources.
    fn add_source(
        &mut self,
        item: &WalkItem,
        naming: &Naming,
        tell: &mut dyn FnMut(&[u8], &str),
    ) -> Result<(), Error> {
        let refusal = match item {
            WalkItem::Failed(error) => Some((&error.path, Refusal::Unread(&error.problem))),
            WalkItem::Skipped { why, .. } if is_left_out(*why) => return Ok(()),
            WalkItem::Skipped { path, why } => Some((path, Refusal::Special(*why))),
            WalkItem::File(entry) => match naming.name(&entry.path) {
                Some(name) => match refusal(&name.below) {
                    None => return Ok(self.sorter.push(&name.below, &[])?),
                    refusal => refusal.map(|refusal| (&entry.path, refusal)),
                },
                None => None,
            },
        };
        if let Some((path, why)) = refusal {
            self.unfit += 1;
            tell(path, &why.to_string());
        }
        Ok(())
    }

    /// Adds the payload that is there.
    fn add_payload(
        &mut self,
        number: u32,
        bag: &CopyBag,
        tell: &mut dyn FnMut(&[u8], &str),
    ) -> Result<(), Error> {
        for found in payload(&bag.folder) {
            match found {
                PayloadEntry::File(name) if is_unfinished(last(&name)) => {}
                PayloadEntry::File(name) => self.sorter.push(&name, &[&number.to_le_bytes()])?,
                PayloadEntry::Other(path, why) => {
                    self.unfit += 1;
                    tell(&path, &Refusal::Special(why).to_string());
                }
                PayloadEntry::Failed(path, problem) => {
                    return Err(Error::file(&path, Tried::List)(std::io::Error::other(problem.to_string())));
                }
            }
        }
        Ok(())
    }
}

/// Something below the folder `data`.
pub(super) enum PayloadEntry {
    /// A file, by its path below that folder.
    File(Box<[u8]>),
    /// Something that a bag can't hold.
    Other(Box<[u8]>, Skip),
    /// An entry that can't be looked at.
    Failed(Box<[u8]>, Problem),
}

/// Returns what lies below the folder `data` of a bag.
pub(super) fn payload(bag: &Path) -> impl Iterator<Item = PayloadEntry> {
    let data = bag.join(DATA);
    let root: Box<[u8]> = path_bytes(&data).into();
    let there = data.symlink_metadata().is_ok().then(|| root.clone());
    walk(there.into_iter(), WalkOptions::default()).map(move |item| match item {
        WalkItem::File(entry) => PayloadEntry::File(below(&entry.path, &root).into()),
        WalkItem::Skipped { path, why } => PayloadEntry::Other(path, why),
        WalkItem::Failed(error) => PayloadEntry::Failed(error.path, error.problem),
    })
}

/// Returns the number of files that are in a bag and in no source, or in the sources and not listed by a bag that is there.
fn foreign(mut sorted: Sorted, bags: &[CopyBag], tell: &mut dyn FnMut(&[u8], &str)) -> Result<u64, Error> {
    let mut number = 0;
    let mut found = |bag: &CopyBag, name: &[u8], why: &str| {
        number += 1;
        if number <= MOST_NAMED {
            tell(&[&*path_bytes(&bag.folder.join(DATA)), b"/", name].concat(), why);
        }
    };
    let mut group = Group::default();
    while let Some((name, place)) = sorted.next_entry()? {
        if group.name != name {
            group.judge(bags, &mut found);
            group = Group { name: name.to_vec(), ..Group::default() };
        }
        match place.first_chunk() {
            None => group.is_source = true,
            Some(number) => group.places.push(u32::from_le_bytes(*number) as usize),
        }
    }
    group.judge(bags, &mut found);
    Ok(number)
}

/// The places where a name was met.
#[derive(Default)]
struct Group {
    name: Vec<u8>,
    is_source: bool,
    /// The numbers of the bags that have it.
    places: Vec<usize>,
}

impl Group {
    fn judge(&self, bags: &[CopyBag], found: &mut dyn FnMut(&CopyBag, &[u8], &str)) {
        for (number, bag) in bags.iter().enumerate() {
            let (is_there, listed) = (self.places.contains(&number), lists(bag, &self.name));
            match (self.is_source, is_there, listed) {
                (false, true, _) => {
                    found(bag, &self.name, "is in the bag, and not among what is to be copied")
                }
                (true, false, Some(false)) => {
                    found(bag, &self.name, "is not what the bag that is there lists")
                }
                _ => {}
            }
        }
    }
}

/// Returns whether the bag that is there lists a file; none if there is no bag.
fn lists(bag: &CopyBag, name: &[u8]) -> Option<bool> {
    let there = bag.there.as_ref()?;
    Some(str::from_utf8(name).is_ok_and(|name| there.lists_path(&format!("{DATA}/{name}"))))
}

/// Returns why no manifest of a bag can list a name, if so.
pub(super) fn refusal(name: &[u8]) -> Option<Refusal<'static>> {
    match str::from_utf8(name) {
        Err(_) => Some(Refusal::NotUtf8),
        Ok(name) => check(name).err().map(Refusal::Name),
    }
}

fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}
