//! Which files are wanted.

/// Which files are wanted. The default wants all.
#[derive(Debug, Clone, Default)]
pub struct Filter {}
