//! Numbers, texts and checksums in bytes.

pub(crate) mod be;
pub(crate) mod checksums;
pub(crate) mod le;
pub(crate) mod text;
