//! The list that a new state begins with: which files there should be, and with what content.
//!
//! The list is read twice: first for its algorithms and a sample of its paths, which shows where its files lie below the
//! operands; then each record becomes a row of the state. What it says was proved by no run yet.

use super::list_paths::{ListPaths, PathSample};
use crate::algorithms::Algorithms;
use crate::audit::OnNotice;
use crate::convert::{ConvertEvent, Input, Joined, Teller};
use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_content::resources::Resources;
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_engine::Cancel;
use hashmill_keep::{Content, Kept, LONGEST_PATH, Stamp, State};
use hashmill_lists::listing::name_of;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Record, Status};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A list that was read once.
pub struct KnownList {
    path: PathBuf,
    input: Input,
    pub(super) algorithms: Vec<&'static Algorithm>,
    sample: PathSample,
    malformed: u64,
}

/// The number of records that a state took of a list, and of those that it did not take.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Learnt {
    /// The name of the list.
    pub list: Box<[u8]>,
    /// The files that the state begins with.
    pub files: u64,
    /// Records of files that lie below none of the operands.
    pub elsewhere: u64,
    /// Records that lack a digest which the state has: they were not hashed, or not by all algorithms.
    pub lacking: u64,
    /// Records that contradict an earlier one of the same file, which counts.
    pub contradictory: u64,
    /// Records whose path is longer than a state takes.
    pub too_long: u64,
    /// Parts of the list that could not be parsed.
    pub malformed: u64,
}

/// The part of a record that a state takes.
enum Taken {
    Content(Content),
    /// It lacks a digest.
    Lacking,
    /// It is not about a whole file.
    Nothing,
}

impl KnownList {
    /// Reads the list at this path; `-` is standard input. Without `algorithms`, the state gets those that all records have.
    ///
    /// # Errors
    /// If it is no list, a signature beside it does not satisfy `guard`, its records have no algorithm in common, or nothing
    /// names the algorithm of its digests.
    pub fn read(
        path: &Path,
        guard: &Guard,
        algorithms: Option<&Algorithms>,
        told: &mut OnNotice<'_>,
    ) -> Result<KnownList, Error> {
        let wanted = algorithms.map(|algorithms| algorithms.digests.as_slice());
        let forced = wanted.and_then(|wanted| <[&Algorithm; 1]>::try_from(wanted).ok()).map(|[only]| only);
        let input = Input::new(path, forced, guard, told)?;
        let mut observer = |event: ConvertEvent<'_>| {
            if let ConvertEvent::Notice(notice) = event {
                told(notice);
            }
            ControlFlow::Continue(())
        };
        let teller = Teller::new(&mut observer);
        let mut records = input.records(Some(&teller))?;
        let malformed = records.malformed.clone();
        let (mut common, mut guessed) = (None, None);
        let mut sample = PathSample::default();
        for record in Joined::new(&mut records) {
            let record = record?;
            if record.piece.is_some() || !is_whole(&record) {
                continue;
            }
            sample.add(&record.path);
            guessed =
                guessed.or(record.digests.iter().find(|named| named.guessed).map(|named| named.algorithm));
            share(&mut common, &record);
        }
        let algorithms = wanted.map_or_else(|| common.unwrap_or_default(), <[_]>::to_vec);
        let unusable = |why: String| Misfit::of_place(name_of(path.as_os_str()), &why);
        if let Some(likeliest) = guessed.filter(|_| forced.is_none()) {
            let name = likeliest.name;
            return Err(
                unusable(format!("nothing says by which algorithm its digests are: -c {name}?")).into()
            );
        }
        if algorithms.is_empty() {
            let why = "its files have no algorithm in common: -c names those of the state";
            return Err(unusable(why.to_string()).into());
        }
        let algorithms = Resources::default().with_key(algorithms)?;
        let malformed = malformed.number();
        Ok(KnownList { path: path.to_path_buf(), input, algorithms, sample, malformed })
    }

    /// Puts the files of the list that lie below the operands into a new state.
    ///
    /// # Errors
    /// If the state had runs, the list can't be read, no file of it lies below the operands, or the state can't be written.
    pub(super) fn learn(
        self,
        state: &mut State,
        operands: &[Bytes],
        stores: &Stores,
        cancel: &Cancel,
    ) -> Result<Learnt, Error> {
        let list = name_of(self.path.as_os_str());
        if !state.is_new()? {
            let why = "this state has had runs; a list begins a new one";
            return Err(Misfit::of_place(list, why).into());
        }
        let mut learnt = Learnt { list, malformed: self.malformed, ..Learnt::default() };
        let paths = ListPaths::new(&self.path, self.sample, operands, stores);
        let mut records = self.input.records(None)?;
        for record in Joined::new(&mut records) {
            if cancel.is_set() {
                break;
            }
            let record = record?;
            match taken(&record, &self.algorithms) {
                Taken::Content(content) => learnt.take(state, paths.local(&record.path), content)?,
                Taken::Lacking => learnt.lacking += 1,
                Taken::Nothing => {}
            }
        }
        if learnt.files == 0 && !cancel.is_set() {
            let why = match learnt.elsewhere {
                0 => "it has no digests of whole files".to_string(),
                elsewhere => format!("none of its {elsewhere} files lies below what is kept"),
            };
            return Err(Misfit::of_place(learnt.list, &why).into());
        }
        Ok(learnt)
    }
}

