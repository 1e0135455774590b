//! Retries of requests: a bucket of tokens for all requests together, and pauses with full jitter.
//!
//! The bucket is that of the AWS tools' standard mode: a retry takes tokens, a success gives some back. While one
//! request in a few fails, all are repeated; when a store is down, requests fail at once instead of each trying for
//! minutes.

use parking_lot::Mutex;
use std::time::Duration;

/// The number of tokens at the start, and the maximum.
const TOKENS: u32 = 500;

/// The tokens that a retry takes.
const PRICE: u32 = 5;

/// The tokens that a success at the first attempt gives back.
const REFUND: u32 = 1;

/// The number of attempts of one request, including the first. A request that got further starts to count anew.
const ATTEMPTS: u32 = 8;

/// The longest pause after the first failure; it doubles.
const FIRST: Duration = Duration::from_millis(100);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// The tokens of one store.
#[derive(Debug)]
pub(crate) struct Tokens(Mutex<u32>);

/// The attempts of one request.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    failed: u32,
}

/// The next step after a failure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Try again, after at most this pause.
    Pause(Duration),
    /// The request failed too often.
    TooOften,
    /// Too many requests fail.
    GiveUp,
}

impl Default for Tokens {
    fn default() -> Tokens {
        Tokens(Mutex::new(TOKENS))
    }
}

impl Tokens {
    fn take(&self) -> bool {
        let mut tokens = self.0.lock();
        let left = tokens.checked_sub(PRICE);
        *tokens = left.unwrap_or(*tokens);
        left.is_some()
    }

    fn give(&self, number: u32) {
        let mut tokens = self.0.lock();
        *tokens = tokens.saturating_add(number).min(TOKENS);
    }
}

impl Attempts {
    /// Records an attempt that failed with an error that may be temporary.
    pub(crate) fn failed(&mut self, tokens: &Tokens) -> Next {
        self.failed += 1;
        if self.failed >= ATTEMPTS {
            return Next::TooOften;
        }
        if !tokens.take() {
            return Next::GiveUp;
        }
        Next::Pause(FIRST.saturating_mul(1 << (self.failed - 1)).min(LONGEST_PAUSE))
    }

    /// Records an attempt that worked, or got further before it failed.
    pub(crate) fn worked(&mut self, tokens: &Tokens) {
        tokens.give(if self.failed == 0 { REFUND } else { self.failed * PRICE });
        self.failed = 0;
    }
}

/// Returns a random pause up to this one, so that requests that failed together don't come back together. The store may
/// ask for a longer one.
pub(crate) fn jittered(most: Duration, asked: Option<Duration>) -> Duration {
    let pause = most.mul_f64(rand::random::<f64>());
    asked.map_or(pause, |asked| asked.min(LONGEST_PAUSE) + pause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_until_the_attempts_are_used_up() {
        let (tokens, mut attempts) = (Tokens::default(), Attempts::default());
        let pauses: Vec<Next> = (0..8).map(|_| attempts.failed(&tokens)).collect();
        let milliseconds = |number| Next::Pause(Duration::from_millis(number));
        let expected = [100, 200, 400, 800, 1600, 3200, 6400].map(milliseconds);
        assert_eq!(pauses[..7], expected);
        assert_eq!(pauses[7], Next::TooOften);
    }

    #[test]
    fn one_failure_in_four_is_repeated_for_ever() {
        let tokens = Tokens::default();
        for round in 0..10_000 {
            let mut attempts = Attempts::default();
            if round % 4 == 0 {
                assert!(matches!(attempts.failed(&tokens), Next::Pause(_)), "{round}");
            }
            attempts.worked(&tokens);
        }
    }

    #[test]
    fn nobody_waits_for_a_store_that_is_down() {
        let tokens = Tokens::default();
        let tries = (0..1000).map(|_| Attempts::default().failed(&tokens));
        assert_eq!(tries.filter(|next| matches!(next, Next::Pause(_))).count(), 100);
    }

    #[test]
    fn jitter_is_full_and_respects_the_store() {
        let most = Duration::from_millis(100);
        for _ in 0..100 {
            assert!(jittered(most, None) <= most);
            assert!(jittered(most, Some(Duration::from_secs(1))) >= Duration::from_secs(1));
            assert!(jittered(most, Some(Duration::from_secs(3600))) <= LONGEST_PAUSE + most);
        }
    }
}
