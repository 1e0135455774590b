//! The files of a folder that is to be a payload, hashed.

use crate::message;
use crate::message::tell_notes;
use crate::options::report::Progress;
use crate::progress::Heartbeat;
use hashloom_bag::{Oxum, check};
use hashloom_digest::Digest;
use hashloom_engine::{Event, Live, Outcome, Plan, Trouble, run};
use hashloom_job::{Bytes, below};
use hashloom_source::{WalkOptions, walk};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// The files of a folder.
#[derive(Debug, Default)]
pub struct Payload {
    /// In the order of their paths.
    pub files: Vec<Item>,
    /// How much they are.
    pub oxum: Oxum,
    /// What can't be in a bag, or not be read; each was named.
    pub refused: u64,
}

/// A file.
#[derive(Debug, PartialEq, Eq)]
pub struct Item {
    /// The path from the folder down.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// One for each algorithm of the plan.
    pub digests: Vec<Digest>,
}

impl Payload {
    /// Hashes all files of a folder. What can't be in a bag is named: links and special files, which manifests have
    /// no line for, and names that are no UTF-8.
    pub fn read(folder: &Path, plan: &Plan, progress: Progress) -> Payload {
        let operand = Bytes::from(folder.as_os_str().as_bytes());
        let entries = walk(std::iter::once(operand.clone()), WalkOptions::default());
        let live = Arc::new(Live::default());
        let heartbeat = Heartbeat::of(progress, Arc::clone(&live));
        let mut payload = Payload::default();
        run(plan, entries, &live, &mut |event| {
            if let Event::Done(outcome) = event {
                payload.take(&outcome, &operand);
            }
            ControlFlow::Continue(())
        });
        drop(heartbeat);
        tell_notes(&plan.reading);
        payload
    }

    fn take(&mut self, outcome: &Outcome, folder: &[u8]) {
        let record = &outcome.record;
        let shown = &record.path;
        match &outcome.trouble {
            None => {}
            Some(Trouble::Failed(error)) => return self.refuse(shown, &error.problem.to_string()),
            Some(Trouble::Skipped(why)) => {
                return self.refuse(shown, &format!("a bag can't hold it: {}", why.reason()));
            }
        }
        let Ok(path) = str::from_utf8(below(shown, folder)) else {
            return self.refuse(shown, "a bag can't hold it: its name is no UTF-8");
        };
        if let Err(why) = check(path) {
            return self.refuse(shown, &format!("a bag can't hold it: its name {why}"));
        }
        let size = record.size.unwrap_or(0);
        self.oxum.add(size);
        let digests = record.digests.iter().map(|named| named.digest).collect();
        self.files.push(Item { path: path.to_string(), size, digests });
    }

    fn refuse(&mut self, path: &[u8], why: &str) {
        message::about(path, why);
        self.refused += 1;
    }
}
