//! The order in which AWS keys are looked for, as in the AWS tools.
//!
//! Source: AWS CLI User Guide, "Configuration settings and precedence"; AWS SDKs and Tools Reference Guide,
//! "Standardized credential providers", "Assume role credential provider".

use super::container::Container;
use super::instance::Instance;
use super::profile::Profile;
use super::settings::{AwsSettings, KEYS};
use super::sso::Sso;
use super::sts::Role;
use super::way::AwsKeySource;
use crate::Cause;
use object_store::aws::AwsCredential;

/// Finds the source of keys, for requests in this region.
pub(crate) fn find(settings: &AwsSettings, region: &str) -> Result<AwsKeySource, Cause> {
    let chain = Chain { settings, region };
    let profile = &settings.profile;
    if let Some(keys) = of_environment(settings)? {
        return Ok(keys);
    }
    if let Some(way) = chain.role(profile, &[])? {
        return Ok(way);
    }
    if let Some(way) = chain.web_identity()? {
        return Ok(way);
    }
    if let Some(way) = chain.own(profile)? {
        return Ok(way);
    }
    if let Some(container) = Container::find(&settings.environment)? {
        return Ok(AwsKeySource::Container(container));
    }
    let instance = Instance::find(settings)?;
    instance
        .map(AwsKeySource::Instance)
        .ok_or_else(|| Cause::NoCredentials("neither the environment nor a profile has any".into()))
}

struct Chain<'s> {
    settings: &'s AwsSettings,
    region: &'s str,
}

impl Chain<'_> {
    /// Finds the role of a profile; `visited` are the profiles that lead to it.
    fn role(&self, profile: &Profile, visited: &[&str]) -> Result<Option<AwsKeySource>, Cause> {
        let Some(arn) = profile.get("role_arn") else { return Ok(None) };
        let name = profile.name.as_str();
        let role = self.of_profile(arn, profile);
        if let Some(file) = profile.get("web_identity_token_file") {
            return Ok(Some(AwsKeySource::WebIdentity { role, file: file.into() }));
        }
        if profile.get("mfa_serial").is_some() {
            return Err(elsewhere(name, "mfa_serial"));
        }
        let from = match (profile.get("source_profile"), profile.get("credential_source")) {
            (Some(source), _) => self.source(source, &[visited, &[name]].concat())?,
            (None, Some(source)) => self.credential_source(name, source)?,
            (None, None) => {
                let why = format!(
                    "the profile {name} has role_arn, but neither source_profile nor credential_source"
                );
                return Err(Cause::Credentials(why.into()));
            }
        };
        Ok(Some(AwsKeySource::Role { role, from: Box::new(from) }))
    }

    fn of_profile(&self, arn: &str, profile: &Profile) -> Role {
        let get = |key| profile.get(key).map(str::to_owned);
        Role {
            arn: arn.to_owned(),
            session: get("role_session_name"),
            external_id: get("external_id"),
            seconds: get("duration_seconds"),
            region: self.region.to_owned(),
            address: self.settings.address("sts", "sts", self.region),
        }
    }

    /// Finds the keys of a profile that another one names as its source. A profile that names itself has its own keys.
    fn source(&self, name: &str, visited: &[&str]) -> Result<AwsKeySource, Cause> {
        let profile = self.settings.profiles.find(name);
        let unknown = || Cause::Credentials(self.settings.profiles.unknown(name).into());
        let profile = profile.ok_or_else(unknown)?;
        let is_circle = visited.contains(&name);
        if !is_circle && let Some(way) = self.role(&profile, visited)? {
            return Ok(way);
        }
        match keys(&profile)? {
            Some(keys) => Ok(keys),
            None if is_circle => {
                let why = format!("the profiles {} name each other as source_profile", visited.join(", "));
                Err(Cause::Credentials(why.into()))
            }
            None => self.own(&profile)?.ok_or_else(|| {
                let why = format!("the profile {name}, a source_profile, has no credentials");
                Cause::Credentials(why.into())
            }),
        }
    }

    fn credential_source(&self, name: &str, source: &str) -> Result<AwsKeySource, Cause> {
        let settings = self.settings;
        let found = match source {
            "Environment" => of_environment(settings)?,
            "EcsContainer" => Container::find(&settings.environment)?.map(AwsKeySource::Container),
            "Ec2InstanceMetadata" => Instance::find(settings)?.map(AwsKeySource::Instance),
            _ => {
                let why = format!(
                    "credential_source of the profile {name} is none of Environment, Ec2InstanceMetadata, EcsContainer"
                );
                return Err(Cause::Credentials(why.into()));
            }
        };
        let none = || format!("credential_source of the profile {name} is {source}, which has none");
        found.ok_or_else(|| Cause::Credentials(none().into()))
    }

    /// Finds the role of the workload that this process belongs to.
    fn web_identity(&self) -> Result<Option<AwsKeySource>, Cause> {
        let environment = &self.settings.environment;
        let Some(file) = environment.get("AWS_WEB_IDENTITY_TOKEN_FILE") else { return Ok(None) };
        let Some(arn) = environment.get("AWS_ROLE_ARN") else {
            let why = "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not";
            return Err(Cause::Credentials(why.into()));
        };
        let session = environment.get("AWS_ROLE_SESSION_NAME").map(str::to_owned);
        let role = Role { session, ..self.of_profile(arn, &Profile::default()) };
        Ok(Some(AwsKeySource::WebIdentity { role, file: file.into() }))
    }

    /// Finds the source of keys that a profile has without a role: a sign-in, keys, a program.
    fn own(&self, profile: &Profile) -> Result<Option<AwsKeySource>, Cause> {
        if let Some(sso) = Sso::find(self.settings, profile)? {
            return Ok(Some(AwsKeySource::Sso(sso)));
        }
        if let Some(keys) = keys(profile)? {
            return Ok(Some(keys));
        }
        let name = &profile.name;
        if let Some(line) = profile.get("credential_process") {
            let unclosed = || {
                Cause::Credentials(
                    format!("credential_process of the profile {name} has a quote without its end").into(),
                )
            };
            let words = shlex::split(line).filter(|words| !words.is_empty()).ok_or_else(unclosed)?;
            return Ok(Some(AwsKeySource::Program { profile: name.clone(), words }));
        }
        match profile.get("login_session") {
            Some(_) => Err(elsewhere(name, "login_session")),
            None => Ok(None),
        }
    }
}

