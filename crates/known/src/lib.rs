//! A set of digests compiled to an index; lookup by batch.

mod about;
mod build;
mod bytes;
mod catalogue;
mod detail;
mod dictionary;
mod error;
mod import;
mod index;
mod layout;
mod query;
mod table;

pub use about::{About, Digests, Source};
pub use build::{Builder, Means, Number, Saying};
pub use detail::{Category, Claim, Detail, Product};
pub use error::{Error, Why};
pub use import::{Input, Lines, Notice, Notices, build};
pub use index::{Hit, Index};
pub use layout::VERSION;
pub use query::{Answer, Filter, Sets};
pub use table::SHORTEST;
