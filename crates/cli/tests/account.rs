//! The account over the commands: what has bytes is hashed or told, wherever it lies and whatever it is called, and exit
//! code 0 means that nothing was passed over.
//!
//! Each case makes a tree with payloads in files, in archives under every mode, on an image, and below odd names, and knows
//! all of them. Whatever a command says of the tree is compared with that.

use crate::util::{ODD, Place, Ran, digest};
use hashmill_testing::samples::zip::{Member, archive, member};
use hashmill_testing::{Random, cases, is_name};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Modes that the header of a member can claim; each comes with stored bytes.
const MODES: [u32; 8] =
    [0o100_644, 0o120_777, 0o010_644, 0o020_644, 0o060_644, 0o140_644, 0o000_644, 0o150_644];

/// A tree below `tree`, and the SHA-256 of all that has bytes in it.
struct OddTree {
    payloads: BTreeSet<String>,
    /// The paths of files that hold payloads themselves.
    files: Vec<String>,
    random: Random,
}

impl OddTree {
    fn new(t: &Place, seed: u64) -> OddTree {
        let mut tree = OddTree { payloads: BTreeSet::new(), files: Vec::new(), random: Random(seed) };
        tree.file(t, "tree/plain.bin");
        for number in 0..3 + tree.random.below(8) {
            let name = tree.name(number);
            match tree.random.below(9) {
                0 => drop(t.fifo(&format!("tree/fifo{number}"))),
                1 => drop(t.link(&format!("tree/link{number}"), "nowhere")),
                2 => tree.zip(t, &format!("tree/{number}.zip")),
                3 => tree.tar(t, &format!("tree/{number}.tar")),
                4 => tree.image(t, &format!("tree/{number}.img")),
                _ => tree.file(t, &name),
            }
        }
        tree.zip(t, "tree/plain.zip");
        tree
    }

    /// Returns a path for a file, some in folders and some odd.
    fn name(&mut self, number: usize) -> String {
        let odd: Vec<&str> =
            ODD.iter().filter(|name| is_name(name)).filter_map(|name| str::from_utf8(name).ok()).collect();
        let folder = if self.random.one_in(3) { format!("tree/f{number}/.hidden") } else { "tree".into() };
        format!("{folder}/{number}{}", self.random.pick(&odd))
    }

    fn payload(&mut self) -> Vec<u8> {
        let length = 1 + self.random.below(3000);
        let content = self.random.bytes(length);
        self.payloads.insert(digest("sha256", &content));
        content
    }

    fn file(&mut self, t: &Place, path: &str) {
        let content = self.payload();
        t.file(path, content);
        self.files.push(path.into());
    }

    fn zip(&mut self, t: &Place, path: &str) {
        let members: Vec<Member> = (0..1 + self.random.below(4))
            .map(|number| {
                let (content, mode) = (self.payload(), *self.random.pick(&MODES));
                Member { mode, deflated: self.random.one_in(2), ..member(&format!("m{number}"), content) }
            })
            .collect();
        self.held(t, path, archive(&members));
    }

    fn tar(&mut self, t: &Place, path: &str) {
        let mut bytes = Vec::new();
        for number in 0..1 + self.random.below(4) {
            let content = self.payload();
            bytes.extend(header(&format!("m{number}"), content.len()));
            bytes.extend(&content);
            bytes.resize(bytes.len().next_multiple_of(512), 0);
        }
        bytes.resize(bytes.len() + 1024, 0);
        self.held(t, path, bytes);
    }

    fn image(&mut self, t: &Place, path: &str) {
        let files: Vec<Vec<u8>> = (0..1 + self.random.below(4)).map(|_| self.payload()).collect();
        self.held(t, path, fat(&files));
    }

    /// Writes an archive or an image, which is a payload itself.
    fn held(&mut self, t: &Place, path: &str, bytes: Vec<u8>) {
        self.payloads.insert(digest("sha256", &bytes));
        t.file(path, bytes);
    }
}

