//! `hashmill image`, and images as an input of other commands: samples, images made by other programs,
//! every way to damage one.

use crate::case;
use crate::faults::faulty;
use crate::util::{Place, Ran, installed};
use hashmill_testing::samples::ewf::Writer;
use hashmill_testing::samples::mixed;
use hashmill_testing::vectors;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

/// Puts a sample into the place, with all its segments.
pub fn sample(t: &Place, name: &str) -> Option<()> {
    let path = vectors("ewf")?.join(name);
    let stem = path.file_stem()?.to_owned();
    for entry in path.parent()?.read_dir().ok()?.flatten() {
        if Path::new(&entry.file_name()).file_stem() == Some(&stem) {
            t.file(entry.file_name().as_encoded_bytes(), fs::read(entry.path()).unwrap());
        }
    }
    Some(())
}

/// Makes an image of media with `ewfacquirestream`: `NAME.E01` and further segments.
pub fn acquire(t: &Place, name: &str, options: &str, media: &[u8]) -> Option<()> {
    installed("ewfacquirestream")?;
    let facts = "-q -C case1 -D desc -e examiner -E ev1 -N notes -m fixed -M physical";
    t.file("in.raw", media);
    t.shell(&format!("ewfacquirestream {facts} {options} -t {name} < in.raw > acquired.log")).code(0);
    Some(())
}

/// Returns the digest of media as hashmill hashes the raw file.
fn raw_digest(t: &Place, algorithm: &str, media: &[u8]) -> String {
    let text = t.feed(&format!("hash -c {algorithm} -f sums"), media).code(0);
    String::from_utf8_lossy(text.stdout()).split(' ').next().unwrap().to_string()
}

fn verified(ran: &Ran) -> bool {
    let text = String::from_utf8_lossy(ran.stdout()).into_owned();
    let first = text.lines().next().unwrap_or_default();
    first.ends_with(": verified") || first.ends_with(": verified, with notes")
}

/// Samples that are not verified although nothing is wrong with them: they store no digest.
fn stores_nothing(name: &str) -> bool {
    name.starts_with("ewfgo-") || name.ends_with("-folder.L01")
}

case!(
    #[ignore = "campaign: takes long"]
    every_sample_is_verified_or_says_why_not,
    |t| {
        let Some(samples) = vectors("ewf") else { return };
        for folder in ["e01", "ex01", "l01", "lx01"] {
            let mut names: Vec<_> =
                samples.join(folder).read_dir().unwrap().flatten().map(|entry| entry.path()).collect();
            names.retain(|path| !path.to_string_lossy().ends_with("02"));
            for path in names {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                let ran = t.run(&format!("image verify -j2 {}", path.display()));
                assert_eq!(verified(&ran), !stores_nothing(&name), "{name}: {}", ran.stderr());
                if stores_nothing(&name) {
                    ran.code(1).prints("not verified: no digest is stored");
                } else {
                    ran.code(0).quiet();
                }
            }
        }
    }
);

case!(damaged_samples_are_named_with_their_place, |t| {
    let Some(()) = sample(t, "bad/e01rs-bad_chunk.E01") else { return };
    t.run("image verify e01rs-bad_chunk.E01")
        .code(1)
        .prints("e01rs-bad_chunk.E01: NOT verified: damaged\n")
        .prints("28035e42858e28326c23732e6234bcf8 stored (digest at 1325146): DOES NOT MATCH")
        .prints("chunk 0: media bytes 0-32767: wrong checksum");
    let json = t.run("image verify --format json -c sha256 -o record e01rs-bad_chunk.E01").code(1).json();
    assert_eq!(json["verdict"], "damaged");
    assert_eq!(json["findings"][0]["finding"], "chunk-checksum");
    assert_eq!(json["findings"][0]["media"]["count"], 32768);
    assert_eq!(json["claims"][0]["outcome"], "changed");
    assert!(json["digests"].as_array().unwrap().iter().any(|digest| digest["algorithm"] == "sha256"));
    let record: serde_json::Value = serde_json::from_slice(&t.read("record")).unwrap();
    assert_eq!(record, json);
    // No digest stands for bytes that could not all be read.
    t.run("hash --images -f jsonl e01rs-bad_chunk.E01")
        .code(2)
        .says("read failed at byte 0: e01rs-bad_chunk.E01: chunk 0")
        .prints("\"status\":\"unreadable\"");
    t.run("image export e01rs-bad_chunk.E01 -o out").code(2).says("chunk 0").says("zeros were written");
    assert_eq!(t.read("out").len(), 1_321_472);
    sample(t, "bad/l01-elaborate-ltreeENTsha1MOD.L01");
    t.run("image verify l01-elaborate-ltreeENTsha1MOD.L01")
        .code(1)
        .prints("a stored digest does not match")
        .prints("sha1       LogicalEntries/ltree.xlsx");
    sample(t, "bad/fuzz-crash-parse_segment-add-overflow.E01");
    t.run("image verify fuzz-crash-parse_segment-add-overflow.E01").code(64).says("add-overflow.E01: ");
});

