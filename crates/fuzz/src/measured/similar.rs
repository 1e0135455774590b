//! Likeness digests: their lines, their scores, and saved indexes. None may panic, whatever the bytes.

use hashmill_similar::index::{Block, Index};
use hashmill_similar::{Named, SIMILAR, Search};
use std::ops::ControlFlow;

/// Parses every line by every algorithm; parsed digests are written, read again, and compared.
pub fn lines(data: &[u8]) {
    for row in SIMILAR {
        let read = |line: &[u8]| (row.parse)(line).ok().flatten();
        let digests: Vec<Named> = data.split(|byte| *byte == b'\n').filter_map(read).collect();
        for pair in digests.windows(2) {
            (row.compare)(&pair[0], &pair[1]).expect("digests of one algorithm");
        }
        for named in digests {
            let text = named.digest.text(&named.name);
            assert_eq!(row.read(&text).as_ref(), Ok(&named.digest), "{}", row.name);
        }
    }
}

/// Opens the bytes as an index, and also as the body of a block, because checksums protect an index.
pub fn index(data: &[u8]) {
    if let Ok(index) = Index::open(data) {
        index.for_each(drop);
    }
    for row in SIMILAR {
        let Ok(mut block) = Block::decode(row, 0, data) else { continue };
        let list = block.members().iter().take(4).cloned().collect::<Vec<_>>();
        let search = Search { limit: 1, threads: 1, stop: None };
        let found = block.against(row, &list, &search, &mut |_| ControlFlow::Continue(()));
        found.expect("digests of one algorithm");
    }
}

/// Hashes any bytes for likeness, at once and in parts: the first byte selects the algorithm, the second one the parts.
pub fn streams(data: &[u8]) {
    let [algorithm, cut, bytes @ ..] = data else { return };
    let row = &SIMILAR[usize::from(*algorithm) % SIMILAR.len()];
    let mut whole = (row.stream)();
    whole.update(bytes);
    let mut parts = (row.stream)();
    // An allocation of exactly this length, so that a sanitizer detects loads beyond either end.
    bytes.chunks(usize::from(*cut) + 1).map(Box::<[u8]>::from).for_each(|part| parts.update(&part));
    assert_eq!(whole.finish(), parts.finish(), "{} in parts of {cut}", row.name);
}
