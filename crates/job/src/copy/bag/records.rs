//! The records of the copies in a bag, in the order of their names, whatever their number.

use super::destination::{CopyBag, is_unfinished};
use super::fit::{PayloadEntry, payload, refusal};
use hashmill_bag::folded;
use hashmill_digest::{Algorithm, Digest};
use hashmill_engine::RunItem;
use hashmill_manifest::Record;
use hashmill_os::names::path_to_try;
use hashmill_os::roots::below;
use hashmill_output::sort::{Sorted, Sorter};
use hashmill_output::{RunFiles, WriteError, directory, sweep_all};
use hashmill_terminal::Shown;
use std::io;
use std::path::Path;

/// The bytes of memory for sorting records, and as many for sorting names.
const MEMORY: usize = 4 << 20;

/// The records of copies on their way.
pub(super) struct BagRecords {
    /// The path of the folder of all copies.
    data: Box<[u8]>,
    sorter: Sorter,
    /// The names as they are where case, normal forms and ends of names don't count.
    folded: Sorter,
    /// The first name with a percent sign, and the number of all.
    percent: Option<(String, u64)>,
    /// The first copy that no manifest can list.
    unfit: Option<String>,
}

/// A copy in a bag.
pub(super) struct BagFile<'a> {
    /// Its path below the folder `data`.
    pub(super) name: &'a str,
    pub(super) size: u64,
    pub(super) digests: Vec<Digest>,
}

impl BagRecords {
    /// Begins without any, for copies below this folder.
    pub(super) fn new(data: &Path) -> BagRecords {
        let data = hashmill_os::names::path_bytes(data).into();
        let (sorter, folded) = (Sorter::new(MEMORY), Sorter::new(MEMORY));
        BagRecords { data, sorter, folded, percent: None, unfit: None }
    }

    /// Adds the record of a copy.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub(super) fn add(&mut self, item: &RunItem) -> Result<(), WriteError> {
        let RunItem::Known(known) = item else { return Ok(()) };
        let Record { path, size, digests, .. } = &known.record;
        let name = below(path, &self.data);
        let (Ok(text), None, None) = (str::from_utf8(name), refusal(name), &known.trouble) else {
            self.unfit.get_or_insert_with(|| Shown(path).to_string());
            return Ok(());
        };
        let size = size.unwrap_or(0).to_le_bytes();
        let digests: Vec<&[u8]> = digests.iter().map(|named| named.digest.as_bytes()).collect();
        self.sorter.push(name, &[&size, &digests.concat()])?;
        self.folded.push(folded(text).as_bytes(), &[name])?;
        if text.contains('%') {
            self.percent.get_or_insert_with(|| (text.to_string(), 0)).1 += 1;
        }
        Ok(())
    }

    /// Passes all copies on in the order of their names, if they are all that there is below the folder `data`. Returns remarks about names;
    /// otherwise why they aren't.
    ///
    /// # Errors
    /// If there is no room for temporary files, or a copy can't be taken.
    pub(super) fn end(
        self,
        bag: &CopyBag,
        algorithms: &[&'static Algorithm],
        files: &RunFiles,
        take: &mut dyn FnMut(BagFile<'_>) -> Result<(), WriteError>,
    ) -> Result<Result<Vec<String>, String>, WriteError> {
        if let Some(path) = self.unfit {
            return Ok(Err(format!("{path}: no manifest of a bag can list it")));
        }
        let (mut there, mut copied) = (found(bag, files)?, self.sorter.sorted()?);
        let mut last: Option<Vec<u8>> = None;
        while let Some((name, rest)) = copied.next_entry()? {
            if let Some(why) = differs(there.next_entry()?.map(|(there, _)| there), name) {
                return Ok(Err(why));
            }
            if last.as_deref() == Some(name) {
                return Ok(Err(format!("{}: it was copied twice", Shown(name))));
            }
            if let Some(file) = file(name, rest, algorithms) {
                take(file)?;
            }
            last = Some(name.to_vec());
        }
        if let Some((name, _)) = there.next_entry()? {
            return Ok(Err(not_copied(name)));
        }
        Ok(Ok(remarks(self.folded.sorted()?, self.percent)?))
    }
}

/// Returns the files below the folder `data`, sorted. What killed runs left is removed.
fn found(bag: &CopyBag, files: &RunFiles) -> Result<Sorted, WriteError> {
    let mut sorter = Sorter::new(MEMORY);
    for found in payload(&bag.folder) {
        let (PayloadEntry::File(name) | PayloadEntry::Other(name, _)) = &found else {
            let PayloadEntry::Failed(path, problem) = found else { continue };
            return Err(WriteError::new(&path_to_try(&path), io::Error::other(problem.to_string())));
        };
        let path = bag.payload().join(&*path_to_try(name));
        if is_unfinished(path.file_name().unwrap_or_default().as_encoded_bytes()) {
            sweep_all(directory(&path), files);
            if path.symlink_metadata().is_err() {
                continue;
            }
        }
        sorter.push(name, &[])?;
    }
    sorter.sorted()
}

/// Returns why the next file that is there is not the next copy, if so.
fn differs(there: Option<&[u8]>, copied: &[u8]) -> Option<String> {
    match there {
        Some(there) if there == copied => None,
        Some(there) if there < copied => Some(not_copied(there)),
        _ => Some(format!("{}: the copy is not there any more", Shown(copied))),
    }
}

fn not_copied(name: &[u8]) -> String {
    format!("{}: it came into the bag meanwhile, and this run did not copy it", Shown(name))
}

/// Reads a copy back from its entry.
fn file<'a>(name: &'a [u8], rest: &[u8], algorithms: &[&'static Algorithm]) -> Option<BagFile<'a>> {
    let (size, mut rest) = rest.split_first_chunk()?;
    let mut digests = Vec::with_capacity(algorithms.len());
    for algorithm in algorithms {
        let (digest, more) = rest.split_at_checked(algorithm.bits as usize / 8)?;
        digests.push(Digest::new(digest));
        rest = more;
    }
    Some(BagFile { name: str::from_utf8(name).ok()?, size: u64::from_le_bytes(*size), digests })
}

/// Returns remarks about names that fall together on other systems, and those that other programs take for others.
fn remarks(mut folded: Sorted, percent: Option<(String, u64)>) -> Result<Vec<String>, WriteError> {
    let (mut last, mut twins, mut first) = (Vec::new(), 0_u64, None);
    while let Some((key, name)) = folded.next_entry()? {
        if last == key {
            twins += 1;
            first.get_or_insert_with(|| Shown(name).to_string());
        }
        last = key.to_vec();
    }
    let more = |number: u64| if number > 1 { format!(" (and {} more)", number - 1) } else { String::new() };
    let twin = first.map(|first| {
        let what = "on other systems another file has this name, and one would take its place";
        format!("{first}: note: {what}{}", more(twins))
    });
    let percent = percent.map(|(first, number)| {
        let what =
            "manifests have % in a name as %25, which bagit.py does not decode: it calls the bag invalid";
        format!("{}: note: {what}{}", Shown(first.as_bytes()), more(number))
    });
    Ok(twin.into_iter().chain(percent).collect())
}
