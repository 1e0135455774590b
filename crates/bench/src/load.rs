//! The load of a machine.

/// Processor time in seconds since the system was started.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Load {
    /// Time spent on all programs.
    pub busy: f64,
    /// Time spent on this process and its finished children.
    pub own: f64,
    /// Time taken by the host of a virtual machine.
    pub stolen: f64,
}
