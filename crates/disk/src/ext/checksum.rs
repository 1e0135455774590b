//! The checksums of metadata: CRC-32C (`metadata_csum`) and CRC-16 (`uninit_bg`).
//!
//! Both are the plain remainder: ext4 inverts neither at the end.

/// The polynomials, whose least bit is the highest power.
const CASTAGNOLI: u32 = 0x82f6_3b78;
const ANSI: u32 = 0xa001;

static TABLES: [[u32; 256]; 8] = tables();
static SHORT: [u32; 256] = table(ANSI);

const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut value, mut bit) = (byte as u32, 0);
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ polynomial } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
}

/// Returns the remainders of a byte that is followed by zero to seven others.
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [table(CASTAGNOLI); 8];
    let mut row = 1;
    while row < 8 {
        let mut byte = 0;
        while byte < 256 {
            let above = tables[row - 1][byte];
            tables[row][byte] = above >> 8 ^ tables[0][(above & 0xff) as usize];
            byte += 1;
        }
        row += 1;
    }
    tables
}

/// Returns the CRC-32C of what came before, whose remainder is `state`, and these bytes; it begins with `!0`.
pub(super) fn crc32c(mut state: u32, bytes: &[u8]) -> u32 {
    let (eights, rest) = bytes.as_chunks::<8>();
    for &[a, b, c, d, e, f, g, h] in eights {
        let [a, b, c, d] = (state ^ u32::from_le_bytes([a, b, c, d])).to_le_bytes();
        let [t0, t1, t2, t3, t4, t5, t6, t7] = &TABLES;
        let at = usize::from;
        state = t7[at(a)] ^ t6[at(b)] ^ t5[at(c)] ^ t4[at(d)] ^ t3[at(e)] ^ t2[at(f)] ^ t1[at(g)] ^ t0[at(h)];
    }
    let [single, ..] = &TABLES;
    rest.iter().fold(state, |state, byte| step(single, state, *byte))
}

/// Returns the CRC-16 of what came before, whose remainder is `state`, and these bytes; it begins with `0xffff`.
pub(super) fn crc16(state: u16, bytes: &[u8]) -> u16 {
    bytes.iter().fold(u32::from(state), |state, byte| step(&SHORT, state, *byte)) as u16
}

fn step(table: &[u32; 256], state: u32, byte: u8) -> u32 {
    state >> 8 ^ table[usize::from(state as u8 ^ byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // The check values of CRC-32/ISCSI and CRC-16/MODBUS.
        assert_eq!(!crc32c(!0, b"123456789"), 0xe306_9283);
        assert_eq!(crc16(0xffff, b"123456789"), 0x4b37);
    }

    #[test]
    fn bytes_may_come_in_parts() {
        let bytes: Vec<u8> = (0..100_u8).map(|at| at.wrapping_mul(7)).collect();
        for cut in 0..bytes.len() {
            let (one, other) = bytes.split_at(cut);
            assert_eq!(crc32c(crc32c(!0, one), other), crc32c(!0, &bytes));
        }
    }
}
