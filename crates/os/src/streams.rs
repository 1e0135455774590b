//! The standard streams of the process.

/// A standard stream of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// Returns a duplicate of a standard stream, without the buffer of the standard library.
///
/// # Errors
/// If the stream is closed, or no descriptor is left.
pub use crate::sys::standard;

/// Puts something that can neither be read nor written into the place of each standard stream that is closed, so that no
/// file that is opened later gets its number, and its use is an error. Call it before the runtime of Rust starts, which
/// opens `/dev/null` in such places. Does nothing on Windows, where handles are no small numbers.
pub use crate::sys::hold_closed_streams;

/// Returns whether a standard stream was closed when [`hold_closed_streams`] looked, and still is.
pub use crate::sys::is_closed;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts;

    #[test]
    fn streams_are_duplicated() {
        for stream in [Stream::Input, Stream::Output, Stream::Error] {
            facts(&standard(stream).unwrap()).unwrap();
        }
    }
}
