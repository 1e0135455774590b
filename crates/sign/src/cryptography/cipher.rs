//! Decryption of private keys with AES, in the modes that files of keys use.

use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use zeroize::Zeroizing;

/// The length of a block in bytes.
pub(crate) const BLOCK: usize = 16;

/// The modes of AES.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Each block depends on the one before it.
    Cbc,
    /// Each block is combined with the next number.
    Ctr,
    /// As [`Mode::Ctr`], with an authentication tag after the data.
    Gcm,
}

impl Mode {
    /// Returns the length of the initialisation vector.
    pub fn iv_length(self) -> usize {
        if self == Mode::Gcm { 12 } else { BLOCK }
    }
}

/// Decrypts data with a key of 16, 24 or 32 bytes. Returns `None` if the lengths are wrong, or the tag does not match.
pub(crate) fn decrypt(mode: Mode, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    if mode == Mode::Gcm {
        return decrypt_gcm(key, iv, data);
    }
    match key.len() {
        16 => decrypt_blocks(mode, &Aes128::new_from_slice(key).ok()?, iv, data),
        24 => decrypt_blocks(mode, &Aes192::new_from_slice(key).ok()?, iv, data),
        32 => decrypt_blocks(mode, &Aes256::new_from_slice(key).ok()?, iv, data),
        _ => None,
    }
}

fn decrypt_gcm(key: &[u8], iv: &[u8], data: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let algorithm = if key.len() == 16 { &AES_128_GCM } else { &AES_256_GCM };
    let key = LessSafeKey::new(UnboundKey::new(algorithm, key).ok()?);
    let mut bytes = Zeroizing::new(data.to_vec());
    let nonce = Nonce::try_assume_unique_for_key(iv).ok()?;
    let length = key.open_in_place(nonce, Aad::empty(), &mut bytes).ok()?.len();
    bytes.truncate(length);
    Some(bytes)
}

fn decrypt_blocks<C>(mode: Mode, cipher: &C, iv: &[u8], data: &[u8]) -> Option<Zeroizing<Vec<u8>>>
where
    C: BlockCipherDecrypt + BlockCipherEncrypt,
    for<'a> Array<u8, C::BlockSize>: TryFrom<&'a [u8]>,
{
    let block = |bytes: &[u8]| Array::<u8, C::BlockSize>::try_from(bytes).ok();
    let mut vector = block(iv)?;
    let mut plain = Zeroizing::new(Vec::with_capacity(data.len()));
    for bytes in data.chunks(BLOCK) {
        let own = block(bytes)?;
        let mut out = if mode == Mode::Cbc { own.clone() } else { vector.clone() };
        match mode {
            Mode::Cbc => cipher.decrypt_block(&mut out),
            Mode::Ctr | Mode::Gcm => cipher.encrypt_block(&mut out),
        }
        let other = if mode == Mode::Cbc { &vector } else { &own };
        plain.extend(out.iter().zip(other).map(|(byte, other)| byte ^ other));
        match mode {
            Mode::Cbc => vector = own,
            Mode::Ctr | Mode::Gcm => increment(&mut vector),
        }
    }
    Some(plain)
}

/// Adds one to a number whose highest byte comes first.
fn increment(number: &mut [u8]) {
    for byte in number.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    /// The first two blocks of the message of NIST SP 800-38A, appendix F.
    const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51";
    const IV: &str = "000102030405060708090a0b0c0d0e0f";
    const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
    const KEY_128: &str = "2b7e151628aed2a6abf7158809cf4f3c";
    const KEY_192: &str = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b";
    const KEY_256: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";

    #[test]
    fn vectors_of_nist() {
        for (mode, key, iv, data) in [
            (Mode::Cbc, KEY_128, IV, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"),
            (Mode::Cbc, KEY_192, IV, "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"),
            (Mode::Cbc, KEY_256, IV, "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"),
            (Mode::Ctr, KEY_128, COUNTER, "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"),
            (Mode::Ctr, KEY_192, COUNTER, "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"),
            (Mode::Ctr, KEY_256, COUNTER, "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"),
        ] {
            let plain = decrypt(mode, &bytes(key), &bytes(iv), &bytes(data)).unwrap();
            assert_eq!(*plain, bytes(PLAIN), "{mode:?} {key}");
            assert!(decrypt(mode, &bytes(key), &bytes(iv), &bytes(data)[1..]).is_none());
            assert!(decrypt(mode, &bytes(key)[1..], &bytes(iv), &bytes(data)).is_none());
        }
    }

    #[test]
    fn numbers_carry() {
        let mut number = [0, 0xff, 0xff];
        increment(&mut number);
        assert_eq!(number, [1, 0, 0]);
        increment(&mut number);
        assert_eq!(number, [1, 0, 1]);
    }
}
