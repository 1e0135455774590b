//! Tests of whole images.

mod made;
mod walk;
