//! Signatures that lie beside a file, for every command that signs or looks at them: where they lie, with which
//! keys they are made, whose count.

pub mod beside;
pub mod guard;
pub mod judge;
pub mod keys;
pub mod staged;
