//! Volumes made to mislead a reader, or to keep it busy.

use super::make::{Chunks, IMAGE, MAP, METHODS, Maker, STREAM, run, small};
use super::whole::saved;
use crate::util::{has, verify};
use hashmill_image::{Image, ImageVerdict, Problem, ProblemKind, Verification};
use hashmill_testing::samples::zip::archive;
use std::time::Instant;

const ZERO: &str = "http://aff4.org/Schema#Zero";
const ONES: &str = "http://aff4.org/Schema#SymbolicStreamFF";

fn opened(maker: &Maker) -> Result<Verification, Problem> {
    let folder = tempfile::tempdir().unwrap();
    let image = Image::open(&saved(folder.path(), &maker.file())).map_err(|error| error.problem)?;
    Ok(verify(&image))
}

/// Returns a volume with a map of these runs.
fn mapped(size: u64, runs: &[Vec<u8>], targets: &[&str]) -> Maker {
    let mut maker = Maker::new();
    let chunks = Chunks { method: METHODS[1], size: 512, count: 4 };
    maker.stream(STREAM, &[5; 4096], chunks).map(size, &runs.concat(), targets).image(MAP, "");
    maker
}

fn refused(change: impl Fn(&mut Maker)) -> Problem {
    let (mut maker, _) = small(METHODS[1]);
    change(&mut maker);
    opened(&maker).err().unwrap()
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let say = |text: &'static str| refused(move |maker| maker.turtle += text);
    let problem = say("<aff4://other> a aff4:Image .");
    assert!(matches!(&problem, Problem::Feature(what) if what.contains("several images")), "{problem}");
    let problem = say("<aff4://f> a aff4:FileImage .");
    assert!(matches!(&problem, Problem::Feature(what) if what.contains("AFF4-L")), "{problem}");
    let problem = say("<aff4://f> a aff4:EncryptedStream .");
    assert!(matches!(problem, Problem::Encrypted("AFF4")), "{problem}");
    let problem = refused(|maker| maker.turtle = maker.turtle.replace(METHODS[1], "http://lzma"));
    assert!(matches!(&problem, Problem::Feature(what) if what.contains("http://lzma")), "{problem}");
    let problem = say("<aff4://map> aff4:mapGapDefaultStream <aff4://stream> .");
    assert!(matches!(problem, Problem::Feature(_)), "{problem}");
    let problem = opened(&mapped(512, &[run(0, 512, 0, 0)], &["aff4://elsewhere"])).err().unwrap();
    assert!(matches!(&problem, Problem::Volume(name) if &**name == "aff4://elsewhere"), "{problem}");
}

#[test]
fn what_has_two_meanings_is_refused() {
    for statement in [
        format!("<{MAP}> aff4:size 77 ."),
        format!("<{STREAM}> aff4:chunkSize 77 ."),
        format!("<{STREAM}> aff4:chunk_size 77 ."),
        format!("<{IMAGE}> aff4:dataStream <{STREAM}> ."),
    ] {
        let problem = refused(|maker| maker.turtle += &statement);
        assert!(matches!(problem, Problem::Header(_)), "{statement}: {problem}");
    }
    let problem = refused(|maker| {
        let twice = maker.members[2].clone();
        maker.members.push(twice);
    });
    assert!(matches!(problem, Problem::Header(_)), "{problem}");
    // The same name, written in another way.
    let problem = refused(|maker| {
        let mut twice = maker.members[2].clone();
        twice.name = twice.name.replace("%3A", "%3a");
        maker.members.push(twice);
    });
    assert!(matches!(problem, Problem::Header(_)), "{problem}");
}

#[test]
fn maps_in_a_circle_are_refused() {
    let problem = opened(&mapped(512, &[run(0, 512, 0, 0)], &[MAP])).err().unwrap();
    assert!(matches!(problem, Problem::Feature(_)), "{problem}");
    let (mut maker, _) = small(METHODS[1]);
    maker.turtle = maker.turtle.replace("aff4:dataStream <aff4://map>", "aff4:dataStream <aff4://image>");
    assert!(opened(&maker).is_err());
}

