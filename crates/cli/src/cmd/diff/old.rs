//! The first operand: what is known.

use super::folder::Folder;
use crate::exit::Exit;
use crate::message;
use anyhow::Context;
use hashloom_engine::{Event, Plan, Trouble};
use hashloom_job::Bytes;
use hashloom_job::audit::Manifests;
use hashloom_manifest::Record;
use hashloom_manifest::audit::Known;
use hashloom_source::Problem;
use std::collections::HashMap;

/// What is known of one side.
#[derive(Default)]
pub struct Old {
    /// Files and their digests.
    pub known: Known,
    /// Files that are there, but could not be read.
    pub unread: Vec<Bytes>,
    /// Directories whose files are not known.
    pub apart: Vec<Bytes>,
    /// What reading it came to.
    pub exit: Exit,
}

impl Old {
    /// What a manifest says.
    pub fn of_manifest(manifests: Manifests) -> Old {
        let exit =
            Exit::Failed.when(manifests.malformed() > 0).and(Exit::Failed.when(!manifests.unread.is_empty()));
        for record in &manifests.unread {
            message::about(&record.path, "was not read when the manifest was made");
        }
        let unread = manifests.unread.into_iter().map(|record| record.path).collect();
        Old { known: manifests.known, unread, apart: Vec::new(), exit }
    }

    /// What is in a folder.
    ///
    /// # Errors
    /// If there are more files than can be held.
    pub fn of_folder(folder: &Folder<'_>, plan: &Plan) -> anyhow::Result<Old> {
        let mut old = Old::default();
        // Of a file that changes at its very end no piece may stay behind.
        let mut pieces: HashMap<Bytes, Vec<Record>> = HashMap::new();
        folder.hash(plan, &mut |event| {
            let outcome = match event {
                Event::Piece(record) => {
                    pieces.entry(record.path.clone()).or_default().push(record);
                    return Ok(());
                }
                Event::Done(outcome) => outcome,
            };
            let pieces = pieces.remove(&outcome.record.path).unwrap_or_default();
            let place = folder.below(&outcome.record.path);
            match &outcome.trouble {
                None => {
                    for record in pieces.into_iter().chain([outcome.record.clone()]) {
                        let record = Record { path: place.into(), ..record };
                        old.known.add(&record).context("too many files")?;
                    }
                }
                Some(Trouble::Failed(error)) => {
                    message::about(&error.path, &error.problem);
                    old.exit = Exit::Failed;
                    let list = matches!(error.problem, Problem::List(_));
                    if list { &mut old.apart } else { &mut old.unread }.push(place.into());
                }
                Some(Trouble::Skipped(_)) => {}
            }
            Ok(())
        })?;
        Ok(old)
    }
}
