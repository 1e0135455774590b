//! `hashmill copy` into stores: what arrives, what is proved and how, what fails and leaves nothing.

use crate::case;
use crate::faults::shim;
use crate::resume::{signal, until};
use crate::stores::gateway::{Gateway, Server, free_port, program};
use crate::stores::keeper::{Does, Keeper};
use crate::stores::others::{azurite, connection, make_container};
use crate::util::{Place, Ran, digest};
use hashmill_testing::Random;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

const MIB: usize = 1 << 20;

/// Returns the command with these arguments, and the way to a store.
fn command(t: &Place, keeper: &Keeper, args: &str) -> Command {
    let mut command = t.command(args);
    command.envs([("AWS_ACCESS_KEY_ID", "key"), ("AWS_SECRET_ACCESS_KEY", "secret"), ("AWS_REGION", "here")]);
    command.env("AWS_ENDPOINT_URL", keeper.address());
    command
}

fn run(t: &Place, keeper: &Keeper, args: &str) -> Ran {
    t.ran(command(t, keeper, args), args)
}

/// Makes files that are sent in one request, and one that is sent in two parts.
fn sources(t: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut random = Random(7);
    let mut files = BTreeMap::new();
    for (name, size) in [
        ("empty", 0),
        ("d/one", 1),
        ("d/e/middle", 300_000),
        ("d/ä +%25&😀", 5),
        ("more", 700_000),
        ("large", 17 * MIB + 7),
    ] {
        let bytes = random.bytes(size);
        t.file(format!("tree/{name}"), &bytes);
        files.insert(name.to_string(), bytes);
    }
    files
}

/// Returns the objects below a prefix, by their keys without it.
fn below(keeper: &Keeper, prefix: &str) -> BTreeMap<String, Vec<u8>> {
    let objects = keeper.objects().into_iter();
    objects.filter_map(|(key, body)| Some((key.strip_prefix(prefix)?.to_string(), body))).collect()
}

/// Returns how many of these requests begin so.
fn count(asked: &[String], begins: &str) -> usize {
    asked.iter().filter(|line| line.starts_with(begins)).count()
}

case!(a_tree_arrives_in_a_store_and_a_folder_in_one_read, |t| {
    let files = sources(t);
    let keeper = Keeper::start();
    for (number, options) in ["", "--verify later", "-m 1M -j 1"].iter().enumerate() {
        let line = format!("copy {options} tree/ s3://b/p{number} --to to{number}");
        let ran = run(t, &keeper, &line).code(0);
        ran.says("6 proved by what the store says").says("6 without their times, permissions");
        assert!(below(&keeper, &format!("p{number}/")) == files, "{options}");
        for (name, bytes) in &files {
            assert!(t.read(&format!("to{number}/{name}")) == *bytes, "{options} {name}");
        }
        let asked = keeper.take();
        assert_eq!(count(&asked, "GET "), 1, "only the listing: {asked:?}");
        // The second run leaves it all, by the evidence of the listing alone.
        run(t, &keeper, &line).code(0).says(": 0 files copied").says("6 there already");
        let asked = keeper.take();
        assert_eq!(asked.len(), 1, "{asked:?}");
    }
    assert_eq!(keeper.uploads(), 0);
    // As long as a part, and sent in one request.
    t.file("exact/part", vec![7; 16 * MIB]);
    run(t, &keeper, "copy --verify no exact s3://b/x").code(0).says("none read back");
    assert_eq!(keeper.object("x/exact/part").unwrap().len(), 16 * MIB);
    assert_eq!(count(&keeper.take(), "P"), 1);
    // Back into a folder, and from a store into another place of it.
    run(t, &keeper, "copy s3://b/p0/ back --to s3://b/again").code(0);
    assert!(below(&keeper, "again/") == files && t.read("back/large") == files["large"]);
});

