//! Seals, proofs and redacted manifests from any bytes: no panic, and accepted ones are in canonical form.

use hashmill_seal::consistency::Consistency;
use hashmill_seal::proof::Proof;
use hashmill_seal::{Seal, redact};

/// Reads a seal, which is a checkpoint.
pub fn seal(mut data: &[u8]) {
    let all = data;
    if let Ok(seal) = Seal::read(&mut data) {
        assert_eq!(seal.to_text(), all);
        assert!(Seal::is_start(&all[..all.len().min(512)]));
        assert!(seal.check(&seal).is_ok() && seal.check_digest(&seal.digest()).is_ok());
    }
}

/// Reads a proof that one manifest begins with another, and verifies it.
pub fn consistency(mut data: &[u8]) {
    let all = data;
    if let Ok(proof) = Consistency::read(&mut data) {
        assert_eq!(proof.to_text().expect("text"), all);
        let same = proof.old.root == proof.seal.root && proof.old.records == proof.seal.records;
        assert!(proof.verify().is_err() || same || proof.old.records < proof.seal.records);
    }
}

/// Reads a proof, and verifies it.
pub fn proof(mut data: &[u8]) {
    let all = data;
    if let Ok(proof) = Proof::read(&mut data) {
        assert_eq!(proof.to_text().expect("text"), all);
        let _ = proof.verify();
    }
}

/// Verifies a redacted manifest.
pub fn redacted(data: &[u8]) {
    let mut shown = 0;
    if let Ok(verified) = redact::verify(Box::new(data), &mut |_| shown += 1) {
        assert_eq!(verified.counts.shown, shown);
        assert_eq!(verified.counts.shown + verified.counts.hidden, verified.seal.records);
    }
}
