//! The tour in docs/tour: tasks of a new user, each line of shell with its output. `make regenerate` runs the lines and
//! writes the output.

use crate::util::{Place, forget_ours, regenerates, tested};
use hashmill_testing::all_installed;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_tour_says_what_happens() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tour");
    let mut tasks: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    tasks.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    tasks.sort();
    assert_eq!(tasks.len(), 11);
    let place = Place::new();
    for task in tasks {
        let stored = fs::read_to_string(&task).unwrap();
        let needs = stored.lines().find_map(|line| line.strip_prefix("# needs ")).unwrap_or_default();
        if !all_installed(&needs.split_whitespace().collect::<Vec<_>>()) {
            continue;
        }
        let played = play(&place, &stored);
        if regenerates() {
            fs::write(&task, played).unwrap();
        } else {
            assert_eq!(played, stored, "{}: run make regenerate", task.display());
        }
    }
}

/// The film shows all tasks and contains their text: make regenerate makes it.
#[test]
fn the_film_is_of_the_tour() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let made =
        Command::new("sh").args(["-c", "scripts/film docs/tour/*.txt"]).current_dir(&root).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let stored = root.join("docs/tour/tour.cast");
    if regenerates() {
        return fs::write(stored, made.stdout).unwrap();
    }
    let film = String::from_utf8(made.stdout).unwrap();
    assert_eq!(film, fs::read_to_string(stored).unwrap(), "run make regenerate");
    let mut lines = film.lines();
    let head: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(head["version"], 2);
    let mut last = 0.0;
    for line in lines {
        let (time, kind, _): (f64, String, String) = serde_json::from_str(line).unwrap();
        assert!(time >= last && kind == "o", "{line}");
        last = time;
    }
}

/// Returns the comments and commands of a task, with the output of the commands here.
fn play(place: &Place, task: &str) -> String {
    let mut text = String::new();
    for line in task.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => text += &format!("{line}\n{}", printed(place, command)),
            None if line.starts_with("# ") => text += &format!("{line}\n"),
            None => {}
        }
        if line.starts_with("# ") && !task.contains(&format!("{line}\n# ")) {
            text.push('\n');
        }
    }
    text
}

/// Returns the output of a line of shell, without the parts that differ between runs.
fn printed(place: &Place, line: &str) -> String {
    let program = Path::new(tested());
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec 2>&1\n{line}")]).current_dir(place.path("")).env("PATH", path);
    command
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", place.path(""))
        .env("XDG_CONFIG_HOME", place.path("settings"))
        .env("XDG_STATE_HOME", place.path("settings"));
    forget_ours(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let fingerprints =
        cut_after(&text, "SHA256:", |letter| letter.is_ascii_alphanumeric() || "+/".contains(letter));
    cut_after(&fingerprints, " at ", |letter| letter.is_ascii_digit())
}

/// Replaces the text after a mark by dots: a key's fingerprint, a place in an image that contains the time.
fn cut_after(text: &str, mark: &str, belongs: impl Fn(char) -> bool) -> String {
    let mut parts = text.split(mark);
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |done, part| {
        let rest = part.trim_start_matches(&belongs);
        let dots = if rest.len() < part.len() { "…" } else { "" };
        format!("{done}{mark}{dots}{rest}")
    })
}
