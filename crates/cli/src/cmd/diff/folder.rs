//! A folder's files on their way to a comparison, with paths from the folder down.

use super::options::Options;
use crate::progress::Heartbeat;
use crate::stats;
use hashloom_engine::{Event, Live, Plan, run};
use hashloom_job::{Bytes, Selected, below};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A folder to be read.
pub struct Folder<'a> {
    /// Its path as typed.
    pub path: &'a [u8],
    options: &'a Options,
    /// Files that the command itself reads or writes: no part of what is compared.
    own: Vec<(u64, u64)>,
}

impl<'a> Folder<'a> {
    /// A folder, without the files of these identities.
    pub fn new(path: &'a [u8], options: &'a Options, own: Vec<(u64, u64)>) -> Folder<'a> {
        Folder { path, options, own }
    }

    /// Hashes all files in it, in the order of their paths.
    ///
    /// # Errors
    /// If the filters are not understood, or `sink` says so.
    pub fn hash(&self, plan: &Plan, sink: &mut dyn FnMut(Event) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut selection = self.options.sources.selection(&[])?;
        selection.paths.push(Bytes::from(self.path));
        selection.leave_out.extend(&self.own);
        let Selected { entries, .. } = selection.open(None)?;
        let live = Arc::new(Live::default());
        let heartbeat = Heartbeat::of(self.options.resources.progress, Arc::clone(&live));
        let mut done = Ok(());
        let stats = run(plan, entries, &live, &mut |event| {
            done = sink(event);
            if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        drop(heartbeat);
        if let Some(form) = self.options.resources.stats {
            stats::print(form, &stats, 0);
        }
        done
    }

    /// A path from the folder down.
    pub fn below<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        below(path, self.path)
    }
}
