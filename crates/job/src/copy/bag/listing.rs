//! The end of a bag: when all copies are there and verified, its tag files are written and read back; those of a bag that was there are
//! compared with what was copied.

use super::super::back::to_read;
use super::super::bagged::CopiedBag;
use super::super::listing::{CopyList, WrittenList};
use super::destination::{CopyBag, DATA};
use super::records::{BagFile, BagRecords};
use super::tags::{NewTags, WrittenTag};
use crate::error::Error;
use hashmill_bag::{Bag, FindingKind, Judge, Level, PayloadFolder, Seen, Severity};
use hashmill_content::File as Tried;
use hashmill_digest::{Algorithm, Digest};
use hashmill_engine::{self as engine, EngineEvent, Live, Plan, Trouble};
use hashmill_os::names::{bytes, path_bytes};
use hashmill_os::roots::below;
use hashmill_os::{Links, facts_at};
use hashmill_output::{RunFiles, WriteError};
use hashmill_source::{Reading, Skip, WalkOptions, walk};
use hashmill_terminal::Shown;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// The settings of the end of a bag.
pub(in super::super) struct BagEnd {
    /// The digests that were asked for.
    pub(in super::super) algorithms: Vec<&'static Algorithm>,
    /// The plan for reading tag files back.
    pub(in super::super) plan: Plan,
    pub(in super::super) files: RunFiles,
}

/// The end of a bag, and what there is to say about it.
type Ended = (CopiedBag, Vec<String>);

impl CopyBag {
    /// Makes the folder, and begins to take records of copies.
    ///
    /// # Errors
    /// If it can't be made.
    pub(in super::super) fn begin(self, end: BagEnd) -> Result<CopyList, Error> {
        self.make()?;
        CopyList::of_bag(move |results, cancel| {
            let mut records = BagRecords::new(&self.payload());
            let taken = results.into_iter().try_for_each(|item| records.add(&item));
            let (bag, remarks) = match cancel.is_set() {
                true => (CopiedBag::Unmade, vec![self.unmade("not all copies are there and verified")]),
                false => {
                    taken?;
                    self.end(records, &end)?
                }
            };
            Ok(WrittenList { bag: Some(bag), remarks, unlisted: 0, differing: 0 })
        })
    }

    fn unmade(&self, why: &str) -> String {
        let what = if self.there.is_some() { "the bag was not compared" } else { "no bag was made" };
        format!("{}: {what}: {why}; the same command goes on", Shown(&path_bytes(&self.folder)))
    }

    fn end(mut self, records: BagRecords, end: &BagEnd) -> Result<Ended, Error> {
        self.make_payload()?;
        match self.there.take() {
            None => Ok(self.written(records, end)?),
            Some(there) => self.judged(there, records, end),
        }
    }

    /// Writes the tag files.
    fn written(&self, records: BagRecords, end: &BagEnd) -> Result<Ended, WriteError> {
        let of_tags = &end.plan.algorithms;
        let mut tags = NewTags::begin(self, &end.files, &end.algorithms, of_tags)?;
        let remarks = match records.end(self, &end.algorithms, &end.files, &mut |file| tags.add(&file))? {
            Ok(remarks) => remarks,
            Err(why) => return Ok((CopiedBag::Unmade, vec![self.unmade(&why)])),
        };
        let written = tags.end()?;
        self.sync()?;
        let mut faults = read_back(&written, &end.plan);
        if faults.is_empty() {
            let declared = NewTags::declare(self, &end.files, of_tags)?;
            self.sync()?;
            faults = read_back(std::slice::from_ref(&declared), &end.plan);
            if !faults.is_empty() && !declared.was_there {
                fs::remove_file(&declared.path).map_err(|error| WriteError::new(&declared.path, error))?;
            }
        }
        match faults.is_empty() {
            true => Ok((CopiedBag::Made, remarks)),
            false => Ok((CopiedBag::Differs, faults)),
        }
    }

