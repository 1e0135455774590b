//! QCOW2: layers, snapshots, reference counts, and what is refused.

use super::util::{assert_image, assert_media, first_difference, media, worse_than_notes};
use crate::util::{has, installed, run, verify};
use hashmill_image::{Image, Local, Opener, Problem, ProblemKind, Severity, SharedFile};
use hashmill_testing::Random;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::{ffi, io};

/// Returns a folder with `in.raw`, or `None` if QEMU's programs are missing.
fn folder(size: usize) -> Option<(tempfile::TempDir, Vec<u8>)> {
    installed("qemu-img").and(installed("qemu-io"))?;
    let folder = tempfile::tempdir().unwrap();
    let mut source = Random(7).bytes(size);
    source[size / 3..size / 2].fill(0);
    fs::write(folder.path().join("in.raw"), &source).unwrap();
    Some((folder, source))
}

fn convert(folder: &Path, options: &str, name: &str) -> PathBuf {
    run(folder, "qemu-img", &["convert", "-f", "raw", "-O", "qcow2", "-o", options, "in.raw", name]);
    folder.join(name)
}

fn raw_of(folder: &Path, name: &str) -> Vec<u8> {
    run(folder, "qemu-img", &["convert", "-O", "raw", name, "out.raw"]);
    fs::read(folder.join("out.raw")).unwrap()
}

fn local() -> Arc<dyn Opener> {
    Arc::new(Local)
}

#[test]
fn a_layer_is_refused_by_the_name_of_its_backing_file_unless_that_is_given() {
    let Some((folder, source)) = folder(1 << 20) else { return };
    let folder = folder.path();
    for (number, options) in ["", "extended_l2=on,", "cluster_size=512,"].iter().enumerate() {
        let base = convert(folder, "cluster_size=4096", "base.qcow2");
        let name = format!("layer{number}.qcow2");
        let options = format!("{options}backing_fmt=qcow2,backing_file=base.qcow2");
        // The layer is larger than the file behind it.
        run(folder, "qemu-img", &["create", "-q", "-f", "qcow2", "-o", &options, &name, "1500K"]);
        let commands =
            ["-c", "write -P 9 5000 70000", "-c", "write -z 200000 9000", "-c", "write -P 1 1400K 5K"];
        run(folder, "qemu-io", &[&["-f", "qcow2"], &commands[..], &[&name]].concat());
        let error = Image::open(&folder.join(&name)).unwrap_err();
        assert!(
            matches!(&error.problem, Problem::Backing(stated) if &*stated.name == b"base.qcow2"),
            "{error}"
        );
        assert!(error.to_string().contains("backing file 'base.qcow2'"));
        let expected = raw_of(folder, &name);
        let over = |backing: &Path| {
            let backing = Image::open(backing).unwrap();
            Image::open_with_backing(&local(), &folder.join(&name), backing).unwrap()
        };
        assert_image(&over(&base), &expected, &name);
        // The caller decides which file it is.
        fs::write(folder.join("other.raw"), &source[..777_216]).unwrap();
        let other = media(&over(&folder.join("other.raw")));
        assert_eq!(first_difference(&other, &expected), Some(777_216));
    }
    let alone = folder.join("base.qcow2");
    for (path, backing) in [(&alone, &alone), (&folder.join("in.raw"), &alone)] {
        let backing = Image::open(backing).unwrap();
        let error = Image::open_with_backing(&local(), path, backing).unwrap_err();
        assert!(matches!(error.problem, Problem::NoBacking), "{error}");
    }
}

/// An opener that records what was opened.
#[derive(Debug, Default)]
struct Recording(Mutex<Vec<PathBuf>>);

impl Opener for Recording {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        self.0.lock().unwrap().push(path.into());
        Local.open(path)
    }

    fn beside(&self, path: &Path, start: &[u8]) -> io::Result<Vec<ffi::OsString>> {
        Local.beside(path, start)
    }
}

#[test]
fn the_file_that_a_layer_names_is_not_opened() {
    let Some((folder, _)) = folder(1 << 20) else { return };
    let folder = folder.path();
    let base = convert(folder, "cluster_size=4096", "base.qcow2");
    convert(folder, "cluster_size=4096", "other.qcow2");
    run(
        folder,
        "qemu-img",
        &["create", "-q", "-f", "qcow2", "-b", "base.qcow2", "-F", "qcow2", "layer.qcow2"],
    );
    let (layer, recording) = (folder.join("layer.qcow2"), Arc::new(Recording::default()));
    let opener: Arc<dyn Opener> = Arc::clone(&recording) as _;
    let error = Image::open_by(&opener, &layer).unwrap_err();
    assert!(matches!(error.problem, Problem::Backing(stated) if stated.format.as_deref() == Some(b"qcow2")));
    // A mark of the backing file is a finding of the layer.
    let mut bytes = fs::read(&base).unwrap();
    bytes[79] |= 2;
    fs::write(folder.join("other.qcow2"), bytes).unwrap();
    let backing = Image::open(&folder.join("other.qcow2")).unwrap();
    let image = Image::open_with_backing(&opener, &layer, backing).unwrap();
    media(&image);
    assert!(image.findings().iter().any(|one| one.kind == ProblemKind::MarkedCorrupt));
    assert_eq!(image.backing().and_then(Image::first_path), Some(&*folder.join("other.qcow2")));
    let opened = recording.0.lock().unwrap();
    assert!(!opened.is_empty() && opened.iter().all(|path| *path == layer), "{opened:?}");
}

