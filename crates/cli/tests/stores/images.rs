//! Forensic images in stores: their segments are found and read there.

use super::counting::Bucket;
use super::gateway::{Gateway, KEY, SECRET};
use crate::case;
use crate::image::acquire;
use crate::util::installed;
use hashmill_digest::{find, hash};

case!(
    #[ignore = "campaign: needs versitygw"]
    images_are_read_where_they_lie,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let media: Vec<u8> = (0..5 << 19).map(|_| next()).collect();
        t.file("tree/note", "abc");
        let Some(()) = acquire(t, "tree/disk", "-S 1M -c none", &media) else { return };
        assert!(t.has("tree/disk.E03"));
        let Some(()) = gateway.fill("tree", "img/") else { return };
        let md5 = hash(find("md5").unwrap(), &media);
        gateway
            .run("image verify s3://bucket/img/disk.E01")
            .code(0)
            .prints("s3://bucket/img/disk.E01: verified");
        let here = t.run("image verify -f json -c sha256 tree/disk.E01").code(0).json();
        let there = gateway.run("image verify -f json -c sha256 s3://bucket/img/disk.E01").code(0).json();
        for key in ["claims", "digests", "verdict", "findings"] {
            assert_eq!(
                here[key].to_string().replace("tree/", "s3://bucket/img/"),
                there[key].to_string(),
                "{key}"
            );
        }
        gateway
            .run("image info s3://bucket/img/disk.E01")
            .code(0)
            .prints("s3://bucket/img/disk.E03 (")
            .prints("case1");
        for command in ["verify -m 8M", "info", "export -o out"] {
            let args = format!(
                "image {command} s3://bucket/img/disk.E01 --endpoint {} --region us-east-1",
                gateway.endpoint()
            );
            let mut command = t.command(&args);
            command.env("AWS_ACCESS_KEY_ID", KEY).env("AWS_SECRET_ACCESS_KEY", SECRET);
            t.ran(command, &args).code(0);
        }
        assert!(t.read("out") == media);
        let sums = format!("{md5}  disk.E01\n");
        gateway.run("image hash -c md5 -f sums s3://bucket/img/disk.E01").code(0).is(&sums);
        // In a walk one image is one file, in the place of its segments.
        let both = format!("{sums}900150983cd24fb0d6963f7d28e17f72  note\n");
        gateway.run("hash --images -c md5 -f sums s3://bucket/img/").code(0).is(&both);
        gateway.run("hash --images -c md5 -f sums s3://bucket/img/disk.E01").code(0).is(&sums);
        // Files that are no images, and missing ones, are reported.
        gateway.run("image verify s3://bucket/img/note").code(64).says("raw media can't be verified");
        gateway
            .run("image verify s3://bucket/img/none.E01")
            .code(2)
            .says("s3://bucket/img/none.E01: cannot open");
        gateway.run("image verify s3://").code(64).says("names no bucket");
        // Possible secrets in an address are not shown.
        for command in ["verify", "info", "hash -c md5", "list"] {
            t.run(&format!("image {command} http://127.0.0.1:1/d/x.E01?sig=hunter2"))
                .code(2)
                .says("http://127.0.0.1:1/d/x.E01: cannot open")
                .quiet_about("hunter2");
            t.run(&format!("image {command} s3://key:hunter2@b/x.E01")).code(64).quiet_about("hunter2");
        }
        std::fs::remove_file(t.path("store/bucket/img/disk.E02")).unwrap();
        gateway
            .run("image verify s3://bucket/img/disk.E01")
            .code(2)
            .prints("NOT verified: parts are missing");
        gateway.run("hash --images -c md5 s3://bucket/img/").code(2).says("disk.E01: ").prints(",note");
    }
);

