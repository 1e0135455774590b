//! The comparisons of tools on a fake machine: its programs hash with hashmill's kernels, are wrong, missing, or hang,
//! and its clock stands still.

use super::*;
use crate::comparisons::corpus;
use crate::comparisons::corpus::{Experiment, Files};
use crate::comparisons::{sizes, tools};
use crate::measure::disturbance::Observation;
use crate::peers::OURS;
use crate::race::{Ended, Invocation, Ran, Runner};
use crate::timed::{Ranking, Status};
use crate::{Comparison, Draw, FakeClock, view_of};
use hashmill_digest::{find, hash};
use std::cell::Cell;
use std::fs;
use std::time::Duration;

const PLAN: Plan = Plan { warmup: 1, runs: 2, least: Duration::ZERO, limit: Duration::from_secs(9) };

/// The programs of a machine. All hash as requested, except that openssl is wrong, rhash hangs, b3sum fails, and
/// hashdeep, blazehash and all others are missing.
#[derive(Default)]
struct Machine {
    runs: Vec<String>,
    /// The number of runs after which everything should end.
    stop: Option<(usize, &'static Cell<bool>)>,
}

impl Runner for Machine {
    fn run(&mut self, invocation: &Invocation, limit: Duration) -> Ran {
        self.runs.push(invocation.to_string());
        if let Some((runs, stop)) = self.stop {
            stop.set(self.runs.len() >= runs);
        }
        let program = Path::new(&invocation.program).file_name().unwrap().to_str().unwrap();
        let version =
            invocation.arguments.iter().any(|word| ["--version", "version", "-V"].iter().any(|v| word == v));
        let names = |name: &str| program == name || invocation.arguments.iter().any(|word| word == name);
        let stdout = match program {
            // Also when started by xargs.
            _ if names("openssl") && !version => "MD5(f)= 00\n".to_string(),
            "ours" | "md5sum" | "sha1sum" if version => "1.0".to_string(),
            "ours" | "md5sum" | "sha1sum" | "xargs" => digests(invocation),

            "openssl" | "rhash" | "b3sum" => String::new(),
            _ => return ended(Ended::NotRun("no such file".to_string())),
        };
        let ended_by = match program {
            "rhash" if !version => Ended::Hung(limit),
            "b3sum" if !version => Ended::Code(1),
            _ => Ended::Code(0),
        };
        let wall = if program == "ours" { 1.0 } else { 2.0 };
        Ran { wall, stdout: stdout.into_bytes(), ..ended(ended_by) }
    }
}

fn ended(ended: Ended) -> Ran {
    Ran { ended, wall: 1.0, user: 0.5, system: 0.25, stdout: Vec::new(), stderr: Vec::new() }
}

/// Returns the output of any correct tool: `DIGEST  NAME`, or hashdeep's columns for several algorithms.
pub(super) fn digests(invocation: &Invocation) -> String {
    let words: Vec<&str> = invocation.arguments.iter().map(|word| word.to_str().unwrap()).collect();
    let names = match words.iter().position(|word| *word == "-c" && invocation.program != "xargs") {
        Some(at) => words[at + 1].to_string(),
        None => {
            let program = |word: &&&str| word.ends_with("sum");
            let own = invocation.program.to_str().unwrap();
            let name = words.iter().find(program).copied().unwrap_or(own);
            name.trim_end_matches("sum").to_string()
        }
    };
    let algorithms: Vec<_> = names.split(',').map(|name| find(name).unwrap()).collect();
    let path = match words.iter().position(|word| *word == "-a") {
        Some(at) => return listed(words[at + 1], algorithms[0]),
        None => Path::new(words[words.len() - 1]),
    };
    if path.is_dir() {
        let mut made = Vec::new();
        walk(path, &mut made);
        return made.iter().map(|file| line(file, algorithms[0])).collect();
    }
    let bytes = fs::read(path).unwrap();
    match &algorithms[..] {
        [one] => line(path, one),
        several => {
            let digests = several.iter().map(|one| hash(one, &bytes).to_string()).collect::<Vec<_>>();
            format!("%%%% HASHDEEP-1.0\n{},{},name\n", bytes.len(), digests.join(","))
        }
    }
}

fn line(path: &Path, algorithm: &'static Algorithm) -> String {
    format!("{}  name\n", hash(algorithm, &fs::read(path).unwrap()))
}

fn listed(list: &str, algorithm: &'static Algorithm) -> String {
    let names = fs::read_to_string(list).unwrap();
    names.split_terminator('\0').map(|name| line(Path::new(name), algorithm)).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, files) } else { files.push(path) }
    }
}

