//! The number of registers that a kernel uses side by side.

/// The number of registers side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// One.
    One,
    /// Two.
    Two,
}

impl Width {
    /// Both widths.
    pub const ALL: [Width; 2] = [Width::One, Width::Two];

    /// Returns the number of registers.
    pub fn registers(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
        }
    }
}