case!(a_store_without_evidence_is_read_back, |t| {
    let files = sources(t);
    let keeper = Keeper::start();
    keeper.seal();
    for options in ["", "--verify later"] {
        let to = options.len();
        let ran = run(t, &keeper, &format!("copy {options} tree/ s3://b/{to}")).code(0);
        ran.says("6 read back from the medium");
        assert!(below(&keeper, &format!("{to}/")) == files);
        assert!(count(&keeper.take(), "GET d") == 0 && keeper.uploads() == 0);
        run(t, &keeper, &format!("copy {options} tree/ s3://b/{to}")).code(0).says("6 there already");
        assert!(count(&keeper.take(), &format!("GET {to}/large")) > 0);
    }
});

case!(what_is_there_in_a_store_is_compared_and_kept, |t| {
    let files = sources(t);
    for is_sealed in [false, true] {
        let keeper = Keeper::start();
        if is_sealed {
            keeper.seal();
        }
        let other = |name: &str| {
            let mut bytes = files[name].clone();
            *bytes.last_mut().unwrap() ^= 1;
            bytes
        };
        keeper.put("p/d/one", "longer");
        keeper.put("p/d/e/middle", other("d/e/middle"));
        keeper.put("p/large", other("large"));
        keeper.put("p/more", &files["more"]);
        let ran =
            run(t, &keeper, "copy tree/ s3://b/p").code(1).says("2 files copied").says("1 there already");
        ran.says("tree/large: not copied: an object with other content is there; --force replaces it");
        assert!(keeper.object("p/large").unwrap() == other("large"));
        assert_eq!(keeper.object("p/d/one").unwrap(), b"longer");
        run(t, &keeper, "copy tree/ s3://b/p --force").code(0).says("3 files copied").says("3 there already");
        assert!(below(&keeper, "p/") == files && keeper.uploads() == 0);
    }
});

case!(an_object_that_appears_meanwhile_is_never_replaced, |t| {
    let files = sources(t);
    for lacks in [false, true] {
        let keeper = Keeper::start();
        keeper.put("p/d/one", "other");
        keeper.put("p/large", "other");
        keeper.put("p/more", &files["more"]);
        keeper.hide(true);
        if lacks {
            keeper.lack_conditions();
        }
        let ran = run(t, &keeper, "copy tree/ s3://b/p").code(1);
        ran.says("tree/d/one: not copied: another object got its name meanwhile")
            .says("tree/large: not copied: another object")
            .says("1 there already");
        assert_eq!(keeper.object("p/large").unwrap(), b"other");
        assert_eq!(keeper.uploads(), 0);
    }
});

case!(an_object_that_is_not_what_was_sent_is_told_and_removed, |t| {
    let files = sources(t);
    for is_sealed in [false, true] {
        for options in ["", "--verify later"] {
            let keeper = Keeper::start();
            if is_sealed {
                keeper.seal();
            }
            keeper.fail("PUT p/d/e/middle", Does::Flip);
            keeper.fail("PUT p/large?", Does::Flip);
            let line = format!("copy {options} tree/ s3://b/p --to to --manifest sums -c sha256");
            let ran = run(t, &keeper, &line).code(1);
            ran.says("middle: not copied: what was read back").says("large: not copied: what was read back");
            let left = below(&keeper, "p/");
            assert!(!left.contains_key("d/e/middle") && !left.contains_key("large"), "{options}");
            assert!(left["more"] == files["more"] && t.read("to/large") == files["large"]);
            let list = String::from_utf8(left["SHA256SUMS"].clone()).unwrap();
            assert_eq!(list.lines().count(), 4, "{list}");
            keeper.heal();
            run(t, &keeper, &line).code(0).says("2 files copied");
            fs::remove_dir_all(t.path("to")).unwrap();
        }
    }
});

/// Copies into a store that fails so, and then into the same one when it works.
fn fails(t: &Place, key: &str, does: Does, said: &str) {
    let (files, keeper) = (sources(t), Keeper::start());
    keeper.fail(key, does);
    run(t, &keeper, "copy tree/ s3://b/p --to to").code(2).says(said).says("1 not copied, for errors");
    keeper.heal();
    assert_eq!(keeper.uploads(), 0, "{key}");
    let left = below(&keeper, "p/");
    assert_eq!(left.len(), files.len() - 1, "{key}");
    assert!(left.iter().all(|(name, bytes)| files[name] == *bytes), "{key}");
    assert!(t.read("to/large") == files["large"]);
    run(t, &keeper, "copy tree/ s3://b/p").code(0).says("1 file copied").says("5 there already");
}