/// Returns the header of a file in a tar (POSIX.1-1988, ustar).
fn header(name: &str, size: usize) -> [u8; 512] {
    let mut block = [0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[148..156].copy_from_slice(b"        ");
    block[156] = b'0';
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Returns a FAT file system with these files (Microsoft, "FAT: General Overview of On-Disk Format", 1.03).
fn fat(files: &[Vec<u8>]) -> Vec<u8> {
    const CLUSTERS: u16 = 200;
    const TABLE: usize = 3 * 512;
    let mut boot = [0; 512];
    boot[..11].copy_from_slice(b"\xeb\x3c\x90MSDOS5.0");
    // Bytes of a sector, sectors of a cluster, reserved ones, tables, entries of the root, all sectors, sectors of a table.
    boot[11..24].copy_from_slice(&[0, 2, 1, 1, 0, 2, 16, 0, (CLUSTERS + 8) as u8, 0, 0xf8, 3, 0]);
    boot[24..28].copy_from_slice(&[32, 0, 2, 0]);
    boot[38] = 0x29;
    boot[54..62].copy_from_slice(b"FAT12   ");
    boot[510..].copy_from_slice(&[0x55, 0xaa]);
    let (mut chain, mut root, mut data) = (vec![0xff8_u16, 0xfff], Vec::new(), Vec::new());
    for (number, content) in files.iter().enumerate() {
        let (first, count) = (chain.len() as u16, content.len().div_ceil(512) as u16);
        chain.extend((1..count).map(|next| first + next).chain([0xfff]));
        root.extend(format!("M{number}      BIN").bytes().chain([0x20]).chain([0; 14]));
        root.extend(first.to_le_bytes());
        root.extend((content.len() as u32).to_le_bytes());
        data.extend(content);
        data.resize(data.len().next_multiple_of(512), 0);
    }
    let entry = |place: usize| u32::from(chain.get(place).copied().unwrap_or(0));
    let pairs = (0..chain.len()).step_by(2).map(|place| entry(place) | entry(place + 1) << 12);
    let mut table: Vec<u8> = pairs.flat_map(|pair| pair.to_le_bytes()[..3].to_vec()).collect();
    table.resize(TABLE, 0);
    root.resize(512, 0);
    data.resize(usize::from(CLUSTERS) * 512, 0);
    [&boot[..], &table, &table, &root, &data].concat()
}

/// Returns the digests of records whose status is `hashed`.
fn hashed(ran: &Ran) -> BTreeSet<String> {
    let lines = str::from_utf8(ran.stdout()).unwrap().lines();
    let records = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter_map(|record| record["sha256"].as_str().map(String::from)).collect()
}

fn each_tree(test: impl Fn(&Place, &mut OddTree)) {
    for seed in 0..cases(6) as u64 {
        let t = Place::new();
        let mut tree = OddTree::new(&t, seed);
        test(&t, &mut tree);
    }
}

#[test]
fn what_has_bytes_is_hashed_or_told() {
    each_tree(|t, tree| {
        let ran = t.run("hash -c sha256 --inside all -f jsonl --stats=json tree");
        let found = hashed(&ran);
        let lost: Vec<_> = tree.payloads.difference(&found).collect();
        assert!(lost.is_empty() || ran.exit() == Some(2), "{lost:?}\n{}", ran.stderr());
        assert!(lost.is_empty(), "{lost:?} {}", ran.stderr());
    });
}

#[test]
fn a_known_bad_payload_is_found_wherever_it_lies() {
    each_tree(|t, tree| {
        let payloads: Vec<String> = tree.payloads.iter().cloned().collect();
        let bad = tree.random.pick(&payloads).clone();
        t.file("bad", format!("{bad}\n"));
        t.run("known build -o set.hmk --bad bad").code(0);
        let ran = t.run("known match -k set.hmk --inside all --show bad tree");
        assert_eq!(ran.exit(), Some(1), "{bad}: {}", ran.stderr());
    });
}

#[test]
fn each_change_of_content_is_a_difference() {
    each_tree(|t, tree| {
        t.run("hash -c sha256 --inside all -f jsonl -o m.jsonl tree").code(0);
        t.run("hash -c sha256 -f sums -o sums tree").code(0);
        t.shell("cp -a tree before").code(0);
        t.run("audit -k m.jsonl --inside all tree").code(0);
        t.run("diff --inside all before tree").code(0);
        t.run("check sums").code(0);
        let files = tree.files.clone();
        let path = tree.random.pick(&files).clone();
        let before = t.read(&path);
        let mut changed = before.clone();
        let at = tree.random.below(changed.len());
        changed[at] ^= 1;
        t.file(&path, changed);
        t.run("audit -k m.jsonl --inside all tree").code(1);
        t.run("diff --inside all before tree").code(1);
        t.run("check sums").code(1);
        t.file(&path, before).file("tree/added", "added");
        t.run("audit -k m.jsonl --inside all tree").code(1).prints("added");
        t.remove("tree/added").remove(&path);
        t.run("audit -k m.jsonl --inside all tree").code(1).prints("missing");
        t.run("check sums").code(1);
    });
}

/// Returns the number of all items of a kind in an account.
fn met(account: &Value, kind: &str) -> u64 {
    account[kind].as_object().unwrap().values().map(|number| number.as_u64().unwrap()).sum()
}

#[test]
fn each_entry_has_one_outcome() {
    each_tree(|t, _| {
        let ran = t.run("hash -c sha256 --inside all -f jsonl --stats=json tree").code(0);
        let (text, messages) = (String::from_utf8(ran.stdout().to_vec()).unwrap(), ran.stderr());
        let of = |status: &str| text.matches(&format!("\"status\":\"{status}\"")).count() as u64;
        let stats: Value =
            serde_json::from_str(messages.lines().find(|line| line.starts_with('{')).unwrap()).unwrap();
        let account = &stats["account"];
        assert_eq!(account["entries"]["done"], of("hashed"), "{account}");
        assert_eq!(account["entries"]["no_bytes"].as_u64().unwrap_or(0), of("skipped"), "{account}");
        assert_eq!(met(account, "entries"), stats["seen"].as_u64().unwrap(), "{account}");
    });
}

#[test]
fn each_file_has_one_outcome_in_other_commands() {
    each_tree(|t, tree| {
        let of_kind = |kind: &str| t.shell(&format!("find tree {kind} -printf x")).stdout().len() as u64;
        let (files, others) = (of_kind("-type f"), of_kind("! -type f ! -type d"));
        let account = t.run("dupes -f json tree").code(0).json()["account"].clone();
        assert_eq!(met(&account, "entries"), files + others, "{account}");
        let account = t.run("dupes -f json --exclude * tree").code(0).json()["account"].clone();
        assert_eq!(account["entries"]["left_out"], met(&account, "entries"), "{account}");
        // Of known bad files, none is done as well.
        let bad = tree.random.pick(&tree.payloads.iter().cloned().collect::<Vec<_>>()).clone();
        t.file("bad", format!("{bad}\n")).run("known build -o set.hmk --bad bad").code(0);
        let built = t.run("known build -o other.hmk --bad bad -f json").code(0).json();
        assert_eq!(met(&built["account"], "records"), 1, "{built}");
        let ran = t.run("known match -k set.hmk --inside all --stats=json tree").code(1).stderr().to_string();
        let stats: Value =
            serde_json::from_str(ran.lines().find(|line| line.starts_with('{')).unwrap()).unwrap();
        assert_eq!(met(&stats["account"], "entries"), stats["seen"].as_u64().unwrap(), "{stats}");
        // A bag.
        t.shell("cp -a tree bag && find bag ! -type f ! -type d -delete").code(0);
        if t.run("bag create bag").exit() == Some(0) {
            let path = format!("bag/data/{}", tree.random.pick(&tree.files).strip_prefix("tree/").unwrap());
            let account = t.run("bag verify -f json bag").code(0).json()["account"].clone();
            assert_eq!(account["entries"]["done"], files, "{account}");
            t.file(&path, "changed");
            let account = t.run("bag verify -f json bag").code(1).json()["account"].clone();
            assert_eq!(
                (met(&account, "entries"), &account["entries"]["differs"]),
                (files, &1.into()),
                "{account}"
            );
        }
    });
}

/// Returns the sum of the accounts of the elements of a list.
fn sum_of(list: &Value, kind: &str, outcome: &str) -> u64 {
    let elements = list.as_array().unwrap().iter();
    elements.map(|element| element["account"][kind][outcome].as_u64().unwrap_or(0)).sum()
}

#[test]
fn each_digest_that_is_asked_for_has_one_outcome() {
    each_tree(|t, tree| {
        t.run("hash -c sha256 -f jsonl -o m.jsonl tree").code(0);
        let files: Vec<String> = hashed(&t.shell("cat m.jsonl").code(0)).into_iter().collect();
        let bad = tree.random.pick(&files).clone();
        t.file("bad", format!("{bad}\n")).run("known build -o set.hmk --bad bad").code(0);
        t.file("asked", files.join("\n") + "\nno digest\n");
        let list = t.run("known query -k set.hmk --from asked -f json").code(2).json();
        let of = |outcome| sum_of(&list, "records", outcome);
        assert_eq!((of("done"), of("differs"), of("failed")), (files.len() as u64 - 1, 1, 1), "{list}");
        // The records of a manifest: one was not read, one has no digest, and one has a digest that no set has.
        let more = [
            r#"{"path":"x","size":1,"status":"unreadable","reason":"EIO"}"#,
            r#"{"path":"y","size":1,"status":"hashed"}"#,
            r#"{"path":"z","size":1,"status":"hashed","md5":"900150983cd24fb0d6963f7d28e17f72"}"#,
        ];
        t.file("more", more.join("\n")).shell("cat m.jsonl more > all.jsonl").code(0);
        let records = String::from_utf8(t.read("all.jsonl")).unwrap().lines().count() as u64;
        let ran = t.run("known match -k set.hmk --manifest all.jsonl --stats=json").code(2);
        let messages = ran.stderr();
        let stats = messages.lines().find(|line| line.starts_with('{')).unwrap();
        let account = serde_json::from_str::<Value>(stats).unwrap()["account"].clone();
        assert_eq!(met(&account, "records"), records, "{account}");
        assert_eq!((&account["records"]["failed"], &account["records"]["differs"]), (&3.into(), &1.into()));
    });
}

#[test]
fn each_entry_of_an_image_and_of_a_bag_has_one_outcome() {
    each_tree(|t, tree| {
        let files: Vec<Vec<u8>> = (0..1 + tree.random.below(4)).map(|_| tree.payload()).collect();
        t.file("a.img", fat(&files)).file("none.img", vec![1; 4096]);
        let list = t.run("image list -f json a.img").code(0).json();
        assert_eq!(sum_of(&list, "entries", "done"), list.as_array().unwrap().len() as u64, "{list}");
        let list = t.run("image list -f json none.img gone.img").code(2).json();
        let lacks = ["unusable", "failed"].map(|outcome| sum_of(&list, "containers", outcome));
        assert_eq!(lacks, [1, 1], "{list}");
        t.shell("cp -a tree bag && find bag ! -type f ! -type d -delete").code(0);
        let files = t.shell("find bag -type f -printf x").stdout().len();
        let document = t.run("bag create -f json bag").json();
        let wanted = match document["refused"].as_u64() {
            Some(refused) => json!({"entries": {"failed": refused}}),
            None => json!({"entries": {"done": files}}),
        };
        assert_eq!(document["account"], wanted, "{document}");
    });
}

#[test]
fn each_record_has_one_outcome() {
    each_tree(|t, tree| {
        t.run("hash -c sha256 -f jsonl -o m.jsonl tree").code(0);
        t.shell("cp -a tree before").code(0);
        let records = hashed(&t.shell("cat m.jsonl").code(0)).len() as u64;
        let path = tree.random.pick(&tree.files.clone()).clone();
        t.file(&path, "changed").file("tree/added", "added").remove("tree/plain.zip");
        for (run, wanted) in [
            ("audit -f json -k m.jsonl tree", records + 1),
            ("diff -f json m.jsonl tree", records + 1),
            ("diff -f json before tree", records + 1),
            ("check -f json m.jsonl", records),
        ] {
            let account = t.run(run).code(1).json()["account"].clone();
            assert_eq!(met(&account, "records"), wanted, "{run}: {account}");
            assert_eq!(account["records"]["differs"], wanted - records + 2, "{run}: {account}");
        }
        // A line that is not understood, and a list that is not there.
        t.shell("(cat m.jsonl; echo '{\"path\":\"x\",\"status\":\"hashed\"}') > bad.jsonl").code(0);
        for run in
            ["audit -f json -k bad.jsonl tree", "diff -f json bad.jsonl tree", "check -f json bad.jsonl gone"]
        {
            let account = t.run(run).code(2).json()["account"].clone();
            assert_eq!(account["records"]["failed"], 1, "{run}: {account}");
        }
    });
}

#[test]
fn a_scrub_finds_each_change() {
    each_tree(|t, tree| {
        t.run("scrub tree --state s").code(0);
        let path = tree.random.pick(&tree.files.clone()).clone();
        let mut content = t.read(&path);
        content[0] ^= 1;
        let meta = t.path(&path).metadata().unwrap();
        t.file(&path, content);
        std::fs::File::options()
            .write(true)
            .open(t.path(&path))
            .unwrap()
            .set_modified(meta.modified().unwrap())
            .unwrap();
        t.remove("tree/plain.zip").fifo("tree/plain.zip");
        let json = t.run("scrub tree --state s -f json").code(1).json();
        assert_eq!(
            (&json["counts"]["missing"], &json["counts"]["differs"]),
            (&1.into(), &1.into()),
            "{json}"
        );
        // It stays found.
        t.run("scrub tree --state s").code(1);
    });
}

#[test]
fn equal_payloads_are_duplicates_wherever_they_lie() {
    each_tree(|t, tree| {
        t.shell("cp -a tree copy").code(0);
        let text = t.run("dupes -c sha256 --inside all -f json tree copy").code(0).json();
        let groups = text["groups"].as_array().unwrap();
        let found: BTreeSet<String> =
            groups.iter().map(|group| group["sha256"].as_str().unwrap_or_default().to_string()).collect();
        let files = |group: &Value| group["files"].as_array().map_or(0, Vec::len);
        assert!(found.len() >= tree.payloads.len() && groups.iter().all(|group| files(group) >= 2), "{text}");
    });
}

#[test]
fn each_record_survives_a_conversion() {
    each_tree(|t, tree| {
        t.run("hash -c sha256 --inside all -f jsonl -o m.jsonl tree").code(0);
        for between in ["csv", "sqlite", "parquet"] {
            t.run(&format!("convert m.jsonl m.{between}")).code(0);
            t.run(&format!("convert m.{between} again.jsonl --force")).code(0);
            assert_eq!(hashed(&t.shell("cat again.jsonl").code(0)), hashed(&t.shell("cat m.jsonl").code(0)));
            t.run(&format!("diff m.jsonl m.{between}")).code(0);
        }
        // Each one is known then.
        t.run("known build -o set.hmk --bad m.jsonl").code(0);
        for payload in &tree.payloads {
            t.run(&format!("known query -k set.hmk {payload}")).code(1);
        }
    });
}

#[test]
fn a_bag_finds_each_change() {
    each_tree(|t, tree| {
        // A bag has files alone.
        t.shell("find tree ! -type f ! -type d -delete; $hashmill bag create -c sha256 tree -o bag").code(0);
        t.run("bag verify bag").code(0);
        let path = tree.random.pick(&tree.files.clone()).replacen("tree", "bag/data", 1);
        let content = t.read(&path);
        let mut changed = content.clone();
        changed[0] ^= 1;
        t.file(&path, changed).run("bag verify bag").code(1);
        t.file(&path, content).file("bag/data/added", "added").run("bag verify bag").code(1);
        t.remove("bag/data/added").remove(&path).run("bag verify bag").code(1);
        t.link(&path, "plain.bin").run("bag verify bag").code(1);
    });
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_tells_it_and_replaces_nothing() {
    let t = &Place::new();
    let tree = OddTree::new(t, 7);
    t.file("m.jsonl", "").fifo("waits");
    let waits = "timeout --preserve-status -s INT 1 $hashmill";
    t.shell(&format!("{waits} hash -c sha256 -f jsonl --force -o m.jsonl tree waits")).code(130);
    assert!(t.read("m.jsonl").is_empty());
    t.run("hash -c sha256 -f jsonl -o m.jsonl --resume --force tree").code(0);
    let found = hashed(&t.shell("cat m.jsonl").code(0));
    let files: BTreeSet<String> = tree.files.iter().map(|path| digest("sha256", t.read(path))).collect();
    assert!(files.is_subset(&found));
    t.run("known build -o set.hmk --bad m.jsonl").code(0);
    for line in ["known match -k set.hmk tree waits", "similar digest -c ssdeep tree waits"] {
        t.shell(&format!("{waits} {line}")).code(130);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_is_not_written_is_told() {
    each_tree(|t, _| {
        t.run("hash -c sha256 -f jsonl -o m.jsonl tree").code(0);
        t.run("known build -o set.hmk --bad m.jsonl").code(0);
        for line in [
            "hash tree",
            "audit -vv -k m.jsonl tree",
            "check m.jsonl",
            "diff -v m.jsonl tree",
            "convert m.jsonl -f csv -",
            "merge m.jsonl m.jsonl",
            "dupes -f json tree",
            "dupes -f json --manifest m.jsonl",
            "scrub tree --state s -f json",
            "known match -k set.hmk tree",
            "known query -k set.hmk d41d8cd98f00b204e9800998ecf8427e",
            "similar digest -c ssdeep tree/plain.bin",
            "tree -c swhid tree/plain.zip",
        ] {
            let full = t.shell(&format!("$hashmill {line} > /dev/full"));
            assert!(full.exit().is_some_and(|code| code != 0), "{line}: {}", full.stderr());
        }
        t.shell("$hashmill hash tree -f csv -o /dev/full").code(2);
    });
}
