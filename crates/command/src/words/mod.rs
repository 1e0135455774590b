//! Words for people: messages, amounts, names in lines, hints.

pub(crate) mod amount;
pub(crate) mod facts;
pub(crate) mod left_out;
pub(crate) mod level;
pub(crate) mod line;
pub(crate) mod message;
pub(crate) mod status;
pub(crate) mod tip;
pub(crate) mod typed;
pub(crate) mod unused;
pub(crate) mod version;
