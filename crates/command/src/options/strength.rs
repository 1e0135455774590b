//! Parser of `--min-strength`.

use hashmill_manifest::stored::Strength;

/// Parses the strength of evidence.
pub fn strength(word: &str) -> Result<Strength, String> {
    let found = Strength::from_word(word.as_bytes()).filter(|strength| *strength > Strength::None);
    found.ok_or_else(|| "not one of content, composite, crc, declared and size".to_string())
}
