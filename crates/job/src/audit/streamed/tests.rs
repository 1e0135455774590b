//! Audits against a manifest outside memory give the verdicts of those against one in memory.

use crate::audit::either::EitherJudge;
use crate::audit::{Audit, AuditEvent, AuditJob, Comparison};
use crate::error::Error;
use hashmill_content::selection::Selection;
use hashmill_lists::signatures::guard::Guard;
use hashmill_source::Filter;
use hashmill_testing::{Random, cases};
use std::fs;
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The properties of a random audit.
struct Case {
    /// The paths to audit; `None` stands for those that the manifest names.
    paths: Option<Vec<PathBuf>>,
    excludes: bool,
    sides: bool,
}

/// The number of contents; the last ones are in no manifest.
const CONTENTS: usize = 14;

fn name(number: usize) -> String {
    format!("{}{:02}", ["", "a/", "a/b/", "a.b/", "c/"][number % 5], number / 5)
}

/// Makes files, and a list that differs from them in some.
fn make(tree: &Path, list: &Path, prefix: &str, algorithms: &[&str], shuffled: bool, random: &mut Random) {
    let _ = fs::remove_dir_all(tree);
    for folder in ["a/b", "a.b", "c"] {
        fs::create_dir_all(tree.join(folder)).unwrap();
    }
    let (mut lines, often) = (Vec::new(), *random.pick(&[3, 10, 60]));
    for number in 0..random.below(60) {
        let mut content = random.below(CONTENTS - 2);
        let digests = algorithms.iter().map(|name| {
            let row = hashmill_digest::find(name).unwrap();
            let digest = hashmill_digest::hash(row, "x".repeat(content).as_bytes());
            let digest: String = digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            format!(",\"{name}\":\"{digest}\"")
        });
        let digests: String = digests.collect();
        let path = format!("{prefix}{}", name(number));
        // A list may be wrong about a size.
        let listed = if random.one_in(often) { content + 1 } else { content };
        let size = if random.one_in(often) { String::new() } else { format!("\"size\":{listed},") };
        let time = if random.one_in(3) { ",\"mtime\":\"2024-01-02T03:04:05Z\"" } else { "" };
        let line = match random.one_in(often).then(|| random.below(3)) {
            Some(0) => "\"status\":\"unreadable\",\"reason\":\"EIO\"".to_string(),
            Some(1) => "\"status\":\"skipped\",\"reason\":\"fifo\"".to_string(),
            _ => format!("{size}\"status\":\"hashed\"{digests}{time}"),
        };
        lines.push((path.clone(), format!("{{\"path\":\"{path}\",{line}}}\n")));
        if random.one_in(often) {
            let inner = format!("{path}!/inner");
            let line = format!("{{\"path\":\"{inner}\",\"status\":\"hashed\"{digests}}}\n");
            lines.push((inner, line));
        }
        let file = match random.one_in(often).then(|| random.below(4)) {
            Some(0) => None,
            Some(1) => Some(tree.join(format!("{}-moved", name(number)))),
            _ => Some(tree.join(name(number))),
        };
        if random.one_in(often) {
            content = random.below(CONTENTS);
        }
        #[cfg(unix)]
        if random.one_in(often) {
            let link = if file.is_none() { name(number) } else { format!("c/link-{number}") };
            std::os::unix::fs::symlink("nowhere", tree.join(link)).unwrap();
        }
        if let Some(file) = file {
            fs::write(&file, "x".repeat(content)).unwrap();
            if random.one_in(often) {
                fs::copy(&file, tree.join(format!("c/copy-{number}"))).unwrap();
            }
        }
    }
    lines.sort();
    if shuffled {
        for at in 1..lines.len() {
            lines.swap(at, random.below(at + 1));
        }
    }
    fs::write(list, lines.into_iter().map(|(_, line)| line).collect::<String>()).unwrap();
}

