//! Keys from passphrases: scrypt (RFC 7914) and OpenSSH's bcrypt_pbkdf, made of *ring*'s hashes and the cipher Blowfish.

use blowfish::Blowfish;
use ring::{digest, pbkdf2};
use std::num::NonZeroU32;
use zeroize::{Zeroize, Zeroizing};

/// The most memory that scrypt may use, in bytes: minisign's own limit.
const MOST_MEMORY: u64 = 1 << 30;
/// The length of a block of Salsa20 in 32-bit words.
const WORDS: usize = 16;

/// The costs of scrypt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScryptCost {
    /// The number of steps, a power of two.
    n: usize,
    /// The length of a step in blocks of 128 bytes.
    r: usize,
    /// The number of independent runs.
    p: usize,
}

impl ScryptCost {
    /// Returns the costs if scrypt allows them and memory suffices.
    pub fn new(n: u64, r: u64, p: u64) -> Option<ScryptCost> {
        let memory = n.checked_mul(r)?.checked_mul(128)?;
        let sound = n.is_power_of_two() && n > 1 && r > 0 && p > 0 && memory <= MOST_MEMORY;
        let sound = sound && r.checked_mul(p)?.checked_mul(128)? <= MOST_MEMORY;
        let size = |number: u64| usize::try_from(number).ok();
        if sound { Some(ScryptCost { n: size(n)?, r: size(r)?, p: size(p)? }) } else { None }
    }
}

/// Fills `key` with bytes derived from a passphrase.
pub(crate) fn scrypt(passphrase: &[u8], salt: &[u8], cost: ScryptCost, key: &mut [u8]) {
    let ScryptCost { n, r, p } = cost;
    let mut bytes = Zeroizing::new(vec![0; p * r * 128]);
    derive(passphrase, salt, &mut bytes);
    let mut table = vec![0; n * r * 2 * WORDS];
    for run in bytes.chunks_exact_mut(r * 128) {
        let words = run.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let mut words = Zeroizing::new(words.collect::<Vec<_>>());
        mix_steps(&mut words, &mut table, n);
        for (out, word) in run.chunks_exact_mut(4).zip(words.iter()) {
            out.copy_from_slice(&word.to_le_bytes());
        }
    }
    derive(passphrase, &bytes, key);
}

/// Runs PBKDF2 once, as scrypt does at its beginning and at its end.
fn derive(passphrase: &[u8], salt: &[u8], key: &mut [u8]) {
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, NonZeroU32::MIN, salt, passphrase, key);
}

/// Runs scryptROMix: fills the table, then reads it in an order that depends on its contents.
fn mix_steps(words: &mut Vec<u32>, table: &mut [u32], n: usize) {
    let length = words.len();
    let mut other = Zeroizing::new(vec![0; length]);
    for entry in table.chunks_exact_mut(length) {
        entry.copy_from_slice(words);
        mix_blocks(words, &mut other);
        std::mem::swap(words, &mut other);
    }
    for _ in 0..n {
        // The first word of the last block, modulo a power of two.
        let at = words[length - WORDS] as usize & (n - 1);
        for (word, entry) in words.iter_mut().zip(&table[at * length..]) {
            *word ^= entry;
        }
        mix_blocks(words, &mut other);
        std::mem::swap(words, &mut other);
    }
}

/// Runs scryptBlockMix: blocks with even numbers come first in `out`, then those with odd ones.
fn mix_blocks(words: &[u32], out: &mut [u32]) {
    let half = words.len() / 2;
    let mut state = [0; WORDS];
    state.copy_from_slice(&words[words.len() - WORDS..]);
    for (at, block) in words.chunks_exact(WORDS).enumerate() {
        for (state, word) in state.iter_mut().zip(block) {
            *state ^= word;
        }
        salsa(&mut state);
        let place = at / 2 * WORDS + at % 2 * half;
        out[place..place + WORDS].copy_from_slice(&state);
    }
    state.zeroize();
}

/// Runs the core of Salsa20 with eight rounds.
fn salsa(state: &mut [u32; WORDS]) {
    let start = *state;
    for _ in 0..4 {
        // Columns, then rows.
        for [a, b, c, d] in [[0, 4, 8, 12], [5, 9, 13, 1], [10, 14, 2, 6], [15, 3, 7, 11]] {
            quarter(state, a, b, c, d);
        }
        for [a, b, c, d] in [[0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]] {
            quarter(state, a, b, c, d);
        }
    }
    for (word, start) in state.iter_mut().zip(start) {
        *word = word.wrapping_add(start);
    }
}

#[inline(always)]
fn quarter(state: &mut [u32; WORDS], a: usize, b: usize, c: usize, d: usize) {
    state[b] ^= state[a].wrapping_add(state[d]).rotate_left(7);
    state[c] ^= state[b].wrapping_add(state[a]).rotate_left(9);
    state[d] ^= state[c].wrapping_add(state[b]).rotate_left(13);
    state[a] ^= state[d].wrapping_add(state[c]).rotate_left(18);
}

/// The bytes that bcrypt encrypts, and the number of times.
const BCRYPT_TEXT: &[u8; 32] = b"OxychromaticBlowfishSwatDynamite";
const BCRYPT_TIMES: usize = 64;

