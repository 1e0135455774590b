//! Tests of what is fuzzed.

#[cfg(feature = "libraries")]
mod image;
mod media;
mod round_trip;
mod seeds;
mod similar;
