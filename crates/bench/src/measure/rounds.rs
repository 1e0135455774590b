//! The measuring loop.
//!
//! A machine's speed drifts with its other load, so works that are compared take turns, round after round.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// A work to be timed; each call does it once.
pub type Work<'a> = Box<dyn FnMut() + 'a>;

/// The amount of measuring.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// The number of turns of each work.
    pub rounds: usize,
    /// The approximate duration of a turn.
    pub time: Duration,
}

/// The durations of a call of one work in nanoseconds: one for each round, in ascending order.
#[derive(Debug, Clone)]
pub struct Times(Vec<f64>);

impl Times {
    /// Returns the shortest time, for works that only use the processor, since disturbances only add to it.
    pub fn best(&self) -> f64 {
        self.0[0]
    }
}

/// Times all works, turn by turn.
pub fn take_turns(works: &mut [Work<'_>], turn: Turn) -> Vec<Times> {
    let calls: Vec<u32> = works.iter_mut().map(|work| calls(work, turn.time)).collect();
    let mut times = vec![Vec::with_capacity(turn.rounds); works.len()];
    for _ in 0..turn.rounds.max(1) {
        for ((work, calls), times) in works.iter_mut().zip(&calls).zip(&mut times) {
            times.push(timed(work, *calls).as_nanos() as f64 / f64::from(*calls));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times.into_iter().map(Times).collect()
}

/// Returns how many calls take about this time. This also brings code and data into the caches.
fn calls(work: &mut Work<'_>, time: Duration) -> u32 {
    let mut calls = 1;
    loop {
        let took = timed(work, calls).max(Duration::from_nanos(1));
        if took * 2 >= time || calls >= 1 << 24 {
            let fit = f64::from(calls) * time.as_secs_f64() / took.as_secs_f64();
            return (fit as u32).max(1);
        }
        calls *= 2;
    }
}

fn timed(work: &mut Work<'_>, calls: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..calls {
        black_box(&mut *work)();
    }
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn works_take_turns_and_each_is_called_as_often_as_its_time_allows() {
        let last = Cell::new(None);
        let switches = Cell::new(0);
        let works = [0, 1, 2].map(|index| -> Work<'_> {
            let (last, switches) = (&last, &switches);
            Box::new(move || {
                if last.replace(Some(index)) != Some(index) {
                    switches.set(switches.get() + 1);
                }
            })
        });
        let turn = Turn { rounds: 5, time: Duration::from_micros(20) };
        let times = take_turns(&mut Vec::from(works), turn);
        assert_eq!(times.len(), 3);
        assert!(times.iter().all(|times| times.0.len() == 5 && times.0.is_sorted()), "{times:?}");
        assert_eq!(switches.get(), 3 + 3 * 5, "once to warm up, then round after round");
    }
}
