//! `hashmill image acquire`: a device or file becomes an image that other programs read, whole or not at all.

use crate::case;
use crate::faults::faulty;
use crate::util::{Place, digest, installed};
use hashmill_testing::samples::mixed;
use serde_json::json;

/// Returns the names in the place that are those of an image, or of its unfinished files.
fn files(t: &Place) -> Vec<String> {
    let names =
        std::fs::read_dir(t.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| name.contains("case") || name.contains("hashmill")).collect();
    names.sort();
    names
}

case!(an_image_has_the_media_and_what_is_known_of_them, |t| {
    let media = mixed(3 << 20);
    t.file("in.raw", &media);
    let ran = t.run("image acquire in.raw -o case.E01 -c blake3 --case 2026-17 --evidence 3 --examiner Ada --description disk --notes -");
    let ran = ran
        .code(0)
        .quiet()
        .prints("case.E01: acquired and verified\n")
        .prints("  media      3145728 bytes\n");
    let ran = ["md5", "sha1", "sha256", "blake3"]
        .into_iter()
        .fold(ran, |ran, algorithm| ran.prints(format!("  {algorithm:10} {}\n", digest(algorithm, &media))));
    ran.prints("are those of the source\n");
    assert_eq!(files(t), ["case.E01"]);
    assert!(t.read("case.E01").len() < media.len() * 9 / 10);
    t.run("image verify case.E01").code(0).prints("case.E01: verified\n");
    let info = t.run("image info -f json case.E01").code(0).json();
    let facts = &info["acquisition"];
    for (name, wanted) in [
        ("case_number", "2026-17"),
        ("evidence_number", "3"),
        ("examiner", "Ada"),
        ("description", "disk"),
        ("notes", "-"),
        ("software_version", concat!("hashmill ", env!("CARGO_PKG_VERSION"))),
    ] {
        assert_eq!(facts[name], wanted, "{info}");
    }
    assert!(facts["acquired"]["unix"].as_i64().is_some_and(|seconds| seconds > 1_700_000_000), "{info}");
    t.run("image export case.E01 -o out.raw").code(0);
    assert!(t.read("out.raw") == media);
    if let Some(ran) = t.other("ewfverify", "-q -d sha1 case.E01") {
        ran.code(0).prints("ewfverify: SUCCESS");
        t.other("ewfinfo", "case.E01").unwrap().code(0).prints("2026-17").prints("Ada");
    }
});

case!(the_result_is_a_document, |t| {
    let media = mixed(1_000_001);
    t.file("in.raw", &media);
    let found = t.run("image acquire in.raw -o case.e01 --compression none -f json").code(0).json();
    let digests =
        ["md5", "sha1", "sha256"].map(|algorithm| (algorithm.to_string(), json!(digest(algorithm, &media))));
    assert_eq!(
        found,
        json!({
            "source": "in.raw", "image": "case.e01", "size": 1_000_001, "files": 1,
            "stored": t.read("case.e01").len(), "bad_blocks": [], "unlisted": 0, "verified": true,
            "from_medium": found["from_medium"], "account": { "operands": { "done": 1 } },
            "digests": digests.into_iter().collect::<serde_json::Map<_, _>>(), "schema": "image-acquire-1",
        })
    );
    // Not a whole number of sectors, and yet the tools of libewf find exactly these bytes.
    if installed("ewfexport").is_some() {
        t.other("ewfverify", "-q case.e01").unwrap().code(0);
        t.other("ewfexport", "-q -u -t out case.e01").unwrap().code(0);
        assert!(t.read("out.raw") == media);
    }
});

case!(an_image_is_replaced_as_a_whole_or_not, |t| {
    t.file("in.raw", mixed(5 << 20)).file("small.raw", mixed(4096)).file("bystander.E02", "x");
    t.run("image acquire in.raw -o case.E01 --segment-size 1M --compression none").code(0).prints("6 files");
    let all = ["case.E01", "case.E02", "case.E03", "case.E04", "case.E05", "case.E06"];
    assert_eq!(files(t), all);
    t.run("image verify case.E01").code(0);
    let old = t.read("case.E01");
    t.run("image acquire small.raw -o case.E01")
        .code(64)
        .says("case.E01: not replaced: it is there; --force replaces it");
    assert!(t.read("case.E01") == old && files(t) == all);
    t.remove("case.E01")
        .run("image acquire small.raw -o case.E01")
        .code(64)
        .says("case.E02: not replaced: it is a file of an image");
    t.file("case.E01", old).run("image acquire small.raw -o case.E01 --force").code(0);
    assert_eq!(files(t), ["case.E01"]);
    t.run("image verify case.E01").code(0).prints("4096 bytes");
    assert!(t.has("bystander.E02"));
});

