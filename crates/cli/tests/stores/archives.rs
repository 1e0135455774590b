//! Archives in stores: they are hashed and decoded in one read.

use super::counting::Bucket;
use crate::case;
use crate::util::{Place, installed};
use hashmill_testing::{Random, all_installed};

/// The bytes at the end of an object that are read once more: a zip would have its directory there.
const END: u64 = 256 << 10;

/// Makes archives of some MB that don't compress well, and returns them as objects in the order of their keys.
fn objects(t: &Place) -> Option<Vec<(String, Vec<u8>)>> {
    if !all_installed(&["tar", "gzip", "zstd", "cpio"]) {
        return None;
    }
    let mut random = Random(41);
    for number in 0..40 {
        let long = if number == 7 { 3 << 20 } else { 60_000 };
        t.file(format!("tree/{number:02}"), random.bytes(long));
    }
    for command in [
        "tar cf all/a.tar tree",
        "tar czf all/b.tar.gz tree",
        "tar --zstd -cf all/c.tar.zst tree",
        "zstd -q tree/07 -o all/d.zst",
        "find tree | sort | cpio -o -H newc --quiet > all/e.cpio",
        "tar czf all/f.tgz tree/01",
    ] {
        t.file("all/none", "").shell(command).code(0);
    }
    std::fs::remove_file(t.path("all/none")).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(t.path("all"))
        .unwrap()
        .map(|found| found.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    Some(names.into_iter().map(|name| (name.clone(), t.read(&format!("all/{name}")))).collect())
}

/// Hashes what is in the bucket and returns the list.
fn hash(t: &Place, bucket: &Bucket, options: &str) -> Vec<u8> {
    let ran = bucket.run(t, &format!("hash --inside archives -c sha256 -f sums {options} s3://b/"));
    ran.code(0).stdout().to_vec()
}

case!(
    #[ignore = "campaign: takes long"]
    an_archive_is_fetched_once_for_itself_and_its_members,
    |t| {
        let Some(objects) = objects(t) else { return };
        let mut here = t.command("hash --inside archives -c sha256 -f sums .");
        here.current_dir(t.path("all"));
        let here = t.ran(here, "hash --inside archives").code(0).stdout().to_vec();
        let here = String::from_utf8(here).unwrap().replace("  ./", "  ");
        let size: u64 = objects.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let most = size + END * objects.len() as u64;
        let bucket = Bucket::with(objects);
        // With little memory, the bytes that are kept for the other reader are far fewer than those of an object.
        for options in ["-j 2", "-j 4", "-j 2 -m 32M"] {
            assert_eq!(String::from_utf8(hash(t, &bucket, options)).unwrap(), here, "{options}");
            let (_, bytes) = bucket.take();
            assert!(bytes <= most, "{options}: {bytes} bytes of {size}");
        }
        t.file("list", &here);
        let matched = format!("matched: {}", here.lines().count());
        bucket.run(t, "audit --inside archives -j 2 -k list s3://b/").code(0).prints(matched);
        let (_, bytes) = bucket.take();
        assert!(bytes <= most, "audit: {bytes} bytes of {size}");
        // Of archives that are left out themselves, their members are as before.
        let members: String =
            here.lines().filter(|line| line.contains("!")).map(|line| format!("{line}\n")).collect();
        assert_eq!(String::from_utf8(hash(t, &bucket, "-j 2 --only-inside")).unwrap(), members);
        bucket.take();
        // One thread can't do both at once; with very little memory nothing is kept.
        for options in ["-j 1", "-j 1 -m 32M", "-j 2 -m 16M"] {
            assert_eq!(String::from_utf8(hash(t, &bucket, options)).unwrap(), here);
        }
    }
);

case!(of_a_zip_only_what_is_wanted_is_fetched, |t| {
    if installed("zip").is_none() {
        return;
    }
    let mut random = Random(7);
    for number in 0..20 {
        t.file(format!("tree/{number:02}"), random.bytes(200_000));
    }
    t.shell("cd tree; zip -q0 ../a.zip *").code(0);
    let zip = t.read("a.zip");
    let bucket = Bucket::with(vec![("a.zip".into(), zip)]);
    let found = String::from_utf8(hash(t, &bucket, "--only-inside --include=07")).unwrap();
    let alone = String::from_utf8(t.run("hash -c sha256 -f sums tree/07").code(0).stdout().to_vec()).unwrap();
    assert_eq!(found, alone.replace("tree/07", "a.zip!/07"));
    // The directory with what lies before it, and the member.
    let (_, bytes) = bucket.take();
    assert!(bytes < 600_000, "{bytes} bytes");
});
