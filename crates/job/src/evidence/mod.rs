//! Comparison of two sides, of which one or both are in object stores, by the evidence that the stores give. A side is
//! a folder, manifests or a location. Bytes of objects are read only if that was requested.
//!
//! Both sides are listed first. Different sizes mean different content; every other pair is settled by the strongest
//! evidence available, with as few requests as possible: only the digests that decide are computed of local files.

mod event;
mod items;
mod join;
mod means;
mod operand;
mod packed;
mod pair;
mod pairs;
mod side;
mod unproven;
mod verdicts;
mod wanted;

pub use crate::audit::AuditSummary;
pub use event::{EvidenceEvent, EvidenceObserver};
pub use operand::{Operand, in_store};
pub use unproven::Unproven;

use crate::error::Error;
use crate::notice::Notice;
use hashmill_content::resources::Resources;
use hashmill_content::selection::Selection;
use hashmill_engine::{Cancel, Live};
use hashmill_manifest::stored::Strength;
use means::EvidenceSettings;
use pairs::Pairs;
use side::Side;
use std::sync::Arc;

/// A comparison of two sides.
pub struct EvidenceJob {
    /// The expected side.
    pub known: Operand,
    /// The actual side.
    pub observed: Operand,
    /// The weakest evidence that is accepted.
    pub least: Strength,
    /// Whether objects with insufficient evidence are read.
    pub download: bool,
    /// Whether verdicts include the content of both sides.
    pub sides: bool,
    /// Filter of files in folders and handling of links. It has no paths of its own.
    pub selection: Selection,
    /// Resources that the comparison may use.
    pub resources: Resources,
    /// Ends the comparison soon after it is set.
    pub cancel: Cancel,
}

/// A comparison after both sides were listed.
pub struct Proof {
    job: EvidenceSettings,
    known: Side,
    observed: Side,
}

impl From<hashmill_store::Error> for Error {
    fn from(error: hashmill_store::Error) -> Error {
        Error::Store(Box::new(error))
    }
}

impl EvidenceJob {
    /// Makes a comparison of all files.
    pub fn new(known: Operand, observed: Operand) -> EvidenceJob {
        EvidenceJob {
            known,
            observed,
            least: Strength::Crc,
            download: false,
            sides: false,
            selection: Selection::default(),
            resources: Resources::default(),
            cancel: Cancel::default(),
        }
    }

    /// Lists both sides.
    ///
    /// # Errors
    /// If a manifest or a location is not usable.
    pub fn read(self, told: &mut dyn FnMut(Notice<'_>)) -> Result<Proof, Error> {
        self.resources.give_way()?;
        let mut known = Side::list(self.known, &self.selection, &self.resources, told)?;
        let mut observed = Side::list(self.observed, &self.selection, &self.resources, told)?;
        Side::meet(&mut known, &mut observed);
        let EvidenceJob { least, download, sides, resources, cancel, .. } = self;
        let job = EvidenceSettings { least, download, sides, resources, cancel, live: Arc::default() };
        Ok(Proof { job, known, observed })
    }
}

impl Proof {
    /// Returns counters that go up as files are read.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.job.live)
    }

    /// Compares the sides and reports every verdict, in the order of paths.
    ///
    /// # Errors
    /// If a store can't be reached any more, or the memory is too little for the threads.
    pub fn run(self, observer: &mut EvidenceObserver<'_>) -> Result<AuditSummary, Error> {
        let Proof { job, known, observed } = self;
        Pairs::new(job, known, observed).run(observer)
    }
}
