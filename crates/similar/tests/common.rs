//! Helpers that several tests share.

use hashmill_similar::{Likeness, LikenessDigest, Pair, Refusal};
use std::ops::ControlFlow;

pub use hashmill_testing::Random;

/// Returns a sink of pairs that never stops.
pub fn go_on(mut take: impl FnMut(Pair)) -> impl FnMut(Pair) -> ControlFlow<()> {
    move |pair| {
        take(pair);
        ControlFlow::Continue(())
    }
}

/// Returns the digest of complete bytes.
pub fn digest_by(mut stream: Box<dyn Likeness>, bytes: &[u8]) -> Result<LikenessDigest, Refusal> {
    stream.update(bytes);
    stream.finish()
}
