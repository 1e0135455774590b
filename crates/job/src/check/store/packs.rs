//! Packs of git: each object in them is unpacked and compared with its name in the index, on all threads.

use super::event::ObjectVerdict;
use super::place::{joined, read_small};
use hashmill_content::resources::Resources;
use hashmill_content::selection::Bytes;
use hashmill_digest::{Algorithm, Digest};
use hashmill_engine::Cancel;
use hashmill_objects::pack::{Large, PackFault, PackIndex, PackObjects, PackReader, Unpacker};
use hashmill_os::read_exact_at;
use hashmill_source::OperandDirectory;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// The most bytes of an index, which is held in memory: that of some 30 million objects.
pub(super) const MAX_PACK_INDEX: u64 = 1 << 30;

/// The most bytes that may be made of a pack: so many for each of its own, and some more for small ones. Packs of long
/// histories of large files unpack to some hundred times their size.
const MOST_UNPACKED: u64 = 4096;
const MORE_UNPACKED: u64 = 16 << 30;

/// The number of trees of deltas that a thread takes at a time.
const TAKEN: usize = 16;

/// The check of packs, and what it found of those that the walk has not met yet.
pub(super) struct Packs {
    threads: usize,
    memory: u64,
    cancel: Cancel,
    found: HashMap<Bytes, PackFindings>,
    /// The number of objects that were right.
    pub right: u64,
}

/// The result of the check of a pack.
#[derive(Default)]
pub(super) struct PackFindings {
    /// The fault of the pack as a whole.
    pub pack: Option<PackFault>,
    /// The number of its objects.
    pub count: usize,
    /// The names of those that are not right, in their order.
    pub objects: Vec<(Digest, PackFault)>,
}

impl Packs {
    pub fn new(resources: &Resources, cancel: &Cancel) -> Packs {
        let (threads, memory) = (resources.threads().get(), resources.memory as u64);
        Packs { threads, memory, cancel: cancel.clone(), found: HashMap::new(), right: 0 }
    }

    /// Checks the objects of a pack, by the paths of its index and its own below the store. [`Packs::take`] has the
    /// result.
    ///
    /// # Errors
    /// If the index is not right.
    pub fn check(
        &mut self,
        root: &[u8],
        index: &[u8],
        pack: &[u8],
        algorithm: &'static Algorithm,
    ) -> Result<(), PackFault> {
        let operand = OperandDirectory::open(root).map_err(PackFault::Unreadable)?;
        let bytes = read_small(&operand, &joined(root, index), MAX_PACK_INDEX);
        let index = PackIndex::parse(bytes.map_err(PackFault::Unreadable)?, algorithm.bits as usize / 8)?;
        // A pack that is not there is missing, which is told later.
        let found = match open(&operand, &joined(root, pack)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                PackFindings { pack: Some(PackFault::Unreadable(error)), ..PackFindings::default() }
            }
            Ok((file, length)) => self.unpack(&index, &file, length, algorithm),
        };
        if !self.cancel.is_set() {
            self.right += (found.count - found.objects.len()) as u64;
            self.found.insert(pack.into(), found);
        }
        Ok(())
    }

    /// Returns what was found of a pack.
    pub fn take(&mut self, pack: &[u8]) -> Option<PackFindings> {
        self.found.remove(pack)
    }

    fn unpack(
        &self,
        index: &PackIndex,
        file: &PackFile,
        length: u64,
        algorithm: &'static Algorithm,
    ) -> PackFindings {
        let objects = match PackObjects::find(index, file, algorithm.bits as usize / 8, length) {
            Ok(objects) => objects,
            Err(fault) => return PackFindings { pack: Some(fault), ..PackFindings::default() },
        };
        let left = AtomicU64::new(length.saturating_mul(MOST_UNPACKED).saturating_add(MORE_UNPACKED));
        let mut faults = self.all_trees(&objects, algorithm, &left);
        let circular = objects.circular();
        faults
            .extend(circular.into_iter().map(|number| (number, PackFault::Damaged("is a delta of itself"))));
        let mut named: Vec<_> =
            faults.into_iter().map(|(number, fault)| (Digest::new(objects.name(number)), fault)).collect();
        named.sort_by(|(one, _), (other, _)| one.as_bytes().cmp(other.as_bytes()));
        PackFindings { pack: None, count: objects.count(), objects: named }
    }

    /// Unpacks all trees of deltas: first on all threads, each with its part of the memory; then those that need more of
    /// it, one after the other.
    fn all_trees(
        &self,
        objects: &PackObjects<'_>,
        algorithm: &'static Algorithm,
        left: &AtomicU64,
    ) -> Vec<(usize, PackFault)> {
        let (roots, next) = (objects.roots(), AtomicUsize::new(0));
        let (faults, large) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let stop = || self.cancel.is_set();
        let threads = self.threads.min(roots.len().div_ceil(TAKEN)).max(1);
        let work = || {
            let room = self.memory / threads as u64;
            let mut unpacker = Unpacker::new(objects, algorithm, room, left, &stop, Large::Fails);
            loop {
                let start = next.fetch_add(TAKEN, Ordering::Relaxed).min(roots.len());
                let taken = &roots[start..roots.len().min(start + TAKEN)];
                if taken.is_empty() || stop() {
                    return;
                }
                for root in taken {
                    let mut told = Vec::new();
                    match unpacker.check(*root, &mut |number, fault| told.push((number, fault))) {
                        Ok(()) => faults.lock().extend(told),
                        Err(_) => large.lock().push(*root),
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let mut faults = faults.into_inner();
        let mut unpacker = Unpacker::new(objects, algorithm, self.memory, left, &stop, Large::IsTold);
        for root in large.into_inner() {
            let _ = unpacker.check(root, &mut |number, fault| faults.push((number, fault)));
        }
        faults
    }
}

impl PackFindings {
    /// Returns the verdict on the pack, if its last bytes are the digest of all before.
    pub fn verdict(&self) -> ObjectVerdict {
        let faults = self.pack.iter().chain(self.objects.iter().map(|(_, fault)| fault));
        let worst = [ObjectVerdict::Damaged, ObjectVerdict::Unreadable, ObjectVerdict::Unsupported];
        let verdicts: Vec<_> = faults.map(verdict).collect();
        worst.into_iter().find(|verdict| verdicts.contains(verdict)).unwrap_or(ObjectVerdict::Right)
    }

    /// Returns the reason of the verdict; empty if all is right.
    pub fn reason(&self) -> String {
        match &self.pack {
            Some(fault) => fault.to_string(),
            None if self.objects.is_empty() => String::new(),
            None => format!("{} of its {} objects are not right", self.objects.len(), self.count),
        }
    }
}

/// Returns the verdict on what has a fault.
pub(super) fn verdict(fault: &PackFault) -> ObjectVerdict {
    match fault {
        PackFault::Damaged(_) => ObjectVerdict::Damaged,
        PackFault::Unchecked(_) => ObjectVerdict::Unsupported,
        PackFault::Unreadable(_) => ObjectVerdict::Unreadable,
    }
}

/// An open pack.
pub(super) struct PackFile(File);

impl PackReader for PackFile {
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        read_exact_at(&self.0, buffer, offset)
    }
}

/// Opens a pack, and returns its length, too.
pub(super) fn open(operand: &OperandDirectory, path: &[u8]) -> io::Result<(PackFile, u64)> {
    let meta = operand.meta(path)?;
    if !meta.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    Ok((PackFile(operand.open_file(path)?), meta.size))
}
