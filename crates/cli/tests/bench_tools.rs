//! `bench sizes`, `bench tools` and `bench corpus`, with small files and tools that are made up or here.

use crate::case;
use crate::util::{Place, Ran, installed};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

impl Place {
    /// Puts a program into `bin`.
    fn program(&self, name: &str, script: &str) -> &Place {
        self.file(format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.path(format!("bin/{name}")), Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Runs hashmill with `bin` at the front of the search path.
    fn with_bin(&self, args: &str) -> Ran {
        let mut command = self.command(args);
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.path("bin").display()));
        self.ran(command, args)
    }

    fn json_of(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap()
    }
}

/// Rows by tool; of several the last.
fn by_tool(document: &Value) -> HashMap<&str, &Value> {
    let rows = document["rows"].as_array().unwrap();
    rows.iter().map(|row| (row["tool"].as_str().unwrap(), row)).collect()
}

case!(sizes_measures_verifies_and_writes_what_hyperfine_writes, |t| {
    let args = "bench sizes -c md5 --sizes 0,1K --runs 3 --tools md5sum,openssl --export-json out.json \
                --export-csv out.csv --export-markdown out.md";
    t.run(args).code(0).quiet().prints("md5, 1 KiB: ").prints("times faster than").prints("σ (ms)");
    let document = t.json_of("out.json");
    assert_eq!(document["comparison"], "sizes");
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6, "three programs, two sizes");
    let ours = rows.iter().filter(|row| row["tool"] == "hashmill");
    assert!(ours.clone().count() == 2 && ours.clone().all(|row| row["status"] == "ranked"), "{rows:#?}");
    for row in rows.iter().filter(|row| row["status"] == "ranked") {
        let (seconds, times) = (&row["seconds"], row["times"].as_array().unwrap());
        assert_eq!(times.len(), 3);
        assert!(seconds["min"].as_f64() <= seconds["median"].as_f64());
        assert!(seconds["median"].as_f64() <= seconds["max"].as_f64());
    }
    // The keys of hyperfine's export, and one parameter alone, as its scripts want it.
    let results = document["results"].as_array().unwrap();
    let ranked = rows.iter().filter(|row| row["status"] == "ranked").count();
    assert_eq!(results.len(), ranked);
    for key in [
        "command",
        "mean",
        "stddev",
        "median",
        "user",
        "system",
        "min",
        "max",
        "times",
        "exit_codes",
        "parameters",
    ] {
        assert!(results.iter().all(|result| !result[key].is_null()), "{key}");
    }
    assert_eq!(results[0]["exit_codes"], serde_json::json!([0, 0, 0]));
    assert_eq!(results[0]["parameters"], serde_json::json!({ "size": "0" }));
    assert!(t.read("out.csv").starts_with(b"algorithm,size_bytes,tool,"));
    assert!(String::from_utf8(t.read("out.md")).unwrap().contains("| md5 "));
});

case!(
    #[ignore = "campaign: takes long"]
    a_tool_that_is_wrong_fails_or_hangs_is_told_and_the_others_go_on,
    |t| {
        t.program("sha256sum", "echo 0000000000000000  \"$1\"")
            .program("rhash", "echo cannot do that >&2; exit 3")
            .program("openssl", "[ \"$1\" = version ] || exec sleep 600; echo OpenSSL 9.9");
        t.with_bin("bench sizes -c sha256 --sizes 1K --runs 2 --time-limit 5 --export-json out.json")
            .code(1)
            .prints("not done after 5 s")
            .prints("ended with exit code 3: cannot do that")
            .prints("printed 0000000000000000, not ");
        let document = t.json_of("out.json");
        let rows = by_tool(&document);
        assert_eq!(rows["sha256sum"]["status"], "wrong-digest");
        assert_eq!(rows["rhash"]["status"], "failed");
        assert_eq!(rows["openssl"]["status"], "failed");
        assert_eq!(rows["hashmill"]["status"], "ranked");
        assert_eq!(rows["sha256sum"]["seconds"], Value::Null, "not ranked");
        let ranking = document["summary"]["rankings"].to_string();
        assert!(!ranking.contains("sha256sum") && !ranking.contains("openssl"), "{ranking}");
        assert_eq!(document["summary"]["conditions"]["versions"]["openssl"], "9.9");
    }
);

case!(a_missing_tool_is_a_row_with_the_package_that_has_it, |t| {
    // Only programs of an empty folder can be found.
    fs::create_dir(t.path("empty")).unwrap();
    let mut command = t.command("bench sizes -c sha256,blake3 --sizes 1K --runs 1 --warmup 0");
    command.env("PATH", t.path("empty"));
    t.ran(command, "bench sizes")
        .code(0)
        .prints("not installed (apt install hashdeep)")
        .prints("not installed (apt install b3sum)")
        .prints("not installed (cargo install blazehash)")
        .prints("hashmill ran alone");
});

