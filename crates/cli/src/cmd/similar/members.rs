//! What is compared: the digests of files, or those of lists.

use super::files::Files;
use super::lists;
use super::options::Found;
use crate::exit::Exit;
use crate::message::{self, count};
use crate::options::resources::ResourceOptions;
use crate::options::sources::Sources;
use crate::output::Output;
use anyhow::ensure;
use hashloom_job::identity;
use hashloom_job::labels::{self, Labels, Purpose, Show};
use hashloom_manifest::Record;
use hashloom_similar::{Digest, Named, Similar};
use std::ffi::OsString;
use std::path::Path;

/// Where digests come from.
pub struct Wanted<'a> {
    /// Files and trees, or lists.
    pub paths: &'a [OsString],
    /// The paths are lists of digests.
    pub lists: bool,
    /// Digests that hold too little are left out.
    pub no_sparse: bool,
    /// Leaves out files that are known to be good.
    pub known: Option<Known>,
    /// Lists and filters of files.
    pub sources: &'a Sources,
    /// With what resources files are read.
    pub resources: &'a ResourceOptions,
    /// A file that is not data.
    pub own: Option<&'a Path>,
}

/// Digests that hold too little to mean much.
#[derive(Default)]
pub struct Sparse(u64);

impl Sparse {
    /// Counts the digest if it is one.
    pub fn count(&mut self, digest: &Digest) -> bool {
        let sparse = digest.is_sparse();
        self.0 += u64::from(sparse);
        sparse
    }

    /// Says how many there were, and what can be done about it.
    pub fn tell(&self, advice: &str) {
        if self.0 > 0 {
            let digests = count(self.0, "digest holds", "digests hold");
            message::say(format_args!("{digests} too little to mean much (sparse); {advice}"));
        }
    }
}

/// Files that wait until there are enough to be looked up side by side.
const BATCH: usize = 256;

/// Leaves out files that sets of known digests call good.
pub struct Known {
    labels: Labels,
    held: Vec<Record>,
    left_out: u64,
}

impl Known {
    /// By the sets that were asked for, if any.
    ///
    /// # Errors
    /// If one is not usable.
    pub fn open(found: &Found) -> anyhow::Result<Option<Self>> {
        if found.known.is_empty() {
            return Ok(None);
        }
        let sets = found.types.open(&found.known)?;
        let labels = Labels::new(sets, Show::NotGood, Purpose::Record);
        Ok(Some(Known { labels, held: Vec::with_capacity(BATCH), left_out: 0 }))
    }

    /// Takes a record, and now and then gives those that are left, in order.
    fn take(&mut self, record: Record, sink: &mut Sink<'_>) -> anyhow::Result<()> {
        self.held.push(record);
        if self.held.len() < BATCH { Ok(()) } else { self.release(sink) }
    }

    fn release(&mut self, sink: &mut Sink<'_>) -> anyhow::Result<()> {
        let mut records = std::mem::replace(&mut self.held, Vec::with_capacity(BATCH));
        self.labels.label(&mut records.iter_mut().collect::<Vec<_>>())?;
        for record in records {
            match self.labels.show().takes(record.label.as_deref()) {
                true => sink(record)?,
                false => self.left_out += 1,
            }
        }
        Ok(())
    }

    /// Gives the rest, and says how many there were not.
    fn end(mut self, sink: &mut Sink<'_>) -> anyhow::Result<()> {
        self.release(sink)?;
        if self.left_out > 0 {
            message::say(format_args!("{} left out: known good", count(self.left_out, "file", "files")));
        }
        Ok(())
    }
}

/// Takes records.
type Sink<'a> = dyn FnMut(Record) -> anyhow::Result<()> + 'a;

impl Wanted<'_> {
    /// Gives every digest, in the order of the walk or of the lists; long files of sdhash by segments.
    ///
    /// # Errors
    /// Those of `sink`; and if a list is not usable.
    pub fn each(
        self,
        row: &'static Similar,
        output: &Output,
        sink: &mut dyn FnMut(Named) -> anyhow::Result<()>,
    ) -> anyhow::Result<Exit> {
        let mut sparse = Sparse::default();
        let advice = if self.no_sparse { "they are left out" } else { "--no-sparse leaves them out" };
        let mut taken = |named: Named| {
            for segment in named.segments() {
                if !(sparse.count(&segment.digest) && self.no_sparse) {
                    sink(segment)?;
                }
            }
            Ok(())
        };
        let exit = if self.lists {
            ensure!(!self.sources.is_filter(), "--lists: filters choose among files, not among digests");
            let mut exit = Exit::Fine;
            for path in self.paths {
                exit = exit.and(lists::each(Path::new(path), row, &mut taken)?);
            }
            exit
        } else {
            let own = self.own.and_then(identity).into_iter();
            let leave_out = own.chain(output.identities()).collect();
            let Wanted { paths, sources, resources, mut known, .. } = self;
            let algorithms =
                known.as_ref().map_or(Vec::new(), |known| labels::algorithms(known.labels.sets()));
            let files = Files { paths, sources, resources, algorithms, leave_out, told: false };
            let mut sink = |record| named(record).map_or(Ok(()), &mut taken);
            let exit = files.hash(&[row], output, &mut |record| match &mut known {
                Some(known) => known.take(record, &mut sink),
                None => sink(record),
            })?;
            known.map_or(Ok(()), |known| known.end(&mut sink))?;
            exit
        };
        sparse.tell(advice);
        Ok(exit)
    }

    /// All of them.
    ///
    /// # Errors
    /// As [`Wanted::each`].
    pub fn all(self, row: &'static Similar, output: &Output) -> anyhow::Result<(Vec<Named>, Exit)> {
        let mut all = Vec::new();
        let exit = self.each(row, output, &mut |named| {
            all.push(named);
            Ok(())
        })?;
        Ok((all, exit))
    }
}

/// The digest of a record's file, if it has one.
fn named(record: Record) -> Option<Named> {
    let digest = record.likeness.into_iter().find_map(|likeness| likeness.digest.ok())?;
    Some(Named { name: record.path.into_vec(), digest })
}

/// Whether a name fits in a line.
pub fn plain(name: &[u8]) -> bool {
    !name.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
}