case!(raw_media_are_written_as_their_name_says, |t| {
    let media = mixed(2_500_000);
    t.file("in.raw", &media);
    t.run("image acquire in.raw -o case.dd").code(0).prints(digest("sha256", &media));
    assert!(t.read("case.dd") == media);
    t.run("image acquire in.raw -o case.001 --segment-size 1M")
        .code(0)
        .prints("3 files, 2.38 MiB, to case.003");
    assert_eq!(files(t), ["case.001", "case.002", "case.003", "case.dd"]);
    assert!([t.read("case.001"), t.read("case.002"), t.read("case.003")].concat() == media);
    t.file("none", "").run("image acquire none -o none.dd").code(0).prints(digest("md5", ""));
    t.run("image acquire none -o none.E01").code(0).prints(digest("md5", ""));
    assert!(t.read("none.dd").is_empty());
    t.run("image verify none.E01").code(0);
});

case!(what_is_like_a_device_is_a_physical_disk, |t| {
    t.file("in.raw", mixed(1 << 20));
    let faults = [("FAULT_PATH", "in.raw"), ("FAULT_DEVICE", "yes")];
    let Some(ran) = faulty(t, &faults, "image acquire in.raw -o case.E01") else { return };
    ran.code(0).quiet();
    assert_eq!(t.run("image info -f json case.E01").code(0).json()["geometry"]["physical"], true);
});

case!(an_unreadable_source_is_no_image_unless_zeros_are_wanted, |t| {
    let media = mixed(3 << 20);
    t.file("in.raw", &media);
    let faults = [("FAULT_PATH", "in.raw"), ("FAULT_BAD", "1048580-1048590")];
    let Some(ran) = faulty(t, &faults, "image acquire in.raw -o case.E01") else { return };
    ran.code(2).says("in.raw: read failed at byte").says("case.E01: is not written");
    assert_eq!(files(t), Vec::<String>::new());
    let mut zeroed = media;
    zeroed[1_048_576..1_049_088].fill(0);
    let ran = faulty(t, &faults, "image acquire in.raw -o case.E01 --bad-blocks zero").unwrap().code(2);
    ran.says("in.raw: 512 bytes in 1 place can't be read; the image has zeros there; the image lists them")
        .prints("unreadable media bytes 1048576-1049087: zeros were written")
        .prints(digest("sha256", &zeroed));
    t.run("image verify case.E01").code(0).prints("sector 2048 could not be read at acquisition");
    t.run("image acquire nosuch -o other.E01").code(2).says("nosuch: ");
});

case!(a_full_disk_leaves_nothing, |t| {
    t.file("in.raw", mixed(4 << 20));
    for (name, after) in [("case.E01", "0"), ("case.E01", "700000"), ("case.E02", "300000")] {
        let faults = [("FAULT_WRITE_PATH", name), ("FAULT_WRITE_AFTER", after)];
        let line = "image acquire in.raw -o case.E01 --segment-size 1M --compression none";
        let Some(ran) = faulty(t, &faults, line) else { return };
        ran.code(2).says(&format!("{name}: cannot write: No space left on device"));
        assert_eq!(files(t), Vec::<String>::new());
    }
});

case!(an_image_that_is_read_back_otherwise_gets_no_name, |t| {
    t.file("in.raw", mixed(1 << 20));
    for name in ["case.E01", "case.dd"] {
        let partial = format!(".{name}.hashmill-partial");
        let faults = [("FAULT_PATH", partial.as_str()), ("FAULT_FLIP", "100000")];
        let Some(ran) = faulty(t, &faults, &format!("image acquire in.raw -o {name}")) else { return };
        ran.code(1)
            .says(&format!("{name}: is not written, as what was read back is not what was written"))
            .prints("NOT written");
        assert_eq!(files(t), Vec::<String>::new());
    }
});

case!(what_makes_no_image_is_refused_before, |t| {
    t.file("in.raw", "abc").file("case.dd", "abc").file("folder/a", "a").fifo("pipe");
    for (line, why) in [
        ("in.raw -o case.Ex01", "the name does not say what to write"),
        ("in.raw -o case", "the name does not say what to write"),
        ("in.raw -o -", "the name does not say what to write"),
        ("in.raw -o case.001", "--segment-size"),
        ("in.raw -o new.dd --segment-size 1M", "--segment-size: new.dd is one file"),
        ("in.raw -o new.dd --case 7", "--case: has no effect here"),
        ("in.raw -o new.dd --compression best", "--compression: has no effect here"),
        ("case.dd -o case.dd --force", "case.dd: is what would be acquired"),
        ("folder -o case.E01", "folder: is neither a file nor a disk"),
        ("pipe -o case.E01", "pipe: is neither a file nor a disk"),
        ("in.raw -o case.E01 -c ssdeep", "-c ssdeep: images are acquired with digests"),
        ("in.raw -o case.E01 --segment-size 1K", "at least 1M"),
        ("in.raw -o case.E01 --force --notes a\tb", "can't be stored"),
        ("in.raw -o s3://bucket/case.E01", "an image can only be written to files of this machine"),
    ] {
        let mut command = t.command("");
        command.args(["image", "acquire"]).args(line.split(' '));
        t.ran(command, line).code(64).says(why);
    }
    assert_eq!(files(t), ["case.dd"]);
});
