//! NTFS, beside the programs that write and read it.

mod agree;
mod damage;
mod large;
mod special;
mod tiny;
mod volume;