case!(requests_that_are_refused_leave_nothing_half_done, |t| {
    for (key, status, said) in [
        ("PUT p/d/e/middle", 400, "middle: not copied: answers with status 400 (Made)"),
        ("PUT p/large?", 400, "large: not copied: answers with status 400 (Made)"),
        ("POST p/large?uploadId", 403, "large: not copied: access denied (Made)"),
        ("POST p/large?uploads", 400, "large: not copied: answers with status 400 (Made)"),
    ] {
        fails(t, key, Does::Status(status), said);
    }
});

case!(a_server_that_fails_each_time_is_told, |t| {
    fails(t, "PUT p/large?", Does::Status(500), "large: not copied: fails each time (status 500)");
});

case!(a_connection_that_ends_in_the_middle_of_an_upload_is_told, |t| {
    fails(t, "PUT p/large?", Does::Cut, "large: not copied: no connection");
});

case!(a_store_that_can_not_be_reached_is_told_once, |t| {
    sources(t);
    let keeper = Keeper::start();
    for (variable, value, said) in [
        ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", free_port()), "no connection"),
        ("AWS_ENDPOINT_URL", "http://u:hunter2@h".into(), "a user or a password"),
    ] {
        let line = "copy tree/ s3://b/p --to to --to s3://b/q";
        let mut command = command(t, &keeper, line);
        command.env(variable, value);
        let ran = t.ran(command, line).code(2).says(said).quiet_about("hunter2").says("to: 6 files copied");
        let said = ran.stderr();
        assert_eq!(said.lines().filter(|line| line.contains(": not copied: ")).count(), 2, "{said}");
        fs::remove_dir_all(t.path("to")).unwrap();
    }
    // Nothing may be written there: that is one reason, too.
    keeper.fail("PUT", Does::Status(403));
    keeper.fail("POST", Does::Status(403));
    let ran =
        run(t, &keeper, "copy tree/ s3://b/p --to to").code(2).says("access denied").says("6 not copied");
    assert_eq!(ran.stderr().lines().filter(|line| line.contains(": not copied: ")).count(), 1);
    // A bucket that may not be listed is asked for each object.
    keeper.heal();
    keeper.fail("GET ?list-type", Does::Status(403));
    run(t, &keeper, "copy tree/ s3://b/p").code(0).says("6 files copied");
    run(t, &keeper, "copy tree/ s3://b/p").code(0).says("6 there already");
});

case!(a_source_that_can_not_be_read_leaves_no_object, |t| {
    t.file("tree/good", vec![b'g'; 100_000]).file("tree/small", vec![b's'; 3_000_000]);
    t.file("tree/large", vec![b'l'; 20 * MIB]);
    let keeper = Keeper::start();
    for (name, after) in [("small", 1_500_000), ("large", 18 * MIB)] {
        let Some(shim) = shim() else { return };
        let mut command = command(t, &keeper, "copy tree/ s3://b/p --manifest sums -c md5 --force");
        command.env("LD_PRELOAD", shim);
        command.envs([("FAULT_PATH", format!("tree/{name}")), ("FAULT_AFTER", after.to_string())]);
        command.env("FAULT_ERRNO", "EIO");
        t.ran(command, name).code(2).says(&format!("tree/{name}: read failed"));
        let left = below(&keeper, "p/");
        assert!(left.len() == 3 && !left.contains_key(name), "{name}: {:?}", left.keys());
        assert_eq!(String::from_utf8_lossy(&left["MD5SUMS"]).lines().count(), 2);
        assert_eq!(keeper.uploads(), 0);
        left.keys().for_each(|name| keeper.remove(&format!("p/{name}")));
    }
});

