//! Joining of two sides by their paths.

use super::items::Items;
use hashmill_manifest::audit::Full;
use std::cmp::Ordering;

/// Places on both sides, each list in the order of paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Joined {
    /// Equal paths: the known place and the observed one. A path that the observed side has several times is here
    /// several times.
    pub same: Vec<(u32, u32)>,
    /// Known paths that the observed side does not have.
    pub gone: Vec<u32>,
    /// Observed paths that the known side does not have.
    pub new: Vec<u32>,
}

/// Joins two sides by their paths.
///
/// # Errors
/// If a side has 2^32 paths or more.
pub(super) fn join(known: &Items, observed: &Items) -> Result<Joined, Full> {
    fits(known.len())?;
    fits(observed.len())?;
    let mut joined = Joined::default();
    let mut at = 0;
    for place in 0..observed.len() {
        while at < known.len() && known.path(at) < observed.path(place) {
            joined.leave(known, at, observed, place);
            at += 1;
        }
        let order = (at < known.len()).then(|| known.path(at).cmp(observed.path(place)));
        match order {
            Some(Ordering::Equal) => joined.same.push((at as u32, place as u32)),
            _ => joined.new.push(place as u32),
        }
    }
    (at..known.len()).for_each(|at| joined.leave(known, at, observed, observed.len()));
    Ok(joined)
}

/// Checks that this number of places fits into 32 bits.
fn fits(many: usize) -> Result<(), Full> {
    u32::try_from(many).map(drop).map_err(|_| Full)
}

impl Joined {
    /// Moves on from a known path to the next. It is gone unless the observed path before `next` is the same.
    fn leave(&mut self, known: &Items, at: usize, observed: &Items, next: usize) {
        let met = next.checked_sub(1).is_some_and(|last| observed.path(last) == known.path(at));
        if !met {
            self.gone.push(at as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::ItemDescription;
    use super::*;
    use hashmill_manifest::Status;

    fn items(paths: &[&str]) -> Items {
        let mut items = Items::default();
        paths
            .iter()
            .for_each(|path| items.push(path.as_bytes(), None, ItemDescription::Unread(Status::Unreadable)));
        items.sort();
        items
    }

    #[test]
    fn each_place_is_in_one_list() {
        let joined =
            |known: &[&str], observed: &[&str]| join(&items(known), &items(observed)).expect("they are few");
        let all = joined(&["a", "c", "d"], &["b", "c", "e"]);
        assert_eq!((all.same, all.gone, all.new), (vec![(1, 1)], vec![0, 2], vec![0, 2]));
        assert_eq!(joined(&[], &["a"]).new, [0]);
        assert_eq!(joined(&["a", "b"], &[]).gone, [0, 1]);
        assert_eq!(joined(&["z", "a"], &["z"]).same, [(1, 0)]);
        assert_eq!(joined(&[], &[]), Joined::default());
    }

    #[test]
    fn a_path_may_be_there_several_times() {
        let twice = join(&items(&["a", "b", "b", "c"]), &items(&["b", "b", "d"])).expect("they are few");
        assert_eq!(twice.same, [(1, 0), (1, 1)]);
        assert_eq!((twice.gone, twice.new), (vec![0, 3], vec![2]));
    }

    #[test]
    fn too_many_are_refused() {
        assert_eq!(fits(u32::MAX as usize), Ok(()));
        assert_eq!(fits(u32::MAX as usize + 1), Err(Full));
    }
}
