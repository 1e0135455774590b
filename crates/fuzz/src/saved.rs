//! Saved states of digests from any bytes: no panic, whatever goes on with one.

use hashmill_digest::{ALGORITHMS, About, Saved, StreamPart};

/// Reads the bytes unchanged, and as the state of an algorithm that the first byte selects: the second one selects its
/// kind, and the rest is what the algorithm stored.
pub fn saved(data: &[u8]) {
    read(data);
    let [algorithm, kind, bytes, state @ ..] = data else { return };
    let name = ALGORITHMS[usize::from(*algorithm) % ALGORITHMS.len()].name.as_bytes();
    let mut whole = vec![1];
    whole.extend((name.len() as u64).to_le_bytes());
    whole.extend(name);
    whole.extend((u64::from(*bytes) << 10).to_le_bytes());
    whole.push(b"snf"[usize::from(*kind) % 3]);
    whole.extend((state.len() as u64).to_le_bytes());
    whole.extend(state);
    read(&whole);
}

fn read(data: &[u8]) {
    let Some(saved) = Saved::from_bytes(data) else { return };
    assert_eq!(Saved::from_bytes(&saved.to_bytes()).as_ref(), Some(&saved));
    if let Some(mut bank) = saved.algorithm.saving()
        && let Some(slot) = saved.open(&mut *bank)
    {
        // A state that was restored is saved as the same bytes.
        assert_eq!(Saved::from_stream(saved.algorithm, saved.bytes, &*bank, slot).as_ref(), Some(&saved));
        bank.update(&[
            StreamPart { slot, bytes: &[1; 300], last: false },
            StreamPart { slot, bytes: &[2; 9000], last: true },
        ]);
        bank.close(slot);
    }
    if let (Some(tree), Some(nodes @ [_, _, ..])) = (saved.algorithm.tree, saved.nodes()) {
        tree.join(nodes);
    }
    let about = About { size: Some(saved.bytes + 1), path: b"name" };
    if let Some(mut folding) = saved.algorithm.folding(&about).and_then(|unused| saved.folding(unused)) {
        folding.take(&vec![3; 5 * folding.shape().digest]);
        folding.finish(saved.bytes + 1);
    }
}
