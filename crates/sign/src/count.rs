//! The count of different signers. One signer may have several keys and several names, and one key may have several
//! forms.
//!
//! Keys with the same key material are one key. A signer is a principal: a name in a file of allowed signers, or the
//! holder of a key that was given by itself. The count is the greatest number of pairs of a principal and a key that
//! may have signed for it, with no principal and no key in two pairs (a maximum bipartite matching).
//!
//! A line with a pattern (`*@example.org`) may refer to anybody with a matching name, so its key counts for one of the
//! names of the other signers. If no such name matches, the owner of the key is unknown: all such keys together count
//! as one more signer.

use crate::ssh::pattern::{names, takes};
use crate::{KeyId, PublicKey, Trust};
use std::collections::{BTreeMap, BTreeSet};

/// A possible author of a signature.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Principal {
    Named(Vec<u8>),
    /// An unknown principal whose name matches a pattern.
    Anybody,
    /// The holder of a key that was given.
    Holder(KeyId),
}

/// The principal lists of the lines with a key.
type Lists = BTreeSet<Vec<u8>>;

/// Returns the number of signers of signatures with these keys, all of which are trusted.
pub(crate) fn signers<'a>(trust: &Trust, keys: impl Iterator<Item = &'a PublicKey>) -> usize {
    let mut lists: BTreeMap<KeyId, Lists> = BTreeMap::new();
    for key in keys {
        lists.entry(key.id()).or_default().extend(vouching_lists(trust, key));
    }
    let named: BTreeSet<Vec<u8>> = match &trust.identity {
        Some(identity) => [identity.clone().into_bytes()].into(),
        None => lists.values().flatten().flat_map(|list| names(list)).map(<[u8]>::to_vec).collect(),
    };
    let sides = lists.iter().map(|(key, lists)| side(key, lists, &named));
    matching(&sides.collect::<Vec<_>>())
}

/// Returns the possible owners of a key.
fn side(key: &KeyId, lists: &Lists, named: &BTreeSet<Vec<u8>>) -> BTreeSet<Principal> {
    if lists.is_empty() {
        return [Principal::Holder(key.clone())].into();
    }
    let mut side = BTreeSet::new();
    for list in lists {
        let own: Vec<_> = named.iter().filter(|name| takes(list, name)).cloned().collect();
        if own.is_empty() {
            side.insert(Principal::Anybody);
        }
        side.extend(own.into_iter().map(Principal::Named));
    }
    side
}

/// Returns the principal lists that vouch for a key. A key that was given by itself may belong to the principals of any
/// line with it, for whatever purpose, so it does not make a second signer of a named one.
fn vouching_lists(trust: &Trust, key: &PublicKey) -> Lists {
    let mut lists = Lists::new();
    for file in &trust.allowed {
        if let PublicKey::Ssh(key) = key {
            let own = file.lists(key, &trust.namespace, trust.identity.as_deref(), trust.time);
            lists.extend(own.map(<[u8]>::to_vec));
        }
        if trust.keys.contains(key) {
            let id = key.id();
            let same = file.keys().filter(|(other, _)| KeyId::from_key(other) == id);
            lists.extend(same.map(|(_, list)| list.to_vec()));
        }
    }
    lists
}

/// Returns the greatest number of keys that can each have a different principal (augmenting paths: Kuhn 1955).
fn matching(sides: &[BTreeSet<Principal>]) -> usize {
    let mut taken: BTreeMap<&Principal, usize> = BTreeMap::new();
    (0..sides.len()).filter(|key| place(*key, sides, &mut taken, &mut BTreeSet::new())).count()
}

