//! Hundreds of command lines put together by a generator with a fixed seed.

use crate::lab::{Lab, compare, installed, odd_tree};
use hashmill_testing::{Random, cases};

const HASHDEEP: &[&str] = &[
    "-r",
    "-r",
    "-r",
    "-l",
    "-b",
    "-0",
    "-s",
    "-e",
    "-v",
    "-vv",
    "-d",
    "-w",
    "-E",
    "-j0",
    "-j3",
    "-c md5",
    "-c sha1,tiger",
    "-c whirlpool",
    "-c sha256,md5",
    "-p 512",
    "-p 1k",
    "-p 3b",
    "-i 512",
    "-i 8k",
    "-o f",
    "-o fl",
    "-o le",
    "-f list",
    "-k known",
    "-a -k known",
    "-m -k known",
    "-x -k known",
    "-M -k known",
    "-X -k known",
    "-avv -k known",
    "-avvv -k known",
    "-k plain",
    "-Fb",
    "-Fm",
    "-Fu",
    "-h",
    "-V",
    "-t",
    "-B",
    "-C",
    "-D 0",
];

const SINGLE: &[&str] = &[
    "-r",
    "-r",
    "-r",
    "-l",
    "-b",
    "-0",
    "-s",
    "-S",
    "-e",
    "-d",
    "-w",
    "-n",
    "-z",
    "-c",
    "-k",
    "-q",
    "-t",
    "-Z",
    "-j0",
    "-p 512",
    "-p 1k",
    "-i 512",
    "-I 512",
    "-I 1",
    "-o f",
    "-o fl",
    "-o e",
    "-f list",
    "-m plain",
    "-x plain",
    "-M plain",
    "-X plain",
    "-m known",
    "-a 51037a4a37730f52c8732586d3aaa316",
    "-A d41d8cd98f00b204e9800998ecf8427e",
    "-Fb",
    "-Fm",
    "-h",
    "-v",
    "-V -h",
    "-E",
];

const OPERANDS: &[&str] = &[
    "tree",
    "tree",
    "odd",
    "tree/a",
    "tree/b/",
    "tree/sizes",
    "tree/link",
    "tree/folder-link",
    "tree/sizes/0",
    ".",
    "tree/b/up",
    "tree/empty",
    "tree//b/../a",
    "program",
    "/dev/null",
];

