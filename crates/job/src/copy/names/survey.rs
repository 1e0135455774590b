//! The names of copies at a destination that holds not all: which it refuses, and which would be one there.

use super::super::name_rules::NameRules;
use super::MOST_TOLD;
use hashmill_output::WriteError;
use hashmill_output::sort::Sorter;
use hashmill_terminal::Shown;

/// The names of copies, as they are met.
pub(super) struct NameSurvey {
    rules: NameRules,
    /// The paths of copies and of the folders above them, by what is the same for those that are one.
    names: Sorter,
    /// The path that was added last.
    last: Vec<u8>,
    found: FoundNames,
}

/// The names that a destination can't hold as they are.
#[derive(Default)]
pub(super) struct FoundNames {
    /// Texts about the first of them.
    pub(super) told: Vec<String>,
    /// The number of all.
    pub(super) number: u64,
    /// The number of folders that become one with another.
    pub(super) merged: u64,
}

impl FoundNames {
    fn add(&mut self, told: impl FnOnce() -> String) {
        self.number += 1;
        if self.told.len() < MOST_TOLD {
            self.told.push(told());
        }
    }
}

impl NameSurvey {
    pub(super) fn new(rules: NameRules, memory: usize) -> NameSurvey {
        NameSurvey { rules, names: Sorter::new(memory), last: Vec::new(), found: FoundNames::default() }
    }

    /// Adds the copy of an entry, with its path below the destination.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub(super) fn add(&mut self, below: &[u8], source: &[u8]) -> Result<(), WriteError> {
        let same = self.last.iter().zip(below).take_while(|(one, other)| one == other).count();
        let ends = (0..below.len()).filter(|end| below[*end] == b'/').chain([below.len()]);
        // A folder above both was added with the path before.
        for end in ends.filter(|end| *end > same || *end == below.len()) {
            let start = below[..end].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
            if let Some(why) = self.rules.refusal(&below[start..end]) {
                let shown = Shown(source);
                self.found.add(|| format!("{shown} can't be copied: {why}"));
                break;
            }
            let kind: &[u8] = if end == below.len() { b"f" } else { b"d" };
            self.names.push(&self.rules.key(&below[..end]), &[kind, &below[..end]])?;
        }
        self.last = below.to_vec();
        Ok(())
    }

    /// Returns the rules of the destination, and the names that it can't hold.
    ///
    /// # Errors
    /// If temporary files can't be read.
    pub(super) fn end(self) -> Result<(NameRules, FoundNames), WriteError> {
        let NameSurvey { rules, names, mut found, .. } = self;
        let mut sorted = names.sorted()?;
        let (mut key, mut group) = (Vec::new(), Vec::<Vec<u8>>::new());
        while let Some((next, rest)) = sorted.next_entry()? {
            if next != key || group.is_empty() {
                key = next.to_vec();
                group = vec![rest.to_vec()];
            } else if group.iter().all(|known| known[1..] != rest[1..]) {
                // A folder comes again where entries inside of archives follow all others.
                found.merged += u64::from(group[0][0] == b'd' && rest[0] == b'd');
                found.add(|| told(&group[0][1..], &rest[1..]));
                group.push(rest.to_vec());
            }
        }
        Ok((rules, found))
    }
}

/// Returns the text about two names that would be one.
fn told(one: &[u8], other: &[u8]) -> String {
    format!("{} and {} would be one name there", Shown(one), Shown(other))
}