case!(layers_and_their_bases_may_lie_in_stores, |t| {
    if installed("qemu-img").is_none() {
        return;
    }
    t.file("base.raw", hashmill_testing::Random(3).bytes(1 << 20));
    t.shell("qemu-img create -q -f qcow2 -b base.raw -F raw top.qcow2").code(0);
    t.shell("qemu-io -f qcow2 -c 'write -P 9 5000 70000' top.qcow2 > /dev/null").code(0);
    t.shell("qemu-img convert -O raw top.qcow2 media").code(0);
    let media = hash(find("sha256").unwrap(), &t.read("media")).to_string();
    let bucket = Bucket::with(["base.raw", "top.qcow2"].map(|name| (name.into(), t.read(name))).into());
    for (base, top) in [
        ("base.raw", "s3://b/top.qcow2"),
        ("s3://b/base.raw", "top.qcow2"),
        ("s3://b/base.raw", "s3://b/top.qcow2"),
    ] {
        bucket
            .run(t, &format!("hash --images --backing {base} -c sha256 -f sums {top}"))
            .code(0)
            .prints(&media);
    }
});

/// A fixed VHD of zeros: its medium, with a footer behind it.
fn fixed_disk() -> (Vec<u8>, Vec<u8>) {
    let media = vec![0; 1 << 20];
    let mut footer = vec![0; 512];
    footer[..16].copy_from_slice(b"conectix\0\0\0\x02\0\x01\0\0");
    footer[16..24].fill(0xff);
    for at in [40, 48] {
        footer[at..at + 8].copy_from_slice(&(media.len() as u64).to_be_bytes());
    }
    // 30 cylinders, 4 heads, 17 sectors; the kind is fixed.
    footer[56..64].copy_from_slice(&[0, 30, 4, 17, 0, 0, 0, 2]);
    let sum = !footer.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    footer[64..68].copy_from_slice(&sum.to_be_bytes());
    (media.clone(), [media, footer].concat())
}

case!(a_record_of_a_medium_is_compared_with_the_medium_of_an_object, |t| {
    let (media, image) = fixed_disk();
    t.file("case.vhd", &image).run("image hash -c sha256 -f sums case.vhd").code(0).prints("case.vhd");
    let bucket = Bucket::with(vec![("case.vhd".into(), image)]);
    let digest = |bytes: &[u8]| hash(find("sha256").unwrap(), bytes).to_string();
    let told = "the list's digest is of the medium in the image, which was read, too";
    let sums = format!("{}  case.vhd\n", digest(&media));
    let sized = format!(
        "%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n{},{},case.vhd\n",
        media.len(),
        digest(&media)
    );
    for list in [&sums, &sized] {
        t.file("list", list);
        for checked in [t.run("check list"), bucket.run(t, "check --base s3://b/ list")] {
            checked.code(0).prints("case.vhd: OK").says(told);
        }
        t.file("list", list.replace(&digest(&media), &digest(b"other")));
        bucket.run(t, "check --base s3://b/ list").code(1).prints("case.vhd: FAILED");
    }
});

case!(an_audit_compares_a_record_of_a_medium_with_the_medium_of_an_object, |t| {
    let (media, image) = fixed_disk();
    let bucket = Bucket::with(vec![("d/case.vhd".into(), image), ("d/z".into(), b"z".to_vec())]);
    // Without a size, the medium is read, too.
    bucket.run(t, "hash --images -c md5 -f sums -o list s3://b/d/").code(0);
    assert!(t.read("list").starts_with(hash(find("md5").unwrap(), &media).to_string().as_bytes()));
    for place in ["s3://b/d/", "s3://b/d/case.vhd s3://b/d/z"] {
        let list = if place.contains(' ') { "whole" } else { "list" };
        bucket.run(t, &format!("hash --images -c md5 -f sums -o {list} {place} --force")).code(0);
        let ran = bucket.run(t, &format!("audit -k {list} {place}")).code(0);
        ran.prints("matched: 2\n").says("is of the medium in the image, which was read, too");
        let md5 = |bytes: &[u8]| hash(find("md5").unwrap(), bytes).to_string();
        let text = String::from_utf8(t.read(list)).unwrap();
        t.file(list, text.replace(&md5(&media), &md5(b"other")));
        bucket.run(t, &format!("audit -k {list} {place}")).code(1).prints("case.vhd: changed");
    }
    // With its size it is known what the record is of.
    bucket.run(t, "hash --inside images -c md5 -f jsonl -o sized s3://b/d/").code(0);
    for command in [
        "audit -k sized s3://b/d/",
        "audit -k sized --min-strength size s3://b/d/",
        "diff --min-strength size sized s3://b/d/",
    ] {
        let ran = bucket.run(t, command).code(2);
        ran.prints("matched: 1\n").prints("changed: 0\n").says("has the digest of the medium in the image");
    }
    bucket.run(t, "diff --min-strength size s3://b/d/ sized").code(2).prints("changed: 0\n");
    bucket.run(t, "audit -k sized --inside images s3://b/d/").code(0);
    // Another size is other content.
    t.file("other", String::from_utf8(t.read("sized")).unwrap().replace("1048576", "1048064"));
    bucket.run(t, "diff --min-strength size other s3://b/d/").code(1).prints("case.vhd: changed");
});

