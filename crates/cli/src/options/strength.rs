//! `--min-strength`.

use hashloom_manifest::stored::Strength;

/// A strength that something can be proved by.
pub fn strength(word: &str) -> Result<Strength, String> {
    let found = Strength::from_word(word.as_bytes()).filter(|strength| *strength > Strength::None);
    found.ok_or_else(|| "one of content, composite, crc, declared and size".to_string())
}
