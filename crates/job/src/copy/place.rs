//! Destinations at work, whatever their kind.

use super::answers::Answers;
use super::attributes::Lost;
use super::back::{LateFindings, Verify};
use super::event::PlaceProgress;
use super::listing::{CopyList, RecordSender};
use super::message::Message;
use super::site::CopySite;
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

/// A destination at work.
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) site: Arc<dyn CopySite>,
    pub(super) progress: Arc<PlaceProgress>,
    pub(super) answers: Answers,
    /// Whether copies are read back when everything is written.
    pub(super) is_read_later: bool,
    pub(super) writer: JoinHandle<Lost>,
    pub(super) reader: JoinHandle<LateFindings>,
    pub(super) listing: Option<CopyList>,
}

/// The threads of a destination, and the ways to them.
pub(super) struct PlaceThreads {
    pub(super) site: Arc<dyn CopySite>,
    pub(super) progress: Arc<PlaceProgress>,
    pub(super) sender: Sender<Message>,
    pub(super) answers: Answers,
    pub(super) writer: JoinHandle<Lost>,
    pub(super) reader: JoinHandle<LateFindings>,
}

/// The settings of a destination in a store.
pub(super) struct BucketSettings {
    pub(super) stores: Stores,
    pub(super) is_forced: bool,
    pub(super) verify: Verify,
    /// The bytes that may wait to be sent, and as many that are on their way. One part of an upload may be larger.
    pub(super) memory: usize,
    pub(super) algorithms: Vec<&'static Algorithm>,
    pub(super) listed: CopyRecords,
    pub(super) progress: Arc<PlaceProgress>,
}

/// The way of records into a manifest, with the number of their digests that were asked for.
pub(super) type CopyRecords = Option<(RecordSender, usize)>;
