//! As few requests as there are parts, and no byte twice, however little memory there is and however long a request takes.

use super::counting::{Bucket, byte};
use crate::case;
use crate::util::Place;
use std::time::Duration;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// The most bytes that one request asks for, with -m 16M and more.
const PART: u64 = 4 * MIB;

/// Hashes the bucket with these options, counts, and gives the records.
fn costs(t: &Place, bucket: &Bucket, sizes: &[u64], options: &str) -> String {
    let args = format!("hash --anonymous -f jsonl {options} s3://b/");
    let mut command = t.command(&args);
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", bucket.port)).env("AWS_REGION", "here");
    let ran = t.ran(command, &args).code(0);
    let requests: u64 = sizes.iter().map(|size| size.div_ceil(PART).max(1)).sum();
    assert_eq!(bucket.take(), (requests, sizes.iter().sum()), "{options}: {} objects", sizes.len());
    String::from_utf8_lossy(ran.stdout()).into_owned()
}

/// The same with a digest, which is the right one.
fn hashes(t: &Place, bucket: &Bucket, sizes: &[u64], options: &str) {
    let out = costs(t, bucket, sizes, &format!("-c crc32 {options}"));
    assert_eq!(out.lines().count(), sizes.len(), "{options}");
    let crc32 = hashmill_digest::find("crc32").unwrap();
    for (number, (line, size)) in out.lines().zip(sizes).enumerate() {
        assert!(line.contains(r#""status":"hashed""#), "{options}: {line}");
        if *size <= MIB {
            let digest = hashmill_digest::hash(crc32, &vec![byte(number); *size as usize]);
            assert!(line.contains(&digest.to_string()), "{options}: {line}");
        }
    }
}

case!(objects_of_any_size_cost_a_request_for_each_part, |t| {
    for (size, count) in [
        (KIB, 200),
        (15 * KIB, 150),
        (16 * KIB, 150),
        (100 * KIB, 100),
        (MIB, 30),
        (MIB + 1, 20),
        (PART, 6),
        (PART + 1, 6),
        (16 * MIB, 5),
        (70 * MIB, 1),
    ] {
        let sizes = vec![size; count];
        let bucket = Bucket::start(sizes.clone(), Duration::ZERO);
        for memory in ["16M", "256M", "1G"] {
            hashes(t, &bucket, &sizes, &format!("-m {memory}"));
        }
    }
});

case!(
    #[ignore = "campaign: takes long"]
    objects_of_all_sizes_together_cost_no_more,
    |t| {
        let sizes: Vec<u64> =
            (0..120).map(|number| (number * 7919 % 97) * (number * 7919 % 97) * 700).collect();
        for delay in [0, 30] {
            let bucket = Bucket::start(sizes.clone(), Duration::from_millis(delay));
            for options in ["-m 16M", "-m 16M -j 4", "-m 256M -j 4", "--requests 1", "-m 16M --requests 2"] {
                hashes(t, &bucket, &sizes, options);
            }
        }
    }
);

case!(pieces_and_digests_of_parts_cost_no_more, |t| {
    let sizes = vec![17 * MIB + 5, 9 * MIB, 100];
    let bucket = Bucket::start(sizes.clone(), Duration::ZERO);
    for options in [
        "-c md5 -p 1M",
        "-c md5 -p 10M",
        "-c s3-etag:5M -m 16M",
        "-c s3-etag -j 4",
        "-c blake3,s3-etag,ssdeep",
    ] {
        costs(t, &bucket, &sizes, options);
    }
});
