//! Named services, each with its endpoint and its credentials.

pub mod rclone;

use crate::{Access, BadAccess, Scheme};
use std::fmt;

/// AWS variables that apply to all services: the others say where one service is, and which credentials it gets.
const OF_ALL: [&str; 4] =
    ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CA_BUNDLE", "AWS_EC2_METADATA_DISABLED"];

/// A service, and how its buckets are reached. If it has its own credentials, those of the environment are not sent
/// there, and its own are not sent to an endpoint that the environment names.
#[derive(Clone)]
pub struct Remote {
    pub(crate) scheme: Scheme,
    pub(crate) endpoint: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) anonymous: bool,
    /// Variables that replace those of the environment.
    pub(crate) variables: Vec<(&'static str, String)>,
}

/// The reason why the settings of a service can't be used. It contains no value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRemote(pub(crate) Box<str>);

/// The settings of each type, and the variables that they correspond to.
const SETTINGS: [(Scheme, &str, &str); 8] = [
    (Scheme::S3, "profile", "AWS_PROFILE"),
    (Scheme::S3, "access-key-id", "AWS_ACCESS_KEY_ID"),
    (Scheme::S3, "secret-access-key", "AWS_SECRET_ACCESS_KEY"),
    (Scheme::S3, "session-token", "AWS_SESSION_TOKEN"),
    (Scheme::Gs, "credentials", "GOOGLE_APPLICATION_CREDENTIALS"),
    (Scheme::Az, "account", "AZURE_STORAGE_ACCOUNT"),
    (Scheme::Az, "account-key", "AZURE_STORAGE_KEY"),
    (Scheme::Az, "sas-token", "AZURE_STORAGE_SAS_TOKEN"),
];

/// Settings that are secrets.
const SECRET: [&str; 4] = ["secret-access-key", "session-token", "account-key", "sas-token"];

impl Remote {
    /// Reads settings: `type` (`s3`, `gs`, `az`), `endpoint`, `region`, `anonymous`, and those of the type.
    ///
    /// # Errors
    /// If a setting is unknown, or has a value that is not valid.
    pub fn parse<'s>(settings: impl IntoIterator<Item = (&'s str, &'s str)>) -> Result<Remote, BadRemote> {
        let settings: Vec<(&str, &str)> = settings.into_iter().collect();
        let get = |key| settings.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        let scheme = match get("type") {
            Some("s3") => Scheme::S3,
            Some("gs") => Scheme::Gs,
            Some("az") => Scheme::Az,
            _ => return Err(BadRemote("type is none of s3, gs, az".into())),
        };
        let mut remote = Remote::new(scheme);
        for (key, value) in settings {
            remote.set(key, value)?;
        }
        remote.checked()
    }

    /// Returns a service without settings.
    pub(crate) fn new(scheme: Scheme) -> Remote {
        Remote { scheme, endpoint: None, region: None, anonymous: false, variables: Vec::new() }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), BadRemote> {
        let owned = Some(value.to_owned()).filter(|value| !value.is_empty());
        match (key, value) {
            ("type", _) => {}
            ("endpoint", _) => self.endpoint = owned,
            ("region", _) if self.scheme == Scheme::S3 => self.region = owned,
            ("anonymous", "true" | "false") => self.anonymous = value == "true",
            ("anonymous", _) => return Err(BadRemote("anonymous is neither true nor false".into())),
            _ => {
                let known = SETTINGS.iter().find(|(scheme, name, _)| (*scheme, *name) == (self.scheme, key));
                let unknown = || BadRemote(format!("there is no setting {key} of this type").into());
                let (_, _, variable) = known.ok_or_else(unknown)?;
                self.variables.extend(owned.map(|value| (*variable, value)));
            }
        }
        Ok(())
    }

    /// Checks the settings before anything is sent.
    pub(crate) fn checked(self) -> Result<Remote, BadRemote> {
        let has = |variable| self.variables.iter().any(|(name, _)| *name == variable);
        if has("AWS_ACCESS_KEY_ID") != has("AWS_SECRET_ACCESS_KEY") {
            return Err(BadRemote("it has an id or a secret of keys, but not both".into()));
        }
        if self.scheme == Scheme::Az && !has("AZURE_STORAGE_ACCOUNT") {
            return Err(BadRemote("it names no account".into()));
        }
        let (endpoint, region) = (self.endpoint.clone(), self.region.clone());
        let access = Access { endpoint, region, ..Access::default() };
        let wrong = |bad| {
            let what = if bad == BadAccess::Region { "region" } else { "endpoint" };
            BadRemote(format!("{what} {bad}").into())
        };
        access.check().map_err(wrong)?;
        Ok(self)
    }

    /// Returns whether this setting is a secret.
    pub fn is_secret(key: &str) -> bool {
        SECRET.contains(&key)
    }

    /// Returns the kind of store.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns how it is reached, with the limits of another access. `--endpoint` and `--region` apply to other
    /// locations only.
    pub fn access(&self, other: &Access) -> Access {
        let is_own = self.anonymous || !self.variables.is_empty();
        let environment = if is_own {
            other.environment.replaced(is_of_one, self.own())
        } else {
            other.environment.clone()
        };
        Access {
            endpoint: self.endpoint.clone(),
            region: self.region.clone(),
            anonymous: self.anonymous || other.anonymous,
            environment,
            ..other.clone()
        }
    }

    fn own(&self) -> Vec<(&'static str, String)> {
        let has_profile = self.variables.iter().any(|(name, _)| *name == "AWS_PROFILE");
        // The endpoint of the default profile belongs to another service.
        let ignoring = (!has_profile).then(|| ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true".to_owned()));
        self.variables.iter().cloned().chain(ignoring).collect()
    }
}

