//! Compares two sides of which one or both are in stores of objects, by what the stores say: folders, manifests,
//! locations. Bytes of objects are read only where that is asked for.
//!
//! Both sides are listed first. What has another length is another; of the rest each pair is settled by the strongest
//! that is at hand, with as few requests as will do: local files get just the digests that decide.

mod event;
mod items;
mod join;
mod means;
mod operand;
mod packed;
mod pair;
mod pairs;
mod side;
mod verdicts;
mod wanted;

pub use crate::audit::Summary;
pub use event::{Event, Observer};
pub use operand::{Operand, in_store};

use crate::error::Error;
use crate::notice::Notice;
use crate::resources::Resources;
use crate::selection::Selection;
use hashloom_engine::{Cancel, Live};
use hashloom_manifest::stored::Strength;
use means::Means;
use pairs::Pairs;
use side::Side;
use std::sync::Arc;

/// What is compared with what.
pub struct Job {
    /// What there should be.
    pub known: Operand,
    /// What there is.
    pub observed: Operand,
    /// What proves less is no proof.
    pub least: Strength,
    /// Read the objects that can't be told otherwise.
    pub download: bool,
    /// Verdicts have the content of both sides.
    pub sides: bool,
    /// Which files of folders, and how links are followed. It has no paths of its own.
    pub selection: Selection,
    /// With what resources.
    pub resources: Resources,
    /// Ends the comparison soon after it is set.
    pub cancel: Cancel,
}

/// A comparison whose sides were listed.
pub struct Proof {
    job: Means,
    known: Side,
    observed: Side,
}

impl Job {
    /// A comparison of all files.
    pub fn new(known: Operand, observed: Operand) -> Job {
        Job {
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
        let mut known = Side::of(self.known, &self.selection, &self.resources, told)?;
        let mut observed = Side::of(self.observed, &self.selection, &self.resources, told)?;
        Side::meet(&mut known, &mut observed);
        let Job { least, download, sides, resources, cancel, .. } = self;
        let job = Means { least, download, sides, resources, cancel, live: Arc::default() };
        Ok(Proof { job, known, observed })
    }
}

impl Proof {
    /// Counters that go up as files are read.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.job.live)
    }

    /// Compares, and tells the observer of every verdict, in the order of paths.
    ///
    /// # Errors
    /// If a store can't be reached any more, or the memory is too little for the threads.
    pub fn run(self, observer: &mut Observer<'_>) -> Result<Summary, Error> {
        let Proof { job, known, observed } = self;
        Pairs::new(job, known, observed).run(observer)
    }
}