case!(acquisition_errors_are_listed_and_no_failure, |t| {
    let Some(()) = sample(t, "e01/ewfimage061-error2-sha1-xhash.E01") else { return };
    let text = "sectors 100-104 could not be read at acquisition";
    t.run("image verify ewfimage061-error2-sha1-xhash.E01")
        .code(0)
        .prints("verified, with notes")
        .prints(text);
    t.run("image info ewfimage061-error2-sha1-xhash.E01").code(0).prints("sectors 100-104 (5)");
    let json = t.run("image verify --format json ewfimage061-error2-sha1-xhash.E01").code(0).json();
    assert_eq!(json["acquisition_errors"][0]["first"], 100);
    assert!(json["claims"].as_array().unwrap().iter().any(|claim| claim["claim"]["algorithm"] == "sha256"));
});

case!(what_is_no_image_is_64, |t| {
    t.file("text.E01", "no image").file("plain.dd", "raw media").file("empty.E01", "");
    t.file("crypt.E01", b"ADCRYPT\0and more").file("x.E01", b"EVF\x09\x0d\x0a\xff\x00\x81\x01\0\0\0");
    for command in ["info", "verify", "hash", "list"] {
        t.run(&format!("image {command} text.E01")).code(64).says("text.E01: is named like a forensic image");
        t.run(&format!("image {command} empty.E01")).code(64).says("empty.E01: ");
        t.run(&format!("image {command} crypt.E01")).code(64).says("encrypted (AccessData ADCRYPT)");
        t.run(&format!("image {command} x.E01")).code(64).says("encrypted (X-Ways)");
        t.run(&format!("image {command} nosuch.E01")).code(2).says("nosuch.E01: cannot open");
    }
    t.run("image export crypt.E01 -o out").code(64).says("encrypted");
    assert!(!t.has("out"));
    t.run("image verify plain.dd").code(64).says("raw media can't be verified");
    t.run("image verify -c sha256 plain.dd").code(1).prints("no digest is stored").prints("sha256 ");
    t.run("image verify --format json crypt.E01").code(64).prints("\"verdict\":\"encrypted\"");
    t.run("hash --images crypt.E01").code(2).says("crypt.E01: cannot open: is encrypted");
    // A file that only has the name is a file.
    let digest = raw_digest(t, "md5", b"no image");
    t.run("hash --images -c md5 text.E01").code(0).prints(digest);
});

case!(an_acquired_image_verifies_and_gives_its_media, |t| {
    let media = mixed(3 << 20);
    let Some(()) = acquire(t, "i", "-f encase6 -c fast -d sha1", &media) else { return };
    let (md5, sha256) = (raw_digest(t, "md5", &media), raw_digest(t, "sha256", &media));
    let text = t.run("image verify -c sha256 i.E01").code(0).quiet().prints("i.E01: verified\n");
    let text = text.prints(format!("{md5} stored (digest at")).prints(format!("{sha256} computed"));
    t.run("image verify -c sha256 -j1 -m 1M i.E01").code(0).is(text.stdout());
    t.run("image export -o out i.E01").code(0).quiet();
    assert!(t.read("out") == media);
    assert!(t.leftovers().is_empty(), "{:?}", t.leftovers());
    let piped = t.run("image export -o - i.E01").code(0).quiet();
    assert!(piped.stdout() == media);
    // As an input of hash: the same digests as the raw file, under the image's name.
    t.file("tree/raw", &media);
    t.shell("mkdir images && cp i.E01 images/raw").code(0);
    let likeness = "-c md5,ssdeep,tlsh,sdhash,mrsh-v2";
    for options in ["-c md5,sha256,blake3", "-p 100000 -c md5", "-p 32K -c sha1,blake3 -m 4M -j3", likeness] {
        let raw = t.shell(&format!("cd tree && $hashmill hash -f jsonl {options} raw")).code(0);
        t.shell(&format!("cd images && $hashmill hash --images -f jsonl {options} raw"))
            .code(0)
            .is(raw.stdout());
        t.shell(&format!("cd images && $hashmill image hash -f jsonl {options} raw"))
            .code(0)
            .is(raw.stdout());
    }
    // Without the option the record is that of the file.
    let file = raw_digest(t, "md5", &t.read("i.E01"));
    t.run("hash -c md5 i.E01").code(0).prints(file);
    t.run("hash --images -c md5 -o known i.E01").code(0);
    t.run("audit --images -k known i.E01").code(0);
    t.run("audit -k known i.E01")
        .code(2)
        .says("i.E01: not compared: the manifest has the digest of the medium");
    // The other commands that take files take images as well.
    let alike = t.shell("cd tree && $hashmill similar digest -c tlsh raw").code(0);
    t.shell("cd images && $hashmill similar digest -c tlsh --images raw").code(0).is(alike.stdout());
    t.run("similar digest -c tlsh --images --io direct i.E01").code(64).says("images");
    t.file("bad", format!("{md5}\n"));
    t.run("known build -o set --bad bad").code(0);
    t.run("known match --known-set set --show bad --images i.E01").code(1).prints("\"category\":\"bad\"");
    t.run("known match --known-set set --show bad i.E01").code(0);
});

