//! Where 4.4 is plainly wrong, ours is right: one test for each row of the table in `docs/hashdeep.md`.

use crate::lab::{Gave, Lab, STDIN, installed, odd_tree, plain_tree, tested};
use hashmill_testing::{is_root, preloadable};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Command;

const EMPTY: &str = "d41d8cd98f00b204e9800998ecf8427e";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Lines of digests, without the banner.
fn lines(gave: &Gave) -> Vec<String> {
    let text = text(&gave.out);
    text.lines().filter(|line| !line.starts_with(['%', '#'])).map(String::from).collect()
}

fn md5(bytes: &[u8]) -> String {
    hashmill_digest::hash(hashmill_digest::find("md5").unwrap(), bytes).to_string()
}

fn small_lab() -> Lab {
    let lab = Lab::new();
    lab.write("t/a", "same");
    lab.write("t/b", "other");
    let known = lab.ours("hashdeep", &["-rl", "t"]);
    lab.write("known", known.out);
    lab
}

#[test]
fn a_missing_operand_is_a_failure() {
    let lab = small_lab();
    let gave = lab.ours("hashdeep", &["-l", "nosuch", "t/a"]);
    assert_eq!((gave.code, lines(&gave).len()), (Some(1), 1));
    assert_eq!(text(&gave.err), "nosuch: No such file or directory\n");
    let audit = lab.ours("hashdeep", &["-alrk", "known", "t", "nosuch"]);
    assert_eq!((audit.code, text(&audit.out).as_str()), (Some(1), "hashdeep: Audit failed\n"));
    let audit = lab.ours("hashdeep", &["-alrk", "known", "t"]);
    assert_eq!((audit.code, text(&audit.out).as_str()), (Some(0), "hashdeep: Audit passed\n"));
    if installed() {
        assert_eq!(lab.theirs("hashdeep", &["nosuch"]).code, Some(0));
    }
}

