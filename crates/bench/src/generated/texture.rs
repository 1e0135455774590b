//! Bytes that resemble those of a kind of file.

use super::noise::Noise;

/// The kind of bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texture {
    /// Words and lines.
    Text,
    /// Words between marks.
    Markup,
    /// Compressed data, such as a picture.
    Packed,
    /// A document: sections of text, tables of small numbers, zeros, pictures.
    Office,
}

/// The number of words in an artificial language; common words come first, as in every language.
const WORDS: usize = 4096;

/// A generator of textures, with the same words for all files.
#[derive(Debug)]
pub struct Weaver {
    words: Vec<String>,
}

impl Weaver {
    /// Creates the artificial language.
    pub fn new() -> Self {
        let mut noise = Noise::new(0x5eed_0f3a);
        Weaver { words: (0..WORDS).map(|_| word(&mut noise)).collect() }
    }

    /// Returns bytes of a texture.
    pub fn weave(&self, texture: Texture, size: usize, noise: &mut Noise) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(size + 4096);
        while bytes.len() < size {
            self.stretch(texture, noise, &mut bytes);
        }
        bytes.truncate(size);
        bytes
    }

    fn stretch(&self, texture: Texture, noise: &mut Noise, bytes: &mut Vec<u8>) {
        match texture {
            Texture::Text => self.line(noise, bytes),
            Texture::Markup => {
                bytes.extend_from_slice(b"<p class=\"");
                bytes.extend_from_slice(self.word(noise));
                bytes.extend_from_slice(b"\">");
                self.line(noise, bytes);
                bytes.extend_from_slice(b"</p>\n");
            }
            Texture::Packed => noise.fill(bytes, 4096),
            Texture::Office => match noise.below(4) {
                0 => (0..20).for_each(|_| self.line(noise, bytes)),
                1 => bytes.resize(bytes.len() + 256 + noise.below(2048), 0),
                2 => (0..200).for_each(|_| bytes.extend_from_slice(&(noise.below(300) as u32).to_le_bytes())),
                _ => noise.fill(bytes, 4096),
            },
        }
    }

    fn line(&self, noise: &mut Noise, bytes: &mut Vec<u8>) {
        for _ in 0..6 + noise.below(8) {
            bytes.extend_from_slice(self.word(noise));
            bytes.push(b' ');
        }
        bytes.push(b'\n');
    }

    fn word(&self, noise: &mut Noise) -> &[u8] {
        let rank = noise.unit().powi(3);
        self.words[(rank * WORDS as f64) as usize].as_bytes()
    }
}

/// Returns a word of two to ten letters, alternating consonants and vowels.
fn word(noise: &mut Noise) -> String {
    let letters = (0..2 + noise.below(9)).map(|at| {
        let choice: &[u8] = if at % 2 == 0 { b"bcdfghklmnprstvw" } else { b"aeiou" };
        char::from(choice[noise.below(choice.len())])
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_differ_as_their_kinds_do() {
        let weaver = Weaver::new();
        let of = |texture| weaver.weave(texture, 100_000, &mut Noise::new(3));
        let distinct = |bytes: &[u8]| {
            let mut seen = [false; 256];
            bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
            seen.iter().filter(|seen| **seen).count()
        };
        assert!(of(Texture::Text).is_ascii() && distinct(&of(Texture::Text)) < 30);
        assert!(of(Texture::Markup).starts_with(b"<p class="));
        assert_eq!(distinct(&of(Texture::Packed)), 256);
        let zeros = of(Texture::Office).iter().filter(|byte| **byte == 0).count();
        assert!((5_000..70_000).contains(&zeros), "{zeros}");
        assert_eq!(of(Texture::Text), of(Texture::Text));
    }
}