case!(segments_are_one_image, |t| {
    let media = mixed(5 << 20);
    let Some(()) = acquire(t, "s", "-f encase6 -c none -S 1MiB -d sha1", &media) else { return };
    assert!(t.has("s.E05"), "no segments were made");
    t.shell("mkdir d && mv s.E* d").code(0);
    let md5 = raw_digest(t, "md5", &media);
    let ran = t.run("hash --images -c md5 -f jsonl d").code(0);
    let ran = ran.prints(format!(
        "{{\"path\":\"d/s.E01\",\"size\":{},\"status\":\"hashed\",\"md5\":\"{md5}\"}}",
        media.len()
    ));
    ran.prints("{\"path\":\"d/s.E02\",\"status\":\"skipped\",\"reason\":\"part\"}");
    t.run("hash --images -c md5 d").code(0).says("x read as a part of another file");
    t.run("image verify d/s.E01").code(0).quiet();
    t.run("image info d/s.E01").code(0).prints("d/s.E05");
    // The file that is too short or missing is named, rather than the chunks that were in it.
    t.shell("mkdir cut end && cp d/* cut && cp d/* end && truncate -s -90000 cut/s.E03 && rm end/s.E0[5-9]")
        .code(0);
    for (image, said) in [("cut/s.E01", "cut/s.E03: sectors at "), ("end/s.E01", "s.E05 is missing")] {
        for command in ["hash --images", "hash --inside images", "image hash"] {
            let ran = t.run(&format!("{command} {image}")).code(2).says(said).quiet_about("not in any table");
            assert_eq!(ran.stderr().contains("bytes are missing"), image == "cut/s.E01", "{command} {image}");
        }
    }
    t.shell("rm d/s.E03").code(0);
    t.run("image info d/s.E01").code(2).prints("no file holds segment 3");
    t.run("image verify d/s.E01")
        .code(2)
        .prints("parts are missing")
        .prints("no file holds segment 3")
        .says("d/s.E01: not verified: ");
    t.run("hash --images d/s.E01")
        .code(2)
        .says("d/s.E01: read failed at byte")
        .says("d/s.E03: no file holds segment 3");
    t.shell("rm d/s.E01").code(0);
    t.run("hash --images d").code(2).says("d/s.E02: cannot open: is a further segment");
});

case!(files_in_logical_images_have_records, |t| {
    let Some(()) = sample(t, "l01/ntfs-docx.L01") else { return };
    let inside = "ntfs-docx.L01/LogicalEntries";
    for command in ["hash --images", "image hash"] {
        t.run(&format!("{command} -c md5 -f sums ntfs-docx.L01"))
            .code(0)
            .quiet()
            .prints(format!("827e84ea8d4f7b8e0faf0c47d4f847d2  {inside}/doc.doc\n"))
            .prints(format!("9543174f78751e77af9b834304e41a8e  {inside}/docx.docx\n"));
    }
    t.run("image list ntfs-docx.L01")
        .code(0)
        .prints("26624\t")
        .prints("size\tmodified\tmd5\tsha1\tinode\tpath\n")
        .prints("\t827e84ea8d4f7b8e0faf0c47d4f847d2\t-\t")
        .prints("\tLogicalEntries/doc.doc\n")
        .prints("LogicalEntries/\n");
    t.run("image list --format json ntfs-docx.L01").code(0).prints("\"path\":\"LogicalEntries/doc.doc\"");
    t.run("image list ntfs-docx.L01!/LogicalEntries/doc.doc").code(0).prints("\tLogicalEntries/doc.doc\n");
    for path in ["ntfs-docx.L01", "ntfs-docx.L01!/", "ntfs-docx.L01/LogicalEntries"] {
        t.shell("rm -rf out").code(0);
        t.run(&format!("image export {path} -o out")).code(0).quiet();
        t.shell("find out -name doc.doc -exec md5sum {} +")
            .code(0)
            .prints("827e84ea8d4f7b8e0faf0c47d4f847d2");
    }
    t.run("image verify ntfs-docx.L01").code(0).prints("2 stored digests: 2 match");
    sample(t, "e01/dfvfs-ext2.E01");
    t.run("image list dfvfs-ext2.E01").code(0).prints("dfvfs-ext2.E01!/a_directory/another_file\n");
});

case!(names_are_bytes_for_programs, |t| {
    t.file(b"\xff.dd", "raw");
    let ran = t
        .shell("$hashmill image verify -c md5 --format json *.dd")
        .code(1)
        .prints("\"path_b64\":\"/y5kZA==\"");
    assert_eq!(ran.json()["verdict"], "no-digest");
    t.shell("$hashmill image info *.dd").code(0).prints("\\xff.dd: raw media");
});

