//! Checks of lists of digests.

use crate::util::Lab;
use hashmill_content::selection::own::OwnFiles;
use hashmill_engine::flow::Flow;
use hashmill_job::check::{CheckEvent, CheckJob, ClaimVerdict};
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::names;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// Checks a list; gives a word for each of its lines.
fn check(list: &Path, job: CheckJob) -> (Vec<ClaimVerdict>, hashmill_job::check::CheckSummary) {
    let mut found = Vec::new();
    let mut check = job.start().unwrap();
    let mut take = |event: CheckEvent<'_>| -> Flow {
        if let CheckEvent::Verdict(_, verdict, _) = event {
            found.push(verdict);
        }
        ControlFlow::Continue(())
    };
    let name = list.as_os_str();
    let summary = check
        .list(&names::bytes(name), Guard::default().open(name, &mut |_| ()).unwrap(), &mut take)
        .unwrap();
    (found, summary)
}

#[test]
fn every_line_has_its_verdict_in_the_order_of_the_list() {
    let lab = Lab::new();
    let list = lab.manifest("list", "sums", "md5");
    lab.write("tree/b", "other");
    fs::remove_file(lab.path("tree/deep/c")).unwrap();
    let (found, summary) = check(&list, CheckJob::default());
    assert_eq!(found, [ClaimVerdict::Right, ClaimVerdict::Wrong, ClaimVerdict::Missing]);
    assert_eq!((summary.right, summary.wrong, summary.missing), (1, 1, 1));
    assert!(!summary.interrupted);
}

#[test]
fn files_that_no_list_names_are_found() {
    let lab = Lab::new();
    let list = lab.manifest("list", "sums", "md5");
    lab.write("tree/deep/new", "new");
    let mut checking = CheckJob { new: true, ..CheckJob::default() }.start().unwrap();
    let name = list.as_os_str();
    checking
        .list(&names::bytes(name), Guard::default().open(name, &mut |_| ()).unwrap(), &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
    let mut new = Vec::new();
    let added = checking.added(&OwnFiles::default(), &mut |event| {
        if let CheckEvent::New(path) = event {
            new.push(String::from_utf8_lossy(path).into_owned());
        }
        ControlFlow::Continue(())
    });
    assert_eq!((added.new, new.len()), (1, 1));
    assert!(new[0].ends_with("tree/deep/new"), "{new:?}");
}

#[test]
fn a_cancelled_check_says_so() {
    let lab = Lab::new();
    let list = lab.manifest("list", "sums", "md5");
    let job = CheckJob::default();
    job.cancel.set();
    let (_, summary) = check(&list, job);
    assert!(summary.interrupted);
}

/// Whether a check of this list says that it may take a while.
fn is_long(list: &Path) -> bool {
    let mut long = 0;
    let mut check = CheckJob::default().start().unwrap();
    let name = list.as_os_str();
    for _ in 0..2 {
        let mut take = |event: CheckEvent<'_>| -> Flow {
            long += usize::from(matches!(event, CheckEvent::Long));
            ControlFlow::Continue(())
        };
        check
            .list(&names::bytes(name), Guard::default().open(name, &mut |_| ()).unwrap(), &mut take)
            .unwrap();
    }
    assert!(long < 2, "it is said once");
    long > 0
}

#[test]
fn a_check_of_one_small_file_is_not_long() {
    let lab = Lab::new();
    let list = lab.manifest("list", "sums", "md5");
    assert!(is_long(&list), "three files");
    let line = |name: &str| format!("900150983cd24fb0d6963f7d28e17f72  {}\n", lab.path(name).display());
    lab.write("one", &line("tree/a"));
    assert!(!is_long(&lab.path("one")));
    lab.write("absent", &line("tree/none"));
    assert!(!is_long(&lab.path("absent")));
    fs::File::create(lab.path("tree/large")).unwrap().set_len(1 << 21).unwrap();
    lab.write("large", &line("tree/large"));
    assert!(is_long(&lab.path("large")));
}
