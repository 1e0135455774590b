//! Reading a device back, from its medium, as far as the file reaches.

use super::super::answer::{Answer, Proof};
use super::super::back::{LateFindings, LateProblem, Verdict, Verify, verdict};
use super::super::message::CopiedEntry;
use super::start::DeviceStart;
use super::writer::Settled;
use hashmill_engine::{self as engine, EngineEvent, EntryResult, Live, Plan, RunItem};
use hashmill_os::names::path_bytes;
use hashmill_source::{Entry, Origin, WalkItem};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

/// The reader of a device.
pub(super) struct DeviceReader {
    path: PathBuf,
    /// Kept open, so that nothing else uses the device until all is read.
    _device: Arc<File>,
    verify: Verify,
    plan: Plan,
    live: Arc<Live>,
}

impl DeviceReader {
    pub(super) fn new(
        path: &Path,
        device: Arc<File>,
        verify: Verify,
        plan: Plan,
        live: Arc<Live>,
    ) -> DeviceReader {
        DeviceReader { path: path.to_path_buf(), _device: device, verify, plan, live }
    }

    /// Answers for all entries in their order. Returns what was found of the file if it was read back later.
    pub(super) fn run(self, settled: &Receiver<Settled>, answers: &Sender<Answer>) -> LateFindings {
        let mut late = None;
        for settled in settled {
            let answer = match settled {
                Settled::Done(answer) => answer,
                Settled::Same(entry) => match self.read_back(&entry) {
                    Answer::Copied(_) => Answer::Same,
                    Answer::Differs => {
                        Answer::Kept("the device gives other bytes when it is read again".into())
                    }
                    other => other,
                },
                Settled::Written(entry) if self.verify == Verify::AtOnce => self.read_back(&entry),
                Settled::Written(entry) => {
                    late = (self.verify == Verify::Later).then_some(entry);
                    Answer::Copied(Proof::None)
                }
            };
            if answers.send(answer).is_err() {
                break;
            }
        }
        let mut findings = LateFindings::default();
        if let Some(entry) = late {
            match self.read_back(&entry) {
                Answer::Copied(proof) => *findings.proofs.entry(proof).or_insert(0) += 1,
                answer => findings.problems.push(LateProblem {
                    path: path_bytes(&self.path).into(),
                    answer,
                    is_link: false,
                }),
            }
        }
        findings
    }

    /// Reads as many bytes as the file has, and compares their digests with those of the file.
    fn read_back(&self, entry: &CopiedEntry) -> Answer {
        let Some(size) = entry.file().and_then(|file| file.record.size) else {
            return Answer::Failed("its size is not known".into());
        };
        let is_fresh = Arc::new(AtomicBool::new(true));
        let Some(result) = self.read(size, &is_fresh) else {
            return Answer::Failed("cannot be read back".into());
        };
        match verdict(entry, &result) {
            Verdict::Same if is_fresh.load(Ordering::Acquire) => Answer::Copied(Proof::Medium),
            Verdict::Same => Answer::Copied(Proof::Cache),
            Verdict::Other => Answer::Differs,
            Verdict::Unread(why) => Answer::Failed(format!("cannot be read back: {why}")),
        }
    }

    fn read(&self, length: u64, is_fresh: &Arc<AtomicBool>) -> Option<EntryResult> {
        let start = DeviceStart { path: self.path.clone(), length, is_fresh: Arc::clone(is_fresh) };
        let entry = Entry::new(path_bytes(&self.path).into(), Origin::Operand);
        let entry = Entry { size: Some(length), content: Some(Arc::new(start)), ..entry };
        let items = std::iter::once(RunItem::Walked(WalkItem::File(entry)));
        let mut found = None;
        engine::run(&self.plan, items, &self.live, &mut |event| {
            if let EngineEvent::Done(result) = event {
                found = Some(result);
            }
            ControlFlow::Continue(())
        });
        found
    }
}
