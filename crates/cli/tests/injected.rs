//! System calls that fail one after another, as strace makes them: no crash, no wrong result, and a message for each failure.

use crate::case;
use crate::util::{Place, Ran};
use hashmill_testing::not_possible;
use std::collections::BTreeMap;

/// Calls that take part. Those before the program itself begins are left alone.
const CALLS: [&str; 9] =
    ["openat", "openat2", "read", "pread64", "getdents64", "newfstatat", "mmap", "munmap", "close"];

/// Which one of them fails, counted from the first that is not the loader's, and how. `+` is that one and all that follow.
const FAULTS: [(&str, &[&str]); 5] = [
    ("EIO", &["1", "2", "3", "1+"]),
    ("EINTR", &["1", "2", "3"]),
    ("ENOMEM", &["1", "3"]),
    ("EMFILE", &["1", "3"]),
    ("ESTALE", &["2"]),
];

/// Returns whether a call can fail with this error. Calls that don't wait are not interrupted by signals; other
/// failures say nothing about the file.
fn can_fail(call: &str, error: &str) -> bool {
    match call {
        "mmap" => matches!(error, "ENOMEM" | "EIO"),
        "munmap" => error == "ENOMEM",
        "close" => matches!(error, "EIO" | "EINTR"),
        _ => true,
    }
}

fn tree(t: &Place) {
    for (name, size) in [("a", 10), ("b", 5_000), ("d/c", 5_000), ("d/e/m", 300_000), ("d/e/n", 300_000)] {
        t.file(format!("tree/{name}"), vec![b'x'; size]);
        t.file(format!("other/{name}"), vec![b'x'; size]);
    }
    t.run("hash -c sha256 -f sums -o list tree").code(0);
}

/// Runs under strace; none where that can't be.
pub fn traced(t: &Place, options: &str, args: &str) -> Option<Ran> {
    let program = crate::util::tested();
    let ran = t.other("strace", &format!("-f -qq -E HASHMILL_MAP=always {options} {program} {args}"))?;
    if ran.stderr().contains("ptrace") {
        not_possible("strace");
        return None;
    }
    Some(ran)
}

/// Options by which a call fails and all others run as without strace, which takes half of the time.
pub fn only(call: &str, fault: &str) -> String {
    format!("-o trace --seccomp-bpf -e trace={call} -e {fault}")
}

/// Counts the calls of the loader and of the standard library before the program itself begins: up to where the library has set
/// the stack that handlers of signals run on, by its second `sigaltstack`.
pub fn of_the_loader(t: &Place, args: &str) -> Option<BTreeMap<String, usize>> {
    traced(t, "-o trace", args)?;
    let trace = String::from_utf8_lossy(&t.read("trace")).into_owned();
    let calls = || {
        trace.lines().filter_map(|line| line.split_whitespace().nth(1)?.split_once('(')).map(|(name, _)| name)
    };
    let mut stacks = calls().enumerate().filter(|(_, name)| *name == "sigaltstack");
    let end = stacks.nth(1).map_or(0, |(end, _)| end + 1);
    let mut counts = BTreeMap::new();
    calls().take(end).for_each(|name| *counts.entry(name.to_string()).or_insert(0) += 1);
    Some(counts)
}

/// Lets each call fail. The output of a run must be the same as without a fault, or it must fail with a message.
fn sweep(args: &str) {
    let t = &Place::new();
    tree(t);
    let Some(loader) = of_the_loader(t, args) else { return };
    let wanted = traced(t, "-o trace", args).unwrap();
    assert!(wanted.exit().is_some_and(|code| code < 2), "{}", wanted.stderr());
    for call in CALLS {
        let skipped = loader.get(call).copied().unwrap_or(0);
        for (error, places) in FAULTS.iter().filter(|(error, _)| can_fail(call, error)) {
            for place in *places {
                let (number, rest) = place.strip_suffix('+').map_or((*place, ""), |number| (number, "+"));
                let when = number.parse::<usize>().unwrap() + skipped;
                let fault = format!("inject={call}:error={error}:when={when}{rest}");
                let ran = traced(t, &only(call, &fault), args).unwrap();
                judge(&ran, &wanted, &format!("{args}: {fault}"), error);
            }
        }
    }
}

fn judge(ran: &Ran, wanted: &Ran, what: &str, error: &str) {
    let told = ran.stderr();
    match ran.exit() {
        code if code == wanted.exit() => {
            assert_eq!(ran.stdout(), wanted.stdout(), "{what}: another result without a failure: {told}");
        }
        // 64: the list that everything depends on.
        Some(2 | 64) if error != "EINTR" => {
            assert!(told.contains("hashmill: "), "{what}: no message: {told}")
        }
        code => panic!("{what}: exit code {code:?}: {told}"),
    }
}

case!(
    #[ignore = "campaign: takes long"]
    calls_that_fail_under_hash,
    |_t| { sweep("hash -j1 -c sha256 tree") }
);

case!(
    #[ignore = "campaign: takes long"]
    calls_that_fail_under_audit,
    |_t| { sweep("audit -j1 -k list tree") }
);

case!(
    #[ignore = "campaign: takes long"]
    calls_that_fail_under_check,
    |_t| { sweep("check -j1 list") }
);

case!(calls_that_fail_under_dupes, |_t| { sweep("dupes -j1 tree") });

case!(
    #[ignore = "campaign: takes long"]
    calls_that_fail_under_diff,
    |_t| { sweep("diff -j1 tree other") }
);

case!(
    #[ignore = "campaign: takes long"]
    calls_that_fail_under_tree,
    |_t| { sweep("tree -j1 -c git tree") }
);

case!(maps_that_fail_under_outboard_and_export, |t| {
    t.file("file", vec![b'x'; 300_000]);
    let Some(loader) = of_the_loader(t, "outboard create file") else { return };
    let first = loader.get("mmap").copied().unwrap_or(0) + 1;
    for args in ["outboard create file", "image export --force -o media file"] {
        for (call, error) in [("mmap", "ENODEV"), ("mmap", "ENOMEM"), ("munmap", "EINVAL")] {
            for place in [0, 1, 2, 3] {
                for all in ["", "+"] {
                    t.shell("rm -f file.obao media");
                    let fault = format!("inject={call}:error={error}:when={}{all}", first + place);
                    let ran = traced(t, &only(call, &fault), args).unwrap();
                    assert!(
                        matches!(ran.exit(), Some(0 | 2)),
                        "{args}: {fault}: {:?} {}",
                        ran.exit(),
                        ran.stderr()
                    );
                }
            }
        }
    }
});
