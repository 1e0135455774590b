//! Sets of known digests: [`Build`] compiles lists into an index, [`info`] and [`verify`] describe an index, and
//! [`Query`] looks up lists of digests. To look up digests in memory, call [`hashmill_known::Sets`] itself.

mod annotation;
mod build;
mod form;
mod info;
mod part;
mod query;
mod texts;

pub use crate::error::SetsError;
pub use build::{Build, BuildEvent};
pub use form::QueryFormat;
pub use info::{Info, info, verify};
pub use query::{Malformed, Query, QueryEvent, QuerySummary};
