//! A second look at the old list, for what the new files of the other list need.

use super::join::Differences;
use hashmill_engine::Cancel;
use hashmill_lists::entries::{Common, Entries, List, Order, Stop};
use hashmill_manifest::Record;
use hashmill_manifest::audit::Namesakes;
use std::collections::{HashMap, HashSet};
use std::thread;

/// The contents of the new files: which records of the old list are needed to tell whether they were copied.
struct Wanted {
    common: Common,
    /// The sizes of the new files with these digests of the common algorithms, until an old record has both.
    sizes: HashMap<Vec<u8>, HashSet<Option<u64>>>,
}

impl Wanted {
    /// Collects the contents of the new files.
    fn new(found: &Differences) -> Wanted {
        let [ours, theirs] = &found.algorithms;
        let mut sizes: HashMap<Vec<u8>, HashSet<Option<u64>>> = HashMap::new();
        for (_, place) in &found.new_paths {
            let (_, record) = &found.new[*place];
            let mut content = Vec::new();
            for algorithm in ours.iter().filter(|algorithm| theirs.contains(algorithm)) {
                content.extend(record.digest(algorithm).into_iter().flat_map(|digest| digest.as_bytes()));
            }
            sizes.entry(content).or_default().insert(record.size);
        }
        Wanted { common: Common::new(ours, theirs), sizes }
    }

    /// Returns whether an old record is the first with the content of a new file. Later ones don't matter, as they are
    /// only copies of what is still there.
    fn takes(&mut self, digests: &[u8], size: Option<u64>, content: &mut Vec<u8>) -> bool {
        content.clear();
        self.common.of_old(digests, content);
        let Some(open) = self.sizes.get_mut(content) else { return false };
        match size {
            // Both are taken: the size is that of this record, or unknown.
            Some(_) => open.remove(&size) | open.remove(&None),
            None => open.drain().next().is_some(),
        }
    }
}

/// The records of the old list that the judge needs.
pub(super) struct KnownSide {
    /// The records, in the order of the list.
    pub(super) records: Vec<Record>,
    /// The paths of those that the new list has, too, with the same content.
    pub(super) seen: Vec<Box<[u8]>>,
}

/// Reads the old list once more, for the records that the judge needs.
///
/// # Errors
/// If the lists were made from different places, so that their paths don't agree, or the old one was changed.
pub(super) fn look(
    old: &List,
    new: &List,
    found: &mut Differences,
    cancel: &Cancel,
) -> Result<KnownSide, Stop> {
    let (paths, own) = match found.sample() {
        Some(sample) => (sampled(new, &sample.numbers, cancel)?, sample.own),
        None => (Vec::new(), 0),
    };
    let (mut namesakes, mut wanted) = (Namesakes::new(&paths), Wanted::new(found));
    let (mut known, mut content) = (KnownSide { records: Vec::new(), seen: Vec::new() }, Vec::new());
    let mut differing = std::mem::take(&mut found.old);
    differing.sort_by_key(|(number, _)| *number);
    let mut differing = differing.into_iter().peekable();
    thread::scope(|scope| {
        let mut entries = Entries::start(scope, old, Order::AsWritten, cancel)?.ready()?;
        while let Some(entry) = entries.peek() {
            let is_hashed = entry.unhashed.is_none();
            if is_hashed {
                namesakes.add(entry.path);
            }
            let is_wanted = is_hashed && wanted.takes(entry.digests, entry.size, &mut content);
            if let Some((_, record)) = differing.next_if(|(number, _)| *number == entry.number) {
                known.records.push(record);
            } else if is_wanted {
                known.seen.push(entry.path.into());
                known.records.push(entries.record(entry));
            }
            entries.advance()?;
        }
        Ok(())
    })?;
    if namesakes.root(own).is_some() { Err(Stop::Whole) } else { Ok(known) }
}

/// Returns the paths of the hashed records with these numbers, which are in ascending order.
///
/// # Errors
/// If the list was changed.
fn sampled(list: &List, numbers: &[u64], cancel: &Cancel) -> Result<Vec<Vec<u8>>, Stop> {
    let mut paths = Vec::new();
    thread::scope(|scope| {
        let mut entries = Entries::start(scope, list, Order::AsWritten, cancel)?.ready()?;
        while let (Some(entry), Some(wanted)) = (entries.peek(), numbers.get(paths.len())) {
            if entry.unhashed.is_none() && entry.hashed == *wanted {
                paths.push(entry.path.to_vec());
            }
            entries.advance()?;
        }
        Ok(())
    })?;
    Ok(paths)
}
