//! Recently changed files, examined again until they were unchanged for a tick of the clock.
//!
//! A file was unchanged while it was read if its times are the same before and after. That is no proof if it was
//! changed in the same clock tick in which it was opened: a further write in that tick sets the same times again. Nor
//! is it a proof while a write is in progress: the kernel sets the times of a file before it copies the bytes of a
//! write, not after.
//!
//! The kernel takes file times from its coarse clock, which advances by ticks of 1 to 10 ms. So a file whose times are
//! younger than a tick is examined again when they are older, and read only then. For other files this costs one call
//! that does not enter the kernel. For a tree of young files it costs at most two ticks, since all of them age
//! meanwhile. Since Linux 6.13 some file systems keep finer times for files whose times are queried, but a write in
//! progress has still set them earlier.
//!
//! Some file systems (FAT, old ones of network servers) keep whole seconds or every other one. Then both times have no
//! nanoseconds, and the file must be older than two seconds. Servers have their own clocks. With one that is up to two
//! seconds ahead, files look younger, which only costs a wait, since two looks a tick apart see the same times. With
//! one that is behind, files look older than they are, and such writes are not detected.

use crate::{Meta, sys};
use std::fs::File;
use std::io;
use std::thread;
use std::time::Duration;

/// The coarsest resolution of times that file systems keep: that of FAT.
const COARSE: Duration = Duration::from_secs(2);

/// A time further in the future than this is ignored: somebody set a clock, or the time itself.
const AHEAD: Duration = Duration::from_secs(2);

/// A file that changes between this many consecutive looks is considered to be changing permanently.
const LOOKS: usize = 16;

/// The same limit for looks that are [`COARSE`] apart.
const COARSE_LOOKS: usize = 2;

/// A clock, replaced in tests.
pub(crate) trait Clock {
    /// Returns the time since 1970 that the kernel would assign to a file now.
    fn now(&self) -> Duration;
    /// Returns how long that time stays the same.
    fn tick(&self) -> Duration;
    fn wait(&self, time: Duration);
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelClock;

/// The result of examining a file again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    /// It was unchanged, with this metadata.
    Still(Meta),
    /// It changed from look to look; the last metadata.
    Restless(Meta),
}

/// Examines a file again until a write would change its times. `is_pseudo` is called only for young files: those of
/// `/proc` are as young as the look at them, and nothing writes them.
pub(crate) fn settle(
    first: Meta,
    clock: &impl Clock,
    is_pseudo: impl FnOnce() -> bool,
    mut look: impl FnMut() -> io::Result<Meta>,
) -> io::Result<Settled> {
    let Some(mut wait) = time_to_wait(&first, clock) else { return Ok(Settled::Still(first)) };
    if is_pseudo() {
        return Ok(Settled::Still(first));
    }
    let (mut meta, looks) = (first, if is_coarse(&first) { COARSE_LOOKS } else { LOOKS });
    for _ in 0..looks {
        clock.wait(wait);
        let next = look()?;
        if next.same_content(&meta) {
            return Ok(Settled::Still(next));
        }
        meta = next;
        match time_to_wait(&meta, clock) {
            None => return Ok(Settled::Still(meta)),
            Some(again) => wait = again,
        }
    }
    Ok(Settled::Restless(meta))
}

/// Returns the metadata of an open file once it was unchanged for a tick of the clock, for callers that read it
/// themselves. If its size and times are the same afterwards, nothing was written meanwhile.
///
/// # Errors
/// If the metadata can't be read, or the file is written to permanently.
pub fn settled(file: &File) -> io::Result<Meta> {
    let look = || sys::stat_open(file);
    let first = look()?;
    if !first.is_file() {
        return Ok(first);
    }
    let is_pseudo = || sys::pretends_sizes(file);
    match settle(first, &KernelClock, is_pseudo, look)? {
        Settled::Still(meta) => Ok(meta),
        Settled::Restless(_) => Err(io::Error::other("it is being written to permanently")),
    }
}

/// Returns the time until the file's times are old enough, at least a tick; `None` if they are.
fn time_to_wait(meta: &Meta, clock: &impl Clock) -> Option<Duration> {
    let now = clock.now();
    let enough = if is_coarse(meta) { COARSE } else { clock.tick() };
    let young = |time: &Duration| *time + enough > now && *time <= now + AHEAD;
    let times = [meta.mtime, meta.ctime].map(|(seconds, nanoseconds)| since_1970(seconds, nanoseconds));
    let latest = times.into_iter().flatten().filter(young).max()?;
    // The reading of the clock may be a tick old.
    Some((latest + enough).saturating_sub(now).min(enough) + clock.tick())
}

fn is_coarse(meta: &Meta) -> bool {
    (meta.mtime.1, meta.ctime.1) == (0, 0)
}

