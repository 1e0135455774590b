//! A tree of files, and what jobs say of it.

use hashmill_content::Selection;
use hashmill_content::output::To;
use hashmill_job::Algorithms;
use hashmill_job::hash::{HashEvent, HashJob, HashSummary, Manifest};
use hashmill_manifest::format::find_format;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder `tree` with some files, and room beside it.
pub struct Lab(TempDir);

impl Lab {
    pub fn new() -> Lab {
        let lab = Lab(tempfile::tempdir().unwrap());
        fs::create_dir_all(lab.path("tree/deep")).unwrap();
        lab.write("tree/a", "abc");
        lab.write("tree/b", "");
        lab.write("tree/deep/c", "message digest");
        lab
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A job over the tree.
    pub fn job(&self, algorithms: &str) -> HashJob {
        HashJob::new(self.tree(), Algorithms::named(algorithms).unwrap())
    }

    pub fn tree(&self) -> Selection {
        Selection::from_paths([self.path("tree")])
    }

    /// A manifest of the tree.
    pub fn manifest(&self, name: &str, format: &str, algorithms: &str) -> PathBuf {
        let path = self.path(name);
        let manifest = Manifest::new(find_format(format).unwrap(), To::File(path.clone().into()));
        let summary = self.job(algorithms).write(manifest, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(summary.account().is_complete());
        path
    }
}

/// The names of hashed files and of failures, in the order of the events.
pub fn names(job: HashJob) -> (Vec<String>, Vec<String>, HashSummary) {
    let (mut hashed, mut failed) = (Vec::new(), Vec::new());
    let name = |path: &[u8]| String::from_utf8_lossy(path).rsplit('/').next().unwrap().to_string();
    let summary = job.run(&mut |event| {
        match event {
            HashEvent::Hashed(record) => hashed.push(name(&record.path)),
            HashEvent::Failed(error, _) => failed.push(name(&error.path)),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    (hashed, failed, summary.unwrap())
}
