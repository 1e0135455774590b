//! Archives that are damaged.

use super::programs::seven;
use super::random_trees::{Random, options, prepared, seed};
use super::reading::{Read, contents, read};
use hashmill_archive::MemberKind;
use hashmill_testing::cases;
use std::fs;

#[test]
fn a_damaged_byte_fails_no_member_of_another_block() {
    for case in 0..cases(6) as u64 {
        let random = &mut Random((seed(11) + case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (_folder, root, path) = prepared(random);
        let mut options = options(random);
        options.retain(|option| !option.starts_with("-ms"));
        options.push("-ms=off".into());
        if seven("a", &options, &path, &["."], &root).is_none() {
            return;
        }
        let bytes = fs::read(&path).unwrap();
        let intact = contents(read(bytes.clone(), 10_000).unwrap());
        for _ in 0..30 {
            let mut damaged = bytes.clone();
            let at = random.below(bytes.len() as u64);
            damaged[at as usize] ^= 1 + random.below(255) as u8;
            let Ok(all) = read(damaged, 10_000) else { continue };
            assert_eq!(all.len(), intact.len());
            let mut end = 32;
            for Read { member, content } in all {
                let start = end;
                end += member.stored.unwrap_or(0);
                let context = format!(
                    "case {case}, {options:?}, byte {at}: {:?}",
                    String::from_utf8_lossy(&member.path)
                );
                match content {
                    Ok(_) if matches!(member.kind, MemberKind::Link(_)) => {}
                    Ok(content) => assert!(content == intact[&member.path], "{context}"),
                    Err(problem) => assert!((start..end).contains(&at), "{context}: {problem}"),
                }
            }
        }
    }
}

#[test]
fn damaged_headers_with_right_checksums_are_read_without_a_panic() {
    for case in 0..cases(6) as u64 {
        let random = &mut Random((seed(12) + case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (_folder, root, path) = prepared(random);
        let mut options = options(random);
        options.push("-mhc=off".into());
        if seven("a", &options, &path, &["."], &root).is_none() {
            return;
        }
        let bytes = fs::read(&path).unwrap();
        let offset = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize + 32;
        if bytes.len() == 32 {
            continue;
        }
        for _ in 0..40 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.below(3) {
                // The start of the header has the blocks.
                let length = (bytes.len() - offset) as u64;
                let length = if random.below(2) == 0 { length } else { length.min(60) };
                damaged[offset + random.below(length) as usize] = random.next() as u8;
            }
            let mut crc = flate2::Crc::new();
            crc.update(&damaged[offset..]);
            damaged[28..32].copy_from_slice(&crc.sum().to_le_bytes());
            let mut crc = flate2::Crc::new();
            crc.update(&damaged[12..32]);
            damaged[8..12].copy_from_slice(&crc.sum().to_le_bytes());
            let _ = read(damaged, 10_000);
        }
    }
}