case!(many_objects_are_sent_side_by_side, |t| {
    for number in 0..3000 {
        t.file(format!("tree/{}/{number}", number % 7), number.to_string());
    }
    let keeper = Keeper::start();
    keeper.pause(Duration::from_millis(5));
    run(t, &keeper, "copy tree/ s3://b/p").code(0).says("3000 files copied").says("3000 proved");
    assert!((8..=33).contains(&keeper.most()), "{}", keeper.most());
    assert_eq!(keeper.take().len(), 3001);
    assert_eq!(below(&keeper, "p/")["3/1592"], b"1592");
    run(t, &keeper, "copy tree/ s3://b/p").code(0).says("3000 there already");
    assert_eq!(keeper.take().len(), 3, "pages of a listing");
});

case!(what_waits_for_a_large_file_takes_no_memory, |t| {
    // The small files are read while the first one is, and get their turn behind it.
    t.file("tree/a", vec![b'a'; 33 * MIB]);
    let mut random = Random(3);
    for number in 0..100 {
        t.file(format!("tree/b{number}"), random.bytes(100_000));
    }
    let keeper = Keeper::start();
    run(t, &keeper, "copy tree/ s3://b/p -m 2M -j 4").code(0).says("101 files copied");
    assert_eq!((below(&keeper, "p/").len(), keeper.uploads()), (101, 0));
    assert_eq!(below(&keeper, "p/")["b77"], t.read("tree/b77"));
});

