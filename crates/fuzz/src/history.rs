//! Chains and generations of histories from any bytes: no panic, no name outside the folder, and a link added to a
//! chain is read back after the existing ones.

use hashmill_digest::Digest;
use hashmill_manifest::format::history::{Chain, Link, Merged, Parts};

/// Reads a chain and adds to it, and reads a generation.
pub fn history(data: &[u8]) {
    if let Ok(chain) = Chain::parse(data.to_vec()) {
        assert!(chain.links().iter().all(|link| !link.name.contains(&b'/') && *link.name != *b".."));
        let number = chain.links().last().map_or(1, |last| last.number + 1);
        let link = Link { number, name: b"0001_x.mhl".as_slice().into(), digest: Digest::new(&[1; 64]) };
        if let Ok(longer) = chain.with(link.clone()) {
            assert_eq!(longer.links().split_last(), Some((&link, chain.links())));
        }
    }
    let mut merged = Merged::default();
    Parts::new(Box::new(data)).filter_map(Result::ok).for_each(|part| merged.take(part));
    for record in merged.records() {
        assert!(!record.path.starts_with(b"/") && !record.path.starts_with(b"../"));
        assert!(merged.digests(&record.path).len() >= record.digests.len());
    }
}
