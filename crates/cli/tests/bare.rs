//! `hash --bare`, a digest a line, and `hash -b`, names without folders.

use crate::case;
use crate::util::Place;
use hashmill_testing::is_root;

fn lines(t: &Place, args: &str, code: i32) -> Vec<String> {
    let ran = t.run(args).code(code);
    String::from_utf8(ran.stdout().to_vec()).unwrap().lines().map(String::from).collect()
}

const A: &str = "0cc175b9c0f1b6a831c399e269772661";
const B: &str = "92eb5ffee6ae2fec3ad71c777531578f";

case!(a_line_has_nothing_but_the_digest, |t| {
    t.file("a", "a").file("b", "b").file("d/1", "b").file("d/2", "a");
    assert_eq!(lines(t, "hash --bare -c md5 b a b", 0), [B, A, B]);
    assert_eq!(lines(t, "hash --bare -c md5 -j 4 a d b", 0), [A, B, A, B]);
    t.feed("hash --bare -c md5", "a").code(0).is(format!("{A}\n"));
    t.run("hash --bare -c md5 --text s3 a").code(0).is("DMF1ucDxtqgxw5niaXcmYQ==\n");
    t.run("hash --bare -c crc32,md5 a").code(64).says("name one algorithm with -c");
    t.run("hash --bare -f jsonl a").code(64);
    t.run("hash --bare --seal a").code(64);
    t.run("hash --bare -c md5 -o out a").code(0).is("");
    assert_eq!(t.read("out"), format!("{A}\n").as_bytes());
    t.run("hash --bare -c md5 -o a b").code(64).says("a: not replaced");
    assert_eq!(t.read("a"), b"a");
});

case!(what_has_no_digest_holds_its_place, |t| {
    t.file("a", "a").file("b", "b").file("d/a", "a").fifo("d/fifo").file("d/z", "b");
    t.file("e/a", "a").file("e/z", "b");
    let ran = t.run("hash --bare -c md5 a none b").code(2).says("none: ");
    ran.is(format!("{A}\n\n{B}\n"));
    let ran = t.run("hash --bare -c md5 d a").code(2).says("d/fifo: no digest: ");
    ran.is(format!("{A}\n\n{B}\n{A}\n"));
    t.file("list", "a\nnone\nb\n");
    assert_eq!(lines(t, "hash --bare -c md5 --files-from list", 2), [A, "", B]);
    // Excluded files get no line.
    assert_eq!(lines(t, "hash --bare -c md5 --exclude z e", 0), [A]);
    if !is_root() {
        t.shell("chmod 0 a").code(0);
        assert_eq!(lines(t, "hash --bare -c md5 a b", 2), ["", B]);
    }
});

case!(names_without_folders_are_those_of_hashdeep, |t| {
    t.file("tree/x", "a").file("tree/sub/y", "b").file("tree/sub/x", "c");
    let ran = t.run("hash -b -c md5 -f sums tree").code(0);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let names: Vec<&str> = text.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    assert_eq!(names, ["x", "y", "x"]);
    ran.says("WARNING: 1 file has the bare name of another; the first is tree/x");
    t.run("hash --bare-names -c md5 tree/x").code(0).quiet().prints(",x\n");
    if let Some(theirs) = t.other("hashdeep", "-c md5 -b -r -j0 tree") {
        let body = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            let mut lines: Vec<String> =
                text.lines().filter(|line| !line.starts_with(['%', '#'])).map(String::from).collect();
            lines.sort();
            lines
        };
        assert_eq!(body(t.run("hash -b -c md5 tree").code(0).stdout()), body(theirs.stdout()));
        let theirs = t.other("hashdeep", "-c md5 -l -r -j0 tree").unwrap();
        assert_eq!(body(t.run("hash -l -c md5 tree").code(0).stdout()), body(theirs.stdout()));
    }
    t.run("hash -b -l -c md5 tree").code(0).prints("tree/sub/x\n");
});

case!(bare_names_go_with_pieces_and_not_with_resume, |t| {
    t.file("a/x", vec![b'1'; 3000]).file("b/x", vec![b'2'; 3000]);
    let ran = t.run("hash -b -p 1000 -c md5 -f jsonl --order any -j 4 a b").code(0);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains("\"path\":\"x\"")).count(), 8);
    t.run("hash -b -o m a b").code(0).says("1 file has the bare name");
    assert!(t.leftovers().is_empty());
    t.run("hash -b --resume -o m a b").code(64);
});
