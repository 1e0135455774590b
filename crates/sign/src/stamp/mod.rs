//! Time stamps of an authority (RFC 3161), which prove that bytes existed at a time.
//!
//! A [`Request`] contains the hash of the bytes; an authority answers with a [`Stamp`]. The caller carries both. A stamp
//! is verified offline: its imprint against the bytes, its nonce against the request if that is known, its signature
//! (CMS, RFC 5652), and its certificate's chain to given [`Roots`] at the stated time. Revocation is not looked up.

mod algorithms;
mod asn1;
mod certificate;
mod chain;
mod names;
mod request;
mod signed;
mod time;
mod token;

pub use chain::Roots;
pub use request::Request;
pub use token::{Stamp, StampStatement};

/// The size limit of a time stamp file in bytes.
pub const MAX_FILE: u64 = 1 << 20;
/// The content type of a request over HTTP (RFC 3161, 3.4).
pub const QUERY: &str = "application/timestamp-query";
/// The content type of an authority's answer.
pub const REPLY: &str = "application/timestamp-reply";
