//! Values of bytes that are no digests: likeness digests, types and entropy.

pub mod facts;
pub mod similar;