impl Access {
    /// Returns the same with these variables, in place of those of the environment that say who asks.
    #[must_use]
    pub fn with_credentials(self, variables: impl IntoIterator<Item = (String, String)>) -> Access {
        Access { environment: self.environment.replaced(is_of_one, variables), ..self }
    }
}

/// Returns whether a variable says where one service is, or which credentials it gets.
fn is_of_one(name: &str) -> bool {
    let aws = name.starts_with("AWS_") && !OF_ALL.contains(&name);
    aws || ["AZURE_STORAGE_", "GOOGLE_", "STORAGE_EMULATOR_HOST"].iter().any(|start| name.starts_with(start))
}

/// Shows no credential.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({})", self.scheme.name())
    }
}

impl fmt::Display for BadRemote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadRemote {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;

    fn told(settings: &[(&str, &str)]) -> String {
        Remote::parse(settings.iter().copied()).unwrap_err().to_string()
    }

    #[test]
    fn settings_that_cannot_be_are_named_without_their_values() {
        let s3 = ("type", "s3");
        assert_eq!(told(&[]), "type is none of s3, gs, az");
        assert_eq!(told(&[s3, ("secret", "s3cr3t")]), "there is no setting secret of this type");
        assert_eq!(told(&[s3, ("account", "a")]), "there is no setting account of this type");
        assert_eq!(
            told(&[s3, ("secret-access-key", "s3cr3t")]),
            "it has an id or a secret of keys, but not both"
        );
        assert!(told(&[s3, ("endpoint", "h")]).starts_with("endpoint is no endpoint"));
        assert!(told(&[s3, ("endpoint", "http://me:s3cr3t@h")]).starts_with("endpoint has a user"));
        assert!(told(&[s3, ("region", "a/b")]).starts_with("region is no region"));
        assert_eq!(told(&[s3, ("anonymous", "maybe")]), "anonymous is neither true nor false");
        assert_eq!(told(&[("type", "az")]), "it names no account");
        assert!(!told(&[s3, ("endpoint", "http://me:s3cr3t@h")]).contains("s3cr3t"));
    }

    #[test]
    fn credentials_of_one_service_are_not_those_of_another() {
        let variables = [
            ("AWS_ACCESS_KEY_ID", "other"),
            ("AWS_SECRET_ACCESS_KEY", "other"),
            ("AWS_SESSION_TOKEN", "other"),
            ("AWS_ENDPOINT_URL", "http://other"),
            ("AWS_CONFIG_FILE", "/c"),
            ("HOME", "/h"),
        ];
        let base = Access {
            endpoint: Some("http://typed".into()),
            region: Some("typed".into()),
            environment: Environment::from_variables(variables),
            ..Access::default()
        };
        let keys = [("type", "s3"), ("access-key-id", "A"), ("secret-access-key", "s3cr3t")];
        let remote = Remote::parse(keys).unwrap();
        let access = remote.access(&base);
        let get = |name| access.environment.get(name);
        assert_eq!((get("AWS_ACCESS_KEY_ID"), get("AWS_SECRET_ACCESS_KEY")), (Some("A"), Some("s3cr3t")));
        assert_eq!((get("AWS_SESSION_TOKEN"), get("AWS_ENDPOINT_URL")), (None, None));
        assert_eq!((get("AWS_CONFIG_FILE"), get("HOME")), (Some("/c"), Some("/h")));
        assert_eq!(get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), Some("true"));
        assert_eq!((access.endpoint.as_deref(), access.region.as_deref()), (None, None));
        assert!(!format!("{remote:?} {access:?}").contains("s3cr3t"));
        let as_found = Remote::parse([("type", "s3"), ("endpoint", "http://h")]).unwrap().access(&base);
        assert_eq!(as_found.environment.get("AWS_ACCESS_KEY_ID"), Some("other"));
        assert_eq!(as_found.endpoint.as_deref(), Some("http://h"));
        let nobody = Remote::parse([("type", "s3"), ("anonymous", "true")]).unwrap().access(&base);
        assert!(nobody.anonymous && nobody.environment.get("AWS_ACCESS_KEY_ID").is_none());
    }
}
