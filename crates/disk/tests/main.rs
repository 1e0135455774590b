//! Tests of whole images.

mod foreign;
mod made;
mod tools;
mod volumes;
mod walk;
