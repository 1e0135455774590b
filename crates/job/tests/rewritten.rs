//! Manifests written anew: converted, merged, classified; and compared.

use crate::util::Lab;
use hashmill_content::output::To;
use hashmill_digest::{find, hash};
use hashmill_job::convert::{self, ConvertError, Target};
use hashmill_job::labels::Show;
use hashmill_job::{Error, classify, diff, merge};
use hashmill_known::{BuildOptions, Category, Filter, Input, Sets, Strictness, build};
use hashmill_manifest::audit;
use hashmill_manifest::format::find_format;
use std::fs;
use std::ops::ControlFlow::{Break, Continue};

fn target(lab: &Lab, name: &str) -> Target {
    Target::new(To::File(lab.path(name).into()))
}

#[test]
fn a_manifest_is_converted_whole_or_not_at_all() {
    let lab = Lab::new();
    let from = lab.manifest("list.jsonl", "jsonl", "md5");
    let summary =
        convert::ConvertJob::new(&from, target(&lab, "list.csv")).run(&mut |_| Continue(())).unwrap();
    assert_eq!(summary, convert::ConvertSummary::default());
    assert_eq!(fs::read_to_string(lab.path("list.csv")).unwrap().lines().count(), 4);
    let refused = convert::ConvertJob::new(&from, target(&lab, "list.md5")).run(&mut |_| Continue(()));
    assert!(matches!(refused, Err(Error::Convert(ConvertError::Lossy(_)))), "{refused:?}");
    assert!(!lab.path("list.md5").exists());
    let lossy = Target { lossy: true, ..target(&lab, "list.md5") };
    let mut told = 0;
    convert::ConvertJob::new(&from, lossy)
        .run(&mut |event| {
            told += usize::from(matches!(event, convert::ConvertEvent::LeftOut(_)));
            Continue(())
        })
        .unwrap();
    assert!(told == 1 && lab.path("list.md5").exists());
    let job = convert::ConvertJob::new(&from, target(&lab, "cancelled.csv"));
    job.cancel.set();
    assert!(job.run(&mut |_| Continue(())).unwrap().interrupted && !lab.path("cancelled.csv").exists());
}

#[test]
fn manifests_are_merged_and_contradictions_are_told() {
    let lab = Lab::new();
    let first = lab.manifest("first.jsonl", "jsonl", "md5");
    lab.write("tree/a", "other");
    let second = lab.manifest("second.jsonl", "jsonl", "md5");
    let mut contrary = Vec::new();
    let job = merge::MergeJob::new(vec![first, second], target(&lab, "both.jsonl"));
    let summary = job.run(&mut |event| {
        if let convert::ConvertEvent::Contradiction(path, contradiction) = event {
            contrary.push((path.ends_with(b"/a"), contradiction.what));
        }
        Continue(())
    });
    assert_eq!(summary.unwrap().contradictions, 1);
    assert_eq!(contrary, [(true, "size")]);
    // Both records of the path, and those of two other files.
    assert_eq!(fs::read_to_string(lab.path("both.jsonl")).unwrap().lines().count(), 4);
}

#[test]
fn records_are_classified_without_reading_files() {
    let lab = Lab::new();
    let list = lab.manifest("list.jsonl", "jsonl", "sha256");
    fs::remove_dir_all(lab.path("tree")).unwrap();
    lab.write("bad.txt", &format!("{}  abc\n", hash(find("sha256").unwrap(), b"abc")));
    let inputs = [Input::new(&lab.path("bad.txt"), Category::Bad)];
    let set = lab.path("set");
    build(&set, &inputs, &BuildOptions::default(), Strictness::Strict, &mut |_, _| ()).unwrap();
    let sets = Sets::open(&[&set], Filter::default()).unwrap();
    let mut found = Vec::new();
    let job = classify::ClassifyJob::new(&list, sets, Show::All).open(&mut |_| ()).unwrap();
    assert_eq!(job.format().map(|format| format.name), Some("jsonl"));
    let (format, to) = (find_format("jsonl").unwrap(), To::File(lab.path("labelled").into()));
    let summary = job
        .write(format, to, &mut |event| {
            if let classify::ClassifyEvent::Record(record) = event {
                found.push(record.label.as_ref().unwrap().category.to_string());
            }
            Continue(())
        })
        .unwrap();
    assert_eq!(found, ["bad", "unknown", "unknown"]);
    assert!(summary.categories.contains_key("bad") && !summary.interrupted);
    let text = fs::read_to_string(lab.path("labelled")).unwrap();
    assert!(text.lines().next().unwrap().contains("\"category\":\"bad\""), "{text}");
}

/// The categories of a comparison, but for what matches.
fn compared(lab: &Lab, old: &str, new: &str) -> (Vec<&'static str>, diff::AuditSummary) {
    let mut found = Vec::new();
    let summary = diff::DiffJob::new(&lab.path(old), &lab.path(new)).run(&mut |event| {
        if let diff::DiffEvent::Verdict(verdict) = event
            && verdict.category != audit::Category::Matched
        {
            found.push(verdict.category.word());
        }
        Continue(())
    });
    found.sort_unstable();
    (found, summary.unwrap())
}

#[test]
fn folders_and_manifests_are_compared_in_any_pairing() {
    let lab = Lab::new();
    lab.manifest("list", "hashdeep", "sha256");
    fs::create_dir(lab.path("copy")).unwrap();
    lab.write("copy/a", "abc");
    lab.write("copy/b", "changed");
    let (found, summary) = compared(&lab, "tree", "copy");
    assert_eq!(found, ["changed", "missing"]);
    assert!(summary.is_complete() && summary.counted.differs());
    for (old, new) in [("list", "tree"), ("tree", "list"), ("list", "list")] {
        let (found, summary) = compared(&lab, old, new);
        assert!(found.is_empty() && summary.counted.passed(), "{old} {new}: {found:?}");
    }
    let job = diff::DiffJob::new(&lab.path("tree"), &lab.path("copy"));
    let summary = job.run(&mut |event| match event {
        diff::DiffEvent::Verdict(_) => Break(()),
        _ => Continue(()),
    });
    assert!(summary.unwrap().interrupted);
}
