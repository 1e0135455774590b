//! How many registers of an instruction set a kernel runs side by side.

/// How many registers run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// One.
    One,
    /// Two.
    Two,
}

impl Width {
    /// Both.
    pub const ALL: [Width; 2] = [Width::One, Width::Two];

    /// One or two.
    pub fn registers(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
        }
    }
}
