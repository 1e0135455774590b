//! Tests of parts against the decoder of the whole file, which they must not be told from.

mod crafted;
mod made;

use super::PartsOptions;
use crate::compression::{Compression, decoder};
use crate::{Limits, Problem};
use hashmill_disk::Medium;
use hashmill_testing::cases;
use made::Random;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

/// The formats with parts.
const FORMATS: [Compression; 4] =
    [Compression::Zstandard, Compression::Xz, Compression::Gzip, Compression::Lz4];
/// The numbers of threads.
const THREADS: [usize; 4] = [1, 2, 3, 7];

/// Reads all content in pieces of a size. Returns it, and the problem behind it.
fn read(reader: Result<Box<dyn Read + Send>, Problem>, size: usize) -> (Vec<u8>, Option<String>) {
    let told = |problem: Problem| format!("{problem:?}");
    let mut content = Vec::new();
    let mut reader = match reader {
        Ok(reader) => reader,
        Err(problem) => return (content, Some(told(problem))),
    };
    let mut buffer = vec![0; size];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (content, None),
            Ok(count) => content.extend_from_slice(&buffer[..count]),
            Err(error) => return (content, Some(told(error.into()))),
        }
    }
}

/// Decodes a file by parts.
fn by_parts(
    compression: Compression,
    medium: &Arc<dyn Medium>,
    limits: &Limits,
    (threads, enough): (usize, u64),
    size: usize,
) -> (Vec<u8>, Option<String>) {
    let found = read(
        PartsOptions { limits, threads, enough, place: Arc::default() }.decoder(compression, medium),
        size,
    );
    assert_eq!(Arc::strong_count(medium), 1, "a thread is left");
    found
}

/// Compares the parts of a file with the whole. Before a problem, both lose at most what one call was to return.
fn compare(compression: Compression, packed: &[u8], ways: &[(usize, u64)], size: usize, of: &str) {
    compare_within(&Limits::default(), compression, packed, ways, size, of);
}

fn compare_within(
    limits: &Limits,
    compression: Compression,
    packed: &[u8],
    ways: &[(usize, u64)],
    size: usize,
    of: &str,
) {
    let expected = read(decoder(compression, Box::new(Cursor::new(packed.to_vec())), limits), size);
    let medium: Arc<dyn Medium> = Arc::new(packed.to_vec());
    for &way in ways {
        let found = by_parts(compression, &medium, limits, way, size);
        let of = format!("{compression:?} {of} {way:?}");
        assert_eq!(found.1, expected.1, "{of}");
        let (shorter, longer) =
            if found.0.len() < expected.0.len() { (&found.0, &expected.0) } else { (&expected.0, &found.0) };
        assert!(longer.starts_with(shorter), "{of}: other content");
        let most = if expected.1.is_some() { size - 1 } else { 0 };
        assert!(longer.len() - shorter.len() <= most, "{of}: {} {}", found.0.len(), expected.0.len());
    }
}

#[test]
fn content_is_that_of_the_whole() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for compression in FORMATS {
        for case in 0..cases(12) {
            let parts = 1 + random.below(12);
            let most = [50, 3000, 60_000][case % 3];
            let Some(packed) = made::file(compression, parts, most, &mut random) else { continue };
            let ways: Vec<_> =
                THREADS.iter().map(|&threads| (threads, [1, 1, 20_000][random.below(3)])).collect();
            let size = 1 + random.below(200_000);
            compare(compression, &packed, &ways, size, &format!("case {case}"));
        }
    }
}

#[test]
fn damage_at_every_place_is_told_as_by_the_whole() {
    let mut random = Random(0xDEAD_BEEF_CAFE_F00D);
    for compression in FORMATS {
        let Some(packed) = made::file(compression, 6, 120, &mut random) else { continue };
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= [1, 4, 0x80, 0xFF][random.below(4)];
            let way = (THREADS[at % 4], [1, 150][random.below(2)]);
            compare(compression, &damaged, &[way], 1, &format!("damage at {at}"));
        }
    }
}

#[test]
fn files_cut_at_every_length_are_told_as_by_the_whole() {
    let mut random = Random(0x0123_4567_89AB_CDEF);
    for compression in FORMATS {
        let Some(packed) = made::file(compression, 6, 120, &mut random) else { continue };
        for length in 0..packed.len() {
            compare(compression, &packed[..length], &[(2, 1)], 1, &format!("cut at {length}"));
        }
    }
}

