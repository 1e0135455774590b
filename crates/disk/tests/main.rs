//! Tests of whole images.

mod foreign;
mod made;
mod tools;
mod volumes;
mod ext;
mod made;
mod seen;
mod walk;
