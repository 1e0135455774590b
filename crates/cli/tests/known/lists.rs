//! Lists of every kind into an index by the command, and the messages about unusable lines.

use super::{EMPTY, MD5, SHA1, SHA256};
use crate::case;
use crate::util::installed;
use hashmill_digest::Digest;

fn encase() -> Vec<u8> {
    let mut file = vec![0; 1152];
    file[..8].copy_from_slice(b"HASH\x0d\x0a\xff\x00");
    file[16] = 1;
    file.extend_from_slice(Digest::from_hex(MD5.as_bytes()).unwrap().as_bytes());
    file.extend_from_slice(&[0, 0]);
    file
}

const HASHKEEPER: &str = "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\
    \"date_modified\",\"time_modified\",\"time_zone\",\"comments\",\"date_accessed\",\"time_accessed\"";

case!(every_kind_of_list_is_taken, |t| {
    let lists: [(&str, Vec<u8>, &str); 11] = [
        ("plain.txt", format!("{MD5}\n").into(), "plain"),
        ("VirusShare_00001.md5", format!("#\n# VirusShare\n#\n{MD5}\n").into(), "plain"),
        ("sums.txt", format!("{MD5}  a b\n").into(), "sums"),
        ("bsd.txt", format!("MD5 (a) = {MD5}\n").into(), "bsd"),
        ("hd.txt", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n3,{MD5},/a\n").into(), "hashdeep"),
        (
            "own.jsonl",
            format!("{{\"path\":\"a\",\"status\":\"hashed\",\"md5\":\"{MD5}\"}}\n").into(),
            "jsonl",
        ),
        ("other.csv", format!("name,MD5 hash,date\n\"a,b\",{MD5},x\n").into(), "csv"),
        ("misp.csv", format!("uuid,type,value\nx,md5,{MD5}\ny,filename|sha1,a|{SHA1}\n").into(), "csv"),
        ("hk.hsh", format!("{HASHKEEPER}\n1,2,\"a\",\"\\\",\"{MD5}\",3,,,,,,\n").into(), "hashkeeper"),
        ("ilook.hsh", format!("V1Hash,HashType\n{MD5},1\n").into(), "ilook"),
        ("encase.hash", encase(), "encase"),
    ];
    for (name, content, format) in lists {
        t.file(name, content);
        let ran = t.run(&format!("known build -o s.hmk --bad {name}")).code(0);
        // Of a table is told what was taken.
        if format == "csv" {
            ran.says("as md5: 1 digest")
        } else {
            ran.quiet()
        };
        t.run(&format!("known query --known-set s.hmk {MD5} {EMPTY}"))
            .code(1)
            .quiet()
            .prints(format!("{MD5}\tbad\t"))
            .prints(format!("{EMPTY}\tunknown\t\t{{}}\n"));
        let info = t.run("known info --format json --verify s.hmk").code(0).json();
        assert_eq!(info["sources"][0]["format"], format, "{name}");
        assert_eq!(info["verified"], true);
    }
});

case!(standard_input_is_a_list, |t| {
    t.feed("known build -o s.hmk --good -", format!("{MD5}\n{SHA1}\n{SHA256}\n")).code(0).quiet();
    for digest in [MD5, SHA1, SHA256] {
        t.run(&format!("known query --known-set s.hmk {digest}")).code(0).prints(format!("{digest}\tgood\t"));
    }
    t.run("known build -o s.hmk --good - --bad -").code(64).says("once");
});

case!(a_digest_that_one_of_several_sets_can_not_know_is_told, |t| {
    t.feed("known build -o md5.hmk --good -", format!("{MD5}\n")).code(0);
    t.feed("known build -o sha1.hmk --bad -", format!("{SHA1}\n")).code(0);
    let both = "known query --known-set md5.hmk --known-set sha1.hmk";
    let told = t.run(&format!("{both} {MD5}"));
    told.code(2).prints(format!("{MD5}\tgood\t")).says("sha1.hmk: has no digests of 128 bits");
    // A bad file is bad whatever the other set says.
    t.run(&format!("{both} {SHA1}")).code(1).says("md5.hmk: has no digests of 160 bits");
    let lines = t.run(&format!("{both} -f json {MD5} {SHA1}")).json();
    assert_eq!(lines[0]["account"]["records"]["failed"], 1);
    assert_eq!(lines[1]["account"]["records"]["differs"], 1);
    t.run(&format!("{both} {SHA256}")).code(2).says("no set has digests of 256 bits");
});

case!(a_column_and_an_algorithm_can_be_named, |t| {
    t.file("feed.csv", format!("id;x,indicator,md5\n1,{SHA256},{MD5}\n2,,\n"));
    t.run("known build -o s.hmk --column indicator --bad feed.csv")
        .code(0)
        .says("feed.csv: 1 record has no digest");
    t.run(&format!("known query --known-set s.hmk {SHA256}")).code(1);
    t.run(&format!("known query --known-set s.hmk {MD5}")).code(2).says("no set has digests of 128 bits");
    t.run("known build -o s.hmk --column sha512 --bad feed.csv").code(64).says("has no column sha512");
    t.file("list", format!("{SHA256}\n"));
    t.run("known build -o s.hmk -c sha3-256 --set mine --bad list").code(0);
    let info = t.run("known info --format json s.hmk").json();
    assert_eq!(info["tables"][0]["algorithms"]["sha3-256"], 1);
    assert_eq!(info["tables"][0]["sets"]["mine"], 1);
});

case!(bad_lines_are_named_and_left_out_or_refused, |t| {
    t.file("list.txt", format!("{MD5}\nnonsense\n{SHA1}\n{}\n", &SHA1[..30])).file("old.txt", EMPTY);
    t.run("known build -o s.hmk --bad old.txt").code(0);
    let old = t.read("s.hmk");
    t.run("known build -o s.hmk --strict --bad list.txt").code(64).says("list.txt: line 2: ");
    assert_eq!(t.read("s.hmk"), old);
    t.run("known build -o s.hmk --bad list.txt")
        .code(2)
        .says("list.txt: line 2: ")
        .says("list.txt: line 4: ")
        .says("2 lines were not understood, in whole or in part");
    t.run(&format!("known query --known-set s.hmk {SHA1}")).code(1);
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(contradicting_categories_are_reported_and_bad_wins, |t| {
    t.file("a.md5", format!("{MD5}  a\n{EMPTY}  b\n")).file("b.md5", format!("{MD5}  c\n"));
    t.run("known build -o s.hmk --good a.md5 --bad b.md5")
        .code(0)
        .says("s.hmk: 1 digest is of contradicting");
    t.run(&format!("known query --known-set s.hmk {MD5} {EMPTY}"))
        .code(1)
        .prints(format!(
            "{MD5}\tbad\tb\t{{\"claims\":[{{\"category\":\"bad\",\"set\":\"b\"}},{{\"category\":\"good\""
        ))
        .prints(format!("{EMPTY}\tgood\ta\t"));
    t.run("known info s.hmk").code(0).prints("contradictions  1\n").prints("bad 1, good 1").prints("md5 3");
    t.run("known build -o s.hmk --as mine a.md5 --as known b.md5").code(0).quiet();
    t.run(&format!("known query --known-set s.hmk {MD5}")).code(0).prints("\tmine\ta\t");
});

case!(the_same_inputs_give_the_same_index, |t| {
    t.file("a.md5", format!("{MD5}  a\n{EMPTY}  b\n"));
    t.shell("SOURCE_DATE_EPOCH=5 $hashmill known build -o a.hmk --good a.md5").code(0);
    t.shell("SOURCE_DATE_EPOCH=5 $hashmill known build -m 200M -o b.hmk --good a.md5").code(0);
    assert_eq!(t.read("a.hmk"), t.read("b.hmk"));
    t.run("known info a.hmk").prints("1970-01-01T00:00:05Z");
});

case!(wrong_builds_are_64, |t| {
    t.file("a.md5", MD5);
    t.run("known build --bad a.md5").code(64).says("--output");
    t.run("known build -o s.hmk").code(64).says("nothing to build from");
    t.run("known build -o s.hmk --as unknown a.md5").code(64).says("can't be a category's name");
    t.run("known build -o s.hmk --bad nosuch").code(64).says("nosuch: cannot open: No such file");
    t.run("known build -o . --bad a.md5").code(64).says("is a directory");
    t.run("known build -o nosuch/s.hmk --bad a.md5").code(2).says("cannot create");
    t.file("photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF")
        .run("known build -o s.hmk --bad photo.jpg")
        .code(64)
        .says("photo.jpg");
    assert!(!t.has("s.hmk"));
});

case!(the_first_malformed_lines_are_named_and_all_are_counted, |t| {
    let lines: String = (0..30).map(|number| format!("{MD5}  a\nx{number}\n")).collect();
    t.file("one.md5", &lines).file("two.md5", &lines);
    let ran = t.run("known build -o set.hmk --bad one.md5 two.md5").code(2);
    let said = ran.stderr();
    let about = |name: &str, what: &str| {
        said.lines().filter(|line| line.contains(name) && line.contains(what)).count()
    };
    for name in ["one.md5", "two.md5"] {
        assert_eq!(about(name, "line "), 20, "{said}");
        assert_eq!(about(name, "further such lines are counted, not named"), 1, "{said}");
        assert_eq!(about(name, "30 lines were not understood, in whole or in part"), 1, "{said}");
    }
});

case!(tables_give_all_their_digests_and_name_what_they_leave, |t| {
    t.file("a.tsv", format!("name\tmd5\tsha1\tsha256\nx\t{MD5}\t{SHA1}\t{SHA256}\n"));
    t.file("b.txt", format!("{MD5} {SHA1} {SHA256}\n"));
    for list in ["a.tsv", "b.txt"] {
        t.run(&format!("known build -o s.hmk --bad {list}")).code(0).says(" as sha256");
        t.run(&format!("known query --known-set s.hmk {MD5} {SHA1} {SHA256}"))
            .code(1)
            .prints(format!("{MD5}\tbad"))
            .prints(format!("{SHA1}\tbad"))
            .prints(format!("{SHA256}\tbad"));
    }
    t.run("known build -o s.hmk --column sha1 --bad a.tsv")
        .code(0)
        .says("a.tsv: took sha1 as sha1: 1 digest");
    t.file("c.csv", format!("id,md5\n{SHA256},{MD5}\n"));
    t.run("known build -o s.hmk --bad c.csv")
        .code(2)
        .says("c.csv: columns that seem to hold digests are left out (--column NAME takes one): id");
});

case!(members_of_an_archive_are_taken_or_named, |t| {
    if installed("zip").is_none() {
        return;
    }
    t.file("a.csv", format!("name,md5\nx,{MD5}\n")).file("malware.txt", format!("{SHA1}\n"));
    t.file("readme.txt", "No more.\n");
    t.shell("zip -q a.zip a.csv malware.txt readme.txt; zip -q b.zip a.zip malware.txt").code(0);
    t.run("known build -o s.hmk --bad a.zip")
        .code(0)
        .says("a.zip: readme.txt is left out: it is not a list of digests");
    t.run(&format!("known query --known-set s.hmk {MD5} {SHA1}"))
        .code(1)
        .prints(format!("{MD5}\tbad"))
        .prints(format!("{SHA1}\tbad"));
    t.run("known build -o s.hmk --bad b.zip")
        .code(0)
        .says("b.zip: a.zip/readme.txt is left out")
        .says("b.zip/a.zip/a.csv: took md5 as md5: 1 digest");
    t.shell("zip -q c.zip b.zip malware.txt").code(0);
    t.run("known build -o s.hmk --bad c.zip")
        .code(2)
        .says("c.zip: b.zip/a.zip is left out: it is an archive itself");
    t.run("known build -o s.hmk --max-unpacked 20 --bad a.zip").code(64).says("--max-unpacked");
});

case!(what_was_built_is_told_to_programs, |t| {
    let built = t.feed("known build -f json -o s.hmk --bad -", "900150983cd24fb0d6963f7d28e17f72\n").code(0);
    let about: serde_json::Value = serde_json::from_slice(built.stdout()).unwrap();
    assert_eq!(about["path"], "s.hmk");
    assert_eq!(about["tables"][0]["count"], 1, "{about}");
});

case!(signatures_of_clamav_and_text_in_utf_16_make_sets, |t| {
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    t.file("x.hdb", format!("{md5}:3:Win.Test.Abc-1\n")).file("a", "abc");
    let csv = format!("MD5;Name\r\n{md5};a\r\n");
    t.file("set.csv", csv.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    for list in ["x.hdb", "set.csv"] {
        t.run(&format!("known build -o s.hmk --bad {list}")).code(0);
        t.run("known match --known-set s.hmk a").code(1).prints("\"category\":\"bad\"");
    }
});