#[test]
fn what_must_not_be_read_is_a_failure() {
    let mut lab = small_lab();
    lab.write("t/secret/file", "x");
    for path in ["t/b", "t/secret"] {
        fs::set_permissions(lab.root().join(path), fs::Permissions::from_mode(0o0)).unwrap();
    }
    lab.as_nobody();
    let ours = lab.ours("md5deep", &["-rl", "t"]);
    assert_eq!((ours.code, lines(&ours)), (Some(1), vec![format!("{}  t/a", md5(b"same"))]));
    assert_eq!(text(&ours.err), "t/b: Permission denied\nt/secret: Permission denied\n");
    if installed() {
        let theirs = lab.theirs("md5deep", &["-j0", "-rl", "t"]);
        assert_eq!((&ours.out, theirs.code), (&theirs.out, Some(0)));
    }
    let below = lab.ours("md5deep", &["-i1", "-rl", "t/b"]);
    assert_eq!((below.code, text(&below.err).as_str()), (Some(1), "t/b: Permission denied\n"));
    fs::set_permissions(lab.root().join("t/secret"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn pipes_and_devices_do_not_stop_the_walk() {
    let lab = small_lab();
    lab.shell("mkfifo t/pipe; mkfifo pipe; ln -s ../pipe t/link-to-pipe");
    let _listener = UnixListener::bind(lab.root().join("t/socket")).unwrap();
    if is_root() {
        lab.shell("mknod t/null c 1 3; mknod t/zero c 1 5 || true");
    }
    let gave = lab.ours("md5deep", &["-rl", "t", "pipe"]);
    assert_eq!(gave.code, Some(0));
    let said = text(&gave.err);
    for line in [
        "t/pipe: is a named pipe, skipped\n",
        "t/link-to-pipe: is a named pipe, skipped\n",
        "pipe: is a named pipe, skipped\n",
        "t/socket: No such device or address\n",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert_eq!(said.contains("t/zero: is a character device, skipped\n"), is_root());
    let shown = lines(&gave);
    assert_eq!(shown.contains(&format!("{EMPTY}  t/null")), is_root());
    assert!(shown.contains(&format!("{}  t/a", md5(b"same"))));
    let piped = lab.ours("md5deep", &["-o", "p", "-l", "pipe"]);
    assert_eq!((piped.code, piped.out.len()), (Some(0), 0));
}

#[test]
fn pipes_without_a_name_are_read() {
    let lab = small_lab();
    let gave = lab.ours("md5deep", &["-l", "/dev/stdin"]);
    assert_eq!(text(&gave.out), format!("{}  /dev/stdin\n", md5(STDIN)));
}

#[test]
fn files_of_proc_are_read_to_their_end() {
    let lab = small_lab();
    let bytes = fs::read("/proc/version").unwrap();
    let gave = lab.ours("hashdeep", &["-c", "md5", "/proc/version"]);
    assert_eq!(lines(&gave), [format!("{},{},/proc/version", bytes.len(), md5(&bytes))]);
    let gave = lab.ours("md5deep", &["-p", "1m", "/proc/version"]);
    assert_eq!(lines(&gave), [format!("{}  /proc/version offset 0-{}", md5(&bytes), bytes.len() - 1)]);
}

#[test]
fn a_read_that_fails_shows_no_digest() {
    let mut lab = small_lab();
    let Some(library) = preloadable("fault", &lab.root()) else { return };
    lab.write("t/long", vec![7; 4 << 20]);
    let variables = [("FAULT_PATH", "t/long"), ("FAULT_AFTER", "1048576"), ("FAULT_ERRNO", "ESTALE")];
    lab.variables = variables.map(|(name, value)| (name, value.to_string())).to_vec();
    lab.variables.push(("LD_PRELOAD", library.display().to_string()));
    let gave = lab.ours("md5deep", &["-rl", "t"]);
    assert_eq!((gave.code, lines(&gave).len()), (Some(1), 2));
    assert_eq!(text(&gave.err), "t/long: error at offset 1048576: Stale file handle\n");
    let gave = lab.ours("md5deep", &["-rl", "-d", "t"]);
    assert!(text(&gave.out).contains("<error>error at offset 1048576: Stale file handle</error>"));
    assert_eq!(text(&gave.out).matches("<hashdigest").count(), 2);
}

#[test]
fn a_list_with_a_lost_line_fails_the_audit() {
    let lab = small_lab();
    lab.shell("(cat known; echo '3,zz,zz,t/c') > bad");
    let gave = lab.ours("hashdeep", &["-alrk", "bad", "t"]);
    assert_eq!((gave.code, text(&gave.out).as_str()), (Some(1), "hashdeep: Audit failed\n"));
    let said =
        "hashdeep: bad: Invalid md5 hash in line 8\nhashdeep: bad: contains some bad hashes, using anyway\n";
    assert_eq!(text(&gave.err), said);
    if installed() {
        let theirs = lab.theirs("hashdeep", &["-alrk", "bad", "t"]);
        assert_eq!((theirs.code, text(&theirs.err).as_str()), (Some(0), said));
    }
}

#[test]
fn a_file_that_fits_only_in_part_fails_the_audit() {
    let lab = small_lab();
    lab.shell("sed 's/^4,/5,/' known > part");
    let gave = lab.ours("hashdeep", &["-alrvk", "part", "t"]);
    assert_eq!(gave.code, Some(1));
    let said = text(&gave.out);
    assert!(said.contains("t/a: Hash collision with t/a\nhashdeep: Audit failed\n"), "{said}");
    assert!(said.contains("Files partially matched: 1\n"));
}

#[test]
fn names_with_line_feeds_pass_their_own_audit() {
    let lab = Lab::new();
    for name in ["one\ntwo", "a\n\nb", "plain", "comma,\nfeed", "last\n"] {
        lab.write(format!("t/{name}"), format!("content of {name}"));
    }
    let known = lab.ours("hashdeep", &["-rl", "t"]);
    lab.write("known", known.out);
    let gave = lab.ours("hashdeep", &["-alrvk", "known", "t"]);
    assert_eq!((gave.code, text(&gave.err).as_str()), (Some(0), ""));
    assert!(text(&gave.out).contains("          Files matched: 5\n"), "{}", text(&gave.out));
    fs::rename(lab.root().join("t/one\ntwo"), lab.root().join("t/one\nthree")).unwrap();
    assert_eq!(lab.ours("hashdeep", &["-alrk", "known", "t"]).code, Some(1));
}

#[test]
fn names_that_hashmill_escapes_are_read() {
    let lab = Lab::new();
    for name in ["one\ntwo", "back\\slash", "return\r"] {
        lab.write(format!("t/{name}"), name);
    }
    let known = Command::new(tested())
        .args(["hash", "-c", "md5,sha256", "t"])
        .current_dir(lab.root())
        .output()
        .unwrap();
    lab.write("known", known.stdout);
    let gave = lab.ours("hashdeep", &["-alrvk", "known", "t"]);
    assert_eq!((gave.code, text(&gave.err).as_str()), (Some(0), ""), "{}", text(&gave.out));
    assert!(text(&gave.out).contains("          Files matched: 3\n"));
}

#[test]
fn lines_and_paths_may_be_of_any_length() {
    let lab = Lab::new();
    let step = "d".repeat(200);
    // The deepest first, so that no path is too long while the tree is made.
    let raise = format!("mkdir up; mv {step} up/{step}; mv up {step}");
    lab.shell(&format!("mkdir {step}; printf deep > {step}/file; for i in $(seq 29); do {raise}; done"));
    lab.shell(&format!("mkdir t; mv {step} t/{step}"));
    let gave = lab.ours("hashdeep", &["-rl", "t"]);
    assert_eq!((gave.code, text(&gave.err).as_str()), (Some(0), ""));
    let path = format!("t/{}file", format!("{step}/").repeat(30));
    assert!(path.len() > 4096 && lines(&gave)[0].ends_with(&format!(",{path}")));
    lab.write("known", gave.out);
    let audit = lab.ours("hashdeep", &["-alrk", "known", "t"]);
    assert_eq!((audit.code, text(&audit.out).as_str()), (Some(0), "hashdeep: Audit passed\n"));
    let triage = lab.ours("md5deep", &["-Zrl", "t"]);
    assert_eq!(text(&triage.out), format!("4\t{0}\t{0}\t{path}\n", md5(b"deep")));
}

#[test]
fn documents_are_xml_whatever_the_names_are() {
    let lab = Lab::new();
    odd_tree(&lab);
    let gave = lab.ours("hashdeep", &["-drl", "odd"]);
    let document = String::from_utf8(gave.out).unwrap();
    let name = "<filename>odd/not\u{fffd}utf8</filename>\n    \
                <hashmill:path_b64 xmlns:hashmill='urn:hashmill:dfxml'>b2RkL25vdP91dGY4</hashmill:path_b64>\n";
    assert!(document.contains(name));
    assert!(document.contains("<filename>odd/\u{fffd}control</filename>"));
    assert!(!document.contains('\u{1}'));
}

#[test]
fn command_lines_that_kill_4_4_do_not_kill_ours() {
    let lab = small_lab();
    let all = lab.ours("hashdeep", &["-c", "all", "-l", "t/a"]);
    assert_eq!((all.code, lines(&all)[0].split(',').count()), (Some(0), 7));
    let stars = lab.ours("hashdeep", &["-c", "md5", "-I", "4", "-l", "t/a", "t/b"]);
    assert_eq!(lines(&stars), [format!("4,{},t/a", md5(b"same")), format!("5,{},t/b", "*".repeat(32))]);
    let mode = lab.ours("hashdeep", &["-F", "x", "t/a"]);
    assert_eq!((mode.code, text(&mode.err).as_str()), (Some(1), "Invalid iomode 'x'\n"));
    let none = lab.ours("hashdeep", &["-c", "", "t/a"]);
    assert_eq!((none.code, none.out.len()), (Some(1), 0));
    let list = lab.ours("md5deep", &["-f", "t"]);
    assert_eq!((list.code, text(&list.err).as_str()), (Some(1), "Cannot open t: Is a directory\n"));
    let root = lab.ours("md5deep", &["/../dev/null"]);
    assert_eq!(text(&root.out), format!("{EMPTY}  /dev/null\n"));
    lab.shell("printf x > \"$(printf 't/\\377\\303\\251')\"");
    let escaped = lab.ours("md5deep", &["-url", "t"]);
    assert!(escaped.out.windows(7).any(|part| part == b"  t/\xff\xe9\n"));
}

#[test]
fn lists_that_4_4_can_not_read_are_read() {
    let lab = small_lab();
    let digest = md5(b"same");
    lab.write(
        "keeper",
        format!(
            "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\",\
             \"time_modified\",\"time_zone\",\"comments\",\"date_accessed\",\"time_accessed\"\r\n\
             1,2,\"a, b\",\"d\",\"{digest}\",4,,,,,,\r\n"
        ),
    );
    let ilook = "V1Hash,HashType,SetDescription,FileName,FilePath,FileSize";
    lab.write("ilook", format!("{ilook}\n{digest},MD5,x,a,p,4\n"));
    lab.write("plain", format!("{digest}  a\n"));
    for (list, name) in [("keeper", "a, b"), ("ilook", "a")] {
        let gave = lab.ours("md5deep", &["-lrwm", list, "t"]);
        assert_eq!((gave.code, text(&gave.err).as_str()), (Some(0), ""));
        assert_eq!(text(&gave.out), format!("t/a matched {name}\n"));
    }
    let piped = lab.ours("md5deep", &["-lrm", "/dev/stdin", "t"]);
    assert_eq!(piped.code, Some(64));
}

#[test]
fn what_can_not_be_written_is_a_failure() {
    let lab = small_lab();
    let gave = lab.ours("hashdeep", &["-W", "/dev/full", "-l", "t/a"]);
    assert_eq!(gave.code, Some(1));
    assert_eq!(text(&gave.err), "hashdeep: write failed: No space left on device\n");
}

#[test]
fn a_run_does_not_hash_its_own_output() {
    let lab = small_lab();
    let gave = lab.ours("hashdeep", &["-W", "t/out", "-rl", "t"]);
    assert_eq!(
        (gave.code, text(&gave.err).as_str()),
        (Some(0), "t/out: is the output of this run, skipped\n")
    );
    let written = fs::read_to_string(lab.root().join("t/out")).unwrap();
    assert!(!written.contains(",t/out\n") && written.ends_with(",t/b\n"));
}

#[test]
fn two_runs_give_the_same_bytes() {
    let lab = Lab::new();
    plain_tree(&lab);
    odd_tree_again(&lab);
    let first = lab.ours("md5deep", &["-rl", "tree"]);
    for threads in ["-j0", "-j1", "-j7"] {
        assert_eq!(first, lab.ours("md5deep", &[threads, "-rl", "tree"]));
    }
    let paths: Vec<String> = lines(&first).iter().map(|line| line[34..].to_string()).collect();
    assert!(paths.is_sorted());
}

/// Names that sort between a directory and its content.
fn odd_tree_again(lab: &Lab) {
    for name in ["tree/b!", "tree/b-", "tree/b0", "tree/b/!"] {
        lab.write(name, name);
    }
}

#[test]
fn the_command_may_be_a_word_of_hashmill() {
    let lab = small_lab();
    let output =
        Command::new(tested()).args(["md5deep", "-l", "t/a"]).current_dir(lab.root()).output().unwrap();
    assert_eq!(text(&output.stdout), format!("{}  t/a\n", md5(b"same")));
}
