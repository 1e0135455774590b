//! Counts signers. One signer may have several keys, several names, and one key in several forms.
//!
//! Keys of the same key material are one. A signer is a principal: a name in a file of allowed signers, or the holder
//! of a key that was given by itself. The count is the greatest number of pairs of a principal and a key whose
//! signature it may have made, no principal and no key in two of them (a maximum matching of the two).
//!
//! A line with a pattern (`*@example.org`) may mean anybody whose name matches: its key counts for one of the names of
//! the other signers. If no such name matches, nobody can say whose key it is: all such keys together count as one more
//! signer.

use crate::ssh::pattern::{names, takes};
use crate::{KeyId, PublicKey, Trust};
use std::collections::{BTreeMap, BTreeSet};

/// Whose a signature may be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Principal {
    /// Somebody with a name.
    Named(Vec<u8>),
    /// Somebody whose name matches a pattern.
    Anybody,
    /// The holder of a key that was given.
    Holder(KeyId),
}

/// The lists of principals that a key's lines have.
type Lists = BTreeSet<Vec<u8>>;

/// How many signers made signatures with these keys, for all of which somebody vouches.
pub(crate) fn signers<'a>(trust: &Trust, keys: impl Iterator<Item = &'a PublicKey>) -> usize {
    let mut lists: BTreeMap<KeyId, Lists> = BTreeMap::new();
    for key in keys {
        lists.entry(key.id()).or_default().extend(of(trust, key));
    }
    let named: BTreeSet<Vec<u8>> = match &trust.identity {
        Some(identity) => [identity.clone().into_bytes()].into(),
        None => lists.values().flatten().flat_map(|list| names(list)).map(<[u8]>::to_vec).collect(),
    };
    let sides = lists.iter().map(|(key, lists)| side(key, lists, &named));
    matching(&sides.collect::<Vec<_>>())
}

/// Whose a key may be.
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

/// The lists of principals that vouch for a key. One that was given by itself may be any of those whose lines have
/// it, whatever these are for: it does not make a second signer of somebody who is named.
fn of(trust: &Trust, key: &PublicKey) -> Lists {
    let mut lists = Lists::new();
    for file in &trust.allowed {
        if let PublicKey::Ssh(key) = key {
            let own = file.lists(key, &trust.namespace, trust.identity.as_deref(), trust.time);
            lists.extend(own.map(<[u8]>::to_vec));
        }
        if trust.keys.contains(key) {
            let id = key.id();
            let same = file.keys().filter(|(other, _)| KeyId::of(other) == id);
            lists.extend(same.map(|(_, list)| list.to_vec()));
        }
    }
    lists
}

/// The greatest number of keys that can have a principal each, no two the same (augmenting paths: Kuhn 1955).
fn matching(sides: &[BTreeSet<Principal>]) -> usize {
    let mut taken: BTreeMap<&Principal, usize> = BTreeMap::new();
    (0..sides.len()).filter(|key| place(*key, sides, &mut taken, &mut BTreeSet::new())).count()
}

/// Finds a principal for a key. If another key has it, that one moves to another principal if possible.
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
    use crate::ssh::{AllowedSigners, Moment};
    use ssh_key::public::{Ed25519PublicKey, KeyData, SkEd25519};

    /// A key of 32 equal bytes, and the same as a security key.
    fn key(byte: u8) -> PublicKey {
        PublicKey::Ssh(Box::new(KeyData::Ed25519(Ed25519PublicKey([byte; 32]))))
    }

    fn security(byte: u8) -> PublicKey {
        let key = SkEd25519::new(Ed25519PublicKey([byte; 32]), "ssh:");
        PublicKey::Ssh(Box::new(KeyData::SkEd25519(key)))
    }

    fn line(key: &PublicKey) -> String {
        let PublicKey::Ssh(key) = key else { panic!("a key of OpenSSH") };
        ssh_key::PublicKey::from((**key).clone()).to_openssh().unwrap()
    }

    /// What these lines make of signatures by these keys.
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
        // One key in two hands is one key.
        assert_eq!(count(&[("a@x", key(1)), ("b@x", key(1))]), 1);
        // Who stands in the way of another goes elsewhere: b has key 1, so a takes key 2.
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
        // A line that is not for this, or of the same key in another form, still says whose it is.
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
        for _ in 0..2000 {
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
