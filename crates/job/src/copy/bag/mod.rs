//! Destinations that are bags (BagIt): copies lie below `data`, and the tag files follow when all copies are there, `bagit.txt` last, so
//! that a folder is a bag when it is whole.
//!
//! Before the first byte is read, a folder that is to become a bag holds nothing that this run doesn't copy (`fit`). A bag that is there
//! gets the copies that it lacks, and is then compared with what was read (`listing`); its tag files are never changed.

mod destination;
mod fit;
mod left_out;
mod listing;
mod open;
mod records;
mod tags;

pub(super) use destination::CopyBag;
pub(super) use left_out::is_left_out;
pub(super) use listing::BagEnd;