#[test]
fn runs_that_overlap_or_leave_their_place_are_failures() {
    let targets = [STREAM, ZERO, ONES];
    let big = 1 << 61;
    for (name, size, runs) in [
        ("overlap", 2048, vec![run(0, 1024, 0, 0), run(512, 512, 0, 1)]),
        ("inside", 2048, vec![run(0, 2048, 0, 1), run(5, 6, 0, 2)]),
        ("shifted", 2048, vec![run(0, 1024, 0, 0), run(512, 512, 513, 0)]),
        ("beyond the stream", 8192, vec![run(0, 8192, 0, 0)]),
        ("beyond the medium", 512, vec![run(0, 1024, 0, 0)]),
        ("far beyond the stream", big, vec![run(0, big, 0, 0)]),
        ("far overlap", big, vec![run(0, big, 0, 1), run(0, big, 0, 2)]),
    ] {
        let start = Instant::now();
        let verification =
            opened(&mapped(size, &runs, &targets)).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let told = has(&verification, |kind| {
            matches!(kind, ProblemKind::RunsOverlap | ProblemKind::BadEntry { .. })
        });
        assert!(told && verification.verdict >= ImageVerdict::Damaged, "{name}: {:?}", verification.verdict);
        assert!(start.elapsed().as_secs() < 5, "{name}");
    }
    // Two equal statements are one.
    let again = opened(&mapped(2048, &[run(0, 1024, 0, 0), run(512, 512, 512, 0)], &targets)).unwrap();
    assert_eq!(again.verdict, ImageVerdict::NoDigest, "{:?}", again.findings);
    for runs in [run(u64::MAX, 2, 0, 0), run(0, u64::MAX, 1, 0), run(0, 5, u64::MAX, 1), run(0, 1, 0, 9)] {
        let problem = opened(&mapped(2048, &[runs], &targets)).err().unwrap();
        assert!(matches!(problem, Problem::Header(_)), "{problem}");
    }
}

/// An exabyte, of which all but some bytes are zeros, other repeated bytes, or missing: none is read.
#[test]
fn large_media_cost_what_is_stored() {
    let big = 1 << 60;
    let start = Instant::now();
    let runs = [run(0, 4096, 0, 0), run(8192, big / 2, 0, 1)];
    let verification = opened(&mapped(big, &runs, &[STREAM, ONES])).unwrap();
    assert_eq!(verification.verdict, ImageVerdict::NoDigest, "{:?}", verification.findings);
    assert!(verification.read < 1 << 20);
    let mut maker = Maker::new();
    maker.stream(STREAM, &[5; 4096], Chunks { method: METHODS[1], size: 512, count: 4 }).image(STREAM, "");
    maker.turtle = maker.turtle.replace("\"4096\"", &format!("\"{big}\""));
    let verification = opened(&maker).unwrap();
    assert_eq!(verification.verdict, ImageVerdict::Incomplete, "{:?}", verification.findings);
    maker.turtle = maker.turtle.replace(&big.to_string(), &(u64::MAX - 1).to_string());
    assert!(matches!(opened(&maker).err().unwrap(), Problem::Geometry));
    assert!(start.elapsed().as_secs() < 5);
}

/// A map that asks for a byte of a large chunk, then of another one, and so on.
#[test]
fn maps_that_make_work_are_refused() {
    let mut maker = Maker::new();
    let chunks = Chunks { method: METHODS[1], size: 4 << 20, count: 2 };
    let runs: Vec<u8> = (0..20_000).flat_map(|at| run(at, 1, at % 2 * (4 << 20), 0)).collect();
    maker.stream(STREAM, &vec![5; 8 << 20], chunks).map(20_000, &runs, &[STREAM]).image(MAP, "");
    let problem = opened(&maker).err().unwrap();
    assert!(matches!(problem, Problem::Header(why) if why.contains("decompress")), "{problem}");
}

/// Chunks of one bevy that are all the same bytes.
#[test]
fn chunks_that_share_their_bytes_are_damage() {
    let (mut maker, _) = small(METHODS[1]);
    let index = maker.members.iter_mut().find(|one| one.name.ends_with("00000000.index")).unwrap();
    let first = index.content[..12].to_vec();
    index.content[12..24].copy_from_slice(&first);
    // Two of a short and a long chunk still fit.
    index.content[8..10].copy_from_slice(&[0xff, 1]);
    let verification = opened(&maker).unwrap();
    assert!(has(&verification, |kind| *kind == ProblemKind::ChunkLength), "{:?}", verification.findings);
    assert!(verification.verdict >= ImageVerdict::Damaged);
}

#[test]
fn headers_that_disagree_with_the_directory_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (maker, _) = small(METHODS[1]);
    let bytes = maker.file();
    let whole = verify(&Image::open(&saved(folder.path(), &bytes)).unwrap());
    assert!(!has(&whole, |kind| *kind == ProblemKind::HeadersDisagree));
    // Names before the segments, which stand in the file before those of the directory.
    for name in ["version.txt", "aff4%3A%2F%2Fstream/00000000", "aff4%3A%2F%2Fmap/map"] {
        let mut changed = bytes.clone();
        let at = changed.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
        changed[at + 1] ^= 1;
        let verification = verify(&Image::open(&saved(folder.path(), &changed)).unwrap());
        assert!(has(&verification, |kind| *kind == ProblemKind::HeadersDisagree), "{name}");
        assert!(verification.verdict > ImageVerdict::VerifiedWithNotes, "{name}");
    }
    // A deflated bevy is no place of chunks.
    let mut members = maker.members.clone();
    members[2].deflated = true;
    let turtle = hashmill_testing::samples::zip::member("information.turtle", &maker.turtle);
    members.push(turtle);
    let image = Image::open(&saved(folder.path(), &archive(&members))).unwrap();
    assert_eq!(verify(&image).verdict, ImageVerdict::Unsupported);
}
