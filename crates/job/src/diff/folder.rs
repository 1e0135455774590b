//! The files of a folder to compare, with paths relative to the folder.

use super::event::{DiffEvent, DiffObserver};
use crate::error::Error;
use hashmill_content::archive_folder::ArchiveFolder;
use hashmill_content::operands::archive_operand::paths_of;
use hashmill_content::resources::Resources;
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::selection::{Bytes, Selection, below};
use hashmill_engine::flow::Flow;
use hashmill_engine::{self as engine, Live, Plan};
use hashmill_os::names::path_to_try;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A folder to be read.
pub(super) struct Folder<'a> {
    /// The path as given, or as those of the files in an image begin.
    pub(super) path: Cow<'a, [u8]>,
    /// The archive or image that takes its place.
    pub(super) container: Option<Box<ArchiveFolder>>,
    /// The folder that all of its files are below and that the other side has not; their paths are without it.
    pub(super) top: Option<Bytes>,
    /// The selection of its files.
    pub(super) selection: &'a Selection,
    /// The means of the comparison.
    pub(super) resources: &'a Resources,
    /// Files that are left out: the manifests of the comparison and the files that belong to them.
    pub(super) own: OwnFiles,
    /// The counters of the whole comparison.
    pub(super) live: Arc<Live>,
}

/// The turn of a folder among those whose files are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Other folders follow.
    MoreFollow,
    /// It is the last one.
    Last,
}

impl Folder<'_> {
    /// Hashes all files, sorted by path.
    ///
    /// # Errors
    /// Those of `sink`.
    pub(super) fn hash(
        &self,
        plan: &Plan,
        observer: &mut DiffObserver<'_>,
        sink: &mut dyn FnMut(engine::EngineEvent, &mut DiffObserver<'_>) -> Result<Flow, Error>,
    ) -> Result<(), Error> {
        let live = &self.live;
        let entries = match &self.container {
            Some(container) => self.selection.chosen(container(None), &self.path, self.resources),
            None => self.whole().open(self.resources)?.entries,
        };
        // A walk of another folder may have set the flag.
        live.walked.store(false, Ordering::Relaxed);
        let mut done = Ok(observer(DiffEvent::Reading(live)));
        let stats = engine::run(plan, entries, live, &mut |event| {
            if matches!(done, Ok(ControlFlow::Continue(()))) {
                done = sink(event, observer);
            }
            if matches!(done, Ok(ControlFlow::Continue(()))) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        let told = observer(DiffEvent::Read(&stats));
        if done?.is_break() || told.is_break() {
            plan.cancel.set();
        }
        Ok(())
    }

    /// Returns the paths of the files if it is an archive or image in the place of a folder.
    pub(super) fn members(&self) -> Option<HashSet<Bytes>> {
        self.container.as_ref().map(|container| paths_of(container(None)))
    }

    /// Returns whether a folder with this name is at its top.
    pub(super) fn has_folder(&self, name: &[u8]) -> bool {
        let start = [&*self.path, b"/", name].concat();
        match self.members() {
            Some(members) => members
                .iter()
                .any(|path| path.strip_prefix(&*start).is_some_and(|rest| rest.starts_with(b"/"))),
            None => !self.is_bucket() && path_to_try(&start).is_dir(),
        }
    }

    /// Counts the files during the comparison.
    pub(super) fn count(&self, turn: Turn) {
        self.live.count.more.store(turn == Turn::MoreFollow, Ordering::Relaxed);
        if self.container.is_some() {
            return;
        }
        self.whole().count(self.resources, &self.live);
    }

    /// Returns the selection of the files.
    fn whole(&self) -> Selection {
        let mut selection = self.selection.clone();
        selection.paths = vec![Bytes::from(&*self.path)];
        selection.own = self.own.clone();
        selection.is_read_at_once = true;
        selection
    }

    /// Returns whether the folder is in a bucket; its paths are then keys.
    pub(super) fn is_bucket(&self) -> bool {
        self.resources.stores.is_folder(&self.path)
    }

    /// Returns a path relative to the folder.
    pub(super) fn below<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        if self.is_bucket() {
            return path;
        }
        let below = below(path, &self.path);
        let without_top = |top: &Bytes| below.strip_prefix(&**top)?.strip_prefix(b"/");
        self.top.as_ref().and_then(without_top).unwrap_or(below)
    }
}
