//! Digests of blocks through the command: one file on all lanes and threads, whatever is asked beside it.

use crate::case;
use crate::util::Place;
use hashmill_digest::{find, hash};
use hashmill_os::names;
use hashmill_testing::Random;
use std::process::Command;

/// Returns bytes that are equal in every run.
fn noise(length: usize) -> Vec<u8> {
    Random(1).bytes(length)
}

/// Digests that some bytes have, by the names of a list: those of hashing the bytes in one call.
struct Wanted<'a> {
    list: &'a str,
    digests: Vec<(&'static str, String)>,
}

impl<'a> Wanted<'a> {
    fn of(bytes: &[u8], list: &'a str) -> Self {
        let digest = |name| {
            let algorithm = find(name).unwrap();
            (algorithm.name, algorithm.format(&hash(algorithm, bytes)))
        };
        Self { list, digests: list.split(',').map(digest).collect() }
    }

    /// Checks that the record of the only file of a run has them.
    fn in_run(&self, t: &Place, options: &str) {
        let ran = t.run(&format!("hash {options} -c {} -f jsonl big", self.list)).code(0);
        self.in_record(&ran.json(), options);
    }

    fn in_record(&self, record: &serde_json::Value, options: &str) {
        for (name, wanted) in &self.digests {
            assert_eq!(&record[*name], wanted, "{name} of {} with {options}", self.list);
        }
    }
}

const LISTS: &[&str] = &[
    "s3-etag:5M",
    "dropbox",
    "tth",
    "s3-etag:5M,dropbox,glacier,hidrive,tth,cid,sha256tree,fs-verity,fs-verity-sha512,bittorrent-v2",
    "sha256,s3-etag:5M,blake3",
    "s3-crc32:4M,s3-crc32c,blake3",
    "ed2k,aich,ed2k-blue,s3-sha256",
    "quickxor,crc64nvme,adler32,mailru",
    "git-blob,md5,git-blob-sha256",
    "s3-etag:1000000,s3-sha1:3M",
    "s3-etag:64M,blake3:16,blake2b:20",
];

/// Algorithms that are slow, or have no blocks: for them fewer bytes show the same.
const WHOLE: &str = "md4,has160,edonr256,edonr512,snefru128,snefru256,gost94,gost94-cryptopro,blake2s:7";

case!(
    #[ignore = "campaign: takes long"]
    one_file_gives_the_same_on_any_threads_and_with_little_memory,
    |t| {
        let bytes = noise((21 << 20) + 12_345);
        let lists = LISTS.iter().map(|list| (*list, &bytes[..])).chain([(WHOLE, &bytes[..3_000_001])]);
        for (list, bytes) in lists {
            t.file("big", bytes);
            let wanted = Wanted::of(bytes, list);
            for options in ["-j1", "-j3", "-j2 -m 2M", "-j2 --io direct", "-j2 --prefetch 1"] {
                wanted.in_run(t, options);
            }
            let piped = t.shell(&format!("cat big | $hashmill hash -j2 -c {list} -f jsonl -")).code(0);
            wanted.in_record(&piped.json(), "a pipe");
        }
    }
);

case!(
    #[ignore = "campaign: takes long"]
    small_files_and_those_of_whole_leaves,
    |t| {
        for length in [0, 1, 20, 21, 4096, 16_384, 1 << 20, 9_728_000, 2 * 9_728_000, 8 << 20, 16 << 20] {
            let bytes = noise(length);
            t.file("big", &bytes);
            for list in LISTS.iter().filter(|list| length < 8 << 20 || is_met_at(list, length)) {
                Wanted::of(&bytes, list).in_run(t, "-j2");
            }
            if length <= 1 << 20 {
                Wanted::of(&bytes, WHOLE).in_run(t, "-j2");
            }
        }
    }
);

/// Returns whether a long file of this length ends where blocks of the list's algorithms end.
fn is_met_at(list: &str, length: usize) -> bool {
    length.is_multiple_of(9_728_000) == list.contains("ed2k")
}

