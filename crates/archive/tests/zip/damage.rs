//! Archives that are damaged or cut off.

use super::made::{MadeMember, archive};
use super::tree::Random;
use super::{shell, unpack};
use hashmill_testing::{cases, installed};
use std::io::Write;

/// The number of damaged copies of an archive.
const DAMAGED: usize = 600;

/// Returns members by all methods for which there is a packer here.
fn members() -> Vec<MadeMember> {
    let text = b"some text that is packed ".repeat(20);
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    deflate.write_all(&text).unwrap();
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(&text).unwrap();
    let zstandard = zstd::encode_all(&text[..], 3).unwrap();
    let mut ppmd = vec![0x05, 0x00];
    let restore = ppmd_rust::RestoreMethod::Restart;
    let mut encoder = ppmd_rust::Ppmd8Encoder::new(&mut ppmd, 6, 1 << 20, restore).unwrap();
    encoder.write_all(&text).unwrap();
    encoder.finish(true).unwrap();
    let mut all = vec![MadeMember::stored("stored", &text)];
    let deflate = deflate.finish().unwrap();
    let packed = [(8, deflate), (12, bzip2.finish().unwrap()), (93, zstandard), (98, ppmd)];
    all.extend(packed.map(|(method, packed)| MadeMember::packed(&method.to_string(), method, packed, &text)));
    all
}

#[test]
fn members_before_a_cut_are_unchanged() {
    let members = members();
    let whole = archive(&members);
    let (unpacked, last) = unpack(whole.clone());
    assert!(last.is_none() && unpacked.iter().all(|member| member.content.is_ok()), "{unpacked:?}");
    let content = unpacked[0].content.as_ref().unwrap();
    for length in 0..whole.len() {
        let (unpacked, last) = unpack(whole[..length].to_vec());
        assert!(last.is_some(), "{length}");
        let mut end = 0;
        for (at, member) in members.iter().enumerate() {
            end += member.bytes().len();
            if end <= length {
                assert_eq!(unpacked[at].path, member.name);
                assert_eq!(unpacked[at].content.as_ref().unwrap(), content, "{length}");
            }
        }
    }
}

#[test]
fn damaged_archives_are_told_or_read_as_they_were() {
    let members = members();
    let whole = archive(&members);
    let (right, _) = unpack(whole.clone());
    let mut random = Random(7);
    for _ in 0..cases(DAMAGED) {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len());
        let count = 1 + random.below(4);
        bytes.iter_mut().skip(at).take(count).for_each(|byte| *byte = random.below(256) as u8);
        let (unpacked, _) = unpack(bytes);
        for (found, right) in unpacked.iter().zip(&right) {
            // Content that is read without a problem is right, as its checksum is, or was what was damaged.
            let is_before = right.place + (right.path.len() as u64) + 900 < at as u64;
            if let (true, Ok(content)) = (found.path == right.path, &found.content) {
                assert!(content == right.content.as_ref().unwrap() || !is_before, "{at}");
            }
        }
    }
}

#[test]
fn damaged_archives_of_7_zip_are_told_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(11);
    for name in ["a", "b", "c"] {
        std::fs::write(folder.path().join(name), b"words that repeat, ".repeat(1 + random.below(300)))
            .unwrap();
    }
    if installed("7zz").is_none() {
        return;
    }
    for method in ["Deflate64", "LZMA", "xz", "PPMd", "BZip2"] {
        let line = format!("rm -f out.zip; 7zz a -tzip -mm={method} out.zip a b c");
        assert!(shell(folder.path(), &line), "{line}");
        let whole = std::fs::read(folder.path().join("out.zip")).unwrap();
        for _ in 0..cases(DAMAGED / 6) {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            for member in unpack(bytes).0 {
                assert!(member.content.is_err() || member.size.is_some(), "{method}");
            }
        }
    }
}
