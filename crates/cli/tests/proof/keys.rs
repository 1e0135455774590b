//! Keys are bytes: two spellings of one path are two keys.

use super::fake::{Fake, Thing};
use super::run;
use crate::case;
use crate::util::Place;
use hashmill_digest::{find, hash};

/// Pairs that would be one file each.
const KEYS: [&str; 12] = ["x//y", "x/y", "/a", "a", "b/", "b", "./z", "z", "c/../d", "d", "e/./f", "e/f"];

fn things(keys: &[&str]) -> Vec<Thing> {
    keys.iter().map(|key| Thing::whole(key, format!("content of {key}"))).collect()
}

/// A list of these keys and their content, as `md5sum` writes it.
fn list(place: &Place, name: &str, keys: &[&str]) {
    let line = |key: &&str| {
        format!("{}  {key}\n", hash(find("md5").unwrap(), format!("content of {key}").as_bytes()))
    };
    place.file(name, keys.iter().map(line).collect::<String>());
}

/// All of them but one.
fn without<'k>(keys: &[&'k str], gone: &str) -> Vec<&'k str> {
    keys.iter().copied().filter(|key| *key != gone).collect()
}

/// Those that a client can ask for: the others are resolved on the way.
fn readable() -> Vec<&'static str> {
    KEYS.into_iter().filter(|key| key.split('/').all(|part| part != "." && part != "..")).collect()
}

case!(a_key_that_is_gone_is_missing_whatever_else_looks_like_it, |t| {
    list(t, "m", &KEYS);
    run(t, &Fake::start(things(&KEYS)), "audit s3://b --against m").code(0).prints("matched: 12");
    list(t, "r", &readable());
    let whole = Fake::start(things(&readable()));
    run(t, &whole, "audit -k r s3://b").code(0).prints("matched: 9");
    for gone in KEYS {
        let fake = Fake::start(things(&without(&KEYS, gone)));
        run(t, &fake, "audit s3://b --against m")
            .code(1)
            .prints("matched: 11")
            .prints(format!("{gone}: missing"));
    }
    for gone in readable() {
        let fake = Fake::start(things(&without(&readable(), gone)));
        run(t, &fake, "audit -k r s3://b").code(1).prints("matched: 8").prints(format!("{gone}: missing"));
    }
});

case!(keys_are_written_and_read_back_as_they_are, |t| {
    let fake = Fake::start(things(&readable()));
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv"] {
        run(t, &fake, &format!("hash -c md5 -f {format} -o m.{format} s3://b")).code(0);
        run(t, &fake, &format!("audit -k m.{format} s3://b")).code(0).prints("matched: 9");
        run(t, &fake, &format!("audit s3://b --against m.{format}")).code(0).prints("matched: 9");
    }
    run(t, &fake, "dupes s3://b").code(0);
});

case!(odd_bytes_in_keys_are_bytes, |t| {
    let keys = ["b\\s", "e\u{1b}[31m", "n\0l", "n\nl", "q\"\u{202e}", "\u{fffd}"];
    let fake = Fake::start(things(&keys));
    for format in ["sums", "bsd", "jsonl", "csv"] {
        run(t, &fake, &format!("hash -c md5 -f {format} -o m.{format} s3://b")).code(0);
        run(t, &fake, &format!("audit -k m.{format} s3://b")).code(0).prints("matched: 6");
        run(t, &fake, &format!("audit s3://b --against m.{format}")).code(0).prints("matched: 6");
    }
    let text = run(t, &fake, "hash -c md5 -v --progress always s3://b -f jsonl").code(0);
    assert!(!text.stderr().contains("\u{1b}[31m") && !text.stdout().contains(&0x1b));
    // A client would ask for another object: this is said once of each, and no digest is made up.
    let fake = Fake::start(things(&["../../etc/passwd", "a/./b", "c/.."]));
    let text = run(t, &fake, "hash -c md5 s3://b -f jsonl").code(2);
    assert_eq!(text.stderr().matches("can't be asked for").count(), 3, "{}", text.stderr());
    assert!(!String::from_utf8_lossy(text.stdout()).contains("md5"));
});

case!(manifests_of_keys_are_compared_key_by_key, |t| {
    list(t, "old", &KEYS);
    list(t, "new", &without(&KEYS, "x/y"));
    t.run("diff old old").code(0);
    t.run("diff old new").code(1).prints("x/y: missing");
    t.run("diff new old").code(1).prints("x/y: new");
    // Equal content of two keys is a duplicate.
    let md5 = hash(find("md5").unwrap(), b"abc");
    t.file("twice", format!("{md5}  x//y\n{md5}  x/y\n"));
    t.run("dupes twice").code(0).prints("x//y").prints("x/y\n");
});

case!(a_list_of_files_finds_their_copies_in_a_bucket, |t| {
    let keys = ["p/a", "p/b/c", "p/d"];
    let fake = Fake::start(things(&keys));
    let line = |before: &str| {
        let digest = |key: &str| hash(find("md5").unwrap(), format!("content of {key}").as_bytes());
        let line = |key: &&str| format!("{}  {before}{}\n", digest(key), &key[2..]);
        keys.iter().map(line).collect::<String>()
    };
    for before in ["", "./", "photos/", "/mnt//photos/"] {
        t.file("m", line(before));
        run(t, &fake, "audit -k m s3://b/p/").code(0).prints("matched: 3");
        run(t, &fake, "audit s3://b/p/ --against m").code(0).prints("matched: 3");
    }
    t.file("m", line(""));
    run(t, &fake, "audit s3://b --against m").code(0).prints("matched: 3");
    // Of one object, the name is its path.
    t.file("one", line("./").lines().next().unwrap());
    run(t, &fake, "audit -k one s3://b/p/a").code(0).prints("matched: 1");
    run(t, &fake, "audit s3://b/p/a --against one").code(0).prints("matched: 1");
});

case!(an_object_that_only_stands_for_a_folder_is_no_file, |t| {
    list(t, "m", &["b/", "c"]);
    let fake = Fake::start(vec![Thing::whole("b/", ""), things(&["c"]).remove(0)]);
    run(t, &fake, "audit -k m s3://b").code(1).prints("b/: changed");
    t.file("m", "d41d8cd98f00b204e9800998ecf8427e  b/\n");
    let fake = Fake::start(vec![Thing::whole("b/", "")]);
    run(t, &fake, "audit -k m s3://b").code(0);
});