/// Measures on a machine.
fn on<T>(machine: &mut Machine, tools: &[&str], measure: impl FnOnce(&mut Stage<'_>) -> T) -> T {
    let place = tempfile::tempdir().unwrap();
    let clock = FakeClock::new(Duration::ZERO);
    let stop = machine.stop.map(|(_, stop)| stop);
    let tools = tools.iter().map(ToString::to_string).collect();
    let mut stage = Stage {
        track: Track {
            runner: machine,
            clock: &clock,
            draw: Draw::from_seed(3),
            cold: None,
            cancelled: &|| stop.is_some_and(Cell::get),
            watch: &mut |_| {},
        },
        field: Lineup::new("bin/ours".into(), tools, 2).unwrap(),
        plan: PLAN,
        means: None,
        place: place.path().to_path_buf(),
        disturbance: DisturbanceMonitor::default(),
    };
    measure(&mut stage)
}

fn algorithms(names: &str) -> Vec<&'static Algorithm> {
    hashmill_digest::parse_list(names).unwrap()
}

#[test]
fn sizes_rank_who_is_right_and_tell_of_all_others() {
    let mut machine = Machine::default();
    let wanted = sizes::SizesSettings {
        algorithms: algorithms("md5,blake3"),
        likeness: Vec::new(),
        sizes: vec![10, 2000],
    };
    let document =
        on(&mut machine, &[], |stage| sizes::measure(stage, &wanted, "2026-11-21T12:00:00+00:00".into()))
            .unwrap();
    let status = |tool: &str| document.rows.iter().find(|row| row.timed.tool == tool).unwrap().timed.status;
    for (tool, wanted) in [
        (OURS, Status::Ranked),
        ("md5sum", Status::Ranked),
        ("openssl", Status::WrongDigest),
        ("rhash", Status::Failed),
        ("b3sum", Status::Failed),
        ("hashdeep", Status::NotInstalled),
    ] {
        assert_eq!(status(tool), wanted, "{tool}");
    }
    // Sorted by algorithm, then by size.
    let order: Vec<_> = document.rows.iter().map(|row| (row.algorithm.as_str(), row.size_bytes)).collect();
    assert!(order.is_sorted_by_key(|(name, size)| (*name != "md5", *size)), "{order:?}");
    let sentences: Vec<_> = document.summary.rankings.iter().map(|ranking| ranking.sentence()).collect();
    assert_eq!(sentences[1], "md5, 2.0 KiB: hashmill ran 2.00 ± 0.00 times faster than md5sum");
    assert_eq!(sentences.len(), 4);
    assert_eq!(document.summary.conditions.seed, 3);
    assert!(document.host.files.is_some(), "the file system of the files");
    // A warm-up and two runs, in turn; a tool that is wrong at the warm-up does not run again.
    let runs: Vec<&String> = machine.runs.iter().filter(|run| run.contains("2000-bytes")).collect();
    let of = |name: &str| runs.iter().filter(|run| run.contains(name)).count();
    assert_eq!((of("ours hash -f sums -c md5"), of("md5sum"), of("openssl"), of("rhash")), (3, 3, 1, 1));
    assert_eq!(document.summary.conditions.versions.len(), 4, "md5sum, openssl, rhash, b3sum");
    let shown = view_of(document.to_json().as_bytes()).unwrap();
    assert_eq!(shown, sizes::Sizes::view(&document), "read again it shows the same");
    assert_eq!(shown.charts.len(), 4);
}

