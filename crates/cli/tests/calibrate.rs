//! `bench calibrate`, and the use of its file by later runs.

use crate::case;
use crate::util::{Place, Ran, is_root};
use hashmill_digest::{Calibration, Costs, VARIABLE};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// Where the tests' runs look.
const FILE: &str = "settings/hashmill/calibration";

/// Costs by which one message at a time is always the best choice, or never.
fn calibration(alone: u32) -> Calibration {
    let mut costs = Costs::built_in().to_vec();
    for row in &mut costs {
        (row.portable, row.hardware) = (alone, alone);
    }
    Calibration::here(costs, "2026-11-21T12:00:00Z".to_string())
}

/// Returns the lanes of an algorithm, as the table of algorithms tells them.
fn lanes(t: &Place, algorithm: &str) -> u32 {
    let ran = t.unforced("algorithms").code(0).quiet();
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let row = text.lines().find(|line| line.split('\t').next() == Some(algorithm)).unwrap();
    row.split('\t').nth(3).unwrap().parse().unwrap()
}

impl Place {
    /// Runs hashmill with no instruction set forced, whatever the tests run with.
    fn unforced(&self, args: &str) -> Ran {
        let mut command = self.command(args);
        command.env_remove(VARIABLE);
        self.ran(command, args)
    }
}

case!(
    #[ignore = "campaign: takes long"]
    calibrate_keeps_what_later_runs_take_up,
    |t| {
        t.file("a", "abc");
        let before = t.unforced("hash -c md5,sha1,sha256,sha512,sha3-256,blake3 a").code(0).quiet();
        t.unforced("bench calibrate --export-json out.json").code(0).quiet().prints("sha256").prints(FILE);
        let text = t.read(FILE);
        let kept = Calibration::parse(&text).unwrap();
        assert_eq!(kept.costs.len(), Costs::built_in().len());
        let after = t.unforced("hash -c md5,sha1,sha256,sha512,sha3-256,blake3 a").code(0).quiet();
        assert_eq!(before.stdout(), after.stdout());
        let json: serde_json::Value = serde_json::from_slice(&t.read("out.json")).unwrap();
        assert_eq!(json["comparison"], "calibrate");
        assert_eq!(json["host"]["processor"], kept.processor.as_str());
        assert_eq!(json["timestamp"], kept.date.as_str());
        assert!(json["rows"].as_array().unwrap().len() >= 2 * kept.costs.len());
        assert_eq!(json["summary"].as_array().unwrap().len(), kept.costs.len());
        assert!(t.read("out.json").ends_with(b"}\n"));
        // Printed, not kept.
        t.remove(FILE);
        let shown = t.unforced("bench calibrate --dry-run").code(0).quiet();
        assert!(Calibration::parse(shown.stdout()).is_ok());
        assert!(!t.has(FILE));
    }
);

case!(a_calibration_changes_what_runs, |t| {
    t.file(FILE, calibration(1).render());
    for algorithm in ["md5", "sha256", "sha512", "sha3-256"] {
        assert_eq!(lanes(t, algorithm), 1, "{algorithm}");
    }
    t.file(FILE, calibration(1_000_000).render());
    for algorithm in ["md5", "sha256", "sha512", "sha3-256"] {
        assert!(lanes(t, algorithm) > 1, "{algorithm}");
    }
});

case!(a_calibration_of_no_use_is_ignored_with_one_note, |t| {
    t.file("a", "abc");
    let good = calibration(1).render();
    let other = Calibration { processor: "Another one".to_string(), ..calibration(1) }.render();
    let newer = good.replace("hashmill-calibration 1\n", "hashmill-calibration 2\n");
    for (text, why) in [
        (good[..good.len() / 2].to_string(), "it is damaged"),
        (String::new(), "it is damaged"),
        (good.replacen('8', "9", 1), "it is damaged"),
        (other, "another processor"),
        (newer, "another version"),
    ] {
        t.file(FILE, text);
        for args in ["hash -c sha256 a", "algorithms"] {
            let ran = t.unforced(args).code(0).says(why).says("settings/hashmill/calibration: ");
            assert_eq!(ran.stderr().lines().count(), 1, "{}", ran.stderr());
        }
        // Programs with compatible output, commands that don't hash, and runs with a given kernel get no note.
        t.unforced("hashdeep -c sha256 a").code(0).quiet();
        t.unforced("man").code(0).quiet();
        t.unforced("--isa portable hash a").code(0).quiet();
    }
    t.remove(FILE);
    fs::create_dir(t.path(FILE)).unwrap();
    t.unforced("hash a").code(0).says("cannot be read");
});

case!(calibrate_says_what_it_cannot_do, |t| {
    t.run("--isa portable bench calibrate --dry-run").code(64).says("--isa");
    t.run("bench").code(64);
    t.run("bench calibrate x").code(64);
    t.file("settings", "a file where a directory should be");
    t.unforced("bench calibrate").code(2).says("settings/hashmill: cannot write");
    t.shell("env -u HASHMILL_ISA -u XDG_CONFIG_HOME -u HOME $hashmill bench calibrate").code(64).says("HOME");
    if !is_root() {
        t.remove("settings");
        fs::create_dir(t.path("settings")).unwrap();
        fs::set_permissions(t.path("settings"), Permissions::from_mode(0o500)).unwrap();
        t.unforced("bench calibrate").code(2).says("settings/hashmill");
    }
});
