//! ISO 9660: what programs make is read as it went in, or as other programs read it; what is damaged does no harm.

mod damage;
mod disc;
mod made;
#[cfg(unix)]
mod programs;
