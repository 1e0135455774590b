//! The states of the digests of one file, as bytes: each after its length in four bytes, the least significant first.

use hashmill_digest::Saved;

/// Appends states; `None` if one is too long.
pub(crate) fn put(states: &[Saved], to: &mut Vec<u8>) -> Option<()> {
    for state in states {
        let state = state.to_bytes();
        to.extend(u32::try_from(state.len()).ok()?.to_le_bytes());
        to.extend(state);
    }
    Some(())
}

/// Reads all states; `None` unless there are some, all after the same number of bytes.
pub(crate) fn take(mut bytes: &[u8]) -> Option<Vec<Saved>> {
    let mut states: Vec<Saved> = Vec::new();
    while !bytes.is_empty() {
        let length = u32::from_le_bytes(*bytes.split_off(..4)?.first_chunk()?);
        states.push(Saved::from_bytes(bytes.split_off(..length as usize)?)?);
    }
    let so_far = states.first()?.bytes;
    states.iter().all(|state| state.bytes == so_far).then_some(states)
}
