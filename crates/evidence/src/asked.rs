//! What was asked of an object.

/// What was asked, and did not fail for want of a permission alone.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked {
    pub look: bool,
    pub plain: bool,
    pub first_part: bool,
    pub attributes: bool,
    pub last_part: bool,
    /// The last part is as long as it has to be.
    pub last_part_fits: bool,
}
