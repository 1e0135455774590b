//! Archives made by hand: known answers, crafted and damaged ones.

mod crafted;
mod damage;
mod dialects;
mod made;