case!(readers_of_their_own_change_nothing, |t| {
    let Some(()) = sample(t, "l01/ntfs-docx.L01") else { return };
    sample(t, "e01/plaso-image-split.E01");
    sample(t, "e01/be-CFReDS001.E01");
    let wanted = t.run("hash --images -c md5,blake3 .").code(0);
    for options in ["--prefetch 0", "--prefetch 1", "--prefetch 3", "-j1 -m 2M", "-j5 --order path"] {
        t.run(&format!("hash --images -c md5,blake3 {options} .")).code(0).is(wanted.stdout());
    }
});

case!(raw_media_are_images_of_media, |t| {
    let media = mixed(1_000_001);
    media.chunks(400_000).zip(["r.001", "r.002", "r.003"]).for_each(|(part, name)| {
        t.file(name, part);
    });
    let md5 = raw_digest(t, "md5", &media);
    t.run("image hash -c md5 r.001").code(0).prints(format!("1000001,{md5},r.001"));
    t.run("image export r.001 -o out").code(0);
    assert!(t.read("out") == media);
    t.remove("r.002")
        .run("image hash -p 100000 -f jsonl r.001")
        .code(2)
        .says("r.002: no file holds segment 2");
    t.run("image export r.001 -o half").code(2).says("zeros were written");
    t.run("image verify r.001").code(2).prints("parts are missing");
});

case!(images_do_not_go_with_what_is_asked_of_files, |t| {
    t.file("f", "x");
    for option in ["--bad-blocks zero -f jsonl", "--io direct", "--timeout 1", "--bwlimit 1M"] {
        t.run(&format!("hash --images {option} f")).code(64).says("images");
    }
});

case!(an_export_is_whole_or_not_there, |t| {
    let media = mixed(2 << 20);
    let Some(()) = acquire(t, "i", "-f encase6 -c fast", &media) else { return };
    t.file("out", "as it was");
    let full = [("FAULT_WRITE_PATH", "out"), ("FAULT_WRITE_AFTER", "100000")];
    let Some(ran) = faulty(t, &full, "image export i.E01 --force -o out") else { return };
    ran.code(2).says("out: cannot write: No space left");
    assert_eq!(t.read("out"), b"as it was");
    t.remove("out");
    assert!(t.leftovers().is_empty(), "{:?}", t.leftovers());
    t.run("image export i.E01 -o /dev/full").code(2).says("/dev/full: cannot write");
    t.shell("$hashmill image verify i.E01 > /dev/full").code(2).says("cannot write");
    // A bad block may be readable another time, so zeros don't stand for it unless that is asked for.
    let half = (t.path("i.E01").metadata().unwrap().len() / 2).to_string();
    let unread = [("FAULT_PATH", "i.E01"), ("FAULT_AFTER", half.as_str())];
    for (force, written) in [("", false), (" --force", true)] {
        let ran = faulty(t, &unread, &format!("image export i.E01 -o out{force}"));
        ran.map(|ran| ran.code(2).says(if written { "zeros were written" } else { "out: is not written" }));
        assert_eq!(t.has("out"), written);
    }
    let record = [("FAULT_WRITE_PATH", "record")];
    faulty(t, &record, "image verify -o record i.E01").map(|ran| ran.code(2).says("record: cannot write"));
    assert!(!t.has("record"));
    // A reader that goes away is not an error.
    t.shell("$hashmill image export i.E01 -o - | head -c 1000 > part").code(0).quiet();
});

/// Pairs of `ewfinfo`'s lines.
fn ewfinfo(t: &Place, path: &Path) -> Option<Vec<(String, String)>> {
    let ran = t.other("ewfinfo", &format!("-d iso8601 {}", path.display()))?;
    let text = String::from_utf8_lossy(ran.stdout()).into_owned();
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    Some(pairs.map(|(name, value)| (name.trim().into(), value.trim().into())).collect())
}

case!(info_says_what_ewfinfo_says, |t| {
    let names = [
        ("Case number", "case number"),
        ("Description", "description"),
        ("Examiner name", "examiner"),
        ("Evidence number", "evidence number"),
        ("Notes", "notes"),
        ("Operating system used", "operating system"),
        ("Software version used", "software version"),
        ("Sectors per chunk", "sectors per chunk"),
        ("Bytes per sector", "bytes per sector"),
        ("Number of sectors", "sectors"),
        ("Is physical", "physical device"),
    ];
    acquire(t, "own", "-f encase6 -c best -d sha1", &mixed(1 << 20));
    let mut paths = vec![t.path("own.E01")];
    if let Some(samples) = vectors("ewf") {
        paths.extend(
            ["ctf_file6.E01", "be-CFReDS001.E01", "e01rs-mimage.E01"]
                .map(|name| samples.join("e01").join(name)),
        );
    }
    for path in paths.iter().filter(|path| path.exists()) {
        let Some(theirs) = ewfinfo(t, path) else { return };
        let ran = t.run(&format!("image info {}", path.display())).code(0).quiet();
        let text = String::from_utf8_lossy(ran.stdout()).into_owned();
        for (their, our) in names {
            let Some((_, value)) = theirs.iter().find(|(name, value)| name == their && !value.is_empty())
            else {
                continue;
            };
            let line = format!("  {our:24} {value}");
            assert!(text.lines().any(|found| found.trim_end() == line.trim_end()), "no {line:?} in {text}");
        }
        for (name, value) in
            theirs.iter().filter(|(name, value)| ["MD5", "SHA1"].contains(&&**name) && value != "N/A")
        {
            assert!(text.contains(value), "{name}: {text}");
        }
        let json = t.run(&format!("image info --format json {}", path.display())).code(0).json();
        assert_eq!(json["format"], "ewf1");
        assert!(json["headers"].as_array().is_some_and(|headers| !headers.is_empty()));
    }
});