#[test]
fn the_name_of_a_backing_file_is_in_the_first_cluster_as_qemu_wants_it() {
    let Some((folder, _)) = folder(1 << 20) else { return };
    let folder = folder.path();
    convert(folder, "cluster_size=4096", "base.qcow2");
    let create = ["create", "-q", "-f", "qcow2", "-o", "cluster_size=4096,backing_fmt=qcow2"];
    run(folder, "qemu-img", &[&create[..], &["-b", "base.qcow2", "layer.qcow2"]].concat());
    let bytes = fs::read(folder.join("layer.qcow2")).unwrap();
    let offset = u64::from_be_bytes(bytes[8..16].try_into().unwrap());
    for (offset, length, is_name) in
        [(offset, 1023, true), (offset, 1024, false), (4000, 96, true), (4000, 97, false)]
    {
        let mut bytes = bytes.clone();
        bytes[8..16].copy_from_slice(&offset.to_be_bytes());
        bytes[16..20].copy_from_slice(&u32::to_be_bytes(length));
        fs::write(folder.join("x.qcow2"), bytes).unwrap();
        let problem = Image::open(&folder.join("x.qcow2")).unwrap_err().problem;
        assert_eq!(matches!(problem, Problem::Backing(_)), is_name, "{offset} {length}: {problem}");
        assert!(is_name || matches!(problem, Problem::Header(_)));
    }
}

#[test]
fn snapshots_are_noted_and_the_current_state_is_read() {
    let Some((folder, _)) = folder(1 << 20) else { return };
    let folder = folder.path();
    let path = convert(folder, "cluster_size=4096", "a.qcow2");
    for name in ["before", "a b"] {
        run(folder, "qemu-img", &["snapshot", "-c", name, "a.qcow2"]);
        run(folder, "qemu-io", &["-f", "qcow2", "-c", "write -P 5 100K 100K", "a.qcow2"]);
    }
    let image = assert_media(&path, &raw_of(folder, "a.qcow2"), "snapshots");
    for name in ["before", "a b"] {
        let told = image
            .findings()
            .iter()
            .any(|finding| matches!(&finding.kind, ProblemKind::Snapshot { stored } if &**stored == name));
        assert!(told, "{name}: {:?}", image.findings());
    }
}

#[test]
fn data_in_another_file_are_read_if_it_is_beside() {
    let Some((folder, source)) = folder(1 << 20) else { return };
    let folder = folder.path();
    for options in ["data_file=data.bin", "data_file=data.bin,data_file_raw=on,extended_l2=on"] {
        let path = convert(folder, options, "a.qcow2");
        let image = assert_media(&path, &source, options);
        assert_eq!(image.segments().len(), 2);
    }
    fs::create_dir(folder.join("d")).unwrap();
    convert(folder, "data_file=d/data.bin", "b.qcow2");
    let error = Image::open(&folder.join("b.qcow2")).unwrap_err();
    assert!(matches!(&error.problem, Problem::FileName(name) if &**name == "d/data.bin"), "{error}");
}

#[test]
fn encryption_is_refused_by_name() {
    let Some((folder, _)) = folder(1 << 20) else { return };
    let folder = folder.path();
    let path = convert(folder, "compat=0.10", "a.qcow2");
    let with = |at: usize, value: u8| {
        let mut bytes = fs::read(&path).unwrap();
        bytes[at] = value;
        fs::write(folder.join("x.qcow2"), bytes).unwrap();
        Image::open(&folder.join("x.qcow2")).map(|_| ()).map_err(|error| error.problem)
    };
    assert!(matches!(with(35, 1), Err(Problem::Encrypted("AES of QCOW2"))));
    assert!(matches!(with(35, 2), Err(Problem::Encrypted("LUKS"))));
    assert!(matches!(with(35, 9), Err(Problem::Feature(_))));
    assert!(matches!(with(7, 1), Err(Problem::Feature(what)) if what.contains("version 1")));
    assert!(matches!(with(23, 30), Err(Problem::Header(_))));
    assert!(
        matches!(with(24, 9), Err(Problem::Header(_) | Problem::Geometry)),
        "an exabyte needs a larger table"
    );
    let path = convert(folder, "compat=1.1", "a.qcow2");
    let with = |at: usize, value: u8| {
        let mut bytes = fs::read(&path).unwrap();
        bytes[at] |= value;
        fs::write(folder.join("x.qcow2"), bytes).unwrap();
        Image::open(&folder.join("x.qcow2"))
    };
    assert!(matches!(with(79, 0x80).unwrap_err().problem, Problem::Feature(_)));
    assert!(with(79, 1).unwrap().findings().iter().any(|one| one.kind == ProblemKind::NotClosed));
    assert!(with(79, 2).unwrap().findings().iter().any(|one| one.kind == ProblemKind::MarkedCorrupt));
}