/// Returns the keys of the environment.
fn of_environment(settings: &AwsSettings) -> Result<Option<AwsKeySource>, Cause> {
    let get = |name| settings.environment.get(name);
    pair(settings.environment.place(), KEYS, KEYS.map(get), get("AWS_SESSION_TOKEN"))
}

/// Returns the keys of a profile.
fn keys(profile: &Profile) -> Result<Option<AwsKeySource>, Cause> {
    let names = ["aws_access_key_id", "aws_secret_access_key"];
    let place = format!("the profile {}", profile.name);
    pair(&place, names, names.map(|name| profile.get(name)), profile.get("aws_session_token"))
}

/// Returns an id with its secret. One without the other is an error.
fn pair(
    place: &str,
    names: [&str; 2],
    values: [Option<&str>; 2],
    token: Option<&str>,
) -> Result<Option<AwsKeySource>, Cause> {
    let (has, lacks) = match values {
        [Some(id), Some(secret)] => {
            let (key_id, secret_key) = (id.to_owned(), secret.to_owned());
            let keys = AwsCredential { key_id, secret_key, token: token.map(str::to_owned) };
            return Ok(Some(AwsKeySource::Keys { place: format!("{place} ({})", names[0]), keys }));
        }
        [None, None] => return Ok(None),
        [Some(_), None] => (names[0], names[1]),
        [None, Some(_)] => (names[1], names[0]),
    };
    Err(Cause::Credentials(format!("{place} has {has}, but not {lacks}").into()))
}