fn job(list: &Path, case: &Case) -> AuditJob {
    let listing = Guard::default().open(list.as_os_str(), &mut |_| ()).unwrap();
    let selection = case.paths.as_ref().map(|paths| {
        let filter = Filter::builder();
        let filter = if case.excludes { filter.exclude("0*") } else { filter };
        Selection { filter: filter.build().unwrap(), ..Selection::from_paths(paths) }
    });
    AuditJob { sides: case.sides, ..AuditJob::new(vec![(list.to_path_buf(), listing)], selection) }
}

/// Runs an audit; returns its events and its result as text.
fn run(audit: Result<Audit, Error>) -> (Vec<String>, String) {
    let mut events = Vec::new();
    let summary = audit.and_then(|audit| {
        audit.run(&mut |event| {
            // The times of two runs differ.
            events.push(match event {
                AuditEvent::AllJudged(summary) => format!("AllJudged({:?})", summary.counted),
                event => format!("{event:?}"),
            });
            Continue(())
        })
    });
    let summary = summary.map(|summary| {
        let stats = hashmill_engine::Stats::default();
        format!("{:?}", crate::audit::AuditSummary { stats, ..summary })
    });
    (events, summary.unwrap_or_else(|error| error.to_string()))
}

/// Audits in both ways, and returns whether the manifest stayed outside memory.
fn compare(list: &Path, case: &Case) -> bool {
    let streamed = job(list, case).read_as(true, &mut |_| ());
    let is_streamed =
        matches!(&streamed, Ok(Audit { comparison: Comparison { judge: EitherJudge::Streamed(_), .. }, .. }));
    let whole = job(list, case).read_as(false, &mut |_| ());
    assert_eq!(run(streamed), run(whole), "{}", fs::read_to_string(list).unwrap());
    is_streamed
}

#[test]
#[ignore = "campaign: takes long"]
fn lists_outside_memory_give_the_verdicts_of_those_in_memory() {
    let lab = TempDir::new().unwrap();
    let (tree, list) = (lab.path().join("tree"), lab.path().join("list.jsonl"));
    let absolute = format!("{}/", tree.display()).replace('\\', "/");
    let random = &mut Random(37);
    let mut streamed = 0;
    let all = cases(200);
    for _ in 0..all {
        let prefix = *random.pick(&["", "elsewhere/", &absolute]);
        let algorithms = *random.pick::<&[&str]>(&[&["sha256"], &["md5", "crc32"]]);
        make(&tree, &list, prefix, algorithms, random.one_in(2), random);
        let paths = match random.below(5) {
            0 => None,
            1 => Some(vec![tree.join("a")]),
            2 => Some(vec![tree.join("a/b"), tree.join("c/00"), tree.join("nothing")]),
            _ => Some(vec![tree.clone()]),
        };
        let case = Case { paths, excludes: random.one_in(4), sides: random.one_in(2) };
        streamed += usize::from(compare(&list, &case));
    }
    assert!(streamed > all * 3 / 4, "only {streamed} of {all}");
}

#[test]
fn lists_that_need_more_are_read_as_a_whole() {
    let lab = TempDir::new().unwrap();
    let (tree, list) = (lab.path().join("tree"), lab.path().join("list.jsonl"));
    make(&tree, &list, "", &["md5"], false, &mut Random(1));
    let case = Case { paths: Some(vec![tree]), excludes: false, sides: false };
    assert!(compare(&list, &case));
    let text = fs::read_to_string(&list).unwrap();
    let first = text.lines().next().unwrap();
    let others = [
        format!("{text}{first}\n"),
        format!("{text}nonsense\n"),
        format!("{text}{{\"path\":\"z\\\\z\",\"md5\":\"0cc175b9c0f1b6a831c399e269772661\"}}\n"),
        format!("{text}{{\"path\":\"z\",\"crc32\":\"01234567\"}}\n"),
    ];
    for other in others {
        fs::write(&list, other).unwrap();
        assert!(!compare(&list, &case));
    }
}
