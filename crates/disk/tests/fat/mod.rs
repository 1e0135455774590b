//! FAT: images of the real programs, images made for their faults, and damage.

mod damage;
mod faults;
mod made;
mod mtools;
mod programs;
