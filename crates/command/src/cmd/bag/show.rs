//! Messages while a bag is made or verified.

use crate::progress::Heartbeat;
use crate::results::report::Progress;
use crate::words::message;
use hashmill_job::bagit::BagEvent;
use std::sync::Arc;

/// A display of events.
pub struct Show {
    progress: Progress,
    heartbeat: Option<Heartbeat>,
}

impl Show {
    /// Makes a display, with progress or without.
    pub fn new(progress: Progress) -> Show {
        Show { progress, heartbeat: None }
    }

    /// Shows an event.
    pub fn take(&mut self, event: &BagEvent<'_>) {
        match event {
            BagEvent::Reading(live) => {
                self.heartbeat = None;
                self.heartbeat = Some(Heartbeat::new(self.progress, Arc::clone(live)));
            }
            BagEvent::Copying(bytes) => {
                self.heartbeat = Some(Heartbeat::reading(self.progress, "copying", Some(*bytes)));
            }
            BagEvent::AllRead => self.heartbeat = None,
            BagEvent::Percent(first, names) => {
                let more = if *names > 1 { format!(" (and {} more)", names - 1) } else { String::new() };
                let what = "manifests have % in a name as %25, which bagit.py does not decode: it calls the bag invalid";
                message::about(first.as_bytes(), format_args!("note: {what}{more}"));
            }
            BagEvent::Refused(path, why) => message::about(path, why),
            BagEvent::Twin(path) => {
                let what = "on other systems another file has this name, and one would take its place";
                message::about(path.as_bytes(), format_args!("note: {what}"));
            }
            BagEvent::Failed(error) => message::about(&error.path, &error.problem),
            BagEvent::UnreadableTags(path, error) => {
                message::about_path(path, format_args!("cannot read: {error}"));
            }
            BagEvent::Undone(folder) => {
                let what = "undid what an interrupted run had begun";
                message::about_path(folder, what);
            }
            BagEvent::Notice(notice) => message::say(notice),
        }
    }
}
