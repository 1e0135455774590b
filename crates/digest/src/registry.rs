//! Every algorithm, one row each. Parser, help, formats and tests iterate this table.

use crate::bank::{Stream, serial};
use crate::{Algorithm, Class, Digest, Text};

/// All algorithms. Where digests of several have one length, the likeliest stands first: that is the
/// order in which an untagged list is guessed.
pub static ALGORITHMS: &[Algorithm] = &[Algorithm {
    name: "blake3",
    aliases: &["b3"],
    tag: "BLAKE3",
    bits: 256,
    class: Class::Cryptographic,
    text: Text::Hex,
    source: "BLAKE3: one function, fast everywhere (2020)",
    bank: serial::<Blake3>,
}];

struct Blake3(blake3::Hasher);

impl Stream for Blake3 {
    fn new() -> Self {
        Blake3(blake3::Hasher::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(self.0.finalize().as_bytes())
    }
    fn kernel() -> &'static str {
        "blake3"
    }
}
