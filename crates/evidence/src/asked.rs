//! What was asked of an object.

/// What was asked, and did not fail for want of a permission alone.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked {
    pub look: bool,
    pub plain: bool,
    pub first_part: bool,
    pub last_part: bool,
    pub attributes: bool,
    /// Its list of parts goes on behind this one.
    pub more: Option<u32>,
    /// Each part whose length was not known.
    pub each_part: bool,
}
