//! FAT: images of the real programs, images made for their faults, and damage.

mod mtools;
mod programs;