#[test]
fn algorithms_are_ranked_against_each_other_for_each_size() {
    // Seconds by hand: hashmill takes 2 for md5 and 1 for blake3; of the others md5sum takes 3 and openssl 4.
    let timed = |tool: &str, seconds: f64| {
        let lap = crate::race::TimedRun { wall: seconds, user: 0.0, system: 0.0 };
        Timed::from_outcome(&CompetitorResult {
            tool: tool.to_string(),
            command: tool.to_string(),
            laps: vec![lap; 3],
            verdict: crate::race::Standing::Right,
        })
    };
    let row = |algorithm: &str, tool: &str, seconds: f64| sizes::SizesRow {
        algorithm: algorithm.to_string(),
        size_bytes: 1024,
        timed: timed(tool, seconds),
    };
    let rows = vec![
        row("md5", OURS, 2.0),
        row("md5", "openssl", 4.0),
        row("md5", "md5sum", 3.0),
        row("blake3", OURS, 1.0),
        row("blake3", "b3sum", 1.5),
    ];
    let ranked: Vec<_> = sizes::algorithms(&rows).iter().map(Ranking::sentence).collect();
    assert_eq!(
        ranked,
        [
            "1 KiB, hashmill: blake3 ran 2.00 ± 0.00 times faster than md5",
            "1 KiB, the fastest other tools: blake3 (b3sum) ran 2.00 ± 0.00 times faster than md5 (md5sum)",
        ]
    );
    let summary =
        sizes::SizesSummary { conditions: Conditions::default(), rankings: vec![], algorithms: vec![] };
    let view = sizes::Sizes::view(&Document::here("sizes", "t".into(), rows, summary));
    let places: Vec<String> = view.tables[2]
        .rows
        .iter()
        .map(|row| row.iter().map(hashmill_report::Cell::plain).collect::<Vec<_>>().join("|"))
        .collect();
    assert_eq!(
        places,
        [
            "1 KiB|hashmill|1|blake3|1000.00|0.00|1.00",
            "1 KiB|hashmill|2|md5|2000.00|0.00|2.00",
            "1 KiB|the fastest other tools|1|blake3 (b3sum)|1500.00|0.00|1.00",
            "1 KiB|the fastest other tools|2|md5 (md5sum)|3000.00|0.00|2.00",
        ]
    );
}

#[test]
fn what_disturbs_a_run_is_in_its_document() {
    let mut machine = Machine::default();
    let wanted =
        sizes::SizesSettings { algorithms: algorithms("md5"), likeness: Vec::new(), sizes: vec![10] };
    let document = on(&mut machine, &["md5sum"], |stage| {
        // Before, a step took a nanosecond; afterwards it takes twice as long.
        let step = |step| Observation { at: 0.0, step, load: None };
        stage.disturbance = DisturbanceMonitor { looks: vec![step(1.0), step(2.0)] };
        sizes::measure(stage, &wanted, "t".into())
    })
    .unwrap();
    let told = document.warnings.iter().any(|warning| warning.contains("clock frequency moved by 100 %"));
    assert!(told, "{:?}", document.warnings);
}

#[test]
fn tools_measure_every_part() {
    let mut machine = Machine::default();
    let wanted = tools::ToolsSettings {
        algorithms: algorithms("md5,sha1"),
        sizes: vec![1 << 10, 1 << 20],
        counts: vec![3, 7],
        small: 20,
        several: algorithms("md5,sha1"),
        cold: false,
    };
    let names = ["md5sum", "sha1sum", "openssl", "hashdeep"];
    let document = on(&mut machine, &names, |stage| tools::measure(stage, &wanted, "t".into())).unwrap();
    let ranked = |part: tools::ToolsPart, tool: &str| {
        let rows = document.rows.iter().filter(|row| row.part == part && row.timed.tool == tool);
        rows.filter(|row| row.timed.status == Status::Ranked).count()
    };
    assert_eq!((ranked(tools::ToolsPart::Large, OURS), ranked(tools::ToolsPart::Large, "md5sum")), (4, 2));
    assert_eq!((ranked(tools::ToolsPart::Small, OURS), ranked(tools::ToolsPart::Small, "sha1sum")), (4, 2));
    assert_eq!(
        ranked(tools::ToolsPart::Small, "xargs -P2 sha1sum"),
        2,
        "several processes of a tool without threads"
    );
    assert_eq!(
        (ranked(tools::ToolsPart::Several, OURS), ranked(tools::ToolsPart::Several, "openssl")),
        (2, 0)
    );
    assert!(document.summary.speedups.iter().all(|found| found.ratio == 2.0 && found.error == 0.0));
    assert_eq!(document.summary.speedups.len(), 12);
    // 2 s for a MiB are 2^21 s for a TiB.
    let md5sum = document.summary.extrapolated.iter().find(|row| row.tool == "md5sum").unwrap();
    assert_eq!((md5sum.from_bytes, md5sum.seconds), (1 << 20, 2_097_152.0));
    let correct = |tool: &str, algorithm: &str| {
        let rows = &document.summary.correctness;
        rows.iter().find(|row| row.tool == tool && row.algorithm == algorithm).unwrap().clone()
    };
    assert_eq!((correct("md5sum", "md5").right, correct(OURS, "md5").right), (16, 16));
    let wrong = correct("openssl", "sha512");
    assert_eq!((wrong.right, &wrong.wrong_sizes[..]), (0, &tools::CORRECT_SIZES[..]));
    assert_eq!(correct("hashdeep", "tiger").note.unwrap(), "not installed (apt install hashdeep)");
    assert!(document.warnings.iter().any(|warning| warning == "openssl gives wrong digests of sha512"));
    let shown = view_of(document.to_json().as_bytes()).unwrap();
    assert_eq!((shown.tables.len(), shown.charts.len()), (7, 6));
    assert!(shown.tables[5].caption.starts_with("EXTRAPOLATED"));
    // 0.5 s of user time and 0.25 s of system time are 750 ms of processors; hashmill takes 1 s, others 2 s.
    let cells =
        |row: usize| shown.tables[0].rows[row].iter().map(hashmill_report::Cell::plain).collect::<Vec<_>>();
    assert_eq!(cells(0)[2..8], [OURS, "1000.00", "0.00", "750.00", "0", "1000000.0"]);
    assert_eq!((cells(1)[2].as_str(), cells(1)[8].as_str()), ("md5sum", "2.00 ± 0.00"));
    let commands = &shown.tables[6].rows;
    assert!(commands.iter().any(|row| row[1].plain().starts_with("xargs -0 -a ")), "{commands:?}");
}

