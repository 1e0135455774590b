//! How what stores say of their objects is compared.

use clap::Args;
use hashloom_manifest::stored::Strength;

/// How what stores say of their objects is compared.
#[derive(Debug, Default, Clone, Args)]
pub struct Proofs {
    /// What a store says proves nothing if it is weaker: content (a digest of all bytes), composite (of the digests of
    /// parts), crc, declared (nobody checked it), size [default: crc]
    #[arg(long, value_name = "STRENGTH", value_parser = strength)]
    pub min_strength: Option<Strength>,
    /// Read the objects of which their store says too little
    #[arg(long)]
    pub download: bool,
}

#[cfg(feature = "stores")]
impl Proofs {
    /// What proves less is no proof.
    pub fn least(&self) -> Strength {
        self.min_strength.unwrap_or(Strength::Crc)
    }
}

/// A strength that something can be proved by.
pub fn strength(word: &str) -> Result<Strength, String> {
    let found = Strength::from_word(word.as_bytes()).filter(|strength| *strength > Strength::None);
    found.ok_or_else(|| "one of content, composite, crc, declared and size".to_string())
}
