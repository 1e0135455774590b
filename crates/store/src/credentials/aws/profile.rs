//! The files that the AWS tools keep credentials and settings in (`~/.aws/credentials`, `~/.aws/config`).
//!
//! Source: AWS SDKs and Tools Reference Guide, "Shared config and credentials files".

use crate::Environment;
use crate::access::ini::{Section, sections};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

/// The most names of profiles in a message.
const FEW: usize = 5;

/// The similarity above which names are alike (Jaro-Winkler).
const LIKE: f64 = 0.7;

/// The contents of both files.
pub(crate) struct Profiles {
    config: Vec<Section>,
    credentials: Vec<Section>,
    files: Vec<PathBuf>,
}

/// All settings of one profile. Those of the credentials file take precedence.
#[derive(Default, Clone)]
pub(crate) struct Profile {
    pub(crate) name: String,
    values: HashMap<String, String>,
}

impl Profiles {
    /// Reads both files. A file that doesn't exist, or can't be read, counts as empty.
    pub(crate) fn read(environment: &Environment) -> Profiles {
        let places =
            [("AWS_CONFIG_FILE", ".aws/config"), ("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials")];
        let [config, credentials] =
            places.map(|(variable, below)| sections(&environment.text(variable, below).unwrap_or_default()));
        let files = places.iter().filter_map(|(variable, below)| environment.file(variable, below));
        Profiles { config, credentials, files: files.collect() }
    }

    /// Returns a profile; none if no file has it.
    pub(crate) fn find(&self, name: &str) -> Option<Profile> {
        let of_config = self.config.iter().filter(|section| named(&section.title) == Some(name));
        let of_credentials = self.credentials.iter().filter(|section| section.title == name);
        let found: Vec<&Section> = of_config.chain(of_credentials).collect();
        let pairs = found.iter().flat_map(|section| section.pairs());
        let values = pairs.map(|(key, value)| (key.to_ascii_lowercase(), bare(value).to_owned()));
        (!found.is_empty()).then(|| Profile { name: name.to_owned(), values: values.collect() })
    }

    /// Returns a setting in a section of another kind (`sso-session`, `services`) with this name.
    pub(crate) fn of_section(&self, kind: &str, name: &str, key: &str) -> Option<&str> {
        let wanted = |section: &&Section| {
            let (first, rest) = section.title.split_once(char::is_whitespace).unwrap_or_default();
            first == kind && unquoted(rest) == name
        };
        self.config.iter().find(wanted)?.get(key).map(bare)
    }

    /// Returns the error of a profile that does not exist: where it was looked for, and which profiles there are.
    pub(crate) fn unknown(&self, name: &str) -> String {
        let files = self.files.iter().map(|file| {
            let is_there = if file.exists() { "" } else { " (not there)" };
            format!("{}{is_there}", file.display())
        });
        let files = files.collect::<Vec<_>>().join(" nor in ");
        let of_config = self.config.iter().filter_map(|section| named(&section.title));
        let of_credentials = self.credentials.iter().map(|section| section.title.as_str());
        let names: BTreeSet<&str> = of_config.chain(of_credentials).collect();
        format!("there is no profile {name}, neither in {files}{}", near(name, names))
    }
}

impl Profile {
    /// Returns a setting that is not empty.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// Returns the profile that a section of the settings file describes.
fn named(title: &str) -> Option<&str> {
    let rest = title.strip_prefix("profile").filter(|rest| rest.starts_with(char::is_whitespace));
    rest.map(unquoted).or_else(|| (title == "default").then_some(title))
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// Cuts off a comment, which begins with a blank and a comment sign.
fn bare(value: &str) -> &str {
    let end = value.find(" #").into_iter().chain(value.find(" ;")).min();
    value[..end.unwrap_or(value.len())].trim_end()
}

/// Lists names that may have been meant: all if there are few, else the most similar ones.
fn near(name: &str, names: BTreeSet<&str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    if names.len() > FEW {
        let likeness = |other: &str| strsim::jaro_winkler(name, other);
        names.retain(|other| likeness(other) > LIKE);
        names.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)));
        names.truncate(FEW);
    }
    if names.is_empty() { String::new() } else { format!("; there is {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "\
# comment
[default]
region = eu-west-1
s3 =
  addressing_style = path
[profile lab]
region=us-east-2 # here
endpoint_url = http://127.0.0.1:1
[profile \"two words\"]
region = x
[services lab]
region = no
s3 =
  endpoint_url = http://s3
[sso-session corp]
sso_region = eu-central-1
";

    fn profiles() -> (tempfile::TempDir, Profiles) {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let config = write("config", CONFIG);
        let credentials =
            write("credentials", "[lab]\naws_access_key_id = A\nAWS_SECRET_ACCESS_KEY = B==\n[x]\n");
        let files =
            [("AWS_CONFIG_FILE", config.as_str()), ("AWS_SHARED_CREDENTIALS_FILE", credentials.as_str())];
        let profiles = Profiles::read(&Environment::from_variables(files));
        (folder, profiles)
    }

    #[test]
    fn profiles_are_read_from_both_files() {
        let (_folder, profiles) = profiles();
        let lab = profiles.find("lab").unwrap();
        assert_eq!(lab.get("region"), Some("us-east-2"));
        assert_eq!(lab.get("endpoint_url"), Some("http://127.0.0.1:1"));
        assert_eq!(
            (lab.get("aws_access_key_id"), lab.get("aws_secret_access_key")),
            (Some("A"), Some("B=="))
        );
        let default = profiles.find("default").unwrap();
        assert_eq!((default.get("region"), default.get("addressing_style")), (Some("eu-west-1"), None));
        assert_eq!(profiles.find("two words").unwrap().get("region"), Some("x"));
        assert!(profiles.find("none").is_none() && profiles.find("services lab").is_none());
        assert_eq!(profiles.of_section("services", "lab", "s3.endpoint_url"), Some("http://s3"));
        assert_eq!(profiles.of_section("sso-session", "corp", "sso_region"), Some("eu-central-1"));
        assert_eq!(profiles.of_section("sso-session", "lab", "sso_region"), None);
    }

    #[test]
    fn an_unknown_profile_is_told_with_its_files_and_those_near_it() {
        let (folder, profiles) = profiles();
        let told = profiles.unknown("labb");
        let [config, credentials] = ["config", "credentials"].map(|name| folder.path().join(name));
        let (config, credentials) = (config.display(), credentials.display());
        let start = format!("there is no profile labb, neither in {config} nor in {credentials}");
        assert_eq!(told, format!("{start}; there is default, lab, two words, x"));
        assert_eq!(near("prod-eu", ["a", "b", "c", "d", "e", "prod-us"].into()), "; there is prod-us");
    }
}