case!(an_interrupted_run_leaves_no_upload, |t| {
    sources(t);
    let keeper = Keeper::start();
    keeper.fail("PUT p/large?", Does::Hold);
    let line = "copy tree/ s3://b/p --manifest sums -c sha256";
    let mut interrupted =
        command(t, &keeper, line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("no part came", || keeper.has_met("PUT p/large?"));
    signal(&interrupted, "INT");
    std::thread::sleep(Duration::from_millis(100));
    keeper.heal();
    assert_eq!(interrupted.wait().unwrap().code(), Some(130));
    assert_eq!(keeper.uploads(), 0);
    assert!(keeper.object("p/SHA256SUMS").is_none());
    run(t, &keeper, line).code(0);
    let list = String::from_utf8(keeper.object("p/SHA256SUMS").unwrap()).unwrap();
    assert_eq!(list.lines().count(), 6, "{list}");
});

case!(what_a_store_can_not_hold_is_told, |t| {
    t.file("tree/a", "abc").link("tree/link", "a").link("tree/lost", "nowhere");
    fs::create_dir(t.path("tree/none")).unwrap();
    fs::hard_link(t.path("tree/a"), t.path("tree/second")).unwrap();
    let keeper = Keeper::start();
    let ran = run(t, &keeper, "copy tree/ s3://b/p -f json").code(0);
    ran.json();
    let ran = ran.says("2 symbolic links not stored").says("1 empty folders not stored");
    let json = ran.says("1 without their second names").json();
    let place = &json["destinations"][0];
    assert_eq!((&place["omitted"]["symbolic links"], &place["proved_by_store"]), (&2.into(), &2.into()));
    assert_eq!(below(&keeper, "p/").into_keys().collect::<Vec<_>>(), ["a", "second"]);
    // Names are told, and never altered.
    t.file(b"odd/bad\xff", "x").file("odd/good", "x").file(format!("odd/{}/x", "d".repeat(200)), "x");
    let long = format!("copy odd/ s3://b/{}", "long/".repeat(180));
    run(t, &keeper, "copy odd/ s3://b/odd").code(2).says("keys are UTF-8").says("2 files copied");
    run(t, &keeper, &long).code(2).says("longer than the 1,024 bytes").says("1 file copied");
    let script = "import zipfile; z = zipfile.ZipFile('a.zip', 'w'); [z.writestr(n, n) for n in ('../out', 'a//b', './c', 'good', 'twice', 'twice')]";
    t.shell(&format!("python3 -W ignore -c \"{script}\""));
    for options in ["", "--force"] {
        let ran = run(t, &keeper, &format!("copy {options} a.zip!/ s3://b/zip{options}"));
        assert!(ran.exit() == Some(2), "{}", ran.stderr());
        let left = below(&keeper, &format!("zip{options}/"));
        assert!(left["good"] == b"good" && left["twice"] == b"twice", "{:?}", left.keys());
        assert!(left.keys().all(|key| !key.contains("..") && !key.contains("//")), "{:?}", left.keys());
    }
});

case!(one_object_has_the_name_of_its_destination, |t| {
    t.file("tree/a", "abc");
    let keeper = Keeper::start();
    run(t, &keeper, "copy tree/a s3://b/x/copy --manifest sums -c md5").code(0);
    assert_eq!(keeper.object("x/copy").unwrap(), b"abc");
    let list = format!("{}  copy\n", digest("md5", "abc"));
    assert_eq!(String::from_utf8(keeper.object("x/MD5SUMS").unwrap()).unwrap(), list);
    run(t, &keeper, "copy tree/a s3://b/x/copy").code(0).says("1 there already");
    run(t, &keeper, "copy tree/a s3://b/x --to s3://b/y/ --to s3://b").code(0);
    assert!(keeper.object("x/a").is_some() && keeper.object("y/a").is_some() && keeper.object("a").is_some());
    t.file(".in", "piped");
    let mut piped = command(t, &keeper, "copy - s3://b/z");
    piped.stdin(fs::File::open(t.path(".in")).unwrap());
    t.ran(piped, "piped").code(0);
    assert_eq!(keeper.object("z").unwrap(), b"piped");
});

case!(manifests_in_a_store_name_what_was_copied, |t| {
    let files = sources(t);
    let keeper = Keeper::start();
    for options in ["", "--verify later"] {
        let to = format!("s3://b/m{}", options.len());
        run(t, &keeper, &format!("copy {options} tree {to} --manifest sums -c sha256")).code(0);
        let key = format!("m{}/SHA256SUMS", options.len());
        let list = String::from_utf8(keeper.object(&key).unwrap()).unwrap();
        assert!(list.contains(&format!("{}  tree/d/one\n", digest("sha256", &files["d/one"]))), "{list}");
        assert_eq!(list.lines().count(), files.len());
        run(t, &keeper, &format!("check --base {to}/ {to}/SHA256SUMS")).code(0);
    }
    run(t, &keeper, "copy tree/ s3://b/j --manifest jsonl").code(0);
    run(t, &keeper, "audit -k s3://b/j/manifest.jsonl tree").code(0);
    assert!(!String::from_utf8(keeper.object("j/manifest.jsonl").unwrap()).unwrap().contains("md5"));
    run(t, &keeper, "copy tree/ s3://b/a --manifest ascmhl").code(64).says("in folders only");
    t.file("own/SHA256SUMS", "mine").file("own/a", "a");
    run(t, &keeper, "copy own/ s3://b/o --manifest sums -c sha256")
        .code(2)
        .says("own/SHA256SUMS: not copied: the manifest of this run");
});

case!(locations_that_would_mix_are_refused_before_anything_is_written, |t| {
    t.file("tree/a", "a");
    let keeper = Keeper::start();
    keeper.put("p/d/a", "a");
    keeper.take();
    for line in [
        "copy tree s3://b/p --to s3://b/p/",
        "copy tree s3://b --to s3://b/",
        "copy s3://b/p/ s3://b/p",
        "copy s3://b/p/ s3://b/p/d/new",
        "copy s3://b/p/d/ s3://b/p/d/ s3://b/q",
        "copy s3://b/p/d/ s3://b/p",
        "copy s3://b/p/d/a s3://b/p/d/a",
        "copy s3://b/p/ s3://b",
        "copy tree https://h/p",
        "copy tree s3://",
        "copy tree ftp://h/p",
        "copy tree s3://b/p/a?versionId=1",
    ] {
        run(t, &keeper, line).code(64);
    }
    assert!(count(&keeper.take(), "PUT") == 0);
    run(t, &keeper, "copy s3://b/p/ s3://b/q").code(0);
    assert_eq!(keeper.object("q/d/a").unwrap(), b"a");
});

case!(a_dry_run_says_what_is_in_a_store, |t| {
    t.file("tree/a", "abc").file("tree/d/b", "de");
    let keeper = Keeper::start();
    keeper.put("p/a", "x");
    run(t, &keeper, "copy --dry-run tree/ s3://b/p --to to")
        .code(0)
        .prints("tree/a -> s3://b/p/a  (is there, and is compared)\n")
        .prints("tree/d/b -> s3://b/p/d/b\n")
        .prints("tree/d/b -> to/d/b\n")
        .says("s3://b/p: 1 new file of 2 B, 1 are there\n");
    assert!(keeper.objects().len() == 1 && !t.has("to"));
});

/// Copies into a store of another maker, twice, and compares; an object that differs is kept, then replaced.
fn round(t: &Place, to: &str, run: &dyn Fn(&str) -> Ran) {
    sources(t);
    let wanted = t.run("hash -c blake3 -f sums tree").code(0).stdout().to_vec();
    let same = |to: &str| {
        let found = run(&format!("hash -c blake3 -f sums {to}/")).code(0).stdout().to_vec();
        let lines = |bytes: &[u8]| {
            let mut lines: Vec<String> =
                String::from_utf8_lossy(bytes).lines().map(|line| line.replace("  tree/", "  ")).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&found), lines(&wanted));
    };
    for options in ["", "--verify later"] {
        let to = format!("{to}/{}", options.len());
        run(&format!("copy {options} tree/ {to}")).code(0).says("6 files copied");
        same(&to);
        run(&format!("copy {options} tree/ {to}")).code(0).says("6 there already");
    }
    let one = t.read("tree/d/one");
    t.file("tree/d/one", [one[0] ^ 1]);
    run(&format!("copy tree/ {to}/0")).code(1).says("tree/d/one: not copied");
    run(&format!("copy tree/ {to}/0 --force")).code(0).says("1 file copied");
    t.file("tree/d/one", one);
}