/// Finds a principal for a key. If another key has it, that key moves to another principal if possible.
fn place<'a>(
    key: usize,
    sides: &'a [BTreeSet<Principal>],
    taken: &mut BTreeMap<&'a Principal, usize>,
    tried: &mut BTreeSet<&'a Principal>,
) -> bool {
    for principal in &sides[key] {
        if !tried.insert(principal) {
            continue;
        }
        let free = match taken.get(principal).copied() {
            Some(other) => place(other, sides, taken, tried),
            None => true,
        };
        if free {
            taken.insert(principal, key);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssh::key::tests;
    use crate::ssh::{AllowedSigners, Moment};

    /// Creates a key of 32 equal bytes.
    fn key(byte: u8) -> PublicKey {
        PublicKey::Ssh(Box::new(tests::plain([byte; 32])))
    }

    fn security(byte: u8) -> PublicKey {
        PublicKey::Ssh(Box::new(tests::security([byte; 32], "ssh:")))
    }

    fn line(key: &PublicKey) -> String {
        let PublicKey::Ssh(key) = key else { panic!("a key of OpenSSH") };
        tests::line(key)
    }

    /// Returns the count for signatures by these keys, with these lines.
    fn count(
        lines: &[(&str, PublicKey)],
        given: &[PublicKey],
        identity: Option<&str>,
        by: &[PublicKey],
    ) -> usize {
        let text: String = lines.iter().map(|(who, key)| format!("{who} {}\n", line(key))).collect();
        let trust = Trust {
            allowed: vec![AllowedSigners::parse(text).unwrap()],
            keys: given.to_vec(),
            identity: identity.map(str::to_string),
            namespace: "file".into(),
            time: Moment::UNIX_EPOCH,
        };
        let vouched = |key: &&PublicKey| given.contains(key) || lines.iter().any(|(_, own)| own == *key);
        signers(&trust, by.iter().filter(vouched))
    }

    #[test]
    fn people_are_counted_and_not_keys() {
        let by = [key(1), key(2), key(3)];
        let count = |lines: &[(&str, PublicKey)]| count(lines, &[], None, &by);
        assert_eq!(count(&[("a@x", key(1)), ("a@x", key(2)), ("a@x", key(3))]), 1);
        assert_eq!(count(&[("a@x", key(1)), ("b@x", key(2)), ("a@x", key(3))]), 2);
        assert_eq!(count(&[("a@x", key(1)), ("b@x", key(2)), ("c@x", key(3))]), 3);
        // A key with two owners is one key.
        assert_eq!(count(&[("a@x", key(1)), ("b@x", key(1))]), 1);
        // A principal may move to another key: b has key 1, so a takes key 2.
        assert_eq!(count(&[("a@x,b@x", key(1)), ("a@x", key(2))]), 2);
        assert_eq!(count(&[("a@x,b@x,c@x", key(1)), ("a@x", key(2)), ("b@x", key(3))]), 3);
        assert_eq!(count(&[("a@x,b@x", key(1)), ("a@x,b@x", key(2)), ("b@x,a@x", key(3))]), 2);
    }

    #[test]
    fn one_key_in_two_forms_is_one() {
        let lines = [("a@x", key(1)), ("b@x", security(1)), ("c@x", key(2))];
        assert_eq!(count(&lines, &[], None, &[key(1), security(1)]), 1);
        assert_eq!(count(&lines, &[], None, &[key(1), security(1), key(2)]), 2);
    }

    #[test]
    fn patterns_stand_for_one_whom_they_take() {
        let by = [key(1), key(2), key(3)];
        let count = |lines: &[(&str, PublicKey)]| count(lines, &[], None, &by);
        assert_eq!(count(&[("*@x", key(1)), ("*@x", key(2))]), 1);
        assert_eq!(count(&[("*@x", key(1)), ("*@y", key(2))]), 1);
        assert_eq!(count(&[("*@x", key(1)), ("a@x", key(2))]), 1);
        assert_eq!(count(&[("*@x,!a@x", key(1)), ("a@x", key(2))]), 2);
        assert_eq!(count(&[("*@x", key(1)), ("a@x", key(2)), ("b@x", key(3))]), 2);
        assert_eq!(count(&[("*", key(1)), ("a@x", key(2)), ("*@y", key(3))]), 2);
        assert_eq!(count(&[("*", key(1)), ("a@x,b@y", key(2)), ("*@y", key(3))]), 2);
    }

    #[test]
    fn keys_that_are_given_are_signers_unless_they_are_somebodys() {
        let by = [key(1), key(2)];
        assert_eq!(count(&[("a@x", key(1))], &[key(2)], None, &by), 2);
        assert_eq!(count(&[], &by, None, &by), 2);
        assert_eq!(count(&[("a@x", key(1)), ("a@x", key(2))], &[key(2)], None, &by), 1);
        // A line with another purpose, or with the same key in another form, still names the owner.
        assert_eq!(count(&[("a@x", key(1)), ("a@x namespaces=\"git\"", key(2))], &[key(2)], None, &by), 1);
        assert_eq!(count(&[("a@x", key(1)), ("a@x", security(2))], &[key(2)], None, &by), 1);
    }

    #[test]
    fn who_is_asked_for_by_name_is_one() {
        let lines = [("a@x", key(1)), ("*@x", key(2)), ("a@x,b@x", key(3))];
        let by = [key(1), key(2), key(3)];
        assert_eq!(count(&lines, &[], Some("a@x"), &by), 1);
        assert_eq!(count(&lines, &[], None, &by), 2);
    }

    #[test]
    fn one_more_signature_never_makes_fewer_signers() {
        let lists = ["a@x", "b@x", "a@x,b@x", "*@x", "a@*", "*@y", "c@y,a@x"];
        let mut state = 1_u32;
        for _ in 0..hashmill_testing::cases(2000) {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                lists[(state >> 16) as usize % lists.len()]
            };
            let lines: Vec<_> = (1..6).map(|byte| (next(), key(byte))).collect();
            let by: Vec<_> = (1..6).map(key).collect();
            let counts: Vec<_> = (0..6).map(|end| count(&lines, &[], None, &by[..end])).collect();
            assert!(counts.is_sorted(), "{lines:?} {counts:?}");
        }
    }
}