case!(export_gives_what_ewfexport_gives, |t| {
    let Some(()) = sample(t, "e01/e01rs-mimage.E01") else { return };
    let Some(ran) = t.other("ewfexport", "-u -q -t theirs e01rs-mimage.E01") else { return };
    ran.code(0);
    t.run("image export e01rs-mimage.E01 -o ours").code(0).quiet();
    assert!(t.read("ours") == t.read("theirs.raw"));
});

/// Expected results for corrupt variants: the start of the name, the exit code, words of the text.
const CORRUPT: &[(&str, i32, &str)] = &[
    ("01-", 1, "damage "),
    ("02-", 1, "wrong checksum"),
    ("03-", 1, "can't be decompressed"),
    ("04-", 1, "wrong checksum"),
    ("05-", 1, "wrong checksum"),
    ("06-", 1, "DOES NOT MATCH"),
    ("07-", 1, "chunks 2-4: media bytes 65536-163839: wrong checksum"),
    ("10-desc-crc-", 1, "wrong checksum of the section descriptor"),
    ("11-", 1, "volume at"),
    ("12-", 1, "data at"),
    ("12b-", 0, "no checksum of the content"),
    ("13-", 1, "wrong checksum of the table's header"),
    ("14-", 1, "wrong checksum of the table's entries"),
    ("15-", 1, "is damaged; its copy was used"),
    ("16-", 1, "wrong checksum of the table's entries"),
    ("17-", 1, "differs from its copy from entry 9 on"),
    ("20-", 1, "DOES NOT MATCH"),
    ("21-", 1, "DOES NOT MATCH"),
    ("22-", 1, "DOES NOT MATCH"),
    ("23-", 1, "DOES NOT MATCH"),
    ("24-", 1, "DOES NOT MATCH"),
    ("25-", 1, "no digest is stored"),
    ("30-", 2, "not in any table"),
    ("31-", 2, "but the file ends at"),
    ("32-", 2, "no end mark"),
    ("33-", 2, "no end mark"),
    ("34-", 0, "700 bytes follow the last section"),
    ("35-", 64, "i.E01: "),
    ("36-", 64, "i.E01: "),
    ("37-", 64, "i.E01: "),
    ("38-", 1, "says that it is segment 2"),
    ("40-", 1, "1 more chunks than the media"),
    ("41-", 2, "not in any table"),
    ("42-", 0, "states 129 chunks, its tables hold 128"),
    ("43-", 64, "i.E01: "),
    ("44-", 1, "geometry differs"),
    ("45-", 1, "points to 13 as the next section"),
    ("46-", 1, "but the next section follows"),
    ("47-", 1, "wrong length"),
    ("48-", 1, "wrong length"),
    ("50-", 2, "no file holds segment 3"),
    ("51-", 2, "no end mark"),
    ("52-", 2, "i.E01: cannot open"),
    ("53-", 1, "is segment 3, but named as 2"),
    ("54-", 2, "repeats segment 2"),
    ("55-", 2, "but the file ends at"),
    ("56-", 2, "but the file ends at"),
    ("57-", 1, "i.E03: chunk"),
    ("58-", 1, "belongs to another image"),
    ("59-", 0, "repeats segment 2"),
    ("60-", 1, "says that the image ends here"),
    ("61-", 1, "says that it is segment 7"),
];

case!(
    #[ignore = "campaign: takes long"]
    every_corrupt_variant_is_named_by_the_command,
    |t| {
        let Some(script) = vectors("ewf/tools/corrupt.py") else { return };
        let Some(()) = acquire(t, "z", "-f encase6 -c best -d sha1", &mixed(4 << 20)) else { return };
        acquire(t, "raw", "-f encase6 -c none -d sha1", &mixed(4 << 20));
        acquire(t, "sp", "-f encase6 -c none -S 1MiB -d sha1", &mixed(4 << 20));
        let Some(ran) = t.other("python3", &format!("{} z.E01 raw.E01 sp out", script.display())) else {
            return;
        };
        ran.code(0);
        let (mut count, mut wrong) = (0, Vec::new());
        for entry in fs::read_dir(t.path("out")).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let mut command = t.command("image verify -j2 -m 8M");
            command.arg(entry.path().join("i.E01"));
            let output = command.output().unwrap();
            let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            let found = CORRUPT.iter().rev().find(|(start, ..)| name.starts_with(start));
            let right = found.is_some_and(|(_, code, words)| {
                let clean = text.lines().next().is_some_and(|line| line.ends_with(": verified"));
                output.status.code() == Some(*code) && text.contains(words) && !clean
            });
            if !right {
                wrong.push(format!("{name}: {:?}, wanted {found:?}\n{text}", output.status.code()));
            }
            count += 1;
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count >= 60, "only {count} variants were made");
    }
);