case!(many_files_side_by_side, |t| {
    for number in 0..40_usize {
        t.file(format!("tree/{number:02}"), noise(number * number * 700));
    }
    t.file("tree/long", noise(12 << 20));
    for list in ["s3-etag:1M", "dropbox,tth", "sha256,hidrive,git-blob", "cid,crc64nvme"] {
        let one = t.run(&format!("hash -j1 -m 1M -c {list} tree")).code(0);
        let many = t.run(&format!("hash -j4 -c {list} tree")).code(0).is(one.stdout());
        let text = String::from_utf8(many.stdout().to_vec()).unwrap();
        for algorithm in list.split(',').map(|name| find(name).unwrap()) {
            let wanted = algorithm.format(&hash(algorithm, &noise(39 * 39 * 700)));
            assert!(text.contains(&wanted), "{algorithm:?}: {wanted} in {text}");
        }
    }
});

case!(our_own_manifests_are_checked_and_audited, |t| {
    let list = "s3-etag:1K,dropbox,tth,quickxor,cid,fs-verity,s3-sha256,git-blob,blake3:16,crc64nvme";
    t.file("tree/a", noise(5000)).file("tree/b c", "x").file("tree/empty", "");
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        t.run(&format!("hash -c {list} -f {format} -o list tree")).code(0);
        t.run("check list").code(0);
        t.run("audit -k list tree").code(0).prints("audit passed\n");
        t.file("tree/a", noise(5001)).run("check list").code(1);
        t.run("audit -k list tree").code(1).prints("changed: 1\n");
        t.file("tree/a", noise(5000));
    }
});

case!(a_name_with_a_size_is_a_column, |t| {
    t.file("a", "abc");
    let two = find("s3-etag:2").unwrap();
    let wanted = two.format(&hash(two, b"abc"));
    assert!(wanted.ends_with("-2"));
    t.run("hash -c s3-etag:2 -f csv a")
        .code(0)
        .prints("path,path_b64,size,status,reason,s3-etag:2\r\n")
        .prints(&wanted);
    t.run("hash -c S3-ETAG:2,s3-etag:2B -f jsonl a").code(0).prints(format!("\"s3-etag:2\":\"{wanted}\""));
    t.run("hash -c s3-etag:2 -f bsd a").code(0).is(format!("S3-ETAG:2 (a) = {wanted}\n"));
    t.run("hash -c s3-etag a").code(0).prints("%%%% size,s3-etag,filename\n");
    t.file("list", format!("S3-ETAG:2 (a) = {wanted}\n")).run("check list").code(0).is("a: OK\n");
    t.file("list", format!("S3-ETAG (a) = {wanted}\n")).run("check list").code(1).is("a: FAILED\n");
});

case!(wrong_sizes_are_wrong_command_lines, |t| {
    t.file("a", "abc");
    for (name, says) in [
        ("s3-etag:0", "a part has 1 to 5368709120 bytes"),
        ("s3-etag:6G", "a part has 1 to 5368709120 bytes"),
        ("s3-etag:many", "'many' is not a size"),
        ("sha256:8M", "sha256 takes no size"),
        ("blake3:65", "the digest has 1 to 64 bytes"),
        ("blake2b:0", "the digest has 1 to 64 bytes"),
        ("s3-etog:8M", "unknown algorithm 's3-etog:8M'"),
    ] {
        t.run(&format!("hash -c {name} a")).code(64).is("").says(says);
    }
});

case!(a_file_of_more_parts_than_are_allowed_has_no_digest, |t| {
    t.file("tree/fits", [7; 10_000]).file("tree/long", [7; 10_001]).file("tree/longer", noise(3 << 20));
    let ran = t.run("hash -c md5,s3-etag:1 -f jsonl tree").code(2);
    ran.prints("\"path\":\"tree/fits\",\"size\":10000,\"status\":\"hashed\"")
        .prints("\"path\":\"tree/long\",\"status\":\"unreadable\",\"reason\":\"refused\"")
        .says("tree/long: s3-etag:1: 10001 bytes are 10001 parts, and at most 10000 are allowed")
        .says("tree/longer: s3-etag:1: 3145728 bytes are 3145728 parts");
    t.shell("cat tree/long | $hashmill hash -c s3-etag:1 -").code(2).says("10001 parts");
    t.run("hash -c s3-etag:1M tree").code(0);
});

