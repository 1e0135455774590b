//! Bringing copies onto the disk: files that are written wait for each other, as one call brings all of them there, in a thread of its
//! own while the next ones are written.

use super::answer::Answer;
use super::message::Copied;
use hashmill_os::{settle, sync_many};
use std::fs::File;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// A copy in the order of the walk, with the open file if one was written for it.
pub(super) type WrittenCopy = (Option<File>, Copied);

/// Takes copies that are written.
pub(super) type ToSync = SyncSender<Vec<WrittenCopy>>;

/// Returns the way to a thread that syncs: while it works, one batch waits for it.
pub(super) fn way() -> (ToSync, Receiver<Vec<WrittenCopy>>) {
    sync_channel(1)
}

/// Brings batches of files onto the disk, closes them and passes them on, in their order.
pub(super) fn run(batches: &Receiver<Vec<WrittenCopy>>, next: &SyncSender<Copied>) {
    for batch in batches {
        let files: Vec<&File> = batch.iter().filter_map(|(file, _)| file.as_ref()).collect();
        let mut synced = sync_many(&files).into_iter();
        for (file, copied) in batch {
            let synced = file.as_ref().and_then(|_| synced.next()).unwrap_or(Ok(()));
            let settled = synced.and_then(|()| file.as_ref().map_or(Ok(()), settle));
            let copied = match settled {
                Ok(()) => copied,
                Err(error) => Copied::Done(Answer::Failed(error.to_string())),
            };
            drop(file);
            // A reader that is gone has said why.
            let _ = next.send(copied);
        }
    }
}