/// Containers of other programs: a name, bytes at the start, bytes at the start of the last 512, the name in messages.
const CONTAINERS: &[(&str, &[u8], &[u8], &str)] = &[
    ("a.qed", b"QED\0", b"", "a QED image (QEMU)"),
    ("a.hds", b"WithoutFreeSpace", b"", "a Parallels image"),
    ("a.chd", b"MComprHD", b"", "a CHD image (MAME)"),
    ("a.aff", b"AFF10\r\n\0", b"", "an AFF image (AFFLIB)"),
    ("a.dmg", b"\xeb\x63\x90", b"koly\0\0\0\x04", "a disk image of macOS (DMG)"),
    ("a.ad1", b"ADSEGMENTEDFILE\0", b"", "an AD1 image (AccessData)"),
];

fn container(t: &Place, name: &str, start: &[u8], end: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x20; 4096];
    bytes[..start.len()].copy_from_slice(start);
    bytes[4096 - 512..][..end.len()].copy_from_slice(end);
    t.file(name, &bytes);
    bytes
}

case!(containers_of_other_programs_never_pass_as_raw_media, |t| {
    for (name, start, end, called) in CONTAINERS {
        let bytes = container(t, name, start, end);
        for command in ["info", "verify -c md5", "hash -c md5", "list", "export -o out"] {
            t.run(&format!("image {command} {name}")).code(64).is("").says(&format!(
                "{name}: is {called}; hashmill can't read its media; --raw takes its own bytes"
            ));
        }
        assert!(!t.has("out"));
        t.run(&format!("image verify --format json {name}")).code(64).prints("\"verdict\":\"unsupported\"");
        // --force gives the data that can be read.
        let digest = raw_digest(t, "md5", &bytes);
        t.run(&format!("image hash --raw -c md5 {name}"))
            .code(0)
            .quiet()
            .prints(format!("4096,{digest},{name}"));
        t.run(&format!("image info --raw {name}")).code(0).quiet().prints("raw media");
        t.run(&format!("image verify --raw -c md5 {name}")).code(1).prints(&digest);
        t.run(&format!("image export --raw {name} -o out")).code(0).quiet();
        assert!(t.read("out") == bytes);
        t.remove("out");
        // A file among others is a file, unless the media in it are asked for.
        t.run(&format!("hash -c md5 {name}")).code(0).prints(&digest);
    }
    t.file("disk.dd.gz", b"\x1f\x8b\x08\0 and so on");
    t.run("image hash disk.dd.gz").code(64).says(
        "disk.dd.gz: is compressed by gzip, and no image; 'hashmill hash --inside archives' reads archives",
    );
});

case!(images_among_files_are_never_taken_for_media_in_silence, |t| {
    container(t, "d/vm.qed", b"QED\0", b"");
    container(t, "d/vm-flat.vmdk", b"\xeb\x63\x90", b"");
    let zip = container(t, "d/a.zip", b"PK\x03\x04", b"");
    let says = "d/vm.qed: cannot open: is a QED image (QEMU); hashmill can't read its media; \
                without --images the file itself is read";
    let zip = raw_digest(t, "md5", &zip);
    let ran = t.run("hash --images -c md5 -f jsonl d").code(2).says(says);
    ran.prints("\"path\":\"d/vm.qed\",\"status\":\"unreadable\"")
        .prints(&zip)
        .prints("vm-flat.vmdk\",\"size\":4096");
    t.run("hash -c md5 -o known d").code(0);
    t.run("audit -k known d").code(0);
    t.run("audit --images -k known d").code(2).says(says);
    t.run("similar digest --images -c tlsh d/vm.qed").code(2).says(says);
    t.file("bad", "d41d8cd98f00b204e9800998ecf8427e\n");
    t.run("known build -o set --bad bad").code(0);
    t.run("known match --known-set set --images d").code(2).says(says);
    // One that was named needs no name of its kind.
    t.rename("d/vm.qed", "disk").run("hash --images disk").code(2).says("disk: cannot open: is a QED image");
});

/// Returns a fixed VHD: media, and a footer.
fn fixed_vhd(media: &[u8]) -> Vec<u8> {
    let mut footer = vec![0; 512];
    footer[..8].copy_from_slice(b"conectix");
    footer[16..24].fill(0xff);
    footer[48..56].copy_from_slice(&(media.len() as u64).to_be_bytes());
    footer[60..64].copy_from_slice(&2_u32.to_be_bytes());
    let sum = footer.iter().fold(0_u32, |sum, byte| sum + u32::from(*byte));
    footer[64..68].copy_from_slice(&(!sum).to_be_bytes());
    [media, &footer].concat()
}

