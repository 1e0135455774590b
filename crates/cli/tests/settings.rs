//! Options that are not typed: variables, the user's file, the file of a project.

use crate::case;
use crate::util::Place;

fn user(t: &Place, text: &str) {
    t.file("settings/hashmill/config.toml", text);
}

case!(what_is_typed_counts_before_what_is_set, |t| {
    t.file("a", "abc");
    let by = |line: &str| {
        String::from_utf8(t.shell(line).code(0).stdout().to_vec()).unwrap().trim_end().to_string()
    };
    let digits = |line: &str| by(line).split(' ').next().unwrap().len();
    user(t, "[hash]\nalgorithms = 'sha512'\nformat = 'sums'\n");
    assert_eq!(digits("$hashmill hash a"), 128);
    t.file(".hashmill.toml", "[hash]\nalgorithms = 'sha384'\n");
    assert_eq!(digits("$hashmill hash a"), 96, "the project's before the user's");
    assert_eq!(digits("HASHMILL_ALGORITHMS=md5 $hashmill hash a"), 32, "variables before files");
    assert_eq!(digits("HASHMILL_ALGORITHMS=md5 HASHMILL_HASH_ALGORITHMS=sha1 $hashmill hash a"), 40);
    assert_eq!(digits("HASHMILL_ALGORITHMS=md5 $hashmill hash -c sha256 a"), 64, "what is typed before all");
    let ran = t.shell("HASHMILL_ALGORITHMS=md5 $hashmill hash -v a").code(0);
    ran.says("--algorithms md5 is set by HASHMILL_ALGORITHMS").says("--format sums is set by ");
    t.shell("HASHMILL_CONFIG= $hashmill hash -c md5 a").code(0).prints("%%%% HASHDEEP");
    t.file("other.toml", "[hash]\nformat = 'bsd'")
        .shell("HASHMILL_CONFIG=other.toml $hashmill hash a")
        .code(0)
        .prints("SHA384 (a)");
});

case!(a_switch_that_is_set_is_undone_by_typing, |t| {
    t.file("a", "abc").file("tree/below/b", "b").link("tree/link", "../a");
    user(t, "follow = true\nno-recursion = true\n");
    let lines = |options: &str| {
        let ran = t.run(&format!("hash -f sums {options} tree")).code(0);
        ran.stdout().iter().filter(|byte| **byte == b'\n').count()
    };
    assert_eq!(lines(""), 1, "the link alone");
    assert_eq!(lines("--recursion"), 2);
    assert_eq!(lines("--no-follow"), 0);
    assert_eq!(lines("--no-follow --recursion"), 1);
    assert_eq!(lines("--no-follow --follow"), 1, "the last one counts");
    t.run("hash -v --no-follow tree").code(0).says("--no-recursion true is set by");
    let ran = t.run("hash -v --no-follow tree");
    assert!(!ran.stderr().contains("--follow true"));
});

case!(help_shows_what_is_set, |t| {
    user(t, "memory = '128M'\nexclude = ['*.o', 'out/']\n");
    t.run("hash --help").code(0).prints("[default: 128M]").prints("[default: *.o out/]");
    t.file("tree/a.o", "").file("tree/a.c", "").run("hash -f sums tree").code(0).prints("a.c");
    assert_eq!(t.run("hash -f jsonl tree").code(0).stdout().iter().filter(|byte| **byte == b'\n').count(), 1);
});

case!(a_setting_that_can_not_be_is_named, |t| {
    t.file("a", "abc");
    for (text, said) in [
        ("thread = 2", "config.toml: thread: no command has such an option"),
        ("[hash]\nroots = true", "hash.roots: no command has such an option"),
        ("threads = 'many'", "threads: invalid value 'many'"),
        ("[hash]\nformat = 'nosuch'", "format: invalid value 'nosuch'"),
        ("times = 'often'", "times: neither true nor false"),
        ("threads = ", "config.toml: "),
    ] {
        user(t, text);
        t.run("hash a").code(64).says(said).is("");
    }
    user(t, "");
    t.shell("HASHMILL_THREADS=0 $hashmill hash a")
        .code(64)
        .says("HASHMILL_THREADS: threads: invalid value '0'");
    t.shell("HASHMILL_HASH_TIMES=true $hashmill hash -f jsonl a").code(0).prints("\"mtime\"");
});

