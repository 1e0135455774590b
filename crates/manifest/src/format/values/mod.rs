//! The values of a record in text: digests and their algorithms, names, byte ranges.

pub(crate) mod base64;
pub(crate) mod c4;
pub(crate) mod draft;
pub(crate) mod foreign;
pub(crate) mod hint;
pub(crate) mod leaves;
pub(crate) mod naming;
pub(in crate::format) mod partial_facts;
pub(crate) mod partial_likenesses;
pub(crate) mod percent;
pub(in crate::format) mod pronom;
pub(crate) mod ranges;
pub(in crate::format) mod rule_matches;
pub(crate) mod several;
pub(crate) mod style;
pub(crate) mod tags;
pub(crate) mod vis;