case!(virtual_disks_are_read_as_their_media, |t| {
    let media = mixed(64 << 10);
    t.file("d/vm.vhd", fixed_vhd(&media));
    let digest = raw_digest(t, "md5", &media);
    t.run("image hash -c md5 d/vm.vhd").code(0).prints(format!("65536,{digest},d/vm.vhd"));
    t.run("hash --images -c md5 d").code(0).prints(&digest);
    t.run("image info d/vm.vhd").code(0).prints("VHD virtual disk").prints("fixed");
    t.run("image verify -c md5 --format json d/vm.vhd")
        .code(1)
        .prints("\"verdict\":\"no-digest\"")
        .prints(&digest);
    t.run("image export d/vm.vhd -o out").code(0);
    assert!(t.read("out") == media);
    // A layer is refused by the name of its parent.
    let mut layer = fixed_vhd(&media);
    let kind = layer.len() - 512 + 63;
    layer[kind] = 4;
    t.file("layer.vhd", &layer);
    t.run("image hash -c md5 layer.vhd").code(64).says("layer.vhd: ");
});

case!(what_is_no_file_is_named_at_once, |t| {
    let _socket = UnixListener::bind(t.path("socket")).unwrap();
    fs::create_dir(t.path("folder")).unwrap();
    t.fifo("fifo.E01").fifo("fifo");
    for command in ["info", "verify", "hash", "list", "export -o out", "info --raw"] {
        for (name, what) in [
            ("fifo", "it is a FIFO"),
            ("fifo.E01", "it is a FIFO"),
            ("socket", "it is a socket"),
            ("/dev/null", "it is a character device"),
            ("folder", "is a directory"),
        ] {
            if (command, name) != ("info --raw", "folder") {
                t.run(&format!("image {command} {name}"))
                    .code(2)
                    .says(&format!("{name}: cannot open: {what}"));
            }
        }
    }
    assert!(!t.has("out"));
});

/// Returns an image with this many chunks, whose volume claims this many sectors.
fn claiming(t: &Place, name: &str, chunks: usize, sectors: u64) -> Vec<u8> {
    let media = mixed(chunks * 64 * 512);
    let mut writer = Writer::new(1);
    let parts: Vec<&[u8]> = media.chunks(64 * 512).collect();
    writer.volume((sectors / 64) as u32, 64, 512, sectors).chunks(&parts).section("done", &[]);
    writer.save(&t.path(""), name);
    media
}

case!(a_record_of_verification_is_replaced_by_the_next_one_and_nothing_else_is, |t| {
    claiming(t, "i.E01", 2, 128);
    for _ in 0..2 {
        t.run("image verify i.E01 -o record").code(1).quiet();
    }
    t.file("record", "mine").run("image verify i.E01 -o record").code(64).says("record: not replaced");
});

case!(an_export_of_what_is_not_there_ends_and_says_so, |t| {
    let media = claiming(t, "i.E01", 60, 1 << 31);
    let missing = "chunks 60-33554431: media bytes 1966080-1099511627775: not in any table";
    let ran = t.run("image export i.E01 -o out").code(2).says("zeros were written instead");
    assert_eq!(ran.stderr().matches(missing).count(), 1, "{}", ran.stderr());
    let meta = fs::metadata(t.path("out")).unwrap();
    assert_eq!(meta.len(), 1 << 40);
    assert!(meta.blocks() * 512 < 4 << 20, "{} blocks", meta.blocks());
    t.shell("head -c 1966080 out > start").code(0);
    assert!(t.read("start") == media);
    // Where no hole can be, nothing is begun.
    t.run("image export i.E01 -o -")
        .code(2)
        .is("")
        .says(missing)
        .says("the image should have 1.00 TiB, but only 1.88 MiB are in it; -o FILE leaves holes");
    t.run("image export i.E01 -o /dev/full").code(2).says("but only 1.88 MiB are in it");
    t.run("image info i.E01").code(2).prints(missing);
    t.run("hash --images i.E01").code(2).says("not in any table");
    assert!(t.leftovers().is_empty(), "{:?}", t.leftovers());
});

case!(an_export_that_can_hardly_fit_is_not_begun, |t| {
    // Half a million times the same chunk of 128 MiB: 64 TiB in two megabytes, which the tables hold.
    let mut writer = Writer::new(1);
    let count = 1 << 19;
    writer.volume(count, 1 << 18, 512, u64::from(count) << 18).section("sectors", &[7; 100]);
    writer.table(count, 0, &vec![1300; count as usize]).section("done", &[]);
    writer.save(&t.path(""), "i.E01");
    t.run("image export i.E01 -o out")
        .code(2)
        .says("out: cannot write: the media may take 64.00 TiB, and ")
        .says("--force tries it");
    assert!(!t.has("out"));
    assert!(t.leftovers().is_empty(), "{:?}", t.leftovers());
});

