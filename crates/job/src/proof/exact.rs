//! Objects that are read, where nothing else tells.

use hashloom_digest::{Algorithm, Part};
use hashloom_manifest::Named;
use hashloom_store::{Error, Object, Store};

/// Bytes of a read.
const BUFFER: usize = 1 << 20;

/// The digests of an object, all of its bytes read.
///
/// # Errors
/// If it can't be read, or is not the one any more that was listed.
pub(super) fn digests(
    store: &Store,
    object: &Object,
    algorithms: &[&'static Algorithm],
) -> Result<Vec<Named>, Error> {
    let opened = store.open(object.clone());
    let mut banks: Vec<_> = algorithms
        .iter()
        .map(|algorithm| {
            let mut bank = (algorithm.alone)();
            let slot = bank.open();
            (*algorithm, bank, slot)
        })
        .collect();
    let mut buffer = vec![0; BUFFER];
    let mut at = 0;
    loop {
        let read = if object.size == 0 { 0 } else { opened.read_at(at, &mut buffer)? };
        at += read as u64;
        for (_, bank, slot) in &mut banks {
            bank.update(&[Part { slot: *slot, bytes: &buffer[..read], last: read == 0 }]);
        }
        if read == 0 {
            break;
        }
    }
    let named = |(algorithm, mut bank, slot): (_, Box<dyn hashloom_digest::Bank>, _)| Named {
        algorithm,
        digest: bank.close(slot),
        guessed: false,
    };
    Ok(banks.into_iter().map(named).collect())
}
