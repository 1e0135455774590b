//! `hashmill copy` while system calls fail one after another: whatever has its name is whole, a failure is told, and the same command
//! goes on.

use crate::case;
use crate::copy::{Facts, sources, tree};
use crate::injected::{of_the_loader, only, traced};
use crate::util::Place;
use hashmill_testing::cases;
use std::fs;

/// Calls that fail, with the errors that they may fail with.
const CALLS: [(&str, &[&str]); 20] = [
    ("openat", &["EIO", "EACCES", "EMFILE"]),
    ("read", &["EIO"]),
    ("pread64", &["EIO"]),
    ("write", &["EIO", "ENOSPC"]),
    ("pwrite64", &["EIO", "ENOSPC", "EDQUOT"]),
    ("fsync", &["EIO", "ENOSPC"]),
    ("fdatasync", &["EIO"]),
    ("syncfs", &["EIO"]),
    ("ftruncate", &["EIO", "EFBIG"]),
    ("rename", &["EIO", "EACCES"]),
    ("renameat2", &["EIO", "EINVAL"]),
    ("linkat", &["EIO", "EPERM"]),
    ("symlink", &["EIO", "EPERM"]),
    ("mkdir", &["EIO", "EACCES"]),
    ("unlink", &["EIO"]),
    ("fchmod", &["EIO", "EPERM"]),
    ("fchown", &["EPERM"]),
    ("utimensat", &["EPERM"]),
    ("newfstatat", &["EIO"]),
    ("statx", &["EIO"]),
];

/// Returns how often a run makes each call.
fn counted(trace: &str, call: &str) -> usize {
    let calls = trace.lines().filter_map(|line| line.split_whitespace().nth(1)?.split_once('('));
    calls.filter(|(name, _)| *name == call).count()
}

/// Removes what a run has left.
fn clear(t: &Place) {
    for place in ["to", "two", "settings"] {
        if t.has(place) {
            fs::remove_dir_all(t.path(place)).unwrap();
        }
    }
}

/// Returns what has a name of the sources and is not whole.
fn torn(t: &Place) -> Vec<String> {
    let (wanted, mut torn) = (tree(&t.path("tree")), Vec::new());
    for place in ["to", "two"].into_iter().filter(|place| t.has(place)) {
        for (name, facts) in tree(&t.path(place)) {
            let is_unfinished = name.windows(18).any(|part| part == b".hashmill-partial-");
            if !is_unfinished && wanted.get(&name).is_none_or(|wanted| wanted.4 != facts.4) {
                torn.push(format!("{place}/{} is not whole", name.escape_ascii()));
            }
        }
    }
    torn
}

/// Returns what differs between the sources and their copies; of properties that a run has told to lack only the content.
fn differing(t: &Place, told: &str) -> Vec<String> {
    let (wanted, mut all) = (tree(&t.path("tree")), Vec::new());
    for place in ["to", "two"].into_iter().filter(|place| t.has(place)) {
        let found = tree(&t.path(place));
        for (name, facts) in &wanted {
            let copy = found.get(name);
            let is_same = copy.is_some_and(|copy| match told.contains("without their") {
                true => copy.4 == facts.4,
                false => copy == facts,
            });
            if !is_same {
                let short = |facts: &Facts| (facts.0, facts.1, facts.2, facts.3, facts.4.len());
                let (wanted, found) = (short(facts), copy.map(short));
                all.push(format!("{place}/{}: {wanted:?}, {found:?}", name.escape_ascii()));
            }
        }
        let foreign = found.keys().filter(|name| !wanted.contains_key(*name));
        all.extend(foreign.map(|name| format!("{place}/{} is no copy", name.escape_ascii())));
    }
    all
}

/// Lets each call of a copy fail.
fn sweep(line: &str) {
    let t = &Place::new();
    sources(t);
    let Some(loader) = of_the_loader(t, line) else { return };
    clear(t);
    let Some(ran) = traced(t, "-o trace", line) else { return };
    ran.code(0);
    let trace = String::from_utf8_lossy(&t.read("trace")).into_owned();
    let mut problems = Vec::new();
    for (call, errors) in CALLS {
        let skipped = loader.get(call).copied().unwrap_or(0);
        let number = counted(&trace, call).saturating_sub(skipped);
        let step = number.div_ceil(cases(2)).max(1);
        for (error, place) in
            errors.iter().flat_map(|error| (1..=number).step_by(step).map(move |at| (error, at)))
        {
            let what = format!("{line}: {call} {place} of {number}: {error}");
            clear(t);
            let fault = format!("inject={call}:error={error}:when={}", place + skipped);
            let ran = traced(t, &only(call, &fault), line).unwrap();
            let mut wrong = torn(t);
            match ran.exit() {
                Some(0) => wrong.extend(differing(t, &ran.stderr())),
                Some(1 | 2 | 64) if ran.stderr().contains("hashmill: ") => {}
                code => wrong.push(format!("exit code {code:?}")),
            }
            if ran.stderr().contains("can't be removed") {
                wrong.retain(|what| !what.contains(".hashmill-partial-"));
            }
            let again = t.run(line);
            wrong.extend((again.exit() != Some(0)).then(|| format!("again: {}", again.stderr())));
            // A copy that was told to lack a property is one that is there and the same.
            let told = ran.stderr() + &again.stderr();
            wrong.extend(differing(t, &told).into_iter().map(|what| format!("again: {what}")));
            // A second name that was copied as a file of its own is one that is there and the same.
            if again.stderr().contains("without their second names") {
                let forced = t.run(&format!("{line} --force"));
                wrong
                    .extend(differing(t, &forced.stderr()).into_iter().map(|what| format!("forced: {what}")));
            }
            if !wrong.is_empty() {
                problems.push(format!("{what}: {wrong:#?}: {}", ran.stderr()));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

case!(
    #[ignore = "campaign: takes long"]
    calls_that_fail_under_copy,
    |_t| { sweep("copy -j1 tree/ to --to two") }
);

case!(
    #[ignore = "campaign: takes long"]
    calls_that_fail_under_copy_later,
    |_t| { sweep("copy -j1 --verify later --verify-source tree/ to") }
);
