//! Runs the targets of media over small seeds, which are made here, and mutated copies of them.

use hashmill_fuzz::{find, media};
use hashmill_testing::Random;
use hashmill_testing::mutate::mutate;

/// The number of mutations of each seed, which take some seconds.
const MUTATIONS: usize = 4000;

/// Returns a medium as the targets expect it: pieces at sectors.
fn seed(sectors: u16, pieces: &[(u16, &[u8])]) -> Vec<u8> {
    let piece = |(start, bytes): &(u16, &[u8])| {
        [&start.to_le_bytes()[..], &(bytes.len() as u16).to_le_bytes(), bytes].concat()
    };
    let pieces: Vec<u8> = pieces.iter().flat_map(piece).collect();
    [&sectors.to_le_bytes()[..], &pieces].concat()
}

fn run(name: &str, seeds: &[Vec<u8>]) {
    let target = find(name).unwrap();
    for seed in seeds {
        target.run(seed);
        (0..seed.len()).step_by(7).for_each(|length| target.run(&seed[..length]));
        let mut random = Random(seed.len() as u64);
        (0..hashmill_testing::cases(MUTATIONS))
            .for_each(|_| target.run(&mutate(seed, target.mutation.tokens, &mut random)));
    }
}

#[test]
fn pieces_are_put_at_their_sectors() {
    let medium = media::placed(&seed(3, &[(1, b"one"), (0, b"zero"), (9, b"beyond")]), 512);
    assert_eq!((medium.len(), &medium[..4], &medium[512..515]), (1536, &b"zero"[..], &b"one"[..]));
}

/// Returns a boot record with these entries: type, first sector, number of sectors.
fn boot_record(entries: &[(u8, u32, u32)]) -> Vec<u8> {
    let mut sector = vec![0; 512];
    for (at, (kind, first, count)) in (446..).step_by(16).zip(entries) {
        sector[at + 4] = *kind;
        sector[at + 8..at + 12].copy_from_slice(&first.to_le_bytes());
        sector[at + 12..at + 16].copy_from_slice(&count.to_le_bytes());
    }
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sector
}

/// Returns a header of GPT without checksums, in this sector, of a table of four entries behind it.
fn header(at: u64, other: u64, table: u64) -> Vec<u8> {
    let mut header =
        [&b"EFI PART\0\0\x01\0\x5c\0\0\0\0\0\0\0\0\0\0\0"[..], &at.to_le_bytes(), &other.to_le_bytes()]
            .concat();
    header.resize(72, 7);
    header.extend(table.to_le_bytes());
    header.extend([4, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0]);
    header
}

fn gpt_entry(first: u64, last: u64) -> Vec<u8> {
    let mut entry =
        [&[9; 32][..], &first.to_le_bytes(), &last.to_le_bytes(), &[0; 8], b"n\0a\0m\0e\0"].concat();
    entry.resize(128, 0);
    entry
}

#[test]
fn partition_tables_hold() {
    let logical = boot_record(&[(0x83, 5, 10), (5, 20, 30)]);
    let mbr = boot_record(&[(7, 10, 20), (0x83, 40, 9), (5, 60, 100)]);
    let chain = seed(200, &[(0, &mbr), (60, &logical), (80, &logical)]);
    let table = [gpt_entry(10, 20), gpt_entry(21, 90)].concat();
    let protective = boot_record(&[(0xee, 1, 199), (7, 30, 5)]);
    let gpt = [
        (0, &*protective),
        (1, &*header(1, 199, 2)),
        (2, &*table),
        (198, &*table),
        (199, &*header(199, 1, 198)),
    ];
    run("volumes", &[chain, seed(200, &gpt), seed(200, &gpt[2..])]);
}

fn both(number: u32) -> Vec<u8> {
    [number.to_le_bytes(), number.to_be_bytes()].concat()
}

/// Returns a record of ISO 9660 with entries of Rock Ridge.
fn record(block: u32, size: u32, flags: u8, name: &[u8], rock: &[u8]) -> Vec<u8> {
    let rest = [100, 2, 29, 12, 34, 56, 0, flags, 0, 0, 1, 0, 0, 1, name.len() as u8];
    let pad = vec![0; 1 - name.len() % 2];
    let mut record = [&[0, 0][..], &both(block), &both(size), &rest, name, &pad, rock].concat();
    record.resize(record.len().next_multiple_of(2), 0);
    record[0] = record.len() as u8;
    record
}

/// Returns the descriptor of a disc whose root directory is in sector 18.
fn descriptor(kind: u8) -> Vec<u8> {
    let mut sector = [&[kind][..], b"CD001\x01"].concat();
    sector.resize(882, b'0');
    sector[80..88].copy_from_slice(&both(40));
    sector[88..91].copy_from_slice(b"%/E");
    sector[120..132].copy_from_slice(&[1, 0, 0, 1, 1, 0, 0, 1, 0, 8, 8, 0]);
    sector[156..190].copy_from_slice(&record(18, 2048, 2, b"\0", b""));
    sector
}

#[test]
fn discs_hold() {
    let link = [&b"PX\x24\x01"[..], &both(0o120_777), &both(1), &both(0), &both(0), b"SL\x0a\x01\0\0\x03abc"]
        .concat();
    let elsewhere = [&b"NM\x08\x01\x01lon"[..], b"CE\x1c\x01", &both(20), &both(0), &both(8)].concat();
    let root = [
        record(18, 2048, 2, b"\0", b"SP\x07\x01\xbe\xef\0RR\x05\x01\0"),
        record(18, 2048, 2, b"\x01", b""),
        record(19, 2048, 2, b"D", b"NM\x06\x01\0d"),
        record(21, 9, 0, b"L.;1", &elsewhere),
        record(21, 0, 0, b"S.;1", &link),
        record(21, 2048, 0x80, b"T.;1", b"TF\x0c\x01\x02\x64\x02\x1d\x0c\x22\x38\0"),
        record(22, 9, 0, b"T.;1", b""),
        record(22, 0, 0, b"C", &[&b"CL\x0c\x01"[..], &both(19)].concat()),
    ];
    let inner =
        [record(19, 2048, 2, b"\0", b""), record(18, 2048, 2, b"\x01", b""), record(21, 3, 0, b"F.;1", b"")];
    let (root, inner) = (root.concat(), inner.concat());
    let rest = [(18, &*root), (19, &*inner), (20, &b"NM\x08\x01\0ger"[..]), (21, b"content")];
    let (primary, joliet) = (descriptor(1), descriptor(2));
    let catalog =
        [&[1, 0, 0, 0][..], &[0; 24], &[0xaa, 0x55, 0x55, 0xaa, 0x88, 0, 0, 0, 0, 0, 4, 0, 21, 0, 0, 0]]
            .concat();
    let mut boot = b"\0CD001\x01EL TORITO SPECIFICATION".to_vec();
    boot.resize(71, 0);
    boot.extend([23, 0, 0, 0]);
    let end = &b"\xffCD001\x01"[..];
    let rock = [&[(16, &*primary), (17, end)], &rest[..]].concat();
    let other = [&[(16, &*primary), (17, &*joliet), (23, &*catalog)], &rest[..]].concat();
    let start = [&[(16, &*primary), (17, &*boot), (23, &*catalog)], &rest[..]].concat();
    run("iso9660", &[seed(40, &rock), seed(40, &other), seed(40, &start)]);
}