case!(pieces_have_digests_of_blocks, |t| {
    let bytes = noise(5 << 20);
    t.file("big", &bytes);
    for options in ["-j1", "-j3"] {
        let ran = t.run(&format!("hash {options} -p 2M -c s3-etag:512K,tth -f jsonl big")).code(0);
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        let records: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(records.len(), 4);
        for (record, piece) in records.iter().zip(bytes.chunks(2 << 20).chain([&bytes[..]])) {
            Wanted::of(piece, "s3-etag:512K,tth").in_record(record, options);
        }
    }
});

case!(files_of_the_system_have_the_name_that_git_gives, |t| {
    // The size of a stream is known only after reading it. git itself takes them for empty.
    if crate::util::installed("git").is_none() {
        return;
    }
    let git = t.shell("cat /proc/version > copy; git hash-object --no-filters copy");
    let name = String::from_utf8(git.code(0).stdout().to_vec()).unwrap();
    t.run("hash -c git-blob /proc/version").code(0).prints(name.trim());
});

case!(a_pipe_longer_than_memory_has_the_digest_of_a_file, |t| {
    let bytes = noise(12 << 20);
    t.file("-", &bytes);
    for name in ["git-blob", "git-blob-sha256", "btih"] {
        let piped = t.feed(&format!("hash -m 8M -c {name} -f jsonl -"), &bytes).code(0).json();
        let filed = t.run(&format!("hash -c {name} -f jsonl ./-")).code(0).json();
        assert_eq!(piped[name], filed[name], "{name}");
    }
});

/// Algorithms that keep leaves, and some that don't.
const KEEPING: &str = "s3-etag:5M,dropbox,glacier,fs-verity,bittorrent-v2,tth,cid,ed2k,sha256tree,sha256";

case!(leaves_are_kept_in_the_record_and_come_back_from_every_format, |t| {
    let big = noise((9 << 20) + 12_345);
    t.file("tree/big", &big).file("tree/small", "x").file("tree/empty", "");
    let wanted = t.run(&format!("hash -j1 --leaves -c {KEEPING} -f jsonl tree")).code(0).stdout().to_vec();
    let text = String::from_utf8(wanted.clone()).unwrap();
    let record: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let (sha256, md5) = (find("sha256").unwrap(), find("md5").unwrap());
    let of = |row, leaf: usize| {
        let leaves: Vec<String> = big.chunks(leaf).map(|bytes| hash(row, bytes).to_string()).collect();
        leaves.join(" ")
    };
    assert_eq!(record["dropbox_leaves"], of(sha256, 4 << 20));
    assert_eq!(record["glacier_leaves"], of(sha256, 1 << 20));
    assert_eq!(record["s3-etag:5M_leaves"], of(md5, 5 << 20));
    assert_eq!(record["bittorrent-v2_leaves"].as_str().unwrap().split(' ').count(), 10, "pieces of 1 MiB");
    assert!(record.get("fs-verity_leaves").is_none() && record.get("sha256_leaves").is_none());
    for options in ["-j3", "-j2 -m 2M", "-j2 --io direct"] {
        t.run(&format!("hash {options} --leaves -c {KEEPING} -f jsonl tree")).code(0).is(&wanted);
    }
    for format in ["jsonl", "parquet", "sqlite"] {
        t.run(&format!("hash --leaves -c {KEEPING} -f {format} -o list tree")).code(0);
        t.run("convert list - -f jsonl").code(0).is(&wanted);
        t.run("merge list list -f jsonl").code(0).is(&wanted);
        t.run("audit -k list tree").code(0);
    }
    t.run("convert list - -f csv").code(64).says("the format csv can't carry 3 records' leaves");
    let csv = t.run("convert list - -f csv --lossy").code(0).stdout().to_vec();
    assert!(!String::from_utf8(csv).unwrap().contains("_leaves"));
    let piped = t.shell(&format!("cat tree/big | $hashmill hash --leaves -c {KEEPING} -f jsonl -")).code(0);
    assert_eq!(piped.json()["dropbox_leaves"], record["dropbox_leaves"]);
});