case!(a_hostile_project_has_no_say_in_what_is_read_written_or_checked, |t| {
    t.file("project/good", "good").file("project/evil", "evil");
    t.shell(
        "cd project && $hashmill hash -c sha256 -o ../m . && $hashmill hash -c sha256 -f sums -o ../sums .",
    )
    .code(0);
    t.file("project/evil", "worse").file("project/new", "new");
    let hostile = "output = 'stolen'\nexclude = ['evil', 'new']\nexclude-from = 'x'\nhashignore = true\nmax-size = '1'\n\
        ignore-missing = true\nthreads = 100000\nmemory = '1T'\nfiles-from = '/etc/passwd'\nquiet = true\nstatus = true\n\
        newer = '2999-01-01'\nknown = ['x']\nbad-blocks = 'zero'\n\
        [hash]\nalgorithms = 'crc32'\noutput = 'stolen'\nexclude = 'evil'\nsign = 'key'\n\
        [audit]\nupdate = 'stolen'\nexclude = ['evil']\nignore-signature = true\ncounts = true\n\
        [check]\nignore-missing = true\nstatus = true\n[verify]\nallowed-signers = 'mine'\n";
    t.file("project/.hashmill.toml", hostile);
    let ran = t.shell("cd project && $hashmill audit -k ../m .").code(1);
    ran.prints("evil: changed\n").prints("new: new\n").says(".hashmill.toml: output is left out");
    t.shell("cd project && $hashmill check ../sums").code(1).prints("evil: FAILED\n").prints("good: OK\n");
    let ran = t.shell("cd project && $hashmill hash -f sums .").code(0);
    ran.prints("./evil\n").prints("./new\n").says("hash.algorithms is left out");
    assert!(!t.has("project/stolen") && !t.has("stolen"));
    // Below it, too.
    t.file("project/deep/er/x", "")
        .shell("cd project/deep/er && $hashmill hash -f sums x")
        .code(0)
        .says("hash.sign is left out");
    t.shell("cd project && chmod 666 .hashmill.toml && $hashmill hash good")
        .code(0)
        .says("is left out: everybody can write");
});

case!(a_project_s_file_is_not_a_way_to_read_others, |t| {
    t.file("project/a", "abc").file("secret", "password = 'sesame\n");
    t.link("project/.hashmill.toml", "../secret");
    let ran = t.shell("cd project && $hashmill hash a").code(0);
    ran.says(".hashmill.toml: is left out: it is a symbolic link").quiet_about("sesame");
    // Nor does a broken one show its text.
    let ran =
        t.shell("cd project && rm .hashmill.toml && cp ../secret .hashmill.toml && $hashmill hash a").code(0);
    ran.says(".hashmill.toml: line 1 is not TOML").says("(the file is left out)").quiet_about("sesame");
    // The user's own file may be a link.
    t.file("mine.toml", "[hash]\nformat = 'bsd'").link("linked.toml", "mine.toml");
    t.shell("HASHMILL_CONFIG=linked.toml $hashmill hash -c md5 project/a").code(0).prints("MD5 (project/a)");
});

case!(a_project_s_file_keeps_nobody_from_hashing, |t| {
    t.file("project/a", "abc");
    let huge = format!("nice = true\n# {}\n", "x".repeat(2 << 20));
    for (text, said) in [
        ("[hash", ".hashmill.toml: line 1 is not TOML"),
        (&huge, ".hashmill.toml: is no file of settings"),
        ("[hash]\nformat = 'nosuch'\n", ".hashmill.toml: format: invalid value 'nosuch'"),
        ("progress = 'perhaps'\n", ".hashmill.toml: progress: invalid value 'perhaps'"),
        (
            "[hash]\nalgorithms = 'blake3:1'\n",
            "hash.algorithms is left out: the file of a project can only ask for",
        ),
        (
            "[hash]\nalgorithms = 'sha224'\n",
            "hash.algorithms is left out: the file of a project can only ask for",
        ),
    ] {
        t.file("project/.hashmill.toml", text);
        let ran = t.shell("cd project && $hashmill hash -f jsonl a").code(0);
        ran.prints("\"blake3\":\"6437b3ac").says(said).says("left out");
    }
    for made in ["mkfifo .hashmill.toml", "mkdir .hashmill.toml", "ln -s /dev/zero .hashmill.toml"] {
        let line =
            format!("cd project && rm -rf .hashmill.toml && {made} && timeout 60 $hashmill hash -f jsonl a");
        t.shell(&line).code(0).prints("\"blake3\":\"6437b3ac").says(".hashmill.toml: is ");
    }
});

case!(digests_of_few_bits_are_typed_or_not_at_all, |t| {
    t.file("a", "abc");
    let said = "blake3:1 has only 8 bits (type it: -c blake3:1)";
    user(t, "[hash]\nalgorithms = 'sha256,blake3:1'\n");
    t.run("hash a").code(64).is("").says("config.toml: algorithms: ").says(said);
    t.run("hash -c md5 a").code(64).says(said);
    user(t, "");
    t.shell("HASHMILL_ALGORITHMS=blake3:1 $hashmill hash a").code(64).is("").says(said);
    t.shell("HASHMILL_CHECK_ALGORITHMS=blake2b:4 $hashmill check a")
        .code(64)
        .says("blake2b:4 has only 32 bits");
    let ran = t.run("hash -c blake3:1 -f jsonl a").code(0);
    ran.prints("\"blake3:1\":\"64\"").says("blake3:1: is truncated to 8 bits: anybody can make another file");
    t.run("hash -q -c blake3:1 a").code(0).quiet();
    t.run("hash -c blake3:16 a").code(0).quiet();
    t.run("algorithms blake3:1 blake3:16 -f jsonl")
        .code(0)
        .prints("\"class\":\"truncated\"")
        .prints("\"class\":\"cryptographic\"");
});

case!(a_project_says_how_its_manifests_are_written, |t| {
    t.file("project/a", "abc")
        .file("project/.hashmill.toml", "nice = true\n[hash]\nalgorithms = 'sha256'\nformat = 'jsonl'\n");
    t.shell("cd project && $hashmill hash a").code(0).quiet().prints("\"sha256\":\"ba7816bf");
    t.shell("cd project && $hashmill hash -v a")
        .code(0)
        .says("--algorithms sha256 is set by")
        .says(".hashmill.toml");
});