case!(
    #[ignore = "campaign: takes long"]
    tools_has_all_parts,
    |t| {
        let args = "bench tools -c md5 --sizes 8K,16K --small-counts 3,5 --small 100 --several sha256,tiger,md5 --runs 2 \
                --warmup 0 --tools rhash,hashdeep,blazehash --export-json out.json";
        t.run(args)
            .code(0)
            .prints("EXTRAPOLATED, not measured")
            .prints("Correct digests")
            .prints("5 files of 100 B");
        let document = t.json_of("out.json");
        let rows = document["rows"].as_array().unwrap();
        let parts =
            |part: &str| rows.iter().filter(|row| row["part"] == part && row["tool"] == "hashmill").count();
        assert_eq!((parts("large"), parts("small"), parts("several")), (2, 2, 2));
        assert!(rows.iter().all(|row| row["tool"] != "hashmill" || row["status"] == "ranked"), "{rows:#?}");
        // Algorithms may be asked for in another order than tools print them in.
        for row in rows.iter().filter(|row| row["part"] == "several") {
            assert!(row["status"] == "ranked" || row["status"] == "not-installed", "{row}");
        }
        let summary = &document["summary"];
        let ours =
            summary["extrapolated"].as_array().unwrap().iter().find(|row| row["tool"] == "hashmill").unwrap();
        assert_eq!(ours["from_bytes"], 16384);
        let correct = summary["correctness"].as_array().unwrap();
        assert!(correct.iter().all(|row| row["wrong_sizes"].as_array().unwrap().is_empty()), "{correct:#?}");
        if installed("rhash").is_some() {
            let ripemd = correct.iter().find(|row| row["tool"] == "rhash" && row["algorithm"] == "ripemd160");
            assert_eq!(ripemd.unwrap()["right"], 16);
            let several = summary["speedups"].as_array().unwrap().iter().find(|row| row["part"] == "several");
            assert!(several.unwrap()["error"].as_f64().unwrap() >= 0.0);
        }
    }
);

/// Checks that every tool that is here gave the right digests of all sizes, of every algorithm that it has.
fn assert_all_right(tools: &Value) {
    let correct = tools["summary"]["correctness"].as_array().unwrap();
    for row in correct {
        assert_eq!(row["wrong_sizes"], serde_json::json!([]), "{row}");
        let absent = row["note"].as_str().is_some_and(|note| note.starts_with("not installed"));
        assert!(absent || row["right"] == 16, "{row}");
    }
    assert!(correct.len() > 50, "{}", correct.len());
}

case!(
    #[ignore = "campaign: takes long"]
    corpus_runs_every_experiment_and_says_what_is_absent,
    |t| {
        t.file("c/d/a", "abc").file("c/b", vec![7; 5000]).file("c/e", "");
        let args =
            "bench corpus c -c sha1 --threads 2 --memory 128M --runs 1 --warmup 0 --export-json out.json";
        let ran = t.run(args).code(0).prints("pfh").prints("not installed (no package has it)");
        for title in
            ["First run", "Second run", "All against all", "Number of prefetchers", "Bound on memory"]
        {
            assert!(String::from_utf8_lossy(ran.stdout()).contains(title), "{title}");
        }
        let document = t.json_of("out.json");
        assert_eq!((&document["summary"]["files"], &document["summary"]["bytes"]), (&3.into(), &5003.into()));
        let rows = document["rows"].as_array().unwrap();
        for row in rows.iter().filter(|row| row["peer"] == false) {
            assert_eq!(row["status"], "ranked", "{row}");
        }
        let xargs = rows.iter().find(|row| row["experiment"] == "processes" && row["peer"] == true).unwrap();
        assert!(xargs["command"].as_str().unwrap().starts_with("xargs -0 -a "), "{xargs}");
        assert_eq!(xargs["status"], "ranked", "{xargs}");
        // A program that runs can't be taken out of memory: a fresh copy runs.
        let ours = rows.iter().filter(|row| row["peer"] == false);
        assert!(
            ours.clone().all(|row| row["command"].as_str().unwrap().contains("/program/hashmill ")),
            "{rows:#?}"
        );
        let cache = document["summary"]["conditions"]["cache"].as_str().unwrap();
        assert!(cache.contains("not dropped"), "nothing else of the machine is forgotten unasked: {cache}");
        let host = &document["host"];
        for known in [&host["release"], &host["build"], &host["files"]["file_system"]] {
            assert!(known.as_str().is_some_and(|text| !text.is_empty()), "{host}");
        }
        // Nothing stays.
        assert_eq!(t.leftovers(), ["out.json"; 0]);
    }
);