case!(leaves_that_make_another_digest_are_told, |t| {
    t.file("a", noise(5 << 20));
    let list = t.run("hash --leaves -c dropbox -f jsonl a").code(0).stdout().to_vec();
    let list = String::from_utf8(list).unwrap();
    let place = list.find("_leaves\":\"").unwrap() + 10;
    let digit = if list.as_bytes()[place] == b'0' { "1" } else { "0" };
    t.file("list", format!("{}{digit}{}", &list[..place], &list[place + 1..]));
    t.run("convert list - -f jsonl").says("they don't hash to the dropbox digest");
    t.file("list", list.replacen("_leaves\":\"", "_leaves\":\"00 ", 1));
    t.run("convert list - -f jsonl").says("line 1");
});

case!(leaves_are_kept_where_they_can_be, |t| {
    t.file("a", "abc");
    for format in ["hashdeep", "sums", "bsd", "csv", "dfxml"] {
        t.run(&format!("hash --leaves -c dropbox -f {format} a"))
            .code(64)
            .says("has no place for the digests of leaves; ecs, jsonl, parquet and sqlite have");
    }
    for list in ["sha256", "fs-verity,hidrive", "s3-etag:1K"] {
        t.run(&format!("hash --leaves -c {list} -f jsonl a"))
            .code(64)
            .says("none of the algorithms has leaves that are kept; these have: s3-etag, ");
    }
    t.file("long", noise(30 << 20));
    t.run("hash --leaves -j1 -m 64K -c s3-sha256:64K,s3-sha1:64K -f jsonl long")
        .code(2)
        .says("a quarter of -m");
});

case!(digests_are_written_as_stores_have_them, |t| {
    t.file("a", "123456789");
    let s3 = "crc64nvme,crc32c,md5,sha256,s3-sha256:5M,s3-etag";
    t.run(&format!("hash -c {s3} --text s3 -f jsonl a"))
        .code(0)
        .prints("\"crc64nvme\":\"rosUhgp5mIg=\",\"crc32c\":\"4waSgw==\",\"md5\":\"JfnnlDI7RTiF9RgfG2JNCw==\"")
        .prints("-1\"");
    t.run("hash -c crc64nvme,md5 --text azure -f jsonl a")
        .code(0)
        .prints("\"crc64nvme_le\":\"iJh5CoYUi64=\",\"md5\":\"JfnnlDI7RTiF9RgfG2JNCw==\"");
    t.run("hash -c crc64nvme --text azure -f csv a")
        .code(0)
        .prints(",crc64nvme_le\r\n")
        .prints(",iJh5CoYUi64=\r\n");
    t.run("hash -c crc64nvme --text azure -f sums a").code(0).is("CRC64NVME_LE (a) = iJh5CoYUi64=\n");
    t.run("hash -c sha1 --text s3 -f sums a").code(0).is("SHA1 (a) = 98O8HYCOBHMq32eZZczDTKeuNEE=\n");
    for (text, list) in [("s3", s3), ("azure", "crc64nvme,md5"), ("usual", s3)] {
        for format in ["sums", "bsd", "jsonl", "csv"] {
            t.run(&format!("hash -c {list} --text {text} -f {format} -o list a")).code(0);
            t.run("check list").code(0);
            t.run("audit -k list a").code(0);
            t.file("a", "1234567890").run("check list").code(1);
            t.file("a", "123456789");
        }
    }
    let hex = t.run(&format!("hash -c {s3} -f jsonl a")).code(0).stdout().to_vec();
    t.run(&format!("hash -c {s3} --text s3 -f jsonl -o list a")).code(0);
    t.run("convert list - -f jsonl").code(0).is(&hex);
});

case!(stores_have_digests_of_some_algorithms_only, |t| {
    t.file("a", "abc");
    t.run("hash -c blake3 --text s3 -f csv a")
        .code(64)
        .says("s3 has no digests by blake3; it has: sha256, sha512, sha1, md5, xxh128");
    t.run("hash -c sha256 --text azure -f csv a")
        .code(64)
        .says("azure has no digests by sha256; it has: md5, crc64nvme");
    t.run("hash -c md5 --text s3 -f hashdeep a").code(64).says("has digests in one form only");
    t.run("hash -c md5 --text s4 -f csv a").code(64).says("s4");
});