fn line(random: &mut Random, flags: &[&'static str]) -> Vec<&'static str> {
    let mut words = Vec::new();
    for _ in 0..random.below(6) {
        words.extend(random.pick(flags).split(' '));
    }
    for _ in 0..random.below(3) {
        let at = random.below(3);
        let operand = *random.pick(OPERANDS);
        // Some before the flags.
        if at == 0 { words.insert(0, operand) } else { words.push(operand) }
    }
    words
}

/// Returns false for terms of use, which are our own, and for documents with names that make theirs invalid XML.
fn is_comparable(name: &str, words: &[&str]) -> bool {
    let terms = name != "hashdeep" && words.contains(&"-V");
    let odd = words.contains(&"odd") || words.contains(&".") || words.contains(&"tree/b/up");
    let names = words.contains(&"-d") && odd;
    !terms && !names
}

fn agree(name: &str, flags: &[&'static str], (count, seed): (usize, u64)) {
    if !installed() {
        return;
    }
    let lab = Lab::new();
    odd_tree(&lab);
    lab.shell("/usr/bin/hashdeep -r tree odd >known 2>/dev/null; /usr/bin/md5deep -r tree >plain 2>&-");
    let mut random = Random(seed);
    for _ in 0..cases(count) {
        let words = line(&mut random, flags);
        if !is_comparable(name, &words) {
            continue;
        }
        let theirs = lab.theirs(name, &words);
        let ours = lab.ours(name, &words);
        assert!(ours.code.is_some(), "{name} {words:?} died");
        if theirs.code.is_some() {
            compare(&format!("{name} {words:?}"), &ours, &theirs);
        }
    }
}

#[test]
fn hashdeep_agrees_on_random_command_lines() {
    agree("hashdeep", HASHDEEP, (75, 0x9e37_79b9_7f4a_7c15));
}

#[test]
fn hashdeep_agrees_on_more_random_command_lines() {
    agree("hashdeep", HASHDEEP, (75, 0xbf58_476d_1ce4_e5b9));
}

#[test]
#[ignore = "campaign: takes long"]
fn md5deep_agrees_on_random_command_lines() {
    agree("md5deep", SINGLE, (300, 0xd1b5_4a32_d192_ed03));
}

#[test]
fn sha256deep_agrees_on_random_command_lines() {
    agree("sha256deep", SINGLE, (100, 0x94d0_49bb_1331_11eb));
}

/// Digests of `same`, and pieces of what lists are made of.
const MD5: &str = "51037a4a37730f52c8732586d3aaa316";
const SHA256: &str = "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5";
const PARTS: &[&str] = &[
    MD5,
    MD5,
    SHA256,
    "51037a4a",
    "a",
    " ",
    "  ",
    ",",
    "(",
    ")",
    "=",
    " = ",
    "\"",
    "3",
    "         4  ",
    "\n",
    "\n",
    "\r\n",
    "#",
    "tree/a",
    "tree/b/copy",
    "MD5 (",
    "\0",
    "\t",
    "*",
    "\r",
];

const HEADS: &[&str] = &[
    "",
    "",
    "# comment\n",
    "V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512\n",
    "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\n",
];

const HASHDEEP_HEADS: &[&str] = &[
    "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n",
    "%%%% HASHDEEP-1.0\r\n%%%% size,md5,filename\r\n",
    "%%%% HASHDEEP-1.0\n%%%% size,filename,md5\n",
    "%%%% HASHDEEP-1.0\n%%%% size,md5,md5,,filename,x\n",
    "%%%% HASHDEEP-1.0\n%%%% Size,SHA-256,filename,\n",
];

fn list(random: &mut Random, heads: &[&str], rows: &[String]) -> String {
    let mut list = random.pick(heads).to_string();
    for _ in 0..1 + random.below(20) {
        let row = random.below(2 * rows.len() + 1);
        match rows.get(row) {
            Some(row) => list += row,
            None => list += *random.pick(PARTS),
        }
    }
    list
}

#[test]
#[ignore = "campaign: takes long"]
fn lists_put_together_at_random_are_read_the_same() {
    if !installed() {
        return;
    }
    let lab = Lab::new();
    lab.write("tree/a", "same");
    lab.write("tree/b/copy", "other");
    let rows = [
        format!("4,{MD5},{SHA256},tree/a\n"),
        format!("4,{},{SHA256},tree/a\n", MD5.to_uppercase()),
        format!("4,{MD5},tree/a\n"),
        format!("4,{SHA256},tree/b/copy\n"),
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..cases(150) {
        lab.write("list", list(&mut random, HEADS, &[]));
        let flags = *random.pick(&["-wrlm", "-wrlx", "-rlM", "-nrlm"]);
        lab.same("md5deep", &[flags, "list", "tree"]);
        lab.write("list", list(&mut random, HASHDEEP_HEADS, &rows));
        let flags = *random.pick(&["-avvvrlk", "-mwrlk", "-XErlk"]);
        let (ours, theirs) = (
            lab.ours("hashdeep", &[flags, "list", "tree"]),
            lab.theirs("hashdeep", &[flags, "list", "tree"]),
        );
        // Where a line is lost or fits in part, 4.4 may pass an audit and ours must not.
        let spoilt = |gave: &[u8], word: &str| String::from_utf8_lossy(gave).contains(word);
        if spoilt(&ours.err, "using anyway") || spoilt(&theirs.out, "collision") {
            assert_eq!((ours.err, ours.code), (theirs.err, theirs.code.map(|code| code.max(1))));
        } else {
            compare(&format!("hashdeep {flags} of {:?}", lab.read("list")), &ours, &theirs);
        }
    }
}