case!(
    #[ignore = "campaign: takes long"]
    likeness_of_a_made_corpus_is_that_of_the_programs,
    |t| {
        let args = "bench corpus --scale 0.01 -c sha1 --experiments all-against-all,likeness-digests --runs 1 \
                --warmup 0 --dir . --export-json out.json";
        t.run(args).code(0);
        let document = t.json_of("out.json");
        for row in document["rows"].as_array().unwrap() {
            assert!(row["status"] == "ranked" || row["status"] == "not-installed", "{row}");
        }
        assert_eq!(document["summary"]["files"], 45);
        assert_eq!(t.leftovers(), [""; 0]);
    }
);

case!(a_definition_gives_options_and_the_command_line_has_the_last_word, |t| {
    let options = r#"{"algorithms": "md5", "sizes": ["1K"], "runs": 2, "tools": ["md5sum"]}"#;
    t.file("d.json", format!(r#"{{"bench": "sizes", "options": {options}}}"#));
    t.run("bench sizes --definition d.json --runs 4 --export-json out.json").code(0);
    let document = t.json_of("out.json");
    assert_eq!(by_tool(&document)["hashmill"]["times"].as_array().unwrap().len(), 4);
    t.run("bench tools --definition d.json")
        .code(64)
        .says("d.json: not a usable definition: it is for 'bench sizes'");
    t.file("e.json", r#"{"bench": "sizes", "options": {"sizzes": 3}}"#);
    t.run("bench sizes --definition e.json").code(64).says("--sizzes");
    t.run("bench sizes --definition absent.json").code(64).says("absent.json: cannot read the definition");
});

case!(the_order_follows_from_the_seed_which_is_in_the_result, |t| {
    let command = "bench sizes -c md5 --sizes 1K --runs 1 --tools md5sum --seed 77 --export-json out.json";
    t.run(command).code(0).prints("(seed 77)");
    assert_eq!(t.json_of("out.json")["summary"]["conditions"]["seed"], 77);
    t.run("bench cycles -c crc32c --iterations 10 --seed 78 --export-json out.json").code(0);
    assert_eq!(t.json_of("out.json")["summary"]["seed"], 78);
    t.run("bench throughput -c md5 --threads 1 --duration 0.01 --seed 79 --export-json out.json").code(0);
    assert_eq!(t.json_of("out.json")["summary"]["seed"], 79);
});

case!(processes_side_by_side_do_not_tear_each_other_s_lines, |t| {
    for at in 0..600 {
        t.file(format!("c/a-name-so-long-that-few-lines-fill-a-buffer-{at:04}"), format!("{at}"));
    }
    let args = "bench corpus c -c sha512 --experiments processes --likeness none --runs 3 --warmup 0 \
                --tools openssl,rhash,sha512sum --export-json out.json";
    t.run(args).code(0);
    let document = t.json_of("out.json");
    let rows = document["rows"].as_array().unwrap();
    for row in rows {
        assert!(row["status"] == "ranked" || row["status"] == "not-installed", "{row}");
    }
});

case!(kept_definitions_are_usable, |t| {
    let benchmarks = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks");
    for (command, quick) in [
        ("cycles", "-c crc32c --iterations 1"),
        ("sizes", "-c md5 --sizes 1 --runs 1 --tools md5sum"),
        ("tools", "-c md5 --sizes 1 --small-counts 1 --several md5 --runs 1 --tools md5sum"),
        ("corpus", "--scale 0.0003 -c md5 --likeness none --experiments memory --runs 1 --tools md5sum"),
    ] {
        let definition = format!("{benchmarks}/{command}.json");
        t.run(&format!("bench {command} --definition {definition} {quick}")).code(0);
    }
});

case!(
    #[ignore = "campaign: takes long"]
    every_table_comes_of_a_small_run,
    |t| {
        let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/run");
        t.shell(&format!("RESULTS=out {run} --small \"$hashmill\" 2>log; code=$?; cat log; exit $code"))
            .code(0);
        let log = String::from_utf8(t.read("log")).unwrap();
        assert!(!log.contains("was wrong") && log.contains("results: out"), "{log}");
        for (name, captions) in [
            ("cycles", &["One message at a time, by instruction set", "perf vs"][..]),
            ("throughput", &["× sha256d on one thread"]),
            ("sizes", &["Fastest tools", "Algorithms against each other", "Places of algorithms", "ssdeep"]),
            (
                "tools",
                &[
                    "One large file",
                    "Many small files",
                    "Several algorithms",
                    "Disk-bound",
                    "Digests of the correctness",
                ],
            ),
            (
                "corpus",
                &[
                    "Kinds of files",
                    "The tool one had",
                    "Number of threads",
                    "Bound on memory",
                    "Number of prefetchers",
                    "Prefetchers × threads × memory",
                    "First run",
                    "Second run",
                    "Processes in parallel",
                    "Likeness digests",
                    "All against all",
                    "EXTRAPOLATED",
                ],
            ),
        ] {
            let text = String::from_utf8(t.read(&format!("out/{name}.md"))).unwrap();
            for caption in captions {
                assert!(text.contains(caption), "{name}: {caption}\n{text}");
            }
            let document = t.json_of(&format!("out/{name}.json"));
            assert_eq!(document["comparison"], name);
            let rows = document["rows"].as_array().unwrap();
            assert!(!rows.is_empty());
            for row in rows.iter().filter(|row| row["status"].is_string()) {
                assert!(["ranked", "not-installed"].contains(&row["status"].as_str().unwrap()), "{row}");
            }
            let svg = String::from_utf8(t.read(&format!("out/{name}.svg"))).unwrap();
            assert!(svg.starts_with("<svg ") && !svg.contains("nothing to show"), "{name}");
        }
        assert_all_right(&t.json_of("out/tools.json"));
        let throughput = t.json_of("out/throughput.json");
        assert_eq!(throughput["pow"]["comparison"], "pow-throughput");
        assert!(throughput["pow"]["summary"]["speedup_blake3d_vs_sha256d_multi_thread"].is_f64());
        assert!(String::from_utf8(t.read("out/report.html")).unwrap().contains("Kinds of files"));
    }
);

case!(variants_of_likeness_algorithms_have_no_program_to_compare_with, |t| {
    t.run("bench sizes -c sdhash-3.4 --sizes 1K")
        .code(64)
        .says("no program to compare with is known for 'sdhash-3.4'");
    t.run("bench cycles -c sdhash-3.4,crc32c --iterations 1").code(0).prints("sdhash-3.4");
    t.run("bench cycles -c crc32c --reference ssdeep").code(64).says("it is not measured");
});

case!(what_cannot_be_measured_is_said_before_anything_is, |t| {
    t.run("bench sizes --runs 0").code(64).says("at least one run");
    t.run("bench sizes --min-time 0").code(64).says("a time above 0");
    t.run("bench tools --time-limit 0").code(64).says("a time above 0");
    t.run("bench sizes --time-limit x").code(64).says("a time above 0");
    t.run("bench sizes -c sha265").code(64).says("did you mean 'sha256'?");
    t.run("bench sizes --sizes 1Q").code(64).says("units of sizes");
    t.run("bench tools --small-counts 0").code(64).says("whole numbers from 1 on");
    t.run("bench sizes --tools nosuch").code(64).says("unknown tool 'nosuch'; the known ones are: md5sum");
    t.run("bench sizes --export-json nowhere/out.json").code(2).says("nowhere/");
    t.run("bench sizes --dir nowhere").code(64).says("nowhere: cannot make files there");
    fs::create_dir_all(t.path("empty/below")).unwrap();
    t.run("bench corpus empty").code(64).says("empty: there are no files below it");
    t.run("bench corpus nowhere").code(64).says("nowhere: ");
    t.run("bench corpus --scale 0").code(64).says("a factor above 0");
    t.run("bench corpus --likeness nosuch").code(64).says("no likeness algorithm 'nosuch'");
    t.run("bench corpus --experiments nosuch").code(64).says("no experiment 'nosuch'");
    assert_eq!(t.leftovers(), [""; 0]);
});

case!(an_interrupt_leaves_the_results_so_far, |t| {
    // The second tool waits until it is ended; the signal comes once it runs. Shells start background processes with
    // SIGINT ignored, so it is SIGTERM, which means the same. By this seed hashmill comes first.
    t.program("md5sum", "[ \"$1\" = --version ] && exec echo 1.0\necho $$ > ../running; exec sleep 600");
    fs::create_dir(t.path("cwd")).unwrap();
    let line =
        "cd cwd; PATH=../bin:$PATH \"$hashmill\" bench sizes -c md5 --sizes 1K --runs 3 --warmup 0 --seed 4 \
                --tools md5sum --dir .. --export-json out.json & pid=$!
                while [ ! -s ../running ]; do sleep 0.05; done; kill -TERM $pid; wait $pid";
    t.shell(line).code(130).prints("interrupted before all was measured");
    let document = t.json_of("cwd/out.json");
    assert_eq!(document["interrupted"], true);
    let rows = by_tool(&document);
    assert_eq!(rows["hashmill"]["times"].as_array().unwrap().len(), 1);
    assert_eq!(rows["md5sum"]["status"], "not-reached");
    assert_eq!(t.leftovers(), [""; 0]);
});