case!(a_flipped_byte_in_a_section_type_is_a_finding, |t| {
    let media = claiming(t, "i.E01", 2, 128);
    t.run("image verify i.E01").code(1).prints("no digest is stored");
    let mut bytes = t.read("i.E01");
    // The volume is the first section.
    bytes[13 + 3] ^= 1;
    t.file("i.E01", &bytes);
    t.run("image verify -c md5 i.E01")
        .code(1)
        .prints("its type says 'voltme'; read as the type that fits its checksum")
        .prints(raw_digest(t, "md5", &media));
    t.run("image export i.E01 -o out").code(0).says("i.E01: volume at 13: its type says");
    assert!(t.read("out") == media);
    bytes[8] = 5;
    t.file("i.E01", &bytes);
    t.run("image info i.E01").code(0).prints("byte 8 of the file header is 5, and should be 1");
});

/// Returns an image of forged media with all its checksums right, and the digest of the true media.
fn forged(t: &Place) -> (Vec<u8>, String) {
    let media = mixed(4 * 64 * 512);
    let mut other = media.clone();
    other[70_000] ^= 1;
    let mut writer = Writer::new(1);
    let parts: Vec<&[u8]> = other.chunks(64 * 512).collect();
    writer.volume(4, 64, 512, 4 * 64).chunks(&parts).md5(&media).section("done", &[]);
    writer.save(&t.path(""), "i.E01");
    (other, raw_digest(t, "md5", &media))
}

case!(a_stored_digest_that_differs_is_told_by_a_run_that_did_not_compute_it, |t| {
    let (_, stored) = forged(t);
    std::thread::sleep(std::time::Duration::from_millis(20));
    for kind in ["--images", "--inside images"] {
        let line = format!("hash {kind} -c md5 -f jsonl -o out i.E01");
        let killed = [("FAULT_WRITE_PATH", ".out.hashmill-partial"), ("FAULT_WRITE_AFTER", "9999999")];
        let killed = [&killed[..], &[("FAULT_WRITE_ERRNO", "KILL"), ("FAULT_RENAME", "1")]].concat();
        let Some(_) = faulty(t, &killed, &line) else { return };
        let ran = t.run(&format!("{line} --resume --stats=json")).code(1).says("\"kept\":1,");
        ran.says(&format!("not the one that the image stores, {stored}"));
        t.remove("out");
    }
});

case!(a_stored_digest_that_differs_is_told_whoever_computes_it, |t| {
    let (other, stored) = forged(t);
    let told =
        format!("i.E01: its md5 is not the one that the image stores, {stored} (see hashmill image verify)");
    t.run("image verify i.E01").code(1).prints("a stored digest does not match");
    for command in ["image hash", "hash --images"] {
        let computed = raw_digest(t, "md5", &other);
        t.run(&format!("{command} -c md5,sha256 i.E01")).code(1).says(&told).prints(&computed);
        let ran = t.run(&format!("{command} -c sha1,md5 -f jsonl i.E01")).code(1).says(&told);
        ran.prints(&computed);
        // Digests that are not computed are not compared.
        t.run(&format!("{command} -c sha256 -f jsonl i.E01")).code(0).quiet();
    }
    t.run("image hash -c md5 -f csv -o list i.E01").code(1).says(&told);
    assert!(t.has("list"));
    t.run("audit --images -k list i.E01").code(1).says(&told).prints("matched: 1");
    t.run("image export i.E01 -o out").code(1).says(&told);
    assert!(t.read("out") == other);
    assert!(t.run("image export i.E01 -o -").code(1).says(&told).stdout() == other);
});

case!(segments_whose_names_were_exchanged_are_not_verified, |t| {
    let media = mixed(4 * 64 * 512);
    let parts: Vec<&[u8]> = media.chunks(64 * 512).collect();
    let (mut first, mut second) = (Writer::new(1), Writer::new(2));
    first.volume(4, 64, 512, 4 * 64).chunks(&parts[..2]).section("next", &[]);
    second.chunks(&parts[2..]).md5(&media).section("done", &[]);
    first.save(&t.path(""), "i.E01");
    second.save(&t.path(""), "i.E02");
    t.run("image verify i.E01").code(0).prints("i.E01: verified\n");
    t.shell("mv i.E01 x && mv i.E02 i.E01 && mv x i.E02").code(0);
    let ran = t.run("image verify i.E01").code(1).prints("i.E01: NOT verified: the digests match, but parts");
    ran.prints("i.E01: is segment 2, but named as 1").prints("i.E02: is segment 1, but named as 2");
    let json = t.run("image verify -f json i.E01").code(1).json();
    assert_eq!(json["verdict"], "digests-match");
    assert_eq!(json["findings"][0]["finding"], "swapped-name");
    // The media are read in the order of the numbers.
    t.run("image hash -c md5 i.E01").code(0).prints(raw_digest(t, "md5", &media));
});

case!(a_stored_digest_of_a_file_in_a_logical_image_is_compared, |t| {
    let Some(()) = sample(t, "bad/l01-elaborate-ltreeENTsha1MOD.L01") else { return };
    let ran = t.run("image hash -c sha1 -f jsonl l01-elaborate-ltreeENTsha1MOD.L01").code(1);
    ran.says("LogicalEntries/ltree.xlsx: its sha1 is not the one that the image stores");
});
