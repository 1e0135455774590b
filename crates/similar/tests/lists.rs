//! Lines of digests: they can be read back, errors are reported, and nothing panics.

use crate::common::{Random, digest_by};
use hashmill_similar::{Malformed, Named, SIMILAR, Similar, find, ssdeep};

/// Returns a digest of each kind, for some lengths.
fn samples(row: &Similar, name: &[u8]) -> Vec<Named> {
    let mut numbers = Random(3);
    let mut sample = |length| {
        let digest = digest_by((row.stream)(), &numbers.bytes(length)).unwrap();
        Named { name: name.to_vec(), digest }
    };
    [600, 5000, 70_000].map(&mut sample).to_vec()
}

#[test]
fn what_is_written_is_read() {
    for row in SIMILAR {
        for name in
            [b"plain".as_slice(), b"", b"a \"b\", c:d.txt", b"back\\slash", b"\xff\xfe, ", b"x:y:z:1:2"]
        {
            for named in samples(row, name) {
                let line = named.lines();
                let read = (row.parse)(&line).unwrap_or_else(|wrong| panic!("{}: {wrong}", row.name));
                assert_eq!(read.as_ref(), Some(&named), "{}", row.name);
                let windows = [&line[..line.len() - 1], b"\r\n"].concat();
                assert_eq!((row.parse)(&windows), Ok(Some(named)), "{}", row.name);
            }
        }
        assert_eq!((row.parse)(b"\r\n"), Ok(None));
    }
}

#[test]
fn headers_and_digests_alone_are_read() {
    let read = |text: &[u8]| ssdeep::parse(text).unwrap();
    assert_eq!(read(ssdeep::HEADER.as_bytes()), None);
    assert_eq!(read(b"ssdeep,1.0--blocksize:hash:hash,filename\r\n"), None);
    assert_eq!(read(b"3:abc:de").unwrap().name, b"");
    assert_eq!(read(b"3:abc:de,plain name").unwrap().name, b"plain name");
}

#[test]
fn malformed_lines_say_where_and_why() {
    let long = "3:".to_string() + &"abcdefg".repeat(10) + ":x";
    let hex = "T1".to_string() + &"0".repeat(30) + "g" + &"0".repeat(39);
    for (row, line, at, reason) in [
        ("ssdeep", "ssdeep,2.0--x", 0, "another version of ssdeep"),
        ("ssdeep", "3", 1, "no ':' after the block size"),
        ("ssdeep", "3:abc", 5, "no ':' after the first part"),
        ("ssdeep", "x:a:b", 0, "not a number"),
        ("ssdeep", "5:a:b", 0, "not 3 times"),
        ("ssdeep", "3:a!:b", 3, "not a base64"),
        ("ssdeep", "3:a:b,\"x", 8, "closing quote"),
        ("ssdeep", &long, 66, "longer than 64"),
        ("tlsh", "T2ABC", 0, "another version of TLSH"),
        ("tlsh", "ABC", 3, "fewer than 70"),
        ("tlsh", &hex, 32, "not a hexadecimal"),
        ("sdhash", "sdbf", 4, "no ':'"),
        ("sdhash", "sdbf:02:1:a:", 5, "only 03"),
        ("sdhash", "sdbf:03:9:a:600:", 16, "name is cut short"),
        ("sdhash", "sdbf:03:1:ab:600:", 11, "longer than its length"),
        ("sdhash", "sdbf:03:1:a:600:sha1:256:5:7ff:161:1:3:AA==", 31, "parameters"),
        ("sdhash", "sdbf:03:1:a:600:sha1:256:5:7ff:160:1:3:AA==", 35, "number of filters"),
        ("sdhash", "sdbf:03:1:a:600:sha1:256:5:7ff:160:1:3:A!==", 40, "not base64"),
        ("mrsh-v2", "a:5:0", 5, "fewer than four"),
        ("mrsh-v2", "a:5:0:1:AB", 10, "512 digits"),
    ] {
        let Err(Malformed { at: got, reason: why }) = (find(row).unwrap().parse)(line.as_bytes()) else {
            panic!("{line} was read")
        };
        assert_eq!(got, at, "{line}: {why}");
        assert!(why.contains(reason), "{line}: {why}");
    }
}

/// Mutates a line: bytes changed, deleted or duplicated, or the end cut off.
fn mutated(line: &[u8], numbers: &mut Random) -> Vec<u8> {
    let mut line = line.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(line.len().max(1)).min(line.len());
        match numbers.below(5) {
            0 if at < line.len() => line[at] = numbers.next() as u8,
            1 if at < line.len() => line[at] = b":,0-9/\"T"[numbers.below(8)],
            2 => drop(line.drain(at..line.len().min(at + numbers.below(9)))),
            3 => line.truncate(at),
            _ => line.splice(at..at, b"9:9:=,".iter().copied().take(numbers.below(7))).for_each(drop),
        }
    }
    line
}

#[test]
fn no_text_makes_a_parser_or_a_comparison_panic() {
    let mut numbers = Random(11);
    for row in SIMILAR {
        let samples = samples(row, b"name:1");
        for round in 0..hashmill_testing::cases(3000) {
            let sample = &samples[round % samples.len()];
            // Errors near the start are more interesting, and filters are long.
            let line = sample.lines();
            let short = &line[..line.len().min(200 + numbers.below(600))];
            let line =
                if round % 2 == 0 { mutated(&line, &mut numbers) } else { mutated(short, &mut numbers) };
            match (row.parse)(&line) {
                Ok(Some(read)) => {
                    (row.compare)(&read, sample).unwrap();
                    (row.compare)(sample, &read).unwrap();
                    let again = (row.parse)(&read.lines()).unwrap();
                    assert_eq!(again, Some(read), "{}", String::from_utf8_lossy(&line));
                }
                Ok(None) => {}
                Err(wrong) => assert!(wrong.at <= line.len(), "{wrong}"),
            }
        }
    }
}