#[test]
fn long_files_with_damage_are_told_as_by_the_whole() {
    let mut random = Random(0xFEED_0BAD_5EED_1234);
    for compression in FORMATS {
        for case in 0..cases(10) {
            let Some(mut packed) = made::file(compression, 8, 60_000, &mut random) else { continue };
            for _ in 0..=random.below(2) {
                let at = random.below(packed.len());
                match random.below(5) {
                    0 => packed.truncate(at),
                    1 => drop(packed.drain(at..(at + 1 + random.below(4)).min(packed.len()))),
                    2 => packed.insert(at, random.next() as u8),
                    _ => packed.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << (case % 8)),
                }
            }
            let size = 1 + random.below(5000);
            compare(compression, &packed, &[(1, 1), (3, 9000)], size, &format!("case {case}"));
        }
    }
}

#[test]
fn any_number_of_threads_finds_the_same_of_damaged_files() {
    let mut random = Random(0x0BAD_C0DE_0BAD_C0DE);
    for compression in FORMATS {
        for case in 0..cases(40) {
            let Some(mut packed) = made::file(compression, 9, [300, 60_000][case % 2], &mut random) else {
                continue;
            };
            let at = random.below(packed.len());
            match random.below(4) {
                0 => packed.truncate(at),
                _ => packed[at] ^= 1 << (case % 8),
            }
            let (medium, size): (Arc<dyn Medium>, _) = (Arc::new(packed), 1 + random.below(70_000));
            let enough = [1, 20_000][random.below(2)];
            let memory = [2 << 20, 64 << 20][random.below(2)];
            let found = |threads| by_parts(compression, &medium, &Limits { memory }, (threads, enough), size);
            let expected = found(1);
            for threads in [1, 2, 7] {
                assert!(found(threads) == expected, "{compression:?} {case} {threads} {memory} {size}");
            }
        }
    }
}

#[test]
fn the_place_is_that_of_the_part_that_is_read() {
    let mut random = Random(0x5151_5151_0000_0001);
    let part = made::zstandard(&random.content(100_000), true);
    let length = part.len() as u64;
    let medium: Arc<dyn Medium> = Arc::new(part.repeat(4));
    let place = Arc::default();
    let options =
        PartsOptions { limits: &Limits::default(), threads: 2, enough: 1, place: Arc::clone(&place) };
    let mut reader = options.decoder(Compression::Zstandard, &medium).unwrap();
    for number in 0..4 {
        // Whatever was decoded ahead meanwhile.
        for most in [1, 99_998, 1] {
            reader.by_ref().take(most).read_to_end(&mut Vec::new()).unwrap();
            assert_eq!((place.start(), place.end()), (number * length, (number + 1) * length));
        }
    }
    assert_eq!(reader.read(&mut [0]).unwrap(), 0);
}

#[test]
fn content_of_a_part_that_turns_out_to_be_damaged_comes_once() {
    let mut random = Random(0x1122_3344_5566_7788);
    // Longer than what is handed on at once.
    let content = [random.content(500_000), vec![0; 200_000]].concat();
    for compression in FORMATS {
        let part = match compression {
            Compression::Zstandard => made::zstandard(&content, true),
            Compression::Lz4 => made::lz4(&content, 4),
            Compression::Gzip => made::bgzf(&vec![7; 700_000], false),
            _ => match made::run("xz -c -0 --check=crc32", &content) {
                Some(packed) => packed,
                None => continue,
            },
        };
        // The last bytes are the checksum, or of the index behind it.
        for from_end in [1, 6, 30, part.len() / 10] {
            let mut packed = part.repeat(3);
            let at = 2 * part.len() - from_end;
            packed[at] ^= 0x10;
            compare(compression, &packed, &[(1, 1), (3, 1)], 1000, &format!("{from_end} from the end"));
        }
    }
}