/// Fills `key` with bytes derived from a passphrase (OpenBSD's `bcrypt_pbkdf.c`). Fails without rounds, passphrase or
/// salt, as OpenSSH does.
pub(crate) fn bcrypt(passphrase: &[u8], salt: &[u8], rounds: u32, key: &mut [u8]) -> Option<()> {
    if rounds == 0 || passphrase.is_empty() || salt.is_empty() || key.is_empty() {
        return None;
    }
    let passphrase = hash(passphrase);
    let stride = key.len().div_ceil(BCRYPT_TEXT.len());
    for block in 0..stride {
        let number = u32::try_from(block + 1).ok()?.to_be_bytes();
        let mut last = bcrypt_hash(&passphrase, &hash(&[salt, &number].concat()));
        let mut sum = last.clone();
        for _ in 1..rounds {
            last = bcrypt_hash(&passphrase, &hash(&*last));
            sum.iter_mut().zip(last.iter()).for_each(|(sum, byte)| *sum ^= byte);
        }
        // The bytes of each block are spread over the whole key.
        for (byte, place) in sum.iter().zip((block..key.len()).step_by(stride)) {
            key[place] = *byte;
        }
    }
    Some(())
}

fn hash(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(digest::digest(&digest::SHA512, bytes).as_ref().to_vec())
}

fn bcrypt_hash(passphrase: &[u8], salt: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut cipher: Blowfish = Blowfish::bc_init_state();
    cipher.salted_expand_key(salt, passphrase);
    for _ in 0..BCRYPT_TIMES {
        cipher.bc_expand_key(salt);
        cipher.bc_expand_key(passphrase);
    }
    let mut out = Zeroizing::new(*BCRYPT_TEXT);
    for pair in out.chunks_exact_mut(8) {
        let word = |at: usize| u32::from_be_bytes([pair[at], pair[at + 1], pair[at + 2], pair[at + 3]]);
        let words = (0..BCRYPT_TIMES).fold([word(0), word(4)], |words, _| cipher.bc_encrypt(words));
        pair[..4].copy_from_slice(&words[0].to_le_bytes());
        pair[4..].copy_from_slice(&words[1].to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn scrypt_gives_the_keys_of_rfc_7914() {
        for (passphrase, salt, cost, wanted) in [
            (
                "",
                "",
                (16, 1, 1),
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
                 fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
            ),
            (
                "password",
                "NaCl",
                (1024, 8, 16),
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
                 2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
            ),
            (
                "pleaseletmein",
                "SodiumChloride",
                (16384, 8, 1),
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
                 d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
            ),
        ] {
            let cost = ScryptCost::new(cost.0, cost.1, cost.2).unwrap();
            let mut key = [0; 64];
            scrypt(passphrase.as_bytes(), salt.as_bytes(), cost, &mut key);
            assert_eq!(hex(&key), wanted);
        }
    }

    #[test]
    fn costs_of_scrypt_are_bounded() {
        assert!(ScryptCost::new(1 << 20, 8, 1).is_some());
        for (n, r, p) in [
            (1 << 20, 9, 1),
            (1 << 21, 8, 1),
            (3, 8, 1),
            (1, 8, 1),
            (0, 8, 1),
            (16, 0, 1),
            (16, 8, 0),
            (16, 8, 1 << 30),
            (1 << 63, 8, 1),
            (2, u64::MAX, u64::MAX),
        ] {
            assert!(ScryptCost::new(n, r, p).is_none(), "{n} {r} {p}");
        }
    }

    /// The vectors are those of OpenBSD's own test.
    #[test]
    fn bcrypt_gives_known_keys() {
        let derived = |passphrase: &[u8], salt: &[u8], rounds, length| {
            let mut key = vec![0; length];
            bcrypt(passphrase, salt, rounds, &mut key).map(|()| hex(&key))
        };
        for (passphrase, salt, rounds, wanted) in [
            ("password", "salt", 4, "5bbf0cc293587f1c3635555c27796598d47e579071bf427e9d8fbe842aba34d9"),
            ("password", "\0", 4, "c12b566235eee04c212598970a579a67"),
            ("\0", "salt", 4, "6051be18c2f4f82cbf0efee5471b4bb9"),
            ("password\0", "salt\0", 4, "7410e44cf4fa07bfaac8a928b1727fac001375e7bf7384370f48efd121743050"),
            ("pass\0word", "sa\0lt", 4, "4ba4ac3925c0e8d7f0cdb6bb1684a56f"),
            (
                "password",
                "salt",
                8,
                "e1367ec5151a33faac4cc1c144cd23fa15d5548493ecc99b9b5d9c0d3b27bec7\
                 6227ea66088b849b20ab7aa478010246e74bba51723fefa9f9474d6508845e8d",
            ),
            ("password", "salt", 42, "833cf0dcf56db65608e8f0dc0ce882bd"),
        ] {
            let length = wanted.len() / 2;
            assert_eq!(derived(passphrase.as_bytes(), salt.as_bytes(), rounds, length).unwrap(), wanted);
        }
        assert!(derived(b"", b"salt", 1, 32).is_none());
        assert!(derived(b"password", b"", 1, 32).is_none());
        assert!(derived(b"password", b"salt", 0, 32).is_none());
    }
}
