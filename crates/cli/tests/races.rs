//! Somebody who can write to a folder, while a tree is written into it.

use crate::case;
use crate::util::Place;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// Ends the swaps, also where an assertion fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Puts a link in the place of a folder, and takes it away again, as long as `during` runs.
fn with_swaps(folder: &Path, elsewhere: &Path, during: impl FnOnce()) {
    let (away, is_over) = (folder.with_extension("away"), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                if fs::rename(folder, &away).is_ok() {
                    let linked = symlink(elsewhere, folder);
                    // Where another folder was made meanwhile, that is swapped the next time.
                    if linked.is_ok() {
                        fs::remove_file(folder).unwrap();
                    }
                    if fs::rename(&away, folder).is_err() {
                        fs::remove_dir_all(&away).unwrap();
                    }
                }
            }
        });
        let _over = Over(&is_over);
        during();
    });
}

/// Writes a tree with a folder `d` by a command into `to`, with and without --force, while others swap that folder for a link to
/// another one. Whatever comes of it, nothing may change there.
fn nothing_is_led_elsewhere(t: &Place, command: &str) {
    fs::create_dir(t.path("elsewhere")).unwrap();
    t.file("elsewhere/12", "theirs");
    let before = fs::metadata(t.path("elsewhere")).unwrap().modified().unwrap();
    for force in ["", " --force"] {
        with_swaps(&t.path("to/d"), &t.path("elsewhere"), || {
            let ran = t.run(&format!("{command}{force}"));
            assert!(matches!(ran.exit(), Some(0..=2)), "{:?}", ran.exit());
        });
        assert_eq!(t.read("elsewhere/12"), b"theirs");
        assert_eq!(fs::read_dir(t.path("elsewhere")).unwrap().count(), 1, "{command}");
        assert_eq!(fs::metadata(t.path("elsewhere")).unwrap().modified().unwrap(), before);
        fs::remove_dir_all(t.path("to")).unwrap();
    }
}

case!(a_copy_is_led_nowhere_else, |t| {
    for number in 0..400 {
        t.file(format!("tree/d/{number}"), number.to_string());
    }
    nothing_is_led_elsewhere(t, "copy tree/ to");
});

case!(what_is_taken_out_of_an_archive_is_led_nowhere_else, |t| {
    for number in 0..400 {
        t.file(format!("d/{number}"), number.to_string());
    }
    t.shell("tar -cf a.tar d").code(0);
    nothing_is_led_elsewhere(t, "image export a.tar!/ -o to");
});