case!(an_object_that_is_listed_in_pieces_alone_is_told, |t| {
    let bucket = Bucket::with(vec![("d/a".into(), b"a".to_vec()), ("d/long".into(), vec![7; 5000])]);
    bucket.run(t, "hash -c md5 -f jsonl -o list s3://b/d/").code(0);
    bucket.run(t, "hash -c md5 -p 1K -f jsonl -o pieces s3://b/d/long").code(0);
    let lines = |name: &str| String::from_utf8(t.read(name)).unwrap();
    let whole = lines("list").lines().next().unwrap().to_string();
    let pieces: Vec<String> =
        lines("pieces").lines().filter(|line| line.contains("offset")).map(String::from).collect();
    t.file("both", format!("{whole}\n{}\n", pieces.join("\n")));
    bucket.run(t, "audit -k both --min-strength size s3://b/d/").code(2).prints("unproven: 1\n");
    t.file("gone", lines("both").replace("\"long\"", "\"gone\""));
    let bucket = Bucket::with(vec![("d/a".into(), b"a".to_vec())]);
    bucket.run(t, "audit -k gone --min-strength size s3://b/d/").code(1).prints("gone: missing\n");
});

case!(an_object_that_only_its_bytes_make_an_image_is_told, |t| {
    let (_, image) = fixed_disk();
    let bucket = Bucket::with(vec![("payload".into(), image), ("z".into(), b"z".to_vec())]);
    for inside in ["images", "all"] {
        let ran = bucket.run(t, &format!("hash --inside {inside} -f sums s3://b/")).code(2);
        ran.says("payload: is an image of media, and was not looked into").prints("  z\n");
    }
    bucket.run(t, "hash -f sums s3://b/").code(0);
});

case!(objects_that_filters_leave_out_are_counted_as_files_are, |t| {
    let names = ["a.txt", "d/b.jpg", "d/c.txt"];
    for name in names {
        t.file(format!("in/{name}"), name);
    }
    let bucket =
        Bucket::with(names.iter().map(|name| (name.to_string(), name.as_bytes().to_vec())).collect());
    for filter in [
        "--include *.jpg",
        "--exclude *.txt",
        "--min-size 7",
        "--max-size 5",
        // A folder is left out as one, and a bucket has none.
        "--exclude *.*",
        "--max-size 1",
        "--newer 2999-01-01",
    ] {
        let account = |ran: crate::util::Ran| {
            let error = ran.code(0).stderr();
            let (idle, stats) = (error.contains("nothing was read: "), error.find('{').unwrap());
            let stats = &error[stats..=error.rfind('}').unwrap()];
            (idle, serde_json::from_str::<serde_json::Value>(stats).unwrap()["account"]["entries"].clone())
        };
        let line = format!("hash --stats=json {filter} -f sums");
        let here = account(t.run(&format!("{line} in")));
        assert_eq!(account(bucket.run(t, &format!("{line} s3://b/"))), here, "{filter}");
    }
});