/// Reports a source of keys that is not supported here, with advice.
fn elsewhere(profile: &str, key: &str) -> Cause {
    let why = format!(
        "the profile {profile} has {key}, which is not read here; \
         'aws configure export-credentials --profile {profile} --format env' gives keys for the environment"
    );
    Cause::Credentials(why.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;

    /// Returns the name of the source of keys that a configuration leads to.
    fn way(config: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, config).unwrap();
        let files = [
            ("AWS_CONFIG_FILE", file.to_str().unwrap()),
            ("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent/credentials"),
            ("HOME", "/nonexistent"),
        ];
        let environment = Environment::from_variables(files.into_iter().chain(variables.iter().copied()));
        let found = AwsSettings::find(&environment).and_then(|settings| find(&settings, "eu-west-1"));
        found.map(|way| way.to_string()).map_err(|cause| cause.to_string())
    }

    const STATIC: &str = "aws_access_key_id = A\naws_secret_access_key = s3cr3t\n";

    #[test]
    fn ways_come_in_the_order_of_the_aws_tools() {
        let role = "[default]\nrole_arn = arn:r\nsource_profile = keys\n[profile keys]\n".to_owned() + STATIC;
        let sso = "[default]\nsso_start_url = https://h\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = r\n".to_owned() + STATIC;
        let process = "[default]\ncredential_process = '/a b/c' d\n";
        let env = [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "s3cr3t")];
        let web = [("AWS_WEB_IDENTITY_TOKEN_FILE", "/t"), ("AWS_ROLE_ARN", "arn:w")];
        let container = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/x");
        let all = [&env[..], &web, &[container]].concat();
        let is = |config: &str, variables: &[_], wanted: &str| {
            assert_eq!(way(config, variables).as_deref(), Ok(wanted), "{config}");
        };
        let profile = |name: &'static str| [env[0], env[1], ("AWS_PROFILE", name)];
        is(&role, &all, "keys in the environment (AWS_ACCESS_KEY_ID)");
        is(&role, &profile("default"), "keys in the environment (AWS_ACCESS_KEY_ID)");
        is(&role, &profile("nosuch"), "keys in the environment (AWS_ACCESS_KEY_ID)");
        is(&role, &all[2..], "the role arn:r, by keys in the profile keys (aws_access_key_id)");
        is(&sso, &all[2..], "the role arn:w, by the token in /t");
        is(&sso, &[container], "the sign-in of the profile default (aws sso login)");
        is(&format!("[default]\n{STATIC}"), &[container], "keys in the profile default (aws_access_key_id)");
        is(process, &[container], "credential_process of the profile default");
        is("[default]\nregion = eu-west-1\n", &[container], "the service of the container");
        is("", &[], "the metadata service of the instance, if this is one");
        assert!(
            way("", &[("AWS_EC2_METADATA_DISABLED", "true")])
                .unwrap_err()
                .contains("neither the environment nor a profile has any")
        );
    }

    #[test]
    fn roles_have_a_source() {
        let chained = format!(
            "[default]\nrole_arn = a\nsource_profile = b\n[profile b]\nrole_arn = b\nsource_profile = c\n[profile c]\n{STATIC}"
        );
        assert_eq!(
            way(&chained, &[]).as_deref(),
            Ok("the role a, by the role b, by keys in the profile c (aws_access_key_id)")
        );
        let itself = format!("[default]\nrole_arn = a\nsource_profile = default\n{STATIC}");
        assert_eq!(
            way(&itself, &[]).as_deref(),
            Ok("the role a, by keys in the profile default (aws_access_key_id)")
        );
        let instance = "[default]\nrole_arn = a\ncredential_source = Ec2InstanceMetadata\n";
        let service = "the role a, by the metadata service of the instance, if this is one";
        assert_eq!(way(instance, &[]).as_deref(), Ok(service));
        let web = "[default]\nrole_arn = a\nweb_identity_token_file = /t\n";
        assert_eq!(way(web, &[]).as_deref(), Ok("the role a, by the token in /t"));
    }

    #[test]
    fn mistakes_are_told_by_their_names() {
        let circle = "[default]\nrole_arn = a\nsource_profile = b\n[profile b]\nrole_arn = b\nsource_profile = default\n";
        for (config, variables, wanted) in [
            (
                "[profile lab]\nregion = x\n",
                &[("AWS_PROFILE", "labb")][..],
                "there is no profile labb, neither in ",
            ),
            (
                "[profile lab]\nregion = x\n",
                &[("AWS_PROFILE", "labb")],
                "/nonexistent/credentials (not there); there is lab",
            ),
            (
                "",
                &[("AWS_ACCESS_KEY_ID", "A")],
                "the environment has AWS_ACCESS_KEY_ID, but not AWS_SECRET_ACCESS_KEY",
            ),
            (
                "",
                &[("AWS_SECRET_ACCESS_KEY", "s3cr3t")],
                "the environment has AWS_SECRET_ACCESS_KEY, but not AWS_ACCESS_KEY_ID",
            ),
            (
                "[default]\naws_access_key_id = A\n",
                &[],
                "the profile default has aws_access_key_id, but not aws_secret_access_key",
            ),
            (
                "",
                &[("AWS_WEB_IDENTITY_TOKEN_FILE", "/t")],
                "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not",
            ),
            ("[default]\nrole_arn = a\n", &[], "neither source_profile nor credential_source"),
            ("[default]\nrole_arn = a\nsource_profile = no\n", &[], "there is no profile no"),
            (
                "[default]\nrole_arn = a\nsource_profile = e\n[profile e]\n",
                &[],
                "the profile e, a source_profile, has no credentials",
            ),
            (
                "[default]\nrole_arn = a\ncredential_source = X\n",
                &[],
                "is none of Environment, Ec2InstanceMetadata, EcsContainer",
            ),
            (
                "[default]\nrole_arn = a\ncredential_source = Environment\n",
                &[],
                "is Environment, which has none",
            ),
            (
                "[default]\nrole_arn = a\nsource_profile = b\nmfa_serial = m\n",
                &[],
                "aws configure export-credentials --profile default",
            ),
            (circle, &[], "the profiles default, b name each other as source_profile"),
            (
                "[default]\nsso_session = s\n[sso-session s]\nsso_region = eu-west-1\n",
                &[],
                "the profile default has no sso_start_url",
            ),
            ("[default]\ncredential_process = 'a\n", &[], "a quote without its end"),
            ("[default]\nlogin_session = a\n", &[], "login_session, which is not read here"),
        ] {
            let told = way(config, variables).unwrap_err();
            assert!(told.contains(wanted) && !told.contains("s3cr3t"), "{told}");
        }
    }
}
