//! Digests of leaves over real files: every path through the engine gives the same as hashing the bytes in one call.

use crate::util::{all, plan};
use hashmill_digest::hash;
use hashmill_engine::{Plan, Prefetch};
use hashmill_manifest::Record;
use hashmill_source::{Io, Reading};
use hashmill_testing::paint;
use std::collections::HashMap;
use std::fs;
use tempfile::TempDir;

/// Asserts that all digests of each plan over files of these sizes are right.
fn assert_right(plans: &[Plan], sizes: &[usize]) {
    let dir = TempDir::new().unwrap();
    let files: Vec<Vec<u8>> = sizes.iter().map(|size| paint(*size)).collect();
    for (index, bytes) in files.iter().enumerate() {
        fs::write(dir.path().join(format!("{index:03}")), bytes).unwrap();
    }
    // By algorithm and file.
    let mut wanted = HashMap::new();
    for plan in plans {
        let (_, outcomes, _) = all(plan, dir.path());
        assert_eq!(outcomes.len(), sizes.len());
        for (index, (outcome, bytes)) in outcomes.iter().zip(&files).enumerate() {
            assert!(outcome.trouble.is_none(), "{:?}", outcome.trouble);
            for named in &outcome.record.digests {
                let key = (format!("{:?}", named.algorithm), index);
                let wanted = wanted.entry(key).or_insert_with(|| hash(named.algorithm, bytes));
                let (row, size) = (named.algorithm, bytes.len());
                assert_eq!(named.digest, *wanted, "{row:?} of {size} bytes among {:?}", plan.algorithms);
            }
            assert_eq!(outcome.record.digests.len(), plan.algorithms.len());
            assert_leaves(plan, &outcome.record, bytes.len());
        }
    }
}

/// Asserts that the leaves that a plan keeps of a file are there, and make its digests.
fn assert_leaves(plan: &Plan, record: &Record, size: usize) {
    let keeping = plan.algorithms.iter().filter_map(|row| Some((*row, row.leaves?)));
    let keeping: Vec<_> = keeping.filter(|(_, shape)| plan.leaves && shape.kept_bytes().is_some()).collect();
    assert_eq!(record.leaves.len(), keeping.len(), "{size} bytes among {:?}", plan.algorithms);
    for (kept, (row, shape)) in record.leaves.iter().zip(keeping) {
        assert_eq!(kept.algorithm, row);
        let digest = shape.fold_kept(&kept.digests, size as u64);
        assert_eq!(digest.as_ref(), record.digest(row), "the leaves of {row:?} of {size} bytes");
    }
}

const LISTS: &[&str] = &[
    "s3-etag:5M",
    "tth",
    "dropbox,s3-etag:3M,glacier,hidrive,cid,sha256tree,fs-verity,fs-verity-sha512,bittorrent-v2",
    "sha256,s3-etag:5M,blake3",
    "s3-crc32:4M,s3-crc32c:64K,blake3",
    "ed2k,aich,ed2k-blue,s3-sha256",
    "quickxor,crc64nvme,adler32,mailru",
    "git-blob,md5,git-blob-sha256",
    "s3-etag:1000000,s3-sha1:3M",
    "s3-etag:64M,blake3:16,blake2b:20",
];

/// A length that is no multiple of anything, and has several blocks of each algorithm but the longest.
const LONG: usize = (10 << 20) + 12_345;

#[test]
#[ignore = "campaign: takes long"]
fn one_long_file_on_any_threads_and_with_any_memory() {
    for list in LISTS {
        let with = |(threads, memory)| Plan { memory, ..plan(list, threads) };
        let mut plans = [(1, 64 << 20), (3, 64 << 20), (2, 2 << 20), (2, 512 << 20)].map(with).to_vec();
        plans.push(Plan { reading: Reading { io: Io::Direct, ..Reading::default() }, ..plan(list, 2) });
        plans.push(Plan { prefetch: Prefetch::Fixed(1), ..plan(list, 2) });
        assert_right(&plans, &[LONG]);
        let leaves = plans[..3].iter().map(|plan| Plan { leaves: true, ..plan.clone() });
        assert_right(&leaves.collect::<Vec<_>>(), &[LONG, 0, 1, 70_000, 9_728_000]);
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn files_of_all_sizes_side_by_side() {
    let sizes = [
        0,
        1,
        20,
        21,
        1024,
        4096,
        16_384,
        16_385,
        262_144,
        1 << 20,
        (1 << 20) + 1,
        5 << 20,
        9_728_000,
        15 << 20,
    ];
    let small: Vec<usize> = (0..100).map(|index| index * 1717).collect();
    for list in LISTS {
        assert_right(&[1, 3].map(|threads| plan(list, threads)), &[&sizes[..], &small].concat());
    }
}

#[test]
fn leaves_that_the_memory_cannot_hold_are_refused() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("long"), paint(30 << 20)).unwrap();
    fs::write(dir.path().join("short"), paint(10 << 20)).unwrap();
    let wanted = Plan { memory: 64 << 10, ..plan("s3-sha256:64K,s3-sha1:64K", 1) };
    assert!(all(&wanted, dir.path()).1.iter().all(|outcome| outcome.trouble.is_none()));
    let (_, outcomes, _) = all(&Plan { leaves: true, ..wanted }, dir.path());
    assert_eq!(outcomes[0].record.reason.as_deref(), Some("refused"));
    assert!(outcomes[0].record.leaves.is_empty() && outcomes[1].trouble.is_none());
    let said = match &outcomes[0].trouble {
        Some(hashmill_engine::Trouble::Failed(error)) => error.problem.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        said,
        "the leaves of 31457280 bytes take 24960 bytes, and at most 16384 are kept (a quarter of -m, no more than 64M)"
    );
}

#[test]
fn too_many_leaves_make_no_digest() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("fits"), paint(10_000)).unwrap();
    fs::write(dir.path().join("long"), paint(10_001)).unwrap();
    fs::write(dir.path().join("longer"), paint(3 << 20)).unwrap();
    let (_, outcomes, _) = all(&plan("md5,s3-etag:1", 2), dir.path());
    let failed: Vec<_> = outcomes.iter().map(|outcome| outcome.trouble.is_some()).collect();
    assert_eq!(failed, [false, true, true]);
    assert_eq!(outcomes[1].record.reason.as_deref(), Some("refused"));
    assert!(outcomes[1].record.digests.is_empty());
}