impl Learnt {
    fn take(&mut self, state: &mut State, path: Option<Vec<u8>>, content: Content) -> Result<(), Error> {
        let Some(path) = path else {
            self.elsewhere += 1;
            return Ok(());
        };
        if path.len() > LONGEST_PATH {
            self.too_long += 1;
            return Ok(());
        }
        let kept = Kept::listed(path.into(), content);
        if state.learn(&kept)? {
            self.files += 1;
            return Ok(());
        }
        let is_other = |known: &Kept| {
            known.content.as_ref().map(|content| &content.digests)
                != kept.content.as_ref().map(|content| &content.digests)
        };
        self.contradictory += u64::from(state.find(&kept.path)?.as_ref().is_some_and(is_other));
        Ok(())
    }

    /// Returns whether the state has all that the list says.
    pub fn is_complete(&self) -> bool {
        self.lacking + self.contradictory + self.too_long + self.malformed == 0
    }
}

/// Returns whether the digests of a record are of all bytes of a file, and prove its content.
fn is_whole(record: &Record) -> bool {
    let is_content = record.status.strength().is_none_or(|strength| strength == Strength::Content);
    record.is_sound() && record.piece.is_none() && is_content && !record.digests.is_empty()
}

/// Leaves those algorithms that this record has, too.
fn share(common: &mut Option<Vec<&'static Algorithm>>, record: &Record) {
    match common {
        None => *common = Some(record.digests.iter().map(|named| named.algorithm).collect()),
        Some(common) => common.retain(|algorithm| record.digest(algorithm).is_some()),
    }
}

/// Returns what a state that has digests by these algorithms takes of a record.
fn taken(record: &Record, algorithms: &[&'static Algorithm]) -> Taken {
    if record.piece.is_some() || record.status == Status::Skipped {
        return Taken::Nothing;
    }
    let digest = |algorithm: &&'static Algorithm| {
        let digest = record.digest(algorithm)?;
        (digest.bits() == algorithm.bits).then(|| digest.as_bytes().to_vec())
    };
    let digests: Option<Vec<Vec<u8>>> = algorithms.iter().map(digest).collect();
    match digests.filter(|_| is_whole(record)) {
        Some(digests) => Taken::Content(Content {
            digests: digests.concat().into(),
            size: record.size,
            stamp: stamp(record),
        }),
        None => Taken::Lacking,
    }
}

/// Returns the times of a record, if it has all of them.
fn stamp(record: &Record) -> Option<Stamp> {
    let metadata = record.metadata.as_ref()?;
    record.size?;
    let time = |time: hashmill_manifest::Time| (time.seconds, time.nanoseconds);
    Some(Stamp {
        device: metadata.device?,
        inode: metadata.inode?,
        mtime: time(record.mtime?),
        ctime: time(metadata.ctime?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::{Digest, find};
    use hashmill_manifest::{Metadata, Named, Time};

    fn record(names: &[&str]) -> Record {
        let named = |name: &&str| {
            let algorithm = find(name).unwrap();
            Named { algorithm, digest: Digest::new(&vec![7; algorithm.bits as usize / 8]), guessed: false }
        };
        Record::hashed(b"a".as_slice().into(), Some(5), names.iter().map(named).collect())
    }

    fn content(record: &Record, names: &[&str]) -> Option<Content> {
        let algorithms: Vec<_> = names.iter().map(|name| find(name).unwrap()).collect();
        if let Taken::Content(content) = taken(record, &algorithms) { Some(content) } else { None }
    }

    #[test]
    fn digests_come_in_the_order_of_the_state() {
        let found = content(&record(&["sha256", "md5"]), &["md5", "sha256"]).unwrap();
        assert_eq!((found.digests.len(), found.size, found.stamp), (48, Some(5), None));
        assert_eq!(content(&record(&["sha256"]), &["md5"]), None);
    }

    #[test]
    fn what_proves_no_content_is_not_taken() {
        let unread = Record { status: Status::Unreadable, ..record(&["md5"]) };
        let holes = Record {
            bad_blocks: [hashmill_manifest::Piece { offset: 0, length: 1 }].into(),
            ..record(&["md5"])
        };
        let parts = Record { status: Status::Stored(Strength::Composite), ..record(&["md5"]) };
        for record in [unread, holes, parts] {
            assert!(matches!(taken(&record, &[find("md5").unwrap()]), Taken::Lacking));
        }
        let stored = Record { status: Status::Stored(Strength::Content), ..record(&["md5"]) };
        assert!(content(&stored, &["md5"]).is_some());
    }

    #[test]
    fn times_are_taken_together_or_not_at_all() {
        let time = Some(Time { seconds: 1, nanoseconds: 2 });
        let all = Metadata { ctime: time, inode: Some(3), device: Some(4), ..Metadata::default() };
        let whole = Record { mtime: time, metadata: Some(all.clone().into()), ..record(&["md5"]) };
        assert!(stamp(&whole).is_some());
        assert_eq!(stamp(&Record { mtime: None, ..whole.clone() }), None);
        assert_eq!(stamp(&Record { size: None, ..whole.clone() }), None);
        assert_eq!(
            stamp(&Record { metadata: Some(Metadata { ctime: None, ..all.clone() }.into()), ..whole }),
            None
        );
    }
}
