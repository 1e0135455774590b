//! The files that the AWS tools keep credentials and settings in (`~/.aws/credentials`, `~/.aws/config`).
//!
//! Source: AWS SDKs and Tools Reference Guide, "Shared config and credentials files".

use crate::Environment;
use std::collections::HashMap;

/// What both files say of one profile. Those of the credentials file win.
#[derive(Default)]
pub(crate) struct Profile {
    pub(crate) name: String,
    values: HashMap<String, String>,
}

impl Profile {
    /// The profile that the environment names, else `default`.
    pub(crate) fn find(environment: &Environment) -> Profile {
        let name = environment.first(&["AWS_PROFILE", "AWS_DEFAULT_PROFILE"]).unwrap_or("default");
        let config = environment.text("AWS_CONFIG_FILE", ".aws/config").unwrap_or_default();
        let credentials =
            environment.text("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials").unwrap_or_default();
        let mut values = section(&config, |title| {
            title == name && name == "default"
                || title.strip_prefix("profile").is_some_and(|rest| rest.trim() == name)
        });
        values.extend(section(&credentials, |title| title == name));
        Profile { name: name.to_owned(), values }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A way to get credentials that is not known here, if the profile has one.
    pub(crate) fn other_way(&self) -> Option<&'static str> {
        let ways = ["sso_session", "sso_start_url", "role_arn", "credential_process", "login_session"];
        ways.into_iter().find(|way| self.get(way).is_some())
    }
}

/// The pairs of the sections with this title. Lines that are indented belong to the pair above them and are left out.
fn section(text: &str, is_wanted: impl Fn(&str) -> bool) -> HashMap<String, String> {
    let mut values = HashMap::new();
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(title) = trimmed.strip_prefix('[') {
            inside = title.split(']').next().is_some_and(|title| is_wanted(title.trim()));
            continue;
        }
        let apart = line.starts_with([' ', '\t', '#', ';']);
        if let Some((key, value)) = trimmed.split_once('=').filter(|_| inside && !apart) {
            // A comment begins with a blank and a sign.
            let value = value.split(" #").next().unwrap_or_default();
            values.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    values
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
[services lab]
region = no
";

    #[test]
    fn profiles_are_read_from_both_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let config = write("config", CONFIG);
        let credentials =
            write("credentials", "[lab]\naws_access_key_id = A\nAWS_SECRET_ACCESS_KEY = B==\n[x]\n");
        let of = |name: &str| {
            let files =
                [("AWS_CONFIG_FILE", config.as_str()), ("AWS_SHARED_CREDENTIALS_FILE", credentials.as_str())];
            Profile::find(&Environment::of(files.into_iter().chain([("AWS_PROFILE", name)])))
        };
        let lab = of("lab");
        assert_eq!(lab.get("region"), Some("us-east-2"));
        assert_eq!(lab.get("endpoint_url"), Some("http://127.0.0.1:1"));
        assert_eq!(
            (lab.get("aws_access_key_id"), lab.get("aws_secret_access_key")),
            (Some("A"), Some("B=="))
        );
        let default = of("");
        assert_eq!(default.get("region"), Some("eu-west-1"));
        assert_eq!(default.get("addressing_style"), None);
        assert_eq!(of("none").get("region"), None);
    }
}
