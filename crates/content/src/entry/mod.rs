//! Facts that go with an entry of the walk beside its content: facts, stated digests, and why its inside is not read.

pub mod facts;
pub mod portions;
pub mod stated;
pub mod unread;
