//! Clusters as FAT and exFAT have them: numbered from 2, in chains of a file allocation table.

mod chain;
mod geometry;
mod lost;
mod slots;
mod table;
mod unlisted;
mod used;

pub(crate) use chain::{Chain, chain};
pub(crate) use geometry::Clusters;
pub(crate) use lost::{lost, lost_in_one_piece};
pub(crate) use slots::{SLOT, Slot, Slots};
pub(crate) use table::{ClusterTable, Link, Width, Window};
pub(crate) use unlisted::Unlisted;
pub(crate) use used::{FreeRuns, Used};