/// Returns the numbers of corruptions and leaks that `qemu-img check` finds.
fn judged(folder: &Path, name: &str) -> Option<(u64, u64)> {
    let output = Command::new("qemu-img")
        .args(["check", "--output=json", "-f", "qcow2", name])
        .current_dir(folder)
        .output()
        .unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let number = |name: &str| found[name].as_u64().unwrap_or(0);
    (number("check-errors") == 0).then(|| (number("corruptions"), number("leaks")))
}

/// Changed table entries are problems for us if they are for QEMU. QEMU also checks the flag for clusters with one
/// reference, which says nothing about media.
#[test]
fn tables_are_judged_as_qemu_judges_them() {
    let Some((folder, _)) = folder(200 << 10) else { return };
    let folder = folder.path();
    let mut bad = 0;
    for (seed, options) in
        (0..120).zip(["cluster_size=512", "cluster_size=4096,refcount_bits=8"].iter().cycle())
    {
        if seed < 2 {
            convert(folder, options, &format!("a{}.qcow2", seed % 2));
        }
        let mut random = Random(seed);
        let mut bytes = fs::read(folder.join(format!("a{}.qcow2", seed % 2))).unwrap();
        let cluster: usize = if seed % 2 == 0 { 512 } else { 4096 };
        let at = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let l1 = at(40);
        let l2 = at(l1) & 0xff_ffff_fe00;
        let references = at(at(48));
        let place = match random.below(4) {
            0 => l1 + 5 + random.below(3),
            1 | 2 => l2 + random.below(60) * 8 + 5 + random.below(3),
            _ => references + random.below(cluster.min(600)),
        };
        bytes[place] ^= 1 << random.below(8);
        fs::write(folder.join("x.qcow2"), &bytes).unwrap();
        let Some((corruptions, leaked)) = judged(folder, "x.qcow2") else { continue };
        let image = Image::open(&folder.join("x.qcow2")).unwrap();
        let verification = verify(&image);
        let found = worse_than_notes(&verification.findings);
        let context =
            format!("seed {seed}: byte {place}: {corruptions} {leaked} {:#?}", verification.findings);
        if corruptions == 0 {
            assert!(found.is_empty(), "{context}");
            let extra = verification.findings.iter().find_map(|finding| match finding.kind {
                ProblemKind::Unused { extra } => Some(extra),
                _ => None,
            });
            // QEMU also counts references that are too high.
            assert!(extra.is_none_or(|extra| extra <= leaked), "{context}");
        } else if place < references || place >= references + cluster {
            assert!(!found.is_empty(), "{context}");
            bad += 1;
        }
    }
    assert!(bad > 20, "{bad}");
}

#[test]
fn a_cluster_that_is_used_but_free_or_used_twice_is_named() {
    let Some((folder, _)) = folder(100 << 10) else { return };
    let folder = folder.path();
    let path = convert(folder, "cluster_size=4096", "a.qcow2");
    let bytes = fs::read(&path).unwrap();
    let at = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let l2 = at(at(40)) & 0xff_ffff_fe00;
    let (references, data) = (at(at(48)), at(l2) & 0xff_ffff_fe00);
    let changed = |place: usize, value: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[place..place + value.len()].copy_from_slice(value);
        fs::write(folder.join("x.qcow2"), bytes).unwrap();
        verify(&Image::open(&folder.join("x.qcow2")).unwrap())
    };
    let free = changed(references + data / 4096 * 2, &[0, 0]);
    assert!(
        has(&free, |kind| *kind == ProblemKind::NoReference { target: data as u64 }),
        "{:?}",
        free.findings
    );
    let twice = changed(l2 + 8, &bytes[l2..l2 + 8]);
    let finding =
        twice.findings.iter().find(|one| one.kind == ProblemKind::UsedTwice { target: data as u64 });
    let place = &finding.unwrap().place;
    assert_eq!(place.section.as_ref().map(|section| section.offset), Some(l2 as u64 + 8));
    assert!(has(&twice, |kind| *kind == ProblemKind::Unused { extra: 1 }));
    // A place far outside the file, and one that is no cluster's start.
    for target in [1_u64 << 40, data as u64 + 512] {
        let outside = changed(l2 + 8, &(target | 1 << 63).to_be_bytes());
        assert!(has(&outside, |kind| *kind == ProblemKind::BadEntry { target }), "{:?}", outside.findings);
        assert!(outside.findings.iter().any(|one| one.kind.severity() == Severity::Damage));
    }
}