fn since_1970(seconds: i64, nanoseconds: u32) -> Option<Duration> {
    Some(Duration::new(u64::try_from(seconds).ok()?, nanoseconds))
}

impl Clock for KernelClock {
    fn now(&self) -> Duration {
        sys::now()
    }

    fn tick(&self) -> Duration {
        sys::tick()
    }

    fn wait(&self, time: Duration) {
        thread::sleep(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const TICK: Duration = Duration::from_millis(4);
    const START: Duration = Duration::new(1_000_000, 500_000_000);

    struct Hands(Cell<Duration>);

    impl Clock for Hands {
        fn now(&self) -> Duration {
            self.0.get()
        }

        fn tick(&self) -> Duration {
            TICK
        }

        fn wait(&self, time: Duration) {
            self.0.set(self.0.get() + time);
        }
    }

    fn changed_at(time: Duration) -> Meta {
        let stamp = (time.as_secs() as i64, time.subsec_nanos());
        let (size, mode) = (1, crate::meta::mode::FILE);
        Meta { dev: 1, ino: 1, size, mtime: stamp, ctime: stamp, blocks: 1, mode, attributes: 0, stamp: 0 }
    }

    /// Returns the result for a file, the time that it took, and the number of looks.
    fn settled(first: Meta, look: impl Fn(Duration) -> Meta) -> (Settled, Duration, u32) {
        let (clock, looks) = (Hands(Cell::new(START)), Cell::new(0));
        let found = settle(
            first,
            &clock,
            || false,
            || {
                looks.set(looks.get() + 1);
                Ok(look(clock.now()))
            },
        );
        (found.unwrap(), clock.now() - START, looks.get())
    }

    #[test]
    fn old_files_are_not_waited_for() {
        let day = Duration::from_secs(86_400);
        for time in [START - TICK, START - day, START + day] {
            let meta = changed_at(time);
            assert_eq!(settled(meta, |_| panic!("a look")), (Settled::Still(meta), Duration::ZERO, 0));
        }
        let long_ago = Meta { mtime: (-5, 0), ctime: (-5, 1), ..changed_at(START) };
        assert_eq!(settled(long_ago, |_| panic!("a look")).0, Settled::Still(long_ago));
    }

    #[test]
    fn a_write_in_the_tick_of_the_opening_is_waited_for() {
        let meta = changed_at(START);
        let (found, waited, looks) = settled(meta, |_| meta);
        assert_eq!((found, looks), (Settled::Still(meta), 1));
        assert!(waited >= TICK && waited <= 2 * TICK, "{waited:?}");
        // It was set to look old; the change of its times shows that.
        let set = Meta { mtime: (1, 0), ..meta };
        assert_eq!(settled(set, |_| set).2, 1);
    }

    #[test]
    fn what_was_written_meanwhile_is_looked_at_once_more() {
        let (first, second) = (changed_at(START), changed_at(START + 2 * TICK));
        let (found, waited, looks) = settled(first, |_| second);
        assert_eq!((found, looks), (Settled::Still(second), 2));
        assert!(waited <= 4 * TICK, "{waited:?}");
        let (found, _, looks) = settled(first, |_| changed_at(START - TICK));
        assert_eq!((found, looks), (Settled::Still(changed_at(START - TICK)), 1));
    }

    #[test]
    fn a_file_that_is_written_all_the_time_does_not_settle() {
        let (found, waited, looks) = settled(changed_at(START), changed_at);
        assert!(matches!(found, Settled::Restless(_)) && looks == LOOKS as u32, "{found:?}");
        assert!(waited <= 2 * TICK * LOOKS as u32);
    }

    #[test]
    fn whole_seconds_are_waited_for() {
        let meta = changed_at(Duration::from_secs(START.as_secs()));
        let (found, waited, _) = settled(meta, |_| meta);
        assert_eq!(found, Settled::Still(meta));
        assert!(waited >= Duration::from_millis(1500) && waited < COARSE, "{waited:?}");
    }

    #[test]
    fn a_server_that_is_ahead_costs_one_wait() {
        let meta = changed_at(START + Duration::from_secs(1));
        let (found, waited, looks) = settled(meta, |_| meta);
        assert_eq!((found, looks), (Settled::Still(meta), 1));
        assert!(waited <= 2 * TICK);
    }

    #[test]
    fn pseudo_files_are_as_young_as_the_look_at_them() {
        let (meta, clock) = (changed_at(START), Hands(Cell::new(START)));
        let found = settle(meta, &clock, || true, || panic!("a look")).unwrap();
        assert_eq!((found, clock.now()), (Settled::Still(meta), START));
    }

    #[test]
    fn the_kernels_clock_ticks() {
        let (tick, now) = (KernelClock.tick(), KernelClock.now());
        assert!(tick > Duration::ZERO && tick <= Duration::from_millis(100), "{tick:?}");
        KernelClock.wait(2 * tick);
        assert!(KernelClock.now() > now);
    }
}
