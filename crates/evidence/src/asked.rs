//! The requests already made about an object.

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked {
    pub look: bool,
    pub plain: bool,
    pub first_part: bool,
    pub last_part: bool,
    pub attributes: bool,
    /// The list of parts continues after this part.
    pub more: Option<u32>,
    /// Every part of unknown length was asked for.
    pub each_part: bool,
}
