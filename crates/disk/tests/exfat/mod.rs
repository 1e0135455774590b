//! exFAT: volumes of the real programs, images made for their faults, and damage.

mod programs;
mod volume;
