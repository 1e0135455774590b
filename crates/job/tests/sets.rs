//! Sets of known digests: built, shown, asked.

use crate::util::Lab;
use hashmill_content as content;
use hashmill_content::output::{Output, OutputKind};
use hashmill_engine::Cancel;
use hashmill_job::sets::{self, Build, BuildEvent, Query, QueryEvent, SetsError};
use hashmill_job::{Error, Misfit};
use hashmill_known::{Category, Filter, Input, Notice, Sets, Why};
use hashmill_os::names::path_bytes;
use std::fs;
use std::ops::ControlFlow::{Break, Continue};
use std::path::PathBuf;

const ABC: &str = "900150983cd24fb0d6963f7d28e17f72";
const OTHER: &str = "f96b697d7cb7938d525a2f31aaf161d0";

/// A list in which one line is no digest.
fn build(lab: &Lab) -> Build {
    lab.write("bad.txt", &format!("{ABC}\nno digest\n"));
    Build::new(lab.path("bad.hmk").into(), vec![Input::new(&lab.path("bad.txt"), Category::Bad)])
}

/// The index of that list. It is built once: on Windows, nothing takes the place of a file that is open.
fn index(lab: &Lab) -> PathBuf {
    let path = lab.path("bad.hmk");
    if !path.exists() {
        build(lab).run(&mut |_| Continue(())).unwrap();
    }
    path
}

#[test]
fn an_index_says_what_it_was_built_from() {
    let lab = Lab::new();
    let mut told = Vec::new();
    let about = build(&lab).run(&mut |event| {
        match event {
            BuildEvent::Building(_) => told.push("building"),
            BuildEvent::Notice(_, Notice::Malformed(_)) => told.push("malformed"),
            other => panic!("{other:?}"),
        }
        Continue(())
    });
    let about = about.unwrap();
    assert!(!about.is_complete());
    assert_eq!(told, ["building", "malformed"]);
    let info = sets::info(&lab.path("bad.hmk")).unwrap();
    assert_eq!((&info.about, info.is_verified), (&about, false));
    assert_eq!(info.table_bytes.keys().copied().collect::<Vec<_>>(), [128]);
    assert_eq!(info.bytes, fs::metadata(&info.path).unwrap().len());

    let mut bytes = fs::read(&info.path).unwrap();
    assert!(sets::verify(&info.path, &Cancel::default()).unwrap().is_verified);
    let at = bytes.windows(4).position(|four| four == b"\x90\x01\x50\x98").unwrap();
    bytes[at] ^= 1;
    fs::write(&info.path, bytes).unwrap();
    let damaged = sets::verify(&info.path, &Cancel::default());
    assert!(matches!(&damaged, Err(Error::Known(why)) if matches!(why.why, Why::Damaged(_))), "{damaged:?}");
    let cancel = Cancel::default();
    cancel.set();
    let ended = sets::verify(&info.path, &cancel);
    assert!(matches!(&ended, Err(Error::Known(why)) if matches!(why.why, Why::Cancelled)), "{ended:?}");
}

#[test]
fn what_can_t_be_built_is_refused_and_a_cancelled_build_leaves_the_old_index() {
    let lab = Lab::new();
    let refused = |build: Build| build.run(&mut |_| Continue(())).unwrap_err();
    assert!(matches!(
        refused(Build::new(lab.path("x").into(), Vec::new())),
        Error::Sets(SetsError::NoInputs)
    ));
    let stdin = || Input::new("-".as_ref(), Category::Good);
    let twice = Build::new(lab.path("x").into(), vec![stdin(), stdin()]);
    assert!(matches!(refused(twice), Error::Sets(SetsError::StdinTwice)));
    let folder = Build { output: lab.path("tree").into(), ..build(&lab) };
    assert!(matches!(refused(folder), Error::Misfit(Misfit::Content(content::Misfit::Directory(_)))));

    let old = fs::read(index(&lab)).unwrap();
    let lines: String = (0..50_000).map(|number| format!("{number:032x}\n")).collect();
    let cancelled = |error: Error| matches!(error, Error::Known(why) if matches!(why.why, Why::Cancelled));
    let long = || {
        let build = build(&lab);
        lab.write("bad.txt", &lines);
        build
    };
    let flagged = long();
    flagged.cancel.set();
    assert!(cancelled(refused(flagged)));
    assert!(cancelled(long().run(&mut |_| Break(())).unwrap_err()));
    assert_eq!(fs::read(lab.path("bad.hmk")).unwrap(), old);
}

/// A query of the list's index.
fn query(lab: &Lab) -> Query {
    Query::new(Sets::open(&[index(lab)], Filter::default()).unwrap())
}

