//! Every table of the comparisons of tools from recorded runs, whose times are given; the expected cells are computed
//! by hand.

use super::tests::digests;
use super::*;
use crate::comparisons::corpus;
use crate::comparisons::corpus::Files;
use crate::comparisons::{sizes, tools};
use crate::peers::Likeness;
use crate::race::{CacheDropper, Ended, Invocation, Ran, Runner};
use crate::{Comparison, Draw, FakeClock, View};
use hashmill_os::names;
use hashmill_similar::Named;
use std::fs;
use std::time::Duration;

/// Seconds of a run: wall time, user time, system time.
type Times = [f64; 3];

/// Recorded runs of the calls that contain some words, in order and then again from the first.
struct Recording {
    calls: Vec<(&'static str, Vec<Times>, usize)>,
}

impl Recording {
    fn from_calls(calls: &[(&'static str, &[Times])]) -> Recording {
        Recording { calls: calls.iter().map(|(words, times)| (*words, times.to_vec(), 0)).collect() }
    }
}

impl Runner for Recording {
    fn run(&mut self, invocation: &Invocation, _limit: Duration) -> Ran {
        let ran = |[wall, user, system]: Times, stdout: String| Ran {
            ended: Ended::Code(0),
            wall,
            user,
            system,
            stdout: stdout.into_bytes(),
            stderr: Vec::new(),
        };
        let line = invocation.to_string();
        if [" --version", " -V"].iter().any(|asked| line.ends_with(asked)) {
            return ran([0.0; 3], "version 1.0".to_string());
        }
        let call = self.calls.iter_mut().find(|(words, ..)| line.contains(words));
        let (_, times, at) = call.unwrap_or_else(|| panic!("no recording of {line}"));
        *at += 1;
        ran(times[(*at - 1) % times.len()], printed(invocation))
    }
}

/// Returns the output of a correct program.
fn printed(invocation: &Invocation) -> String {
    let words: Vec<&str> = invocation.arguments.iter().map(|word| word.to_str().unwrap()).collect();
    let has = |word: &str| words.contains(&word) || invocation.program == word;
    match () {
        () if has("pairs") => "a,b,algorithm,score\nx/a.txt,x/b.txt,ssdeep,88\n".to_string(),
        () if has("ssdeep") && has("-d") => "x/b.txt matches x/a.txt (88)\n".to_string(),
        () if has("ssdeep") => likeness(&words),
        () => digests(invocation),
    }
}

/// Returns ssdeep's digests of the last path, a file or a folder, or of the files of a list.
fn likeness(words: &[&str]) -> String {
    let files = match words.iter().position(|word| *word == "-a") {
        Some(at) => {
            let names = fs::read_to_string(words[at + 1]).unwrap();
            names.split_terminator('\0').map(PathBuf::from).collect()
        }
        None if Path::new(words[words.len() - 1]).is_dir() => {
            Files::below(Path::new(words[words.len() - 1])).unwrap().made.files
        }
        None => vec![PathBuf::from(words[words.len() - 1])],
    };
    let line = |path: &PathBuf| {
        let mut stream = (Likeness::find("ssdeep").unwrap().row().stream)();
        stream.update(&fs::read(path).unwrap());
        let name = names::path_bytes(path).into_owned();
        String::from_utf8(Named { name, digest: stream.finish().unwrap() }.lines()).unwrap()
    };
    files.iter().map(line).collect()
}

/// Keeps all files in the cache.
struct Nothing;

impl CacheDropper for Nothing {
    fn chill(&mut self, _: &[PathBuf]) -> io::Result<()> {
        Ok(())
    }
}

/// Measures with three recorded runs of each. Returns the view, in which PLACE replaces the folder.
fn shown<C: Comparison>(
    calls: &[(&'static str, &[Times])],
    tools: &[&str],
    measure: impl FnOnce(&mut Stage<'_>) -> io::Result<Document<C::KernelRow, C::Summary>>,
) -> Shown {
    let place = tempfile::tempdir().unwrap();
    let clock = FakeClock::new(Duration::ZERO);
    let tools = tools.iter().map(ToString::to_string).collect();
    let plan = Plan { warmup: 0, runs: 3, least: Duration::ZERO, limit: Duration::from_secs(9) };
    let mut stage = Stage {
        track: Track {
            runner: &mut Recording::from_calls(calls),
            clock: &clock,
            draw: Draw::from_seed(3),
            cold: Some(&mut Nothing),
            cancelled: &|| false,
            watch: &mut |_| {},
        },
        field: Lineup::new("bin/ours".into(), tools, 2).unwrap(),
        plan,
        means: Some(DropMethod::Drop),
        place: place.path().to_path_buf(),
        disturbance: DisturbanceMonitor::default(),
    };
    let document = measure(&mut stage).unwrap();
    Shown { view: C::view(&document), place: place.path().to_str().unwrap().to_string() }
}

struct Shown {
    view: View,
    place: String,
}

impl Shown {
    /// Returns the rows of the table whose caption starts with this text, with bars between cells.
    #[track_caller]
    fn rows(&self, caption: &str) -> Vec<String> {
        let table = self.view.tables.iter().find(|table| table.caption.starts_with(caption));
        let captions: Vec<&str> = self.view.tables.iter().map(|table| table.caption.as_str()).collect();
        let table = table.unwrap_or_else(|| panic!("{captions:?}"));
        let line = |row: &Vec<hashmill_report::Cell>| {
            let cells: Vec<String> = row.iter().map(hashmill_report::Cell::plain).collect();
            cells.join("|").replace(&self.place, "PLACE")
        };
        table.rows.iter().map(line).collect()
    }
}

fn algorithms(names: &str) -> Vec<&'static Algorithm> {
    hashmill_digest::parse_list(names).unwrap()
}

#[test]
fn sizes() {
    // hashmill takes 1, 1.5 and 2 s: 1.5 on average, with a deviation of 0.5. Student's t for two degrees of freedom is
    // 4.3027, and 4.3027 × 0.5 / √3 is 1.2421.
    let calls: &[(&str, &[Times])] = &[
        ("hash -f sums -c md5", &[[1.0, 0.5, 0.25], [1.5, 0.5, 0.25], [2.0, 0.5, 0.25]]),
        ("md5sum", &[[3.0, 2.0, 0.5]]),
        ("similar digest -c ssdeep", &[[4.0, 3.0, 1.0]]),
        ("ssdeep -s", &[[6.0, 5.0, 0.5]]),
    ];
    let likeness = vec![Likeness::find("ssdeep").unwrap()];
    let wanted = sizes::SizesSettings { algorithms: algorithms("md5"), likeness, sizes: vec![3_000_000] };
    let shown = shown::<sizes::Sizes>(calls, &["md5sum"], |stage| sizes::measure(stage, &wanted, "t".into()));
    // 3 / 1.5 is 2; with the relative error 0.5 / 1.5, its error is 0.67. 6 / 4 is 1.5.
    assert_eq!(
        shown.rows("Fastest tools"),
        [
            "md5, 2.9 MiB: hashmill ran 2.00 ± 0.67 times faster than md5sum",
            "ssdeep, 2.9 MiB: hashmill ran 1.50 ± 0.00 times faster than ssdeep",
        ]
    );
    // 4 / 1.5 is 2.67, a third of which is 0.89.
    assert_eq!(
        shown.rows("Algorithms against each other"),
        [
            "2.9 MiB, hashmill: md5 ran 2.67 ± 0.89 times faster than ssdeep",
            "2.9 MiB, the fastest other tools: md5 (md5sum) ran 2.00 ± 0.00 times faster than ssdeep (ssdeep)",
        ]
    );
    assert_eq!(
        shown.rows("Places of algorithms"),
        [
            "2.9 MiB|hashmill|1|md5|1500.00|1242.07|1.00",
            "2.9 MiB|hashmill|2|ssdeep|4000.00|0.00|2.67",
            "2.9 MiB|the fastest other tools|1|md5 (md5sum)|3000.00|0.00|1.00",
            "2.9 MiB|the fastest other tools|2|ssdeep (ssdeep)|6000.00|0.00|2.00",
        ]
    );
    // Mean, deviation, minimum, median, maximum, user, system; 3 MB / 1.5 s are 2 MB/s.
    assert_eq!(
        shown.rows("Times of a run"),
        [
            "md5|2.9 MiB|hashmill|1500.00|500.00|1000.00|1500.00|2000.00|500.00|250.00|2|",
            "md5|2.9 MiB|md5sum|3000.00|0.00|3000.00|3000.00|3000.00|2000.00|500.00|1|",
            "ssdeep|2.9 MiB|hashmill|4000.00|0.00|4000.00|4000.00|4000.00|3000.00|1000.00|1|",
            "ssdeep|2.9 MiB|ssdeep|6000.00|0.00|6000.00|6000.00|6000.00|5000.00|500.00|0|",
        ]
    );
    assert_eq!(
        shown.rows("Commands"),
        [
            "hashmill|bin/ours hash -f sums -c md5 PLACE/3000000-bytes",
            "md5sum|md5sum PLACE/3000000-bytes",
            "ssdeep|ssdeep -s PLACE/3000000-bytes",
        ]
    );
    let titles: Vec<&str> = shown.view.charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles[2..], ["md5: run time by file size", "ssdeep: run time by file size"]);
}

#[test]
fn tools() {
    // Three runs in memory, then three from the disk.
    let disk = |warm: f64, cold: f64| [warm, warm, warm, cold, cold, cold].map(|wall| [wall, 0.5, 0.25]);
    let (ours, md5sum) = (disk(1.0, 2.0), disk(2.0, 3.0));
    let calls: &[(&str, &[Times])] = &[
        ("correctness/", &[[0.1, 0.1, 0.0]]),
        ("hash -f hashdeep -c md5,sha1", &[[2.0, 1.5, 0.5]]),
        ("2-files.list -P 2", &[[0.25, 0.25, 0.25]]),
        ("2-files.list md5sum", &[[1.0, 0.5, 0.5]]),
        ("2-files", &[[0.5, 0.25, 0.25]]),
        ("hash -f sums -c md5", &ours),
        ("md5sum", &md5sum),
    ];
    let wanted = tools::ToolsSettings {
        algorithms: algorithms("md5"),
        sizes: vec![2_000_000],
        counts: vec![2],
        small: 1000,
        several: algorithms("md5,sha1"),
        cold: false,
    };
    let shown = shown::<tools::Tools>(calls, &["md5sum"], |stage| tools::measure(stage, &wanted, "t".into()));
    // Mean, interval, processors; 2 MB over the time; time per file; ratio to hashmill.
    assert_eq!(
        shown.rows("One large file"),
        [
            "md5|1.9 MiB|hashmill|1000.00|0.00|750.00|2|1000000.0||",
            "md5|1.9 MiB|md5sum|2000.00|0.00|750.00|1|2000000.0|2.00 ± 0.00|",
        ]
    );
    assert_eq!(
        shown.rows("Many small files"),
        [
            "md5|2 files of 1000 B|hashmill|500.00|0.00|500.00|0|250000.0||",
            "md5|2 files of 1000 B|md5sum|1000.00|0.00|1000.00|0|500000.0|2.00 ± 0.00|",
            "md5|2 files of 1000 B|xargs -P2 md5sum|250.00|0.00|500.00|0|125000.0|0.50 ± 0.00|",
        ]
    );
    let several = ["md5,sha1|1.9 MiB|hashmill|2000.00|0.00|2000.00|1|2000000.0||"];
    assert_eq!(shown.rows("Several algorithms at once"), several);
    assert_eq!(
        shown.rows("Disk-bound: one large file, not in memory before each run (the page cache is dropped"),
        [
            "md5|1.9 MiB|hashmill|2000.00|0.00|750.00|1|2000000.0||",
            "md5|1.9 MiB|md5sum|3000.00|0.00|750.00|1|3000000.0|1.50 ± 0.00|",
        ]
    );
    assert_eq!(shown.rows("Correct digests"), ["md5|hashmill|16||", "md5|md5sum|16||"]);
    // RFC 1321 states the digest of empty input.
    let nothing = "md5|0 B|hashmill, md5sum||d41d8cd98f00b204e9800998ecf8427e";
    assert_eq!(shown.rows("Digests of the correctness test")[0], nothing);
    assert_eq!(shown.rows("Digests of the correctness test").len(), 3, "of 0 B, 1 KiB, 1 MiB");
    // 2^40 B at 2 MB/s are 549,755.8 s, at 1 MB/s twice as many.
    assert_eq!(
        shown.rows("EXTRAPOLATED"),
        ["md5|hashmill|9162.6|0.0|one file of 1.9 MiB", "md5|md5sum|18325.2|0.0|one file of 1.9 MiB",]
    );
    assert_eq!(shown.rows("Commands")[0], "hashmill|bin/ours hash -f sums -c md5 PLACE/2000000-bytes");
    let titles: Vec<&str> = shown.view.charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Throughput, one file of 1.9 MiB",
            "md5: throughput by file size",
            "md5: time for each of many files of 1000 B",
            "md5: many small files, times as long as hashmill",
            "Algorithms of one read, one file of 1.9 MiB",
            "Throughput, one file of 1.9 MiB, not in memory",
        ]
    );
    let ratios = &shown.view.charts[3].series;
    let points: Vec<_> = ratios.iter().map(|series| (series.name.as_str(), series.points[0].y)).collect();
    assert_eq!(points, [("hashmill", 1.0), ("md5sum", 2.0), ("xargs -P2 md5sum", 0.5)]);
}

#[test]
fn corpus() {
    let place = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.txt", 1000), ("b.txt", 3000), ("c.bin", 2000)] {
        fs::write(place.path().join(name), vec![b'x'; bytes]).unwrap();
    }
    let files = Files::below(place.path()).unwrap();
    let calls: &[(&str, &[Times])] = &[
        ("similar pairs", &[[5.0, 4.0, 0.5]]),
        ("similar digest -c ssdeep -j1", &[[8.0, 7.0, 0.5]]),
        ("similar digest", &[[3.0, 5.0, 0.5]]),
        ("ssdeep -s -d", &[[20.0, 19.0, 0.5]]),
        ("ssdeep -s -r", &[[12.0, 11.0, 0.5]]),
        ("ssdeep -s", &[[6.0, 11.0, 0.5]]),
        ("hash -f sums -c md5 -j1", &[[4.0, 3.0, 0.5]]),
        ("-j2 --prefetch=0", &[[2.0, 3.0, 0.5]]),
        ("-j2 -m134217728 --prefetch=1", &[[1.5, 2.5, 0.5]]),
        ("-j2 --prefetch=1", &[[1.6, 2.5, 0.5]]),
        ("hash -f sums -c md5", &[[1.0, 1.5, 0.25]]),
        ("parallel", &[[2.5, 3.0, 1.0]]),
        (" -P 2", &[[1.5, 2.5, 0.5]]),
        ("md5sum", &[[3.0, 2.5, 0.5]]),
    ];
    let wanted = corpus::CorpusSettings {
        algorithms: algorithms("md5"),
        likeness: vec![Likeness::find("ssdeep").unwrap()],
        threads: vec![2],
        memory: vec![1 << 27],
        prefetch: vec![1],
        experiments: Vec::new(),
        cold: false,
    };
    let shown = shown::<corpus::Corpus>(calls, &["md5sum"], |stage| {
        corpus::measure(stage, &wanted, &files, "t".into())
    });
    let folder = place.path().to_str().unwrap();
    let cells = |caption: &str, algorithm: &str| -> Vec<String> {
        let rows = shown.rows(caption).into_iter().filter(|row| row.starts_with(algorithm));
        rows.map(|row| row.replace(folder, "FOLDER")).collect()
    };
    // Files, total megabytes, kilobytes: mean, smallest, largest.
    assert_eq!(shown.rows("Kinds of files"), ["txt|2|0.00|2.0|1.0|3.0", "bin|1|0.00|2.0|2.0|2.0"]);
    // Mean, interval, difference from the 3 s of the first, user, system, rate of 6,000 bytes.
    let absent = "|||||||not installed (no package has it)|";
    assert_eq!(
        cells("The tool one had", "md5"),
        [
            "md5|md5sum|3.000|0.000|+0.0|2.500|0.500|0||xargs -0 -a PLACE/corpus.list md5sum",
            "md5|xargs -P2 md5sum|1.500|0.000|-50.0|2.500|0.500|0||xargs -0 -a PLACE/corpus.list -P 2 -n 1 sh -c \
             'exec \"$@\" >>\"$0/$$\"' PLACE/corpus.outputs md5sum",
            &format!("md5|pfh{absent}"),
            "md5|hashmill, one thread|4.000|0.000|+33.3|3.000|0.500|0||bin/ours hash -f sums -c md5 -j1 --prefetch=0 \
             FOLDER",
            "md5|hashmill, a thread a file|2.000|0.000|-33.3|3.000|0.500|0||bin/ours hash -f sums -c md5 -j2 \
             --prefetch=0 FOLDER",
            "md5|hashmill, prefetching|1.600|0.000|-46.7|2.500|0.500|0||bin/ours hash -f sums -c md5 -j2 --prefetch=1 \
             FOLDER",
            "md5|hashmill, as it chooses|1.000|0.000|-66.7|1.500|0.250|0||bin/ours hash -f sums -c md5 FOLDER",
        ]
    );
    fn short(rows: Vec<String>) -> Vec<String> {
        rows.iter().map(|row| row.split('|').take(5).collect::<Vec<_>>().join("|")).collect()
    }
    assert_eq!(short(cells("Number of threads", "md5")), ["md5|hashmill, 2 threads|1.600|0.000|+0.0"]);
    let memory = ["md5|hashmill, 128 MiB of memory|1.500|0.000|+0.0", "md5|pfh|||"];
    assert_eq!(short(cells("Bound on memory", "md5")), memory);
    assert_eq!(
        short(cells("Number of prefetchers", "md5")),
        ["md5|hashmill, 1 prefetcher|1.600|0.000|+0.0", "md5|pfh|||"]
    );
    assert_eq!(
        short(cells("Prefetchers × threads × memory", "md5")),
        [
            "md5|hashmill, one thread|4.000|0.000|+0.0",
            "md5|hashmill, 1 prefetcher, 2 threads, 128 MiB|1.500|0.000|-62.5",
        ]
    );
    let runs = [
        "md5|md5sum|3.000|0.000|+0.0",
        "md5|xargs -P2 md5sum|1.500|0.000|-50.0",
        "md5|hashmill, a thread a file|2.000|0.000|-33.3",
        "md5|hashmill, prefetching|1.600|0.000|-46.7",
        "md5|hashmill, as it chooses|1.000|0.000|-66.7",
    ];
    assert_eq!(short(cells("First run: files are not in memory", "md5")), runs);
    assert_eq!(short(cells("Second run: files are in memory", "md5")), runs);
    assert_eq!(
        short(cells("Processes in parallel", "md5")),
        [
            "md5|hashmill, as it chooses|1.000|0.000|+0.0",
            "md5|xargs -P2 md5sum|1.500|0.000|+50.0",
            "md5|parallel -j2 md5sum|2.500|0.000|+150.0",
            "md5|ppss|||",
        ]
    );
    assert_eq!(
        short(cells("Likeness digests of all files", "ssdeep")),
        [
            "ssdeep|ssdeep|12.000|0.000|+0.0",
            "ssdeep|xargs -P2 ssdeep|6.000|0.000|-50.0",
            "ssdeep|pfh|||",
            "ssdeep|hashmill, one thread|8.000|0.000|-33.3",
            "ssdeep|hashmill, a thread a file|3.000|0.000|-75.0",
            "ssdeep|hashmill, prefetching|3.000|0.000|-75.0",
            "ssdeep|hashmill, as it chooses|3.000|0.000|-75.0",
        ]
    );
    assert_eq!(
        short(cells("Processes in parallel", "ssdeep")),
        [
            "ssdeep|hashmill, as it chooses|3.000|0.000|+0.0",
            "ssdeep|xargs -P2 ssdeep|6.000|0.000|+100.0",
            "ssdeep|parallel -j2 ssdeep|6.000|0.000|+100.0",
            "ssdeep|ppss|||",
        ]
    );
    assert_eq!(
        short(cells("All against all", "ssdeep")),
        ["ssdeep|hashmill|5.000|0.000|+0.0", "ssdeep|ssdeep|20.000|0.000|+300.0"]
    );
    // 3 s for 6,000 bytes are 5e8 s for 1e12: 138,888.9 hours.
    let terabyte = shown.rows("EXTRAPOLATED");
    assert_eq!(terabyte[0], "methods|md5|md5sum|138888.889|0.000");
    assert!(terabyte.contains(&"likeness-digests|ssdeep|hashmill, one thread|370370.370|0.000".to_string()));
    assert!(terabyte.iter().all(|row| !row.starts_with("all-against-all")), "grows by the square");
}
