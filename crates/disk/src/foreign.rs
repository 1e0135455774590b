//! The table of what is known by its name, but can't be read: encrypted volumes, members of arrays, other file systems.
//!
//! The magic numbers are those of the formats' own documentation, as collected by libblkid. To add one: a row.

use crate::Medium;
use crate::fields::{le16, le32};

/// Something that can't be read.
#[derive(Debug)]
pub(crate) struct Foreign {
    pub(crate) name: &'static str,
    /// Whether its content is encrypted.
    pub(crate) is_encrypted: bool,
    /// Whether it may lie beside a file system without a contradiction: it has no files, or its sign has no fixed place.
    is_beside: bool,
    sign: Sign,
}

/// The bytes or the check that recognise it.
#[derive(Debug)]
enum Sign {
    /// Bytes at positions, all of them.
    Bytes(&'static [(u64, &'static [u8])]),
    /// More than that.
    Check(fn(&dyn Medium) -> bool),
}

const fn plain(name: &'static str, bytes: &'static [(u64, &'static [u8])]) -> Foreign {
    Foreign { name, is_encrypted: false, is_beside: false, sign: Sign::Bytes(bytes) }
}

const fn checked(name: &'static str, check: fn(&dyn Medium) -> bool) -> Foreign {
    Foreign { name, is_encrypted: false, is_beside: false, sign: Sign::Check(check) }
}

const fn scattered(name: &'static str, check: fn(&dyn Medium) -> bool) -> Foreign {
    Foreign { name, is_encrypted: false, is_beside: true, sign: Sign::Check(check) }
}

const fn encrypted(name: &'static str, bytes: &'static [(u64, &'static [u8])]) -> Foreign {
    Foreign { name, is_encrypted: true, is_beside: false, sign: Sign::Bytes(bytes) }
}

/// The identifier of BitLocker in a boot sector.
pub(crate) const BITLOCKER: &[u8; 16] = b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01";

/// All of them, those with the longest magic numbers first.
static FOREIGN: &[Foreign] = &[
    encrypted("LUKS1", &[(0, b"LUKS\xba\xbe\0\x01")]),
    encrypted("LUKS2", &[(0, b"LUKS\xba\xbe\0\x02")]),
    encrypted("BitLocker", &[(3, b"-FVE-FS-")]),
    encrypted("BitLocker To Go", &[(3, b"MSWIN4.1"), (0x1a8, BITLOCKER)]),
    // Its metadata are always encrypted.
    encrypted("CoreStorage (FileVault 2)", &[(8, b"\x01\0\x10\0"), (88, b"CS\x01\0\0\0")]),
    Foreign { name: "GELI", is_encrypted: true, is_beside: true, sign: Sign::Check(is_geli) },
    plain("bcache", &[(4120, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81")]),
    plain("bcachefs", &[(4120, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef")]),
    plain("Stratis", &[(516, b"!Stra0tis\x86\xff\x02^\x41rh")]),
    plain("High Sierra", &[(0x8009, b"CDROM")]),
    plain("btrfs", &[(0x10040, b"_BHRfS_M")]),
    plain("VDO", &[(0, b"dmvdo001")]),
    plain("romfs", &[(0, b"-rom1fs-")]),
    plain("ReFS", &[(3, b"ReFS\0\0\0\0")]),
    plain("ReiserFS", &[(0x10034, b"ReIsErFs")]),
    plain("ReiserFS", &[(0x10034, b"ReIsEr2Fs")]),
    plain("ReiserFS", &[(0x10034, b"ReIsEr3Fs")]),
    plain("Reiser4", &[(0x10000, b"ReIsEr4")]),
    checked("LVM2 physical volume", is_lvm),
    checked("UDF", is_udf),
    checked("Apple partition map", has_apple_partitions),
    scattered("Linux swap", is_swap),
    scattered("Linux swap with a hibernated system", is_hibernated),
    scattered("ZFS", is_zfs),
    scattered("Linux RAID member", is_raid),
    plain("XFS", &[(0, b"XFSB")]),
    plain("APFS", &[(32, b"NXSB")]),
    plain("squashfs", &[(0, b"hsqs")]),
    plain("squashfs", &[(0, b"sqsh")]),
    plain("JFS", &[(0x8000, b"JFS1")]),
    plain("F2FS", &[(1024, b"\x10\x20\xf5\xf2")]),
    plain("EROFS", &[(1024, b"\xe2\xe1\xf5\xe0")]),
    plain("GFS2", &[(0x10000, b"\x01\x16\x19\x70\0\0\0\x01")]),
    plain("VMFS", &[(0x10_0000, b"\x0d\xd0\x01\xc0")]),
    plain("cramfs", &[(0, b"\x45\x3d\xcd\x28")]),
    plain("cramfs", &[(0, b"\x28\xcd\x3d\x45")]),
    plain("BeFS", &[(544, b"1SFB")]),
    plain("SCO BFS", &[(0, b"\xce\xfa\xad\x1b")]),
    plain("UFS2", &[(0x1_055c, b"\x19\x01\x54\x19")]),
    plain("UFS2", &[(0x1_055c, b"\x19\x54\x01\x19")]),
    plain("UFS1", &[(0x255c, b"\x54\x19\x01\0")]),
    plain("UFS1", &[(0x255c, b"\0\x01\x19\x54")]),
    plain("NILFS2", &[(1024, b"\x02\0\0\0"), (1030, b"\x34\x34")]),
    // Two bytes and a version, or the first blocks.
    plain("HFS+", &[(1024, b"H+\0\x04")]),
    plain("HFSX", &[(1024, b"HX\0\x05")]),
    checked("HFS", is_hfs),
    checked("Minix", is_minix),
];

/// Returns the foreign thing on a medium, if it is known.
pub(crate) fn foreign(medium: &dyn Medium) -> Option<&'static Foreign> {
    FOREIGN.iter().find(|foreign| foreign.is_on(medium))
}

/// Returns what else is on a medium with a file system, and other programs may read instead of that.
pub(crate) fn beside(medium: &dyn Medium) -> impl Iterator<Item = &'static Foreign> + '_ {
    FOREIGN.iter().filter(move |foreign| !foreign.is_beside && foreign.is_on(medium))
}

impl Foreign {
    fn is_on(&self, medium: &dyn Medium) -> bool {
        match self.sign {
            Sign::Bytes(bytes) => bytes.iter().all(|(at, bytes)| has(medium, *at, bytes)),
            Sign::Check(check) => check(medium),
        }
    }
}

/// Returns whether these bytes are at a position.
fn has(medium: &dyn Medium, at: u64, bytes: &[u8]) -> bool {
    let mut found = [0; 16];
    found.get_mut(..bytes.len()).is_some_and(|found| medium.read_at(at, found).is_ok() && found == bytes)
}

/// GELI: the metadata are in the last sector.
fn is_geli(medium: &dyn Medium) -> bool {
    let last = |sector: u64| medium.size().checked_sub(sector);
    [512, 4096].into_iter().filter_map(last).any(|at| has(medium, at, b"GEOM::ELI"))
}

/// LVM2: a label in one of the first four sectors.
fn is_lvm(medium: &dyn Medium) -> bool {
    (0..4).any(|sector| has(medium, sector * 512, b"LABELONE") && has(medium, sector * 512 + 24, b"LVM2 001"))
}

/// UDF (ECMA-167 2/8.3): descriptors of 2,048 bytes from position 32,768 on, of which one is NSR. Programs read it behind
/// unknown ones, too, so its anchor (3/10.2) in block 256 is enough.
fn is_udf(medium: &dyn Medium) -> bool {
    const NAMES: [&[u8]; 4] = [b"BEA01", b"CD001", b"BOOT2", b"CDW02"];
    [2048, 4096].into_iter().any(|sector| {
        let place = |number: u64| 0x8001 + number * sector;
        let before = (0..64).take_while(|at| NAMES.iter().any(|name| has(medium, place(*at), name))).count();
        let end = place(before as u64);
        before > 0 && (has(medium, end, b"NSR02") || has(medium, end, b"NSR03"))
    }) || [512, 2048, 4096].into_iter().any(|block| is_anchor(medium, 256 * block))
}

/// Returns whether the tag of an anchor of UDF (ECMA-167 3/7.2) is at a position, with its checksum and block.
fn is_anchor(medium: &dyn Medium, at: u64) -> bool {
    let mut tag = [0; 16];
    let is_read = medium.read_at(at, &mut tag).is_ok();
    let sum = tag.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)).wrapping_sub(tag[4]);
    is_read && tag.starts_with(&[2, 0]) && tag[4] == sum && tag.ends_with(&[0, 1, 0, 0])
}

/// Apple's partition map (Inside Macintosh: Devices, 3): an entry in each block behind the first, with the number of
/// entries. Some partitions have no files: the map itself, drivers, gaps, and the disc that it lies on.
fn has_apple_partitions(medium: &dyn Medium) -> bool {
    const WITHOUT_FILES: [&[u8]; 8] = [
        b"Apple_partition_map",
        b"Apple_Driver",
        b"Apple_FWDriver",
        b"Apple_Patches",
        b"Apple_Free",
        b"Apple_Void",
        b"Apple_Scratch",
        b"ISO9660_data",
    ];
    const MOST: u64 = 256;
    let has_files = |at: u64| {
        let mut entry = [0; 80];
        let is_entry = medium.read_at(at, &mut entry).is_ok() && entry.starts_with(b"PM\0\0");
        is_entry && entry[48] != 0 && !WITHOUT_FILES.iter().any(|kind| entry[48..].starts_with(kind))
    };
    let number = |block: u64| {
        let mut entry = [0; 8];
        let is_entry = medium.read_at(block, &mut entry).is_ok() && entry.starts_with(b"PM\0\0");
        is_entry.then(|| u32::from_be_bytes([entry[4], entry[5], entry[6], entry[7]]).into())
    };
    let has_any =
        |block: u64| (1..=number(block).unwrap_or(0).min(MOST)).any(|place| has_files(place * block));
    [512, 1024, 2048].into_iter().any(has_any)
}

/// Returns whether one of these words is in the last ten bytes of a first page, whose size differs by machine.
fn ends_page(medium: &dyn Medium, words: &[&[u8]]) -> bool {
    let pages = (12..=16).map(|bits| 1_u64 << bits);
    pages.into_iter().any(|page| words.iter().any(|word| has(medium, page - 10, word)))
}

fn is_swap(medium: &dyn Medium) -> bool {
    ends_page(medium, &[b"SWAPSPACE2", b"SWAP-SPACE"])
}

fn is_hibernated(medium: &dyn Medium) -> bool {
    ends_page(medium, &[b"S1SUSPEND\0", b"S2SUSPEND\0", b"ULSUSPEND\0", b"LINHIB0001"])
}

/// ZFS: the first label has a ring of 128 KiB of uberblocks, in the order of bytes of the machine.
fn is_zfs(medium: &dyn Medium) -> bool {
    const MAGIC: u64 = 0x00ba_b10c;
    let mut ring = vec![0; 128 << 10];
    let starts =
        |block: &[u8]| block.starts_with(&MAGIC.to_le_bytes()) || block.starts_with(&MAGIC.to_be_bytes());
    medium.read_at(128 << 10, &mut ring).is_ok() && ring.chunks(1024).any(starts)
}

/// Linux RAID: a superblock at the start (1.1), 4 KiB behind it (1.2), or near the end (1.0 and 0.90).
fn is_raid(medium: &dyn Medium) -> bool {
    const MAGIC: &[u8] = b"\xfc\x4e\x2b\xa9";
    let sectors = medium.size() / 512;
    let newer = sectors.saturating_sub(16) & !7;
    let older = (sectors & !127).saturating_sub(128);
    let version = |at: u64| has(medium, at, MAGIC) && has(medium, at + 4, b"\x01\0\0\0");
    let is_old =
        older > 0 && (has(medium, older * 512, MAGIC) || has(medium, older * 512, b"\xa9\x2b\x4e\xfc"));
    version(0) || version(4096) || newer > 0 && version(newer * 512) || is_old
}

/// HFS: the magic number has two bytes only, so the size of its blocks is looked at, too.
fn is_hfs(medium: &dyn Medium) -> bool {
    let mut block = [0; 24];
    let is_read = medium.read_at(1024, &mut block).is_ok();
    let size = u32::from_be_bytes([block[20], block[21], block[22], block[23]]);
    is_read && block.starts_with(b"BD") && size != 0 && size % 512 == 0
}

/// Minix: the magic number has two bytes only, so the numbers of blocks are looked at, too: the first zone of files is behind
/// two blocks, the maps of inodes and zones, and the inodes.
fn is_minix(medium: &dyn Medium) -> bool {
    let mut block = [0; 32];
    if medium.read_at(1024, &mut block).is_err() {
        return false;
    }
    let word = |at: usize| u64::from(le16(&block, at).unwrap_or_default());
    // The sizes of a block and an inode, the number of inodes, and where those of the blocks of maps begin.
    let (size, inode, inodes, maps) = match (word(16), word(24)) {
        (0x137f | 0x138f, _) => (1024, 32, word(0), 4),
        (0x2468 | 0x2478, _) => (1024, 64, word(0), 4),
        (_, 0x4d5a) if word(28) > 0 => (word(28), 64, le32(&block, 0).unwrap_or_default().into(), 6),
        _ => return false,
    };
    let behind = 2 + word(maps) + word(maps + 2) + (inodes * inode).div_ceil(size);
    inodes > 0 && word(maps) * size * 8 > inodes && word(maps + 4) == behind
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the name of what a medium is taken for that has these bytes at these positions.
    fn name(size: usize, bytes: &[(usize, &[u8])]) -> Option<&'static str> {
        let mut medium = vec![0; size];
        for (at, bytes) in bytes {
            medium[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        foreign(&medium).map(|foreign| foreign.name)
    }

    #[test]
    fn each_row_is_found_by_its_bytes_and_no_other_row_is() {
        for row in FOREIGN {
            let Sign::Bytes(bytes) = row.sign else { continue };
            let bytes: Vec<(usize, &[u8])> = bytes.iter().map(|(at, bytes)| (*at as usize, *bytes)).collect();
            assert_eq!(name(2 << 20, &bytes), Some(row.name));
            let Some((last, others)) = bytes.split_last() else { panic!("{} has no bytes", row.name) };
            let mut wrong = last.1.to_vec();
            wrong[last.1.len() - 1] ^= 0x40;
            assert_eq!(name(2 << 20, &[others, &[(last.0, &wrong)]].concat()), None, "{}", row.name);
            let end = last.0 + last.1.len() - 1;
            let short = [others, &[(last.0, &last.1[..last.1.len() - 1])]].concat();
            assert_eq!(name(end, &short), None, "{}", row.name);
        }
    }

    #[test]
    fn what_needs_a_closer_look_is_found() {
        let size = 2 << 20;
        let md = b"\xfc\x4e\x2b\xa9\x01\0\0\0";
        for (expected, bytes) in [
            ("GELI", &[(size - 512, &b"GEOM::ELI"[..])][..]),
            ("LVM2 physical volume", &[(512, b"LABELONE"), (536, b"LVM2 001")]),
            ("UDF", &[(0x8001, b"BEA01"), (0x8801, b"NSR03")]),
            ("UDF", &[(0x8001, b"BEA01"), (0x9001, b"NSR02")]),
            ("UDF", &[(256 * 2048, b"\x02\0\x03\0\x06\0\0\0\0\0\0\0\0\x01\0\0")]),
            ("Apple partition map", &[(512, b"PM\0\0\0\0\0\x02"), (1024, b"PM"), (1072, b"Apple_HFS")]),
            ("Apple partition map", &[(2048, b"PM\0\0\0\0\0\x01"), (2096, b"Apple_UFS")]),
            ("Linux swap", &[(65526, b"SWAPSPACE2")]),
            ("Linux swap with a hibernated system", &[(4086, b"S1SUSPEND\0")]),
            ("ZFS", &[((128 << 10) + 5 * 1024, &0x00ba_b10c_u64.to_be_bytes())]),
            ("Linux RAID member", &[(0, md)]),
            ("Linux RAID member", &[(4096, md)]),
            ("Linux RAID member", &[(size - 8192, md)]),
            ("Linux RAID member", &[(size - 65536, b"\xfc\x4e\x2b\xa9")]),
            ("HFS", &[(1024, b"BD"), (1044, b"\0\0\x10\0")]),
        ] {
            assert_eq!(name(size, bytes), Some(expected));
        }
        for nothing in [
            &[(1024, &b"BD"[..])][..],
            &[(1040, b"\x7f\x13")],
            &[(0x8001, b"NSR03")],
            &[(256 * 2048, b"\x02\0\x03\0\x05\0\0\0\0\0\0\0\0\x01\0\0")],
            &[(4096, b"\xfc\x4e\x2b\xa9")],
        ] {
            assert_eq!(name(size, nothing), None);
        }
        assert_eq!(foreign(&Vec::new()).map(|foreign| foreign.name), None);
    }
}