#[test]
fn each_digest_gets_a_line_in_order() {
    let lab = Lab::new();
    lab.write("asked", &format!("{OTHER} a name\nx\n{}\n", &ABC.repeat(2)[..40]));
    let lists = vec![lab.path("asked")];
    let job = Query { digests: vec![ABC.as_bytes().into()], lists, ..query(&lab) };
    let mut told = Vec::new();
    let summary =
        job.run(Output::file(&lab.path("lines").into(), OutputKind::Anything).unwrap(), &mut |event| {
            told.push(match event {
                QueryEvent::MetBad => "bad".to_string(),
                QueryEvent::NotHeld(bits) => bits.to_string(),
                QueryEvent::Malformed(line) => {
                    assert_eq!(line.list.unwrap(), &*path_bytes(&lab.path("asked")));
                    format!("{} {}", line.number, String::from_utf8_lossy(line.text))
                }
                other => panic!("{other:?}"),
            });
            Continue(())
        });
    let summary = summary.unwrap();
    assert_eq!((summary.interrupted, summary.bad, summary.malformed), (false, 1, 1));
    assert_eq!(told, ["bad", "2 x", "160"]);
    let lines = fs::read_to_string(lab.path("lines")).unwrap();
    let starts: Vec<_> = lines.lines().map(|line| line.split('\t').take(2).collect::<Vec<_>>()).collect();
    let long = &ABC.repeat(2)[..40];
    assert_eq!(starts, [[ABC, "bad"], [OTHER, "unknown"], ["x", "malformed"], [long, "unknown"]]);
}

#[test]
fn answers_of_several_threads_are_in_the_order_of_the_lines() {
    let lab = Lab::new();
    let line = |number: usize| match number % 1000 {
        0 => format!("no digest {number}"),
        rest if rest % 3 == 0 => format!("{ABC}  {number}"),
        _ => format!("{:064x}", number),
    };
    let text: String = (1..=40_000).map(|number| line(number) + "\n").collect();
    lab.write("asked", text.trim_end());
    let job = Query { lists: vec![lab.path("asked")], ..query(&lab) };
    let mut malformed = Vec::new();
    let output = Output::file(&lab.path("lines").into(), OutputKind::Anything).unwrap();
    let summary = job.run(output, &mut |event| {
        if let QueryEvent::Malformed(line) = event {
            malformed.push(line.number);
        }
        Continue(())
    });
    assert_eq!(summary.unwrap().malformed, 40);
    assert_eq!(malformed, (1..=40).map(|thousand| thousand * 1000).collect::<Vec<u64>>());
    let lines = fs::read_to_string(lab.path("lines")).unwrap();
    assert_eq!(lines.lines().count(), 40_000);
    for (number, answer) in (1..).zip(lines.lines()) {
        let asked = line(number);
        let asked = asked.split(' ').next().unwrap();
        let category = match number % 1000 {
            0 => "malformed",
            rest if rest % 3 == 0 => "bad",
            _ => "unknown",
        };
        assert!(answer.starts_with(&format!("{asked}\t{category}\t")), "{number}: {answer}");
    }
}

#[test]
fn a_query_ends_when_it_is_told_to() {
    let lab = Lab::new();
    lab.write("asked", &format!("{OTHER}\n").repeat(2000));
    let asked = || Query { lists: vec![lab.path("asked")], ..query(&lab) };
    let cancelled = asked();
    cancelled.cancel.set();
    let summary = cancelled
        .run(Output::file(&lab.path("none").into(), OutputKind::Anything).unwrap(), &mut |_| Continue(()))
        .unwrap();
    assert!(summary.interrupted);
    assert_eq!(fs::read(lab.path("none")).unwrap(), b"");
    let stopped = Query { digests: vec![ABC.as_bytes().into()], ..asked() };
    let summary = stopped
        .run(Output::file(&lab.path("one").into(), OutputKind::Anything).unwrap(), &mut |_| Break(()))
        .unwrap();
    assert!(summary.interrupted && summary.bad > 0);
    assert_eq!(fs::read_to_string(lab.path("one")).unwrap().lines().count(), 1);

    lab.write("asked", &"x".repeat((1 << 20) + 1));
    let long = asked()
        .run(Output::file(&lab.path("none").into(), OutputKind::Anything).unwrap(), &mut |_| Continue(()));
    assert!(matches!(long, Err(Error::Sets(SetsError::LongLine { .. }))), "{long:?}");
}

/// Tests with a list that is a pipe with a name.
#[cfg(target_os = "linux")]
mod of_pipes {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_query_that_is_stopped_does_not_wait_for_more() {
        let lab = Lab::new();
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"no digest\n").unwrap();
        let list = PathBuf::from(format!("/proc/self/fd/{}", reader.as_raw_fd()));
        let output = Output::file(&lab.path("lines").into(), OutputKind::Anything).unwrap();
        let job = Query { lists: vec![list], ..query(&lab) };
        // The writer stays open: a query that wanted more would wait forever.
        let summary = job.run(output, &mut |_| Break(())).unwrap();
        assert!(summary.interrupted && summary.malformed == 1);
        drop(writer);
    }
}
