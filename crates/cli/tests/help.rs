//! Help, man pages, completions, the table of algorithms, and command lines that are wrong.

use crate::case;
use crate::util::installed;

case!(man_pages_tell_of_every_option, |t| {
    t.run("man").code(0).prints("hashmill").prints("audit");
    t.run("man hash").code(0).prints("\\-\\-files\\-from").prints("hashmill\\-hash");
    t.run("man similar-pairs").code(0).prints("\\-\\-cluster").prints("hashmill\\-similar\\-pairs");
    t.run("man image-verify").code(0).prints("hashmill\\-image\\-verify");
    t.run("man nosuch").code(64).says("no command 'nosuch'");
    t.run("man --all share/man").code(0).quiet();
    assert!(t.has("share/man/hashmill.1") && t.has("share/man/hashmill-audit.1"));
    for name in ["hashdeep", "md5deep", "sha1deep", "sha256deep", "tigerdeep", "whirlpooldeep"] {
        let page = String::from_utf8(t.read(&format!("share/man/{name}.1"))).unwrap();
        assert!(page.contains("\n.SH OPTIONS\n") && page.contains("\\-j <num>"), "{name}");
    }
    t.run("man hash").prints("\n.SH EXAMPLES\n").prints("\n.SH EXIT STATUS\n").prints("\\fB64\\fR");
    let Some(groff) =
        t.other("groff", "-man -Tutf8 -ww -z share/man/hashmill-hash.1 share/man/hashmill-diff.1")
    else {
        return;
    };
    groff.code(0).quiet();
});

case!(a_shell_completes_algorithms_after_a_comma, |t| {
    t.run("completions bash").code(0).prints("complete -F _hashmill ");
    let completed = |words: &str| {
        let line = format!(
            "source <($hashmill completions bash); COMP_LINE='{}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({words}); \
             COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _hashmill; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.replace(" = ", "=")
        );
        t.file("line", line);
        String::from_utf8(t.shell("bash line").code(0).stdout().to_vec()).unwrap()
    };
    assert!(completed("hashmill hash -c sha2").lines().any(|word| word == "sha256"));
    assert!(completed("hashmill hash -c md5,bl").lines().any(|word| word == "md5,blake3"));
    assert!(completed("hashmill hash --algorithms = md5,sha5").lines().any(|word| word == "md5,sha512"));
    assert!(completed("hashmill hash -f js").lines().any(|word| word == "jsonl"), "values of an option");
    assert!(completed("hashmill aud").lines().any(|word| word == "audit"));
    for shell in ["zsh", "fish"] {
        t.run(&format!("completions {shell}")).code(0).prints("_hashmill_algorithms").prints("blake3");
    }
});

case!(
    #[ignore = "campaign: needs fish"]
    completions_run_in_the_shells_they_are_for,
    |t| {
        t.shell("$hashmill completions fish > c.fish; $hashmill completions zsh > _hashmill").code(0);
        if installed("fish").is_some() {
            let completed = |line: &str| {
                let script = format!("HOME=$PWD fish -N -c 'source c.fish; complete -C \"{line}\"'");
                String::from_utf8(t.shell(&script).code(0).stdout().to_vec()).unwrap()
            };
            assert!(completed("hashmill hash -f js").lines().any(|word| word == "jsonl"));
            assert!(completed("hashmill hash -c md5,bl").lines().any(|word| word == "md5,blake3"));
            assert!(completed("hashmill seal veri").lines().any(|word| word.starts_with("verify\t")));
        }
        if installed("zsh").is_some() {
            let registered = "zsh -f -c 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; print $_comps[hashmill]'";
            t.shell("zsh -f -n _hashmill").code(0).quiet();
            t.shell(registered).code(0).is("_hashmill\n");
        }
    }
);

case!(a_version_tells_what_it_is_on_demand, |t| {
    let short = t.run("--version").code(0);
    assert_eq!(short.stdout().iter().filter(|byte| **byte == b'\n').count(), 1);
    for line in ["--version -v", "-v --version", "-V --verbose"] {
        t.run(line)
            .code(0)
            .prints("\ncommit ")
            .prints("\ntarget ")
            .prints("\nfeatures  images sign stores tables yara\n")
            .prints("left out  none");
    }
});

case!(completions_know_the_commands, |t| {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        t.run(&format!("completions {shell}")).code(0).prints("audit").prints("files-from");
    }
    t.run("completions tcsh").code(64);
});

case!(algorithms_are_listed_with_kernel_and_lanes, |t| {
    let ran = t
        .run("algorithms")
        .code(0)
        .quiet()
        .prints("name\tbits\tclass\tlanes\tkernel\talone\taliases\tsize\tsource\n");
    let lines = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert!(lines.lines().all(|line| line.split('\t').count() == 9), "{lines}");
    assert!(lines.contains("\nblake3\t256\tcryptographic\t"));
});

