//! Lists that are joined give the verdicts of lists that are read as a whole.

use super::Joined;
use crate::diff::{AuditSummary, Diff, DiffEvent, DiffJob, Sides};
use crate::error::Error;
use hashmill_content::stores::Stores;
use hashmill_engine::Cancel;
use hashmill_lists::entries::List;
use hashmill_lists::listing::Listing;
use hashmill_manifest::audit::Category;
use hashmill_testing::{Random, cases};
use std::fs;
use std::ops::ControlFlow::Continue;
use std::path::Path;
use tempfile::TempDir;

/// The properties of random lists.
#[derive(Clone, Copy)]
struct Shape {
    paths: usize,
    contents: usize,
    /// One of so many records is unreadable, skipped, without a size, or has a time.
    odd: usize,
    /// Whether lists are in another order than that of paths.
    is_shuffled: bool,
    algorithms: [&'static [&'static str]; 2],
}

/// A list in progress: `None` for a path that it lacks, else the content.
type Files = Vec<Option<usize>>;

fn path(number: usize, below: &str) -> String {
    let folder = ["", "a/", "a/b/", "c/", "/d/"][number % 5];
    format!("{below}{folder}{:03}", number / 5)
}

/// Returns the digest of a content. Two contents of different sizes share one, as checksums sometimes do.
fn digest(content: usize, algorithm: &str) -> String {
    let algorithm = hashmill_digest::find(algorithm).unwrap();
    let bytes = hashmill_digest::hash(algorithm, &(content / 2).to_le_bytes());
    bytes.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the list.
fn write(to: &Path, files: &Files, shape: Shape, side: usize, below: &str, random: &mut Random) {
    let mut lines: Vec<(String, String)> = Vec::new();
    for (number, content) in files.iter().enumerate() {
        let Some(content) = content else { continue };
        let path = path(number, below);
        let rest = if random.one_in(shape.odd) {
            let status = random.pick(&["unreadable", "skipped", "changed-while-reading"]);
            format!("\"status\":\"{status}\",\"reason\":\"EIO\"")
        } else {
            let size = if random.one_in(shape.odd) { String::new() } else { format!("\"size\":{content},") };
            let time = if random.one_in(4) { ",\"mtime\":\"2024-01-02T03:04:05Z\"" } else { "" };
            let digests = shape.algorithms[side].iter();
            let digests = digests.map(|name| format!(",\"{name}\":\"{}\"", digest(*content, name)));
            format!("{size}\"status\":\"hashed\"{}{time}", digests.collect::<String>())
        };
        lines.push((path.clone(), format!("{{\"path\":\"{path}\",{rest}}}\n")));
    }
    lines.sort();
    if shape.is_shuffled {
        (1..lines.len()).for_each(|at| lines.swap(at, random.below(at + 1)));
    }
    fs::write(to, lines.into_iter().map(|(_, line)| line).collect::<String>()).unwrap();
}

/// Runs a comparison; returns its events as text, without those on matched files unless they are wanted.
fn run(diff: Result<Diff, Error>, matched: bool) -> (Vec<String>, String) {
    let mut events = Vec::new();
    let summary = diff.and_then(|diff| {
        diff.run(&mut |event| {
            let is_match =
                matches!(&event, DiffEvent::Verdict(verdict) if verdict.category == Category::Matched);
            if matched || !is_match {
                events.push(format!("{event:?}"));
            }
            Continue(())
        })
    });
    let summary = summary.map(|summary: AuditSummary| format!("{summary:?}"));
    (events, summary.unwrap_or_else(|error| error.to_string()))
}

/// Compares two lists in both ways; returns whether they were joined.
fn compare(old: &Path, new: &Path, sides: bool, matched: bool) -> bool {
    let job = || DiffJob { sides, counts_matched: !matched, ..DiffJob::new(old, new) };
    let whole = || {
        let job = job();
        let plan = job.resources.plan(Vec::new())?;
        let told = &mut |_: crate::notice::Notice<'_>| ();
        let sides = job.each(job.listing(old, told)?, job.listing(new, told)?, told)?;
        Ok(Diff { job, plan, sides })
    };
    let diff = job().read(&mut |_| ());
    let joined = matches!(&diff, Ok(Diff { sides: Sides::Joined(..), .. }));
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    assert_eq!(run(diff, matched), run(whole(), matched), "{}\n{}", text(old), text(new));
    joined
}

fn random_files(shape: Shape, random: &mut Random) -> Files {
    let mut content = || (!random.one_in(6)).then(|| random.below(shape.contents));
    (0..shape.paths).map(|_| content()).collect()
}

/// Changes some files: other contents, removed, copied and moved ones.
fn altered(files: &Files, shape: Shape, random: &mut Random) -> Files {
    let often = *random.pick(&[2, 8, 40]);
    let other = |content: &Option<usize>, random: &mut Random| match random.below(often) {
        0 => (!random.one_in(3)).then(|| random.below(shape.contents)),
        _ => *content,
    };
    files.iter().map(|content| other(content, random)).collect()
}

#[test]
#[ignore = "campaign: takes long"]
fn joined_lists_give_the_verdicts_of_whole_ones() {
    let lab = TempDir::new().unwrap();
    let (old, new) = (lab.path().join("old.jsonl"), lab.path().join("new.jsonl"));
    let mut random = Random(37);
    let mut joined = 0;
    let all = cases(300);
    for trial in 0..all {
        let algorithms = *random.pick(&[
            [&["sha256"][..], &["sha256"][..]],
            [&["md5", "sha1"], &["sha1"]],
            [&["crc32"], &["sha256", "crc32"]],
            [&["md5"], &["sha1"]],
        ]);
        let shape = Shape {
            paths: *random.pick(&[1, 4, 30, 700]),
            contents: *random.pick(&[2, 20, 5000]),
            odd: *random.pick(&[3, 1000]),
            is_shuffled: random.one_in(3),
            algorithms,
        };
        let files = random_files(shape, &mut random);
        let others = altered(&files, shape, &mut random);
        let below = *random.pick(&["", "", "", "moved/"]);
        write(&old, &files, shape, 0, "", &mut random);
        write(&new, &others, shape, 1, below, &mut random);
        joined += usize::from(compare(&old, &new, trial % 2 == 0, trial % 3 == 0));
    }
    assert!(joined > all / 3, "only {joined} of {all} were joined");
}

#[test]
fn lists_that_need_more_are_read_as_a_whole() {
    let lab = TempDir::new().unwrap();
    let (old, new) = (lab.path().join("old.jsonl"), lab.path().join("new.jsonl"));
    let line = |path: &str, rest: &str| {
        let digest = digest(1, "md5");
        format!("{{\"path\":\"{path}\",\"size\":1,\"status\":\"hashed\",\"md5\":\"{digest}\"{rest}}}\n")
    };
    let plain = line("a", "") + &line("b", "") + &line("c", "");
    fs::write(&old, &plain).unwrap();
    for other in [
        line("a", "") + &line("a", ""),
        line("b", "") + &line("a", "") + &line("b", ""),
        line("a", "") + &line("./b", ""),
        line("a", "") + &line("b//c", ""),
        line("a", "") + &line("b\\\\c", ""),
        line("a", "") + &line("b/", ""),
        line("a", "") + &line("b", ",\"offset\":0,\"length\":1"),
        line("a", "") + &line("b", ",\"sha1\":\"da39a3ee5e6b4b0d3255bfef95601890afd80709\""),
        line("a", "") + "{\n" + &line("b", ""),
        line("a", "") + &line("b", "").replace("hashed", "stored"),
    ] {
        fs::write(&new, &other).unwrap();
        assert!(!compare(&old, &new, false, true), "{other}");
        assert!(!compare(&new, &old, true, false), "{other}");
    }
    fs::write(&new, line("a", "") + &line("b", "")).unwrap();
    assert!(compare(&old, &new, false, true));
}

#[test]
fn lists_in_no_order_are_sorted_outside_memory() {
    let lab = TempDir::new().unwrap();
    let (old, new) = (lab.path().join("old.jsonl"), lab.path().join("new.jsonl"));
    let mut random = Random(3);
    let algorithms = [&["sha256"][..]; 2];
    let shape = Shape { paths: 5000, contents: 9000, odd: 1000, is_shuffled: true, algorithms };
    let files = random_files(shape, &mut random);
    let mut others = files.clone();
    (0..20).for_each(|at| others[at * 250] = Some(9000));
    write(&old, &files, shape, 0, "", &mut random);
    write(&new, &others, Shape { odd: usize::MAX, ..shape }, 1, "", &mut random);
    assert!(compare(&old, &new, false, true));
    let listing = |path: &Path| Listing::unsigned(path.as_os_str(), &Stores::default());
    let lists = [&old, &new].map(|path| List::new(path, &listing(path)).unwrap());
    let read = |memory| Joined::read(&lists[0], &lists[1], memory, false, &Cancel::default()).unwrap();
    // A quarter of it holds some four hundred of the records at once.
    let joined = read(200_000).unwrap();
    assert!(joined.matched > 3500 && joined.old.known.len() < 500, "{}", joined.matched);
    assert!(read(4000).is_none(), "the differences need more");
}

#[test]
fn a_list_that_changes_meanwhile_is_told() {
    let lab = TempDir::new().unwrap();
    let (old, new) = (lab.path().join("old.jsonl"), lab.path().join("new.jsonl"));
    let line = |path: usize| {
        format!("{{\"path\":\"{path:05}\",\"status\":\"hashed\",\"md5\":\"{}\"}}\n", digest(path, "md5"))
    };
    let text = (0..100).map(line).collect::<String>();
    fs::write(&old, &text).unwrap();
    fs::write(&new, &text).unwrap();
    let diff = DiffJob::new(&old, &new).read(&mut |_| ()).unwrap();
    fs::write(&new, line(1)).unwrap();
    let told = diff.run(&mut |_| Continue(())).unwrap_err().to_string();
    assert!(told.contains("new.jsonl") && told.contains("was changed while"), "{told}");
}
