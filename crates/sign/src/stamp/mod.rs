//! Time stamps of an authority (RFC 3161): that bytes existed at a time.
//!
//! A [`Request`] names the bytes by their hash; an authority answers with a [`Stamp`]. How the one gets
//! there and the other back is the caller's matter. A stamp is verified offline: its imprint against the bytes, its nonce against the
//! request where that is known, its signature (CMS, RFC 5652), and its certificate's chain to given [`Roots`]
//! at the time that it states. Revocation is not looked up.

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

/// The longest file that may be a time stamp.
pub const LONGEST: u64 = 1 << 20;
/// The content type of a request over HTTP (RFC 3161, 3.4).
pub const QUERY: &str = "application/timestamp-query";
/// The content type of an authority's answer.
pub const REPLY: &str = "application/timestamp-reply";
