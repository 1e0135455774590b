//! Time stamps of an authority (RFC 3161): that bytes existed at a time.
//!
//! A [`Request`] names the bytes by their hash; an authority answers with a [`Stamp`], asked over HTTP by
//! [`ask`] or by other means. A stamp is verified offline: its imprint against the bytes, its nonce against the
//! request where that is known, its signature (CMS, RFC 5652), and its certificate's chain to given [`Roots`]
//! at the time that it states. Revocation is not looked up.

mod algorithms;
mod asn1;
mod authority;
mod certificate;
mod chain;
mod names;
mod request;
mod signed;
mod time;
mod token;

pub use authority::ask;
pub use chain::Roots;
pub use request::Request;
pub use token::{Stamp, StampStatement};

/// The longest file that may be a time stamp.
pub const LONGEST: u64 = 1 << 20;
/// The content type of an authority's answer.
pub(crate) const ANSWER: &str = "application/timestamp-reply";
