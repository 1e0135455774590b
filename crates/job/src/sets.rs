//! Sets of known digests: [`Build`] compiles lists into an index, [`info`] and [`verify`] say what an index holds, and
//! [`Query`] looks up lists of digests. Digests that are in memory are asked of [`hashloom_known::Sets`] itself.

mod annotation;
mod build;
mod form;
mod info;
mod query;

pub use crate::error::SetsError;
pub use build::{Build, Event as BuildEvent};
pub use form::Form;
pub use info::{Info, info, verify};
pub use query::{Event as QueryEvent, Malformed, Query, Summary};
