//! Audits and differences of stores, by their evidence.

mod fake;
pub mod gateway;
mod keys;

use crate::case;
use crate::util::{Place, Ran};
use fake::{Fake, Thing};
use hashmill_testing::Random;
use serde_json::Value;

/// Runs hashmill against a store.
fn run(place: &Place, fake: &Fake, args: &str) -> Ran {
    let mut command = place.command(args);
    command
        .args(["--endpoint", &fake.address, "--region", "us-east-1"])
        .env("AWS_ACCESS_KEY_ID", "key")
        .env("AWS_SECRET_ACCESS_KEY", "secret");
    place.ran(command, args)
}

fn asked(fake: &Fake) -> Vec<(String, usize)> {
    fake.asked()
}

fn times(kinds: &[(&str, usize)]) -> Vec<(String, usize)> {
    kinds.iter().map(|(kind, times)| (kind.to_string(), *times)).collect()
}

/// Bytes that repeat nowhere.
fn content(length: usize, seed: u64) -> Vec<u8> {
    Random(seed).bytes(length)
}

const MIB: usize = 1 << 20;

case!(entity_tags_decide_with_one_listing, |t| {
    let parts = content(9 * MIB, 7);
    t.file("d/a", "abc").file("d/sub/b", "bcd").file("d/big", &parts).file("d/empty", "");
    let things = || {
        vec![
            Thing::whole("p/a", "abc"),
            Thing::whole("p/sub/b", "bcd"),
            Thing::parts("p/big", &parts, &[8 * MIB, MIB]),
            Thing::whole("p/empty", ""),
            Thing::whole("other/c", "not below"),
        ]
    };
    let fake = Fake::start(things());
    run(t, &fake, "audit s3://b/p/ --against d")
        .code(0)
        .prints("matched by content: 3")
        .prints("matched by composite: 1");
    assert_eq!(asked(&fake), times(&[("list", 1)]));
    run(t, &fake, "audit s3://b/p/ --against d --stats")
        .code(0)
        .says("seen 8 = hashed 4 + compared 4 + skipped 0 + failed 0");
    let fake = Fake::start(things());
    // The other way round.
    let json = run(t, &fake, "audit d --against s3://b/p/ -f json").code(0).json();
    assert_eq!(json["counts"]["matched"], 4);
    assert_eq!((&json["strengths"]["content"], &json["strengths"]["composite"]), (&3.into(), &1.into()));
    assert_eq!(json["entries"][0]["strength"], "content");
    assert_eq!(asked(&fake), times(&[("list", 1)]));
    t.file("prices.json", r#"{"currency":"USD","list":5}"#);
    run(t, &fake, "audit d --against s3://b/p/ --stats --price-list prices.json")
        .code(0)
        .says("about 0.0050 USD");
    t.file("prices.json", r#"{"lists":5}"#);
    run(t, &fake, "audit d --against s3://b/p/ --price-list prices.json")
        .code(64)
        .says("not a list of prices");
    run(t, &fake, "diff d s3://b/p/").code(0).prints("no difference");
});

case!(what_is_not_proved_is_listed_for_programs, |t| {
    t.file("d/same", "abc").file("d/sealed", "bcd");
    t.file(b"d/name \xff", "cde");
    let fake = Fake::start(vec![Thing::whole("same", "abc"), Thing::whole("sealed", "bcd").sealed()]);
    let word = |entry: &serde_json::Value| entry["category"].as_str().unwrap().to_owned();
    for command in ["audit s3://b --against d -f json", "diff d s3://b -f json"] {
        let json = run(t, &fake, command).code(2).json();
        let entries = json["entries"].as_array().unwrap();
        for (category, number) in json["counts"].as_object().unwrap() {
            let listed = entries.iter().filter(|entry| word(entry) == *category).count() as u64;
            assert_eq!(listed, number.as_u64().unwrap(), "{category} in {json}");
        }
        let unproven = entries.iter().find(|entry| word(entry) == "unproven").unwrap();
        assert_eq!((&unproven["path"], &unproven["strength"]), (&"sealed".into(), &"size".into()));
        let odd = entries.iter().find(|entry| word(entry) == "missing").unwrap();
        assert_eq!((&odd["path_b64"], &odd["known_path_b64"]), (&"bmFtZSD/".into(), &"bmFtZSD/".into()));
    }
    let lines = run(t, &fake, "audit s3://b --against d -f jsonl").code(2);
    lines.prints("\"category\":\"unproven\",\"path\":\"sealed\"").says("sealed: not told: ");
});

case!(files_are_read_a_part_at_a_time_in_little_memory, |t| {
    let name = |number: usize| format!("f{number:03}");
    let mut things = Vec::new();
    for number in 0..300 {
        let text = format!("content {number}");
        t.file(format!("d/{}", name(number)), &text);
        things.push(Thing::whole(&name(number), &text));
    }
    t.file("d/f150", "CONTENT 150");
    let fake = Fake::start(things);
    run(t, &fake, "audit s3://b/ --against d -j 2 -m 512K --stats")
        .code(1)
        .prints("f150")
        .prints("matched: 299")
        .prints("changed: 1")
        .says("seen 600 = hashed 300 + compared 300 + skipped 0 + failed 0");
});

case!(what_differs_is_told_in_an_audit_s_words, |t| {
    t.file("d/same", "abc").file("d/changed", "abd").file("d/longer", "abcd").file("d/gone", "only here");
    t.file("d/old/name", "it was moved away");
    let things = vec![
        Thing::whole("same", "abc"),
        Thing::whole("changed", "abc"),
        Thing::whole("longer", "abc"),
        Thing::whole("new", "only there"),
        Thing::whole("new name", "it was moved away"),
        Thing::whole("twin", "abc"),
    ];
    let fake = Fake::start(things);
    let text = run(t, &fake, "audit s3://b --against d -v").code(1);
    for line in [
        "changed: changed\n",
        "longer: changed\n",
        "new: new\n",
        "new name: moved from old/name\n",
        "twin: copied from same\n",
        "gone: missing\n",
        "same: matched\n",
    ] {
        assert!(
            String::from_utf8_lossy(text.stdout()).contains(line),
            "{line}: {}",
            String::from_utf8_lossy(text.stdout())
        );
    }
    // The two that have the length and not the digest of `changed` are asked whether their entity tags are digests.
    assert_eq!(asked(&fake), times(&[("list", 1), ("sums", 2)]));
});

case!(what_is_encrypted_is_proved_by_its_checksum_or_not_at_all, |t| {
    t.file("d/sum", "abc").file("d/nothing", "abc").file("d/denied", "abc");
    let things = vec![
        Thing::whole("sum", "abc").sealed().sum("x-amz-checksum-crc64nvme", "crc64nvme"),
        Thing::whole("nothing", "abc").sealed(),
        Thing::whole("denied", "abc").sealed().sum("x-amz-checksum-crc32", "crc32").denied(),
    ];
    let fake = Fake::start(things);
    let ran = run(t, &fake, "audit -v s3://b/ --against d").code(2);
    let ran = ran.prints("matched: 1").prints("unproven: 2").prints("matched by crc: 1");
    let ran = ran.says("nothing: not told: the store has nothing but its size").says("denied: not told");
    ran.quiet_about("403").prints("audit failed");
    let json = run(t, &fake, "audit s3://b/ --against d --min-strength composite -f json").code(2).json();
    assert_eq!((&json["counts"]["matched"], &json["counts"]["unproven"]), (&0.into(), &3.into()));
    run(t, &fake, "audit s3://b/ --against d --min-strength size").code(0).prints("matched by size: 2");
    // Their bytes tell.
    run(t, &fake, "audit s3://b/ --against d --download").code(0).prints("matched: 3");
    t.file("d/nothing", "abd");
    run(t, &fake, "audit s3://b/ --against d --download").code(1).prints("nothing: changed");
    run(t, &fake, "audit s3://b/ --against d --min-strength everything").code(64);
});

case!(an_entity_tag_that_nobody_promises_to_be_a_digest_calls_nothing_changed, |t| {
    t.file("d/alone", "abc").file("d/sum", "abc").file("d/aws", "abc");
    let things = |body: &str| {
        vec![
            Thing::whole("alone", body).foreign(),
            Thing::whole("sum", body).foreign().sum("x-amz-checksum-crc32", "crc32"),
            Thing::whole("aws", body),
        ]
    };
    let fake = Fake::start(things("abc"));
    for audit in ["audit s3://b/ --against d", "audit s3://b/ --against d --min-strength size"] {
        let ran = run(t, &fake, audit).code(2).prints("matched: 2").prints("changed: 0");
        ran.says("alone: not told").says("--download");
    }
    run(t, &fake, "audit s3://b/ --against d --download").code(0).prints("matched: 3");
    let fake = Fake::start(things("abd"));
    let ran = run(t, &fake, "audit s3://b/ --against d").code(2).prints("matched: 0").prints("unproven: 1");
    ran.prints("sum: changed").prints("aws: changed");
    run(t, &fake, "audit s3://b/ --against d --download").code(1).prints("changed: 3");
});

case!(many_are_downloaded_at_a_time_and_told_in_order, |t| {
    let things = (0..60).map(|number| {
        let key = format!("k{number:02}");
        t.file(format!("d/{key}"), vec![number; 5000]);
        // Every seventh is another.
        let body = vec![if number % 7 == 3 { 99 } else { number }; 5000];
        Thing::whole(&key, body).sealed()
    });
    let fake = Fake::start(things.collect());
    let audit = "audit s3://b/ --against d --download -v -f json";
    let ran = run(t, &fake, audit).code(1);
    let json = ran.json();
    assert_eq!((&json["counts"]["matched"], &json["counts"]["changed"]), (&51.into(), &9.into()));
    let paths: Vec<&str> =
        json["entries"].as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap()).collect();
    assert!(paths.is_sorted() && paths.len() == 60, "{paths:?}");
    // The run is all that may differ.
    let without_run = |mut json: Value| json.as_object_mut().unwrap().remove("run").map(|_| json);
    assert_eq!(
        (&json["run"]["operands"], &json["run"]["against"]),
        (&serde_json::json!(["s3://b/"]), &"d".into())
    );
    let wanted = without_run(ran.json());
    for more in ["-j 1 --requests 1", "-j 4 --requests 100", "-m 1M"] {
        let ran = run(t, &fake, &format!("{audit} {more}")).code(1);
        assert!(wanted.is_some() && without_run(ran.json()) == wanted, "{more}");
    }
    let stats = run(t, &fake, "audit s3://b/ --against d --download --stats").code(1);
    // The local files twice: by their MD5s, as long as ETags may be some, then as the objects.
    stats.says("seen 180 = hashed 180 + compared 0");
});

case!(the_length_of_parts_is_asked_where_it_is_not_a_usual_one, |t| {
    let body = content(7 * MIB, 3);
    t.file("d/odd", &body).file("d/uneven", &body).file("d/changed", content(7 * MIB, 4));
    let (odd, uneven) = ([3 * MIB, 3 * MIB, MIB], [2 * MIB, 3 * MIB, 2 * MIB]);
    let things = vec![
        Thing::parts("odd", &body, &odd),
        Thing::parts("uneven", &body, &uneven),
        Thing::parts("changed", &body, &odd),
    ];
    let fake = Fake::start(things);
    let ran = run(t, &fake, "audit s3://b/ --against d").code(2);
    ran.prints("changed: changed")
        .prints("matched by composite: 1")
        .prints("unproven: 1")
        .says("uneven: not told");
});

case!(parts_in_the_middle_may_have_other_lengths, |t| {
    let body = content(11 * MIB, 5);
    let (even, uneven) =
        ([2 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, MIB], [2 * MIB, 2 * MIB, 3 * MIB, MIB, 2 * MIB, MIB]);
    let (heads, listed, denied) = ("heads", "listed", "denied");
    for name in [heads, listed, denied] {
        t.file(format!("right/{name}"), &body).file(format!("wrong/{name}"), content(11 * MIB, 6));
    }
    let things = |parts: &[usize]| {
        let thing = |key| Thing::parts(key, &body, parts);
        vec![thing(heads), thing(listed).listed(), thing(denied).denied()]
    };
    // The first and the last tell nothing: the others are asked for, by one request for all where the store can.
    let fake = Fake::start(things(&uneven));
    let ran = run(t, &fake, "audit -v s3://b/ --against right").code(2);
    ran.prints("unproven: 3").prints("changed: 0").says("heads: not told").says("listed: not told");
    let all = |fake: &Fake, kind: &str| {
        fake.asked().into_iter().find(|(one, _)| one == kind).map(|(_, times)| times)
    };
    // Of each that may be asked the first, the last; of one three others.
    assert_eq!((all(&fake, "part"), all(&fake, "attributes")), (Some(2 + 2 + 1 + 3), Some(2)));
    run(t, &fake, "audit s3://b/ --against right --download").code(0).prints("matched: 3");
    let fake = Fake::start(things(&even));
    let ran = run(t, &fake, "audit s3://b/ --against wrong").code(2);
    ran.prints("heads: changed").prints("listed: changed").prints("unproven: 1").says("denied: not told");
    run(t, &fake, "audit s3://b/ --against right").code(2).prints("matched by composite: 2");
});

case!(a_manifest_is_compared_by_what_both_sides_have, |t| {
    t.file("d/a", "abc").file("d/b", "bcd");
    t.run("hash -c md5 -f jsonl -o md5.jsonl d").code(0);
    t.run("hash -c sha256 -f jsonl -o sha256.jsonl d").code(0);
    let things =
        vec![Thing::whole("p/a", "abc").sum("x-amz-checksum-sha256", "sha256"), Thing::whole("p/b", "bcd")];
    let fake = Fake::start(things);
    run(t, &fake, "audit s3://b/p/ --against md5.jsonl").code(0).prints("matched by content: 2");
    assert_eq!(asked(&fake), times(&[("list", 1)]));
    let ran = run(t, &fake, "audit -k sha256.jsonl s3://b/p/ --min-strength crc").code(2);
    ran.prints("matched by content: 1").prints("unproven: 1").says("b: not told");
    run(t, &fake, "audit s3://b/p/ --against sha256.jsonl --download").code(0).prints("matched: 2");
    // Without a word about proofs, objects are read as files are.
    run(t, &fake, "audit -k sha256.jsonl s3://b/p/").code(0).prints("matched: 2");
    run(t, &fake, "audit -k sha256.jsonl s3://b/p/ --download").code(64);
});

case!(two_stores_are_compared_without_a_byte, |t| {
    let body = content(6 * MIB, 9);
    let things = vec![
        Thing::whole("one/a", "abc"),
        Thing::whole("two/a", "abc"),
        Thing::parts("one/parts", &body, &[5 * MIB, MIB]),
        Thing::parts("two/parts", &body, &[5 * MIB, MIB]),
        Thing::whole("one/c", "abc"),
        Thing::whole("two/c", "abd"),
    ];
    let fake = Fake::start(things);
    let ran = run(t, &fake, "diff s3://b/one/ s3://b/two/").code(1);
    ran.prints("c: changed").prints("matched by content: 1").prints("matched by composite: 1");
    assert!(asked(&fake).iter().all(|(kind, _)| kind != "get"));
});

case!(sides_that_can_t_be_compared_are_refused, |t| {
    t.file("d/a", "abc").file("e/a", "abc");
    t.run("audit d --against e").code(64).says("neither side is in a store");
    t.run("audit --against s3://b/").code(64);
    t.run("audit d -k m --against s3://b/").code(64);
    let fake = Fake::start(Vec::new());
    run(t, &fake, "audit s3://b/none --against d").code(2);
    run(t, &fake, "audit s3://b/ --against nothing").code(64);
    run(t, &fake, "audit s3://b/ --against d").code(1).prints("a: missing");
});

#[test]
fn inventories_are_audited_without_a_store() {
    let t = Place::new();
    t.file("d/a", "abc").file("d/b", "bcd").file("d/c", "cde");
    let md5 = |text: &str| hashmill_digest::hash(hashmill_digest::find("md5").unwrap(), text.as_bytes());
    let rows = format!(
        "\"b\",\"a\",\"3\",\"{}\",\"SSE-S3\"\n\"b\",\"b\",\"3\",\"{}\",\"SSE-KMS\"\n\"b\",\"c\",\"3\",\"{}\",\"SSE-S3\"\n",
        md5("abc"),
        md5("bcd"),
        md5("xyz")
    );
    t.file("inv/x.csv", &rows);
    let manifest = format!(
        "{{\"sourceBucket\":\"b\",\"fileFormat\":\"CSV\",\"fileSchema\":\"Bucket, Key, Size, ETag, EncryptionStatus\",\
         \"files\":[{{\"key\":\"data/x.csv\",\"size\":{},\"MD5checksum\":\"{}\"}}]}}",
        rows.len(),
        md5(&rows)
    );
    t.file("inv/manifest.json", manifest);
    let ran = t.run("audit -k inv/manifest.json d").code(3 - 1);
    ran.prints("c: changed").prints("matched by content: 1").prints("unproven: 1").says("b: not told");
    t.run("convert inv/manifest.json list.jsonl").code(0);
    assert!(
        String::from_utf8(t.read("list.jsonl"))
            .unwrap()
            .contains("\"status\":\"stored\",\"strength\":\"content\"")
    );
    t.run("audit -k list.jsonl d").code(2).prints("matched by content: 1");
    let batch = "convert inv/manifest.json - --to s3-batch-manifest";
    t.run(&format!("{batch} --bucket b --prefix p+")).code(0).is("b,p%2Bb\n");
    t.run(&format!("{batch} --bucket b --min-strength size")).code(0).is("");
    t.run(batch).code(64).says("--bucket");
    t.run("convert inv/manifest.json SHA256SUMS").code(64).says("only stored");
}