    /// Compares the bag that was there with what was copied, and with its tag files as they are on the medium.
    fn judged(&self, there: Bag, records: BagRecords, end: &BagEnd) -> Result<Ended, Error> {
        let algorithms = there.algorithms();
        let mut judge = Judge::new(there, Level::Valid).allowing_weak(true);
        let mut take = |BagFile { name, size, digests }: BagFile<'_>| {
            let digests = end.algorithms.iter().copied().zip(digests).collect();
            judge.file(format!("{DATA}/{name}").as_bytes(), &Seen { size: Some(size), digests });
            Ok(())
        };
        if let Err(why) = records.end(self, &end.algorithms, &end.files, &mut take)? {
            return Ok((CopiedBag::Differs, vec![format!("{}: {why}", Shown(&path_bytes(&self.folder)))]));
        }
        self.judge_tags(&mut judge, &Plan { algorithms, ..again(&end.plan) })?;
        let judged = judge.finish(PayloadFolder::Present);
        let (folder, worst) = (path_bytes(&self.folder), judged.worst());
        let graver = judged.findings.iter().filter(|finding| finding.kind.severity() > Severity::Note);
        let faults: Vec<String> = graver.map(|finding| format!("{}: {finding}", Shown(&folder))).collect();
        match worst {
            None | Some(Severity::Note) => Ok((CopiedBag::Valid, faults)),
            Some(Severity::Bad) => Ok((CopiedBag::Differs, faults)),
            Some(Severity::Unread) => Ok((CopiedBag::Unread, faults)),
        }
    }

    /// Passes all that lies beside the payload to a judge.
    fn judge_tags(&self, judge: &mut Judge, plan: &Plan) -> Result<(), Error> {
        let mut operands: Vec<Box<[u8]>> = Vec::new();
        let names = hashmill_os::all_names_in(&self.folder).map_err(Error::at(&self.folder, Tried::List))?;
        for name in names.iter().filter(|name| *name != DATA) {
            let path = self.folder.join(name);
            // A walk would follow a link that it begins with.
            match facts_at(&path, Links::Stay).is_ok_and(|facts| facts.is_file() || facts.is_folder()) {
                true => operands.push(path_bytes(&path).into()),
                false => judge.other(&bytes(name), FindingKind::Special, "it is no file"),
            }
        }
        let folder: Box<[u8]> = path_bytes(&self.folder).into();
        let entries = walk(operands.into_iter(), WalkOptions::default());
        engine::run(plan, entries, &Live::default().into(), &mut |event| {
            let EngineEvent::Done(result) = event else { return ControlFlow::Continue(()) };
            let (record, name) = (&result.record, below(&result.record.path, &folder));
            match &result.trouble {
                Some(Trouble::Failed(error)) => judge.unreadable(name, error.problem.to_string()),
                Some(Trouble::Skipped(Skip::EmptyFolder)) => {}
                Some(Trouble::Skipped(why)) => judge.other(name, FindingKind::Special, why.reason()),
                None => {
                    let digests = record.digests.iter().map(|named| (named.algorithm, named.digest));
                    judge.file(name, &Seen { size: record.size, digests: digests.collect() });
                }
            }
            ControlFlow::Continue(())
        });
        Ok(())
    }
}

/// Returns a plan for reading from the medium.
fn again(plan: &Plan) -> Plan {
    Plan { reading: Reading { fresh: true, ..plan.reading.clone() }, ..plan.clone() }
}

/// Reads tag files back from the medium. Returns what is not what was written.
fn read_back(written: &[WrittenTag], plan: &Plan) -> Vec<String> {
    let mut faults = Vec::new();
    let (files, others): (Vec<_>, Vec<_>) = written.iter().partition(|tag| is_file(&tag.path));
    faults.extend(others.into_iter().map(|tag| fault(&tag.path, "something else than a file is there")));
    let items: Vec<_> = files.iter().map(|tag| to_read(&tag.path)).collect();
    let mut files = files.into_iter();
    engine::run(&again(plan), items.into_iter(), &Live::default().into(), &mut |event| {
        let EngineEvent::Done(result) = event else { return ControlFlow::Continue(()) };
        let Some(tag) = files.next() else { return ControlFlow::Break(()) };
        let digests: Vec<Digest> = result.record.digests.iter().map(|named| named.digest).collect();
        match &result.trouble {
            None if digests == tag.digests => {}
            None => faults.push(fault(&tag.path, "is not what this run would write; move it away")),
            Some(Trouble::Failed(error)) => faults.push(fault(&tag.path, &error.problem.to_string())),
            Some(Trouble::Skipped(why)) => faults.push(fault(&tag.path, why.reason())),
        }
        ControlFlow::Continue(())
    });
    faults.extend(files.map(|tag| fault(&tag.path, "was not read back")));
    faults
}

fn is_file(path: &Path) -> bool {
    facts_at(path, Links::Stay).is_ok_and(|facts| facts.is_file())
}

fn fault(path: &Path, why: &str) -> String {
    format!("{}: {why}; no bag was made", Shown(&path_bytes(path)))
}
