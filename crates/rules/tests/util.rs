//! Folders with rules.

use hashmill_facts::{ContentScanner, RuleFacts};
use hashmill_rules::{Limits, RuleSet, RulesError};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// A folder with files of rules.
pub struct Folder(TempDir);

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(TempDir::new().unwrap());
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Compiles these files and folders.
    pub fn load(&self, names: &[&str]) -> Result<RuleSet, RulesError> {
        self.load_with(names, Limits::default())
    }

    pub fn load_with(&self, names: &[&str], limits: Limits) -> Result<RuleSet, RulesError> {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        RuleSet::load(&paths, limits)
    }

    /// Returns the message of rules that are not usable, without the path of the folder.
    pub fn error(&self, names: &[&str]) -> String {
        let error = self.load(names).unwrap_err().to_string();
        error.replace(&format!("{}/", self.0.path().display()), "")
    }
}

/// Compiles one text, which is right.
pub fn rules(text: &str) -> RuleSet {
    Folder::new(&[("rules.yar", text)]).load(&["rules.yar"]).unwrap()
}

/// Compiles one text; scans find the places of strings.
pub fn rules_with_strings(text: &str, timeout: Duration) -> RuleSet {
    let limits = Limits { timeout, strings: true };
    Folder::new(&[("rules.yar", text)]).load_with(&["rules.yar"], limits).unwrap()
}

/// Returns the names of the rules that match.
pub fn names(rules: &RuleSet, content: &[u8]) -> Vec<String> {
    of(&rules.scan(content.into()))
}

pub fn of(facts: &RuleFacts) -> Vec<String> {
    facts.matches.iter().map(|found| found.rule.name.to_string()).collect()
}
