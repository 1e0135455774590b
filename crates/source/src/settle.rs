//! Files that were changed just now, looked at again until they have held still for a tick of the clock.
//!
//! A file held still while it was read if it has the times that it had before. That is no proof if it was changed in the
//! same tick of the clock in which it was opened: a further write in that tick gives it the same times again. Nor while a
//! write is under way: the kernel sets the times of a file before it copies the bytes of a write, not after.
//!
//! The kernel takes times of files from its coarse clock, which goes on by one tick (1 to 10 ms) at a time. So a file whose
//! times are younger than a tick is looked at again when they are older, and only then read. This costs one call that needs
//! no kernel for other files. It costs at most two ticks for a tree of young files, as all of them grow older meanwhile.
//! Since Linux 6.13 some file systems have finer times for files that somebody looks at, but a write that is under way still
//! has set them.
//!
//! Some file systems (FAT, old ones of network servers) keep whole seconds or every other one: then both times have no
//! nanoseconds, and the file must be older than two seconds. Servers have clocks of their own. One that is up to two seconds
//! ahead makes files look younger, which costs a wait and nothing else, as two looks a tick apart see the same times. Of a
//! server whose clock is behind, files look older than they are: nothing is noticed there.

use crate::{Meta, file_system, sys};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::thread;
use std::time::Duration;

/// The coarsest times that file systems keep: those of FAT.
const COARSE: Duration = Duration::from_secs(2);

/// A time that is further in the future says nothing: somebody set a clock, or the time itself.
const AHEAD: Duration = Duration::from_secs(2);

/// A file that changes between so many looks, one after the other, does not hold still.
const LOOKS: usize = 16;

/// The same where a look is as long as [`COARSE`].
const COARSE_LOOKS: usize = 2;

/// A clock, which tests set.
pub(crate) trait Clock {
    /// The time since 1970 that the kernel would give a file now.
    fn now(&self) -> Duration;
    /// How long that stays the same.
    fn tick(&self) -> Duration;
    fn wait(&self, time: Duration);
}

/// The kernel's coarse clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelClock;

/// The result of looking at a file again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    /// It has held still, with these metadata.
    Still(Meta),
    /// It changed from look to look; the last one.
    Restless(Meta),
}

/// Looks at a file again until a write would give it other times. `is_pseudo` is asked of young files alone: those of `/proc`
/// are as young as the look at them, and nobody writes them.
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

/// The metadata of an open file once it has held still for a tick of the clock, for those who read it themselves: if it has the
/// same size and times afterwards, nothing was written meanwhile.
///
/// # Errors
/// If the file can't be asked, or is written to all the time.
pub fn settled(file: &File) -> io::Result<Meta> {
    let look = || sys::stat_open(file.as_fd());
    let first = look()?;
    if !first.is_file() {
        return Ok(first);
    }
    let is_pseudo = || file_system::pretends_sizes(file.as_fd());
    match settle(first, &KernelClock, is_pseudo, look)? {
        Settled::Still(meta) => Ok(meta),
        Settled::Restless(_) => Err(io::Error::other("it is written to all the time")),
    }
}

/// Until the file's times are old enough, and at least a tick has passed; none if they are.
fn time_to_wait(meta: &Meta, clock: &impl Clock) -> Option<Duration> {
    let now = clock.now();
    let enough = if is_coarse(meta) { COARSE } else { clock.tick() };
    let young = |time: &Duration| *time + enough > now && *time <= now + AHEAD;
    let latest =
        [since_1970(meta.mtime), since_1970(meta.ctime)].into_iter().flatten().filter(young).max()?;
    // The clock's reading may be a tick old.
    Some((latest + enough).saturating_sub(now).min(enough) + clock.tick())
}

fn is_coarse(meta: &Meta) -> bool {
    (meta.mtime.1, meta.ctime.1) == (0, 0)
}

fn since_1970((seconds, nanoseconds): (i64, u32)) -> Option<Duration> {
    Some(Duration::new(u64::try_from(seconds).ok()?, nanoseconds))
}

impl Clock for KernelClock {
    fn now(&self) -> Duration {
        sys::coarse_time().unwrap_or_default()
    }

    fn tick(&self) -> Duration {
        sys::coarse_tick()
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
        let (size, mode) = (1, libc::S_IFREG);
        Meta { dev: 1, ino: 1, size, mtime: stamp, ctime: stamp, blocks: 1, mode, stamp: 0 }
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
        // It was set to look old; the change of its times tells.
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