#[test]
fn a_corpus_goes_through_every_experiment() {
    let place = tempfile::tempdir().unwrap();
    for (name, content) in [("a", "one"), ("b", "two")] {
        fs::write(place.path().join(name), content).unwrap();
    }
    let files = Files::below(place.path()).unwrap();
    let wanted = corpus::CorpusSettings {
        algorithms: algorithms("sha1"),
        likeness: Vec::new(),
        threads: vec![2, 4],
        memory: vec![1 << 27],
        prefetch: vec![1, 2],
        experiments: Vec::new(),
        cold: false,
    };
    let mut machine = Machine::default();
    let document = on(&mut machine, &["sha1sum", "hashdeep"], |stage| {
        corpus::measure(stage, &wanted, &files, "t".into())
    })
    .unwrap();
    let of = |experiment| document.rows.iter().filter(move |row| row.experiment == experiment);
    let ways = |experiment| of(experiment).map(|row| row.timed.tool.as_str()).collect::<Vec<_>>();
    assert_eq!(
        ways(Experiment::Methods),
        [
            "sha1sum",
            "xargs -P2 sha1sum",
            "hashdeep, 2 threads",
            "pfh",
            "hashmill, one thread",
            "hashmill, a thread a file",
            "hashmill, prefetching",
            "hashmill, as it chooses"
        ]
    );
    assert_eq!(
        ways(Experiment::Threads),
        ["hashmill, 2 threads", "hashdeep, 2 threads", "hashmill, 4 threads", "hashdeep, 4 threads"]
    );
    let processes = ["hashmill, as it chooses", "xargs -P2 sha1sum", "parallel -j2 sha1sum", "ppss"];
    assert_eq!(ways(Experiment::Processes), processes);
    assert!(document.rows.iter().filter(|row| !row.peer).all(|row| row.timed.status == Status::Ranked));
    let absent: Vec<_> = of(Experiment::Processes).filter_map(|row| row.timed.note.as_deref()).collect();
    assert_eq!(absent, ["not installed (apt install parallel)", "not installed (no package has it)"]);
    assert_eq!(of(Experiment::Combinations).count(), 1 + 2 * 2, "two numbers of prefetchers, two of threads");
    assert!(machine.runs.iter().any(|run| run.contains("-m134217728") && run.contains("--prefetch=1")));
    assert_eq!((document.summary.files, document.summary.bytes), (2, 6));
    let shown = view_of(document.to_json().as_bytes()).unwrap();
    assert_eq!((shown.tables.len(), shown.charts.len()), (10, 8));
}

#[test]
fn an_interrupt_leaves_a_document_of_what_there_is() {
    let stop: &'static Cell<bool> = Box::leak(Box::new(Cell::new(false)));
    let mut machine = Machine { stop: Some((6, stop)), ..Machine::default() };
    let wanted =
        sizes::SizesSettings { algorithms: algorithms("md5"), likeness: Vec::new(), sizes: vec![10, 20] };
    let document = on(&mut machine, &["md5sum"], |stage| sizes::measure(stage, &wanted, "t".into())).unwrap();
    // The version, a warm-up of both, a run of both, one more; nothing of the second size.
    assert!(document.interrupted);
    let laps: Vec<_> = document.rows.iter().map(|row| row.timed.times.len()).collect();
    assert_eq!((laps, machine.runs.len()), (vec![2, 1], 6));
    assert!(document.rows.iter().all(|row| row.size_bytes == 10));
}
