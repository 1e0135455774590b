//! The generated files, and tables of the reference programs' results for them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors/similarity");

/// The generated files, written once for each run of a test binary.
pub struct Inputs {
    folder: tempfile::TempDir,
}

static INPUTS: LazyLock<Mutex<Option<&'static Inputs>>> = LazyLock::new(|| Mutex::new(None));

impl Inputs {
    pub fn get() -> &'static Inputs {
        let mut inputs = INPUTS.lock().unwrap();
        inputs.get_or_insert_with(|| Box::leak(Box::new(Inputs::make())))
    }

    fn make() -> Inputs {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(VECTORS).join("make_inputs.py");
        let status = Command::new("python3").arg(script).arg(folder.path()).arg("--big").status();
        assert!(status.expect("python3 makes the inputs").success());
        Inputs { folder }
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).unwrap()
    }

    /// Returns the file of a printed name, which may end with the offset of a segment.
    pub fn file_of(&self, printed: &str) -> String {
        if self.path(printed).exists() {
            return printed.to_string();
        }
        printed.rsplit_once('.').unwrap().0.to_string()
    }
}

/// A tab-separated table with a header line.
pub struct Table;

pub struct Row(HashMap<String, String>);

impl Row {
    pub fn get(&self, column: &str) -> &str {
        &self.0[column]
    }
}

impl Table {
    pub fn text(name: &str) -> String {
        fs::read_to_string(Path::new(VECTORS).join(name)).unwrap()
    }

    pub fn read(name: &str) -> impl Iterator<Item = Row> {
        let text = Self::text(name);
        let mut lines = text.lines().map(|line| line.split('\t').map(str::to_string).collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let rows: Vec<Row> = lines.map(|line| Row(header.iter().cloned().zip(line).collect())).collect();
        assert!(!rows.is_empty());
        rows.into_iter()
    }
}

pub fn name(file: &str) -> Vec<u8> {
    file.as_bytes().to_vec()
}

pub fn sha256(bytes: &[u8]) -> String {
    hashmill_digest::hash(hashmill_digest::find("sha256").unwrap(), bytes).to_string()
}
