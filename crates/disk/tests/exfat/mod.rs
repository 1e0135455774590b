//! exFAT: volumes of the real programs, images made for their faults, and damage.

mod faults;
mod made;
mod programs;
mod volume;
