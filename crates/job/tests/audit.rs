//! Audits: what changed since a manifest was written.

use crate::util::Lab;
use hashmill_job::audit::{AuditEvent, AuditJob, AuditSummary, Entry};
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::audit::Category;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// Audits the tree; gives the categories of all but matched files, as programs read them.
fn audit(lab: &Lab, manifest: &Path, update: Option<&str>) -> (Vec<String>, AuditSummary) {
    let lists =
        vec![(manifest.to_path_buf(), Guard::default().open(manifest.as_os_str(), &mut |_| ()).unwrap())];
    let mut job = AuditJob::new(lists, Some(lab.tree()));
    job.update = update.map(|name| lab.path(name).into());
    let mut found = Vec::new();
    let summary = job.run(&mut |event| {
        if let AuditEvent::Verdict(verdict, label) = event {
            let entry = Entry::from_verdict(verdict, label);
            let name = entry.path.rsplit('/').next().unwrap_or_default();
            if entry.category != "matched" {
                found.push(format!("{name} {}", entry.category));
            }
        }
        ControlFlow::Continue(())
    });
    (found, summary.unwrap())
}

#[test]
fn what_is_as_it_was_matches() {
    let lab = Lab::new();
    let manifest = lab.manifest("list", "hashdeep", "sha256");
    let (found, summary) = audit(&lab, &manifest, None);
    assert!(found.is_empty() && summary.counted.passed());
    assert_eq!(summary.counted.counts.count(Category::Matched), 3);
}

#[test]
fn what_changed_is_told_and_the_next_manifest_has_it() {
    let lab = Lab::new();
    let manifest = lab.manifest("list", "hashdeep", "sha256");
    lab.write("tree/a", "other");
    lab.write("tree/new", "new");
    fs::remove_file(lab.path("tree/deep/c")).unwrap();
    let (mut found, summary) = audit(&lab, &manifest, Some("next"));
    found.sort();
    assert_eq!(found, ["a changed", "c missing", "new new"]);
    assert!(summary.counted.differs() && summary.is_complete());
    let (found, summary) = audit(&lab, &lab.path("next"), None);
    assert!(found.is_empty() && summary.counted.passed());
}

#[test]
fn a_line_that_is_not_understood_is_a_notice() {
    let lab = Lab::new();
    let manifest = lab.manifest("list", "sums", "md5");
    let mut text = fs::read_to_string(&manifest).unwrap();
    text.push_str("900150983cd24fb0d6963f7d28e17f7z  damaged\n");
    fs::write(&manifest, text).unwrap();
    let lists = vec![(manifest.clone(), Guard::default().open(manifest.as_os_str(), &mut |_| ()).unwrap())];
    let mut told = Vec::new();
    let audit = AuditJob::new(lists, None).read(&mut |notice| told.push(notice.to_string())).unwrap();
    assert_eq!((audit.malformed(), told.len()), (1, 2));
    assert!(told[0].contains("line 4"), "{told:?}");
}