#[test]
fn readers_that_are_dropped_early_leave_no_thread() {
    let mut random = Random(0x5DEE_CE66_D123_4567);
    for compression in FORMATS {
        let Some(packed) = made::file(compression, 20, 60_000, &mut random) else { continue };
        let medium: Arc<dyn Medium> = Arc::new(packed);
        for taken in [0, 1, 70_000] {
            let options =
                PartsOptions { limits: &Limits::default(), threads: 3, enough: 1, place: Arc::default() };
            let mut reader = options.decoder(compression, &medium).unwrap();
            assert!(Arc::strong_count(&medium) > 3, "{compression:?}: nothing is decoded ahead");
            reader.by_ref().take(taken).read_to_end(&mut Vec::new()).unwrap();
            drop(reader);
            assert_eq!(Arc::strong_count(&medium), 1, "{compression:?} {taken}");
        }
    }
}

#[test]
fn little_memory_means_fewer_parts_and_the_same_content() {
    let mut random = Random(0x1357_9BDF_0246_8ACE);
    for compression in FORMATS {
        // Parts that are much longer than the memory for what waits.
        let zeros = vec![0; 3 << 20];
        let packed = match compression {
            Compression::Zstandard => made::zstandard(&zeros, true).repeat(4),
            Compression::Lz4 => made::lz4(&zeros, 4).repeat(4),
            Compression::Gzip => made::bgzf(&zeros, false).repeat(4),
            _ => match made::run("xz -c -0 --block-size=3MiB", &zeros.repeat(4)) {
                Some(packed) => packed,
                None => continue,
            },
        };
        for memory in [0, 300 << 10, 1 << 20, 2 << 20, 3 << 20, 8 << 20] {
            let threads = THREADS[random.below(4)];
            let limits = Limits { memory };
            compare_within(&limits, compression, &packed, &[(threads, 1)], 100_000, &format!("{memory}"));
        }
    }
}

/// A medium of which bytes from a position on can't be read.
#[derive(Debug)]
struct Failing(Vec<u8>, u64);

impl Medium for Failing {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        if position + buffer.len() as u64 > self.1 {
            return Err(Problem::Checksum("the disk").into());
        }
        self.0.read_at(position, buffer)
    }
}

#[test]
fn bytes_that_cannot_be_read_are_told_where_they_are() {
    let mut random = Random(0x2468_ACE0_1357_9BDF);
    for compression in FORMATS {
        let Some(packed) = made::file(compression, 8, 20_000, &mut random) else { continue };
        for _ in 0..cases(12) {
            let bad = (random.below(packed.len()) as u64).next_multiple_of(4096);
            let medium: Arc<dyn Medium> = Arc::new(Failing(packed.clone(), bad));
            let plain = by_parts(compression, &medium, &Limits::default(), (0, 1), 1);
            let found = by_parts(compression, &medium, &Limits::default(), (2, 1), 1);
            assert!(found == plain, "{compression:?} {bad}: {:?} {:?}", found.1, plain.1);
        }
    }
}

#[test]
fn files_of_programs_are_decoded_by_parts() {
    let mut random = Random(0x0F1E_2D3C_4B5A_6978);
    let content = random.content(3 << 19);
    for (words, compression) in [
        ("xz -c -T2 -1 --block-size=64KiB", Compression::Xz),
        ("xz -c -T1 -0 --block-size=500KiB", Compression::Xz),
        ("pzstd -c -p 4 -1", Compression::Zstandard),
        ("lz4 -c -BD -B4", Compression::Lz4),
        ("lz4 -c -B4 -BX", Compression::Lz4),
        ("lz4 -c -l", Compression::Lz4),
        ("gzip -c -1", Compression::Gzip),
        ("bzip2 -c -1", Compression::Bzip2),
    ] {
        let Some(packed) = made::run(words, &content) else { continue };
        let medium: Arc<dyn Medium> = Arc::new([vec![7; 100], packed.repeat(2), vec![9; 100]].concat());
        for threads in [1, 3] {
            let range = 100..100 + 2 * packed.len() as u64;
            let limits = Limits::default();
            let (found, problem) = read(
                super::decoder_of_parts(
                    compression,
                    Arc::clone(&medium),
                    range,
                    &limits,
                    threads,
                    &Arc::default(),
                ),
                1 << 16,
            );
            assert!(problem.is_none() && found == content.repeat(2), "{words} {threads}: {problem:?}");
        }
    }
}