/// Sizes of files around the edges of pieces and of their lengths.
const TORRENTS: &[usize] =
    &[0, 1, 16_383, 16_384, 16_385, (16 << 20) - 1, 16 << 20, (16 << 20) + 1, (32 << 20) - 1, 32 << 20];

/// Names that are not text, not a single word, or long.
const NAMES: &[&[u8]] =
    &[b"d/n\xff\xfe", b"./d/a b%", b"d//\xc3\xa9", b"d/a\nb", b"d/x:y", b"d/4:name1:x", &[b'n'; 255]];

case!(the_info_hash_of_a_torrent_has_the_name_of_the_file, |t| {
    t.file("a", "abc").file("sub/a", "abc").file("b", "abc");
    let digest = "5c941662d614a9b492f518272cf4f16841292225";
    t.file("list", format!("BTIH  (a) = {digest}\nBTIH (sub/a) = {digest}\nBTIH (b) = {digest}\n"));
    t.run("check list").code(1).is("a: OK\nsub/a: OK\nb: FAILED\n");
    t.run("hash -c btih -f bsd a").code(0).is(format!("BTIH (a) = {digest}\n"));
    t.run("hash -c btih -p 1K a").code(64).says("--piecewise: btih");
    t.run("dupes -c btih .").code(64).says("btih");
    // The length of a stream is known only at its end; its name is a dash.
    let piped = t.shell("cat a | $hashmill hash -c btih -f bsd -").code(0).stdout().to_vec();
    let piped = String::from_utf8(piped).unwrap();
    t.file("-", "abc").run("hash -c btih -f bsd ./-").code(0).is(piped.replace("-)", "./-)"));
});

case!(torrents_of_any_length_and_name_are_those_of_rhash, |t| {
    let bytes = noise(32 << 20);
    for length in TORRENTS {
        t.file("f", &bytes[..*length]);
        let Some(ran) = t.other("rhash", "--btih --bsd f") else { return };
        t.file("list", ran.code(0).stdout());
        for options in ["-j1", "-j3", "-j2 -m 2M", "-j2 --io direct"] {
            t.run(&format!("check {options} list")).code(0).is("f: OK\n");
        }
    }
    for name in NAMES {
        let path = &*names::name(name).unwrap();
        let mut rhash = Command::new("rhash");
        rhash.args(["-p", "%{btih}", "--btih"]).arg(path).current_dir(t.path(""));
        let ran = t.file(name, "abc").ran(rhash, "rhash").code(0);
        let wanted = String::from_utf8_lossy(ran.stdout());
        let mut ours = t.command("hash -c btih -f jsonl");
        ours.arg(path);
        assert_eq!(t.ran(ours, "hash").code(0).json()["btih"], wanted.trim(), "{path:?}");
    }
});

case!(torrents_beside_other_digests_and_in_a_tree, |t| {
    let bytes = noise((40 << 20) + 12_345);
    t.file("big", &bytes).file("small", &bytes[..100_000]).file("d/middle", &bytes[..20 << 20]);
    let of = |t: &Place, options: &str| {
        t.run(&format!("hash {options} -f bsd big small d")).code(0).stdout().to_vec()
    };
    let wanted = of(t, "-j1 -c btih");
    for options in ["-j3 -c btih", "-j2 -m 2M -c btih", "-j2 -c btih --prefetch 1"] {
        assert_eq!(of(t, options), wanted, "{options}");
    }
    let lines = String::from_utf8(wanted).unwrap();
    for options in ["-j3 -c btih,md5", "-j2 -c btih,s3-etag:5M,blake3", "-j2 -c tth,btih"] {
        let beside = String::from_utf8(of(t, options)).unwrap();
        let only: String =
            beside.lines().filter(|line| line.starts_with("BTIH")).map(|line| format!("{line}\n")).collect();
        assert_eq!(only, lines, "{options}");
    }
});
