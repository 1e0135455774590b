//! Bundles with statements about models, from any bytes.

use hashmill_sign::bundle::{Bundle, EcPublicKey};
use hashmill_tree::model::{Model, PAYLOAD_TYPE};

/// Parses the bytes as a bundle and as a statement: no panic, no forged bundle is accepted for the key of the seeds,
/// and a parsed model survives a round trip.
pub fn model(data: &[u8]) {
    const KEY: &str = include_str!("../../../../fuzz/corpus/model/key.pub");
    const STATEMENT: &[u8] = include_bytes!("../../../../fuzz/corpus/model/statement.json");
    let key = EcPublicKey::parse(KEY).expect("a key");
    if let Ok(opened) = Bundle::parse(data).and_then(|bundle| bundle.open(&key, PAYLOAD_TYPE)) {
        assert_eq!(opened.payload, STATEMENT, "another statement by the key of the seeds");
    }
    if let Ok(model) = Model::parse(data) {
        let again = Model::parse(model.statement().as_bytes()).expect("what was written");
        assert_eq!(again.resources(), model.resources());
        assert!(model.differences(again.resources()).is_empty());
        let _ = model.all_left_out();
    }
    let _ = EcPublicKey::parse(&String::from_utf8_lossy(data));
}