case!(
    #[ignore = "campaign: needs versitygw"]
    a_store_of_another_maker_takes_copies,
    |t| {
        for start in [Gateway::start, Gateway::start_versioned] {
            let Some(gateway) = start(t) else { return };
            round(t, "s3://bucket/p", &|args| gateway.run(args));
            gateway.run("copy tree/ s3://none/p").code(2).says("there is no such bucket");
            let mut command = gateway.command("copy tree/ s3://bucket/q");
            command.env("AWS_SECRET_ACCESS_KEY", "hunter2");
            let ran = t.ran(command, "wrong key").code(2).says("credentials are not accepted");
            assert_eq!(ran.stderr().lines().filter(|line| line.contains("not copied: ")).count(), 1);
            drop(gateway);
            fs::remove_dir_all(t.path("store")).unwrap();
        }
    }
);

case!(
    #[ignore = "campaign: needs fake-gcs-server"]
    google_takes_copies,
    |t| {
        let Some(program) = program("fake-gcs-server") else { return };
        t.file("data/b/.keep", "");
        let port = free_port();
        let mut command = Command::new(program);
        command.args(["-scheme", "http", "-host", "127.0.0.1", "-backend", "memory", "-port"]);
        command.arg(port.to_string()).arg("-data").arg(t.path("data"));
        let _server = Server::start(command, port, &t.path("gcs.log"));
        let run = |args: &str| {
            let mut command = t.command(args);
            command.env("STORAGE_EMULATOR_HOST", format!("http://127.0.0.1:{port}"));
            t.ran(command, args)
        };
        t.file("tree/a", "abc").file("tree/d/b", vec![7; 300_000]).file("tree/empty", "");
        run("copy tree/ gs://b/p").code(0).says("3 files copied").says("3 proved");
        run("copy tree/ gs://b/p").code(0).says("3 there already");
        t.file("tree/a", "abd");
        run("copy tree/ gs://b/p").code(1).says("tree/a: not copied");
        run("copy tree/ gs://b/p --force").code(0).says("1 file copied");
        run("audit gs://b/p/ --against tree").code(0).prints("matched by content: 3");
    }
);

case!(
    #[ignore = "campaign: needs azurite-blob"]
    azure_takes_copies,
    |t| {
        let Some((_server, port)) = azurite(t) else { return };
        let Some(()) = make_container(t, port) else { return };
        let run = |args: &str| {
            let mut command = t.command(args);
            command.env("AZURE_STORAGE_CONNECTION_STRING", connection(port));
            t.ran(command, args)
        };
        round(t, "az://things/p", &run);
    }
);