case!(a_wrong_command_line_is_64, |t| {
    t.run("").code(64);
    t.run("nosuch").code(64);
    t.run("hash --nosuch").code(64);
    for line in
        ["verify-seal m", "prove m p", "seal m", "hash --known s a", "audit --known m a", "sign -k key m"]
    {
        t.run(line).code(64).says("error: un");
    }
    t.run("hash -c sha265 .").code(64).says("did you mean 'sha256'?");
    t.run("hash -p 0 .").code(64).says("at least one byte");
    t.run("hash -p 99999999999T .").code(64).says("99999999999T");
    t.run("hash -j 0 .").code(64).says("at least one thread");
    t.run("hash -m 1 .").code(64).says("at least");
    t.run("hash -f nosuch .").code(64).says("hashdeep");
    t.run("hash --newer yesterday .").code(64).says("yesterday");
    t.run("hash --include [ .").code(64).says("[");
    t.run("hash --resume .").code(64).says("--output");
    t.run("hash --resume --order any -o out .").code(64).says("--order");
    t.run("hash -0 .").code(64);
    t.run("audit .").code(64).says("--manifest");
    t.run("check").code(64).says("is empty");
});

case!(who_comes_from_hashdeep_or_sha256sum_gets_what_they_expect, |t| {
    t.file("tree/a", "abc").file("tree/sub/b", "b");
    let whole = t.run("hash tree").code(0);
    t.run("hash -r tree").code(0).is(whole.stdout());
    t.run("hash -c sha256 -f sums -o SUMS -r tree").code(0);
    for line in ["check SUMS", "check -c SUMS", "check -c sha256 SUMS", "check --algorithms SUMS"] {
        t.run(line).code(0).is("tree/a: OK\ntree/sub/b: OK\n");
    }
    for line in ["check", "check -c", "check -c -", "check -c sha256"] {
        t.feed(line, t.read("SUMS")).code(0).is("tree/a: OK\ntree/sub/b: OK\n");
    }
    t.run("check -c nosuch").code(64).says("nosuch").says("and there is no such file");
    let all = t.run("hash -c all tree").code(0);
    all.prints("size,md5,sha1,sha256,tiger,whirlpool,filename\n");
    let tip = t.run("hash -a tree").code(64).says("hashmill audit -k MANIFEST");
    tip.quiet_about("as a value");
});

case!(check_tells_programs_what_became_of_each_file, |t| {
    t.file("a", "1").file("b", "2").run("hash -c md5 -f sums -o sums a b").code(0);
    t.file("b", "changed");
    let json = t.run("check -f json sums").code(1).json();
    assert_eq!((&json["counts"]["matched"], &json["counts"]["changed"]), (&1.into(), &1.into()));
    assert_eq!(
        (&json["entries"][1]["path"], &json["entries"][1]["category"]),
        (&"b".into(), &"changed".into())
    );
    assert_eq!(json["entries"][0]["list"], "sums");
    let lines = t.run("check -f jsonl -q sums").code(1);
    let text = String::from_utf8(lines.stdout().to_vec()).unwrap();
    assert_eq!(text.lines().count(), 2, "the file that differs, and the counts: {text}");
    t.run("check -f json --status sums").code(64).says("--status: has no effect here");
});

case!(an_instruction_set_can_be_forced, |t| {
    t.file("a", "abc");
    let best = t.run("hash -c md5,sha1,sha256,sha512,sha3-256,blake3 a").code(0);
    let plain = t.run("hash --isa portable -c md5,sha1,sha256,sha512,sha3-256,blake3 a").code(0);
    assert_eq!(best.stdout(), plain.stdout());
});

case!(no_kernel_runs_beyond_the_instruction_set_that_is_forced, |t| {
    let ran = t.run("algorithms --isa portable").code(0);
    for row in String::from_utf8_lossy(ran.stdout()).lines().skip(1) {
        let kernels: Vec<&str> = row.split('\t').skip(4).take(2).collect();
        let plain = |kernel: &&str| kernel.starts_with("portable") || **kernel == *"twox-hash";
        assert!(kernels.len() == 2 && kernels.iter().all(plain), "{row}");
    }
});

case!(an_instruction_set_that_does_not_exist_names_those_that_do, |t| {
    t.run("hash --isa mmx a").code(64).says("unknown instruction set 'mmx'").says("portable");
    t.shell("HASHMILL_ISA=mmx $hashmill hash a")
        .code(64)
        .says("HASHMILL_ISA")
        .says("unknown instruction set");
});

case!(options_that_this_system_has_no_use_for_are_refused_and_not_shown, |t| {
    t.file("a", "abc");
    t.run("hash --streams a")
        .code(64)
        .says("error: --streams: files of this system have no alternate streams");
    t.run("hash --hydrate a").code(64).says("error: --hydrate: no file of this system is in a cloud");
    let help = t.run("hash --help").code(0);
    let help = String::from_utf8_lossy(help.stdout());
    assert!(help.contains("--one-file-system") && !help.contains("--streams") && !help.contains("--hydrate"));
});
