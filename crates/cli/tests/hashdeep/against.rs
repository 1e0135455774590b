//! Chosen command lines, one for each thing that a flag does.

use crate::lab::{COMMANDS, Lab, compare, installed, odd_tree, plain_tree};
use hashmill_testing::preloadable;
use std::fs;

fn words(line: &str) -> Vec<&str> {
    line.split_ascii_whitespace().collect()
}

fn same_all(lab: &Lab, name: &str, lines: &[&str]) {
    for line in lines {
        lab.same(name, &words(line));
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn hashdeep_is_the_same_flag_by_flag() {
    if !installed() {
        return;
    }
    let lab = Lab::new();
    odd_tree(&lab);
    same_all(
        &lab,
        "hashdeep",
        &[
            "",
            "-r tree",
            "-r odd feeds",
            "-rl tree",
            "-rl .",
            "-rl ./",
            "-r ..",
            "-r ../root/./tree/..",
            "-rb tree odd",
            "-r0 tree odd",
            "-r tree/a tree/a",
            "tree",
            "tree/b/up",
            "-rl tree/b/up",
            "-s -r tree",
            "-rj0 tree",
            "-rj 1 tree",
            "-rj16 tree",
            "-c md5 tree/a",
            "-c sha1,tiger,whirlpool -r tree",
            "-c SHA-256,MD5 tree/a",
            "-c sha1,,tiger tree/a",
            "-c sha1, tree/a",
            "-c - tree/a",
            "-c sha3 tree/a",
            "-c md5,nope tree/a",
            "-s -c nope",
            "-p 512 -r tree",
            "-p1k -l tree/sizes/1024 tree/sizes/0 tree/sizes/513",
            "-p 5",
            "-p 3",
            "-p 0 tree",
            "-p x tree",
            "-p 2x tree/b.txt",
            "-p -1 tree/b.txt",
            "-p 1e tree/a",
            "-s -p 0 tree",
            "-i 512 -r tree",
            "-i 1k -r tree",
            "-i 0 tree",
            "-I 0 tree",
            "-i 1zz tree",
            "-o f -r tree",
            "-o l -r tree",
            "-o fl -r tree",
            "-o fle -r tree program program.exe",
            "-o e -r tree program program.exe list",
            "-o q tree/a",
            "-o bcsd -r tree",
            "-f list",
            "-f list -r tree/b",
            "-rl -f list",
            "-f nolist",
            "-f",
            "-e -r tree",
            "-ep 512 -r tree/sizes",
            "-u -r tree",
            "-rlu tree",
            "-F b -r tree",
            "-Fu tree/a",
            "-Fm -r tree/sizes",
            "-F 0 tree/a",
            "-F1 tree/a",
            "-d -r tree",
            "-d",
            "-d -p 512 -r tree/sizes",
            "-dl -r tree",
            "-d -rv -j0 tree",
            "-d -0 tree/a",
            "-d -h",
            "-v -r tree",
            "-vvvv tree/a",
            "-V",
            "-Vh",
            "-h",
            "-hh",
            "-hhh",
            "-hhhh",
            "-h -h",
            "-h0",
            "-hB",
            "-Q",
            "-B tree",
            "-t tree/a",
            "-k",
            "-a -m",
            "-m -m",
            "-s -x -a",
            "-a tree",
            "-m tree",
            "-sa tree",
            "-b -l tree/a",
            "-sbl tree",
            "-C -D 0 tree/a",
            "-D tree/a",
            "tree/a -l tree/b.txt -- -r",
            "-- tree/a",
            "- tree/a",
            "-W out/side tree/a",
            "-W",
            "--",
            "--help",
            "-é",
            "/dev/null",
            "/etc/../dev/null",
            "//dev///null",
            "/dev/./null",
            "-l tree/b/../a",
            "tree/b/c/../../a",
        ],
    );
}

#[test]
fn the_commands_for_one_algorithm_are_the_same_flag_by_flag() {
    if !installed() {
        return;
    }
    let lab = Lab::new();
    odd_tree(&lab);
    for name in &COMMANDS[1..] {
        same_all(
            &lab,
            name,
            &["", "-r tree odd feeds", "-rz tree", "-p 512 -r tree/sizes", "-dr tree", "-h", "-v0 -Q"],
        );
    }
    same_all(
        &lab,
        "md5deep",
        &[
            "-rl tree",
            "-rb tree odd",
            "-r0 tree odd",
            "-rt tree",
            "-rtc tree",
            "-rc tree",
            "-rk tree",
            "-rck tree",
            "-rq tree",
            "-q",
            "-z",
            "-t",
            "-c",
            "-k",
            "-p 5",
            "-p 3",
            "-tp 5",
            "-cp5",
            "-qp5",
            "-zr tree",
            "-zcr tree",
            "-zkr tree",
            "-zqr tree",
            "-Zr tree",
            "-Zrt tree",
            "-Zrc tree",
            "-Zrk tree",
            "-Zrz tree",
            "-Z -p 512 -r tree",
            "-Zq tree/a",
            "-Ze -r tree",
            "-Z",
            "-zp 5 tree/a",
            "-I 512 -r tree",
            "-I 1k -zr tree",
            "-i 1k -r tree",
            "-I 512 -i 1k -r tree",
            "-I 10 -p 5 -r tree",
            "-I 10 -d -r tree",
            "-i 0 tree",
            "-I0 tree",
            "-p0 tree",
            "-n tree",
            "-w tree",
            "-d -p 2 tree/a",
            "-dr tree",
            "-d -t",
            "-s tree",
            "-S tree",
            "-u -rl tree",
            "-f list -l",
            "-o fle -rl tree program program.exe",
            "-v",
            "-vQ",
            "-hh",
            "-hhh",
            "-Q",
            "-m",
            "-E",
            "-W out/side tree/a",
            "-b -l tree/a",
            "-eZr tree/sizes",
            "-j0 -r tree",
            "-Fm -rl tree",
        ],
    );
}

/// Under a clock that advances by a second at each reading, 4.4 shows progress after every block. A busy machine makes
/// it do that now and then, and it must not count as a difference.
#[test]
fn progress_that_one_of_them_shows_is_no_difference() {
    if !installed() {
        return;
    }
    let mut lab = Lab::new();
    odd_tree(&lab);
    lab.write("tree/sizes/large", vec![b'x'; 3 << 20]);
    let Some(clock) = preloadable("clock", &lab.root()) else { return };
    for line in ["-eZr tree/sizes", "-e -r tree odd feeds", "-ep 512 -r tree/sizes"] {
        lab.variables.clear();
        let ours = lab.ours("md5deep", &words(line));
        lab.variables.push(("LD_PRELOAD", clock.display().to_string()));
        let theirs = lab.theirs("md5deep", &words(line));
        let shown = String::from_utf8_lossy(&theirs.err).matches("MB done").count();
        assert!(shown > 3, "{line}: {shown}");
        compare(line, &ours, &theirs);
    }
}

#[test]
fn the_output_file_gets_the_same() {
    if !installed() {
        return;
    }
    let lab = Lab::new();
    plain_tree(&lab);
    lab.shell("mkdir out; /usr/bin/hashdeep -r tree > out/known");
    for line in [
        "-W out/x -rl tree",
        "-W out/x -d -r tree",
        "-W out/x -a -vvv -k out/known -r tree",
        "-W out/x -h -0 tree",
        "-W out/x -M -k out/known -r tree",
    ] {
        let read = || {
            let text = fs::read_to_string(lab.root().join("out/x")).unwrap();
            let mut lines: Vec<String> = text.lines().map(String::from).collect();
            lines.sort();
            lines
        };
        lab.ours("hashdeep", &words(line));
        let ours = read();
        lab.same("hashdeep", &words(line));
        assert_eq!(ours, read(), "{line}");
    }
}

#[test]
fn posix_order_is_obeyed() {
    if !installed() {
        return;
    }
    let mut lab = Lab::new();
    plain_tree(&lab);
    lab.variables.push(("POSIXLY_CORRECT", "1".to_string()));
    lab.same("hashdeep", &words("-r -l tree -r"));
}

#[test]
fn commands_are_long_in_the_banner() {
    if !installed() {
        return;
    }
    let lab = Lab::new();
    plain_tree(&lab);
    let many = vec!["tree/sizes/../sizes/1024"; 200];
    lab.same("hashdeep", &many);
}
