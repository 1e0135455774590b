//! The settings of the AWS tools that apply to a location: the environment, and the profile that it names.

use super::profile::{Profile, Profiles};
use crate::{Cause, Environment};

/// Variables with keys.
pub(crate) const KEYS: [&str; 2] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

/// The environment, all profiles, and the selected one.
pub(crate) struct AwsSettings {
    pub(crate) environment: Environment,
    pub(crate) profiles: Profiles,
    pub(crate) profile: Profile,
}

impl AwsSettings {
    /// Reads the files that the environment names.
    ///
    /// # Errors
    /// If the environment names a profile that no file has, and no keys, which would count before those of a profile.
    pub(crate) fn find(environment: &Environment) -> Result<AwsSettings, Cause> {
        let profiles = Profiles::read(environment);
        let named = environment.first(&["AWS_PROFILE", "AWS_DEFAULT_PROFILE"]);
        let name = named.unwrap_or("default");
        let has_keys = environment.first(&KEYS).is_some();
        let profile = match profiles.find(name) {
            Some(profile) => profile,
            None if named.is_some_and(|name| name != "default") && !has_keys => {
                return Err(Cause::Credentials(profiles.unknown(name).into()));
            }
            None => Profile::default(),
        };
        Ok(AwsSettings { environment: environment.clone(), profiles, profile })
    }

    /// Returns the region, if it is set.
    pub(crate) fn region(&self) -> Option<&str> {
        let said = self.environment.first(&["AWS_REGION", "AWS_DEFAULT_REGION"]);
        said.or_else(|| self.profile.get("region"))
    }

    /// Returns the endpoint of a service (`s3`, `sts`), if it is set.
    ///
    /// Source: AWS SDKs and Tools Reference Guide, "Service-specific endpoints".
    pub(crate) fn endpoint(&self, service: &str) -> Option<&str> {
        let ignored = self.said("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls");
        if ignored.is_some_and(is_true) {
            return None;
        }
        let own = format!("AWS_ENDPOINT_URL_{}", service.to_uppercase());
        self.environment
            .first(&[own.as_str(), "AWS_ENDPOINT_URL"])
            .or_else(|| self.service(&format!("{service}.endpoint_url")))
            .or_else(|| self.profile.get("endpoint_url"))
    }

    /// Returns the value of a variable, else of a setting of the profile.
    pub(crate) fn said(&self, variable: &str, key: &str) -> Option<&str> {
        self.environment.get(variable).or_else(|| self.profile.get(key))
    }

    /// Returns the address of a service in a region.
    pub(crate) fn address(&self, service: &str, host: &str, region: &str) -> String {
        let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        match self.endpoint(service) {
            Some(endpoint) => endpoint.trim_end_matches('/').to_owned(),
            None => format!("https://{host}.{region}.{domain}"),
        }
    }

    fn service(&self, key: &str) -> Option<&str> {
        self.profiles.of_section("services", self.profile.get("services")?, key)
    }
}

/// Returns whether a setting is switched on.
pub(crate) fn is_true(value: &str) -> bool {
    value.eq_ignore_ascii_case("true")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(config: &str, variables: &[(&str, &str)]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, config).unwrap();
        let file = [("AWS_CONFIG_FILE", file.to_str().unwrap())];
        let environment = Environment::from_variables(file.into_iter().chain(variables.iter().copied()));
        let settings = AwsSettings::find(&environment).unwrap();
        settings.endpoint("s3").map(str::to_owned)
    }

    #[test]
    fn the_endpoint_of_a_service_counts_before_that_of_all() {
        let config = "[default]\nservices = here\nendpoint_url = http://p\n[services here]\ns3 =\n  endpoint_url = http://s\nsts =\n  endpoint_url = http://t\n";
        let of = |variables: &[_]| endpoint(config, variables);
        assert_eq!(of(&[]).as_deref(), Some("http://s"));
        assert_eq!(of(&[("AWS_ENDPOINT_URL", "http://e")]).as_deref(), Some("http://e"));
        let both = [("AWS_ENDPOINT_URL", "http://e"), ("AWS_ENDPOINT_URL_S3", "http://e3")];
        assert_eq!(of(&both).as_deref(), Some("http://e3"));
        assert_eq!(of(&[both[0], ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")]), None);
        let other = config.replace("s3 =", "dynamodb =");
        assert_eq!(endpoint(&other, &[]).as_deref(), Some("http://p"));
        let ignoring =
            format!("{config}[profile x]\nservices = here\nignore_configured_endpoint_urls = true\n");
        assert_eq!(endpoint(&ignoring, &[("AWS_PROFILE", "x")]), None);
    }

    #[test]
    fn services_have_their_addresses() {
        let settings = AwsSettings::find(&Environment::from_variables([])).unwrap();
        assert_eq!(settings.address("sts", "sts", "eu-west-1"), "https://sts.eu-west-1.amazonaws.com");
        assert_eq!(settings.address("sts", "sts", "cn-north-1"), "https://sts.cn-north-1.amazonaws.com.cn");
    }
}
