//! The folder of a case, and the files in it.

use super::options::{Options, TableForm};
use crate::options::force::Force;
use crate::output::OutputKind;
use crate::words::message;
use anyhow::Context;
use hashmill_content::selection::own::OwnFiles;
use hashmill_lists::kinds;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a case.
pub struct Folder {
    path: PathBuf,
    records: PathBuf,
    table: TableForm,
    force: Force,
}

impl Folder {
    /// Makes the folder unless it exists, and checks that its files may be replaced, before hours are spent on them.
    ///
    /// # Errors
    /// If it can't be made, or a file in it is of another kind.
    pub fn open(options: &Options) -> anyhow::Result<Folder> {
        let path = options.output.clone();
        let folder =
            Folder { records: path.join("records.jsonl"), path, table: options.format, force: options.force };
        let shown = folder.path.display();
        match fs::create_dir(&folder.path) {
            Err(_) if folder.path.is_dir() => {}
            made => made.with_context(|| format!("{shown}: cannot make the folder of the case"))?,
        }
        for (path, kind) in folder.outputs() {
            let checked = kind.check(&path, folder.force.force);
            checked.with_context(|| format!("{}: cannot replace", path.display()))?;
        }
        Ok(folder)
    }

    fn outputs(&self) -> [(PathBuf, OutputKind); 4] {
        [
            (self.records.clone(), kinds::MANIFEST),
            (self.table(), kinds::MANIFEST),
            (self.similar(), kinds::PAIRS),
            (self.page(), kinds::PAGE),
        ]
    }

    /// Adds the files of an earlier run, which are not data of this one. One that has another name may be data.
    pub fn add_to(&self, own: &mut OwnFiles) {
        self.outputs().iter().for_each(|(path, _)| own.add_alone(path));
    }

    /// Tells which files in the folder are of an earlier run, as this one has not written them.
    pub fn tell_older(&self, has_similar: bool) {
        let other = match self.table {
            TableForm::Sqlite => TableForm::Parquet,
            TableForm::Parquet => TableForm::Sqlite,
        };
        let similar = (!has_similar).then(|| self.similar());
        for path in similar.into_iter().chain([self.table_of(other)]).filter(|path| path.exists()) {
            message::about_path(&path, "is of an earlier run; this one has not written it");
        }
    }

    /// Returns the permission to replace files.
    pub fn force(&self) -> Force {
        self.force
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the manifest.
    pub fn records(&self) -> &Path {
        &self.records
    }

    /// Returns the path of the table.
    pub fn table(&self) -> PathBuf {
        self.table_of(self.table)
    }

    fn table_of(&self, table: TableForm) -> PathBuf {
        self.path.join(format!("records.{}", table.name()))
    }

    /// Returns the path of the list of similar files.
    pub fn similar(&self) -> PathBuf {
        self.path.join("similar.jsonl")
    }

    /// Returns the path of the page.
    pub fn page(&self) -> PathBuf {
        self.path.join("report.html")
    }
}
