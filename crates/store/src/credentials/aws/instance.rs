//! The keys of an instance's role, from its metadata service.
//!
//! Source: Amazon EC2 User Guide, "Use the Instance Metadata Service"; AWS SDKs and Tools Reference Guide, "IMDS
//! credential provider".

use super::given::Given;
use super::settings::{AwsSettings, is_true};
use crate::Cause;
use crate::access;
use crate::credentials::ask::{Asker, Reach, Refused, question};
use crate::credentials::renewed::Temporary;
use crate::request::encode;
use bytes::Bytes;
use http::Method;
use object_store::aws::AwsCredential;

/// The path of the keys of roles.
const KEYS: &str = "/latest/meta-data/iam/security-credentials/";

/// The name of the service in messages.
const NAME: &str = "the instance's metadata service";

/// A metadata service.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    address: String,
    /// Whether the service may be asked by version 1 of its interface, without a token.
    old: bool,
}

impl Instance {
    /// Finds the service; none if it must not be asked.
    pub(crate) fn find(settings: &AwsSettings) -> Result<Option<Instance>, Cause> {
        if settings.environment.get("AWS_EC2_METADATA_DISABLED").is_some_and(is_true) {
            return Ok(None);
        }
        let named = settings.said("AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint");
        let mode =
            settings.said("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ec2_metadata_service_endpoint_mode");
        let address = match (named, mode) {
            (Some(named), _) => {
                let wrong =
                    |bad| Cause::Credentials(format!("AWS_EC2_METADATA_SERVICE_ENDPOINT {bad}").into());
                access::check_endpoint(named).map_err(wrong)?;
                named.trim_end_matches('/')
            }
            (None, Some(mode)) if mode.eq_ignore_ascii_case("ipv6") => "http://[fd00:ec2::254]",
            (None, Some(mode)) if !mode.eq_ignore_ascii_case("ipv4") => {
                let why = "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE is neither IPv4 nor IPv6";
                return Err(Cause::Credentials(why.into()));
            }
            (None, _) => "http://169.254.169.254",
        };
        let old = settings.said("AWS_EC2_METADATA_V1_DISABLED", "ec2_metadata_v1_disabled");
        Ok(Some(Instance { address: address.to_owned(), old: !old.is_some_and(is_true) }))
    }

    /// Requests keys.
    pub(crate) async fn fetch(&self, asker: &Asker) -> Result<Temporary<AwsCredential>, Cause> {
        let token = self.token(asker).await?;
        let role = match self.ask(asker, "", &token).await {
            Err(refused) if refused.is(&[404]) => {
                return Err(Cause::NoCredentials("the instance has no role".into()));
            }
            other => other.map_err(|refused| refused.cause(NAME))?,
        };
        let role = String::from_utf8_lossy(&role);
        let role = encode::part(role.lines().next().unwrap_or_default().trim().as_bytes());
        let keys = self.ask(asker, &role, &token).await.map_err(|refused| refused.cause(NAME))?;
        Given::of_json(&keys, NAME)
    }

    /// Returns a token for further requests; none where the service has no tokens.
    async fn token(&self, asker: &Asker) -> Result<Option<String>, Cause> {
        let address = format!("{}/latest/api/token", self.address);
        let life = [("x-aws-ec2-metadata-token-ttl-seconds", "600")];
        match asker.ask(Reach::Near, || question(Method::PUT, &address, &life, String::new())).await {
            Ok(token) => Ok(Some(String::from_utf8_lossy(&token).trim().to_owned())),
            Err(refused) if self.old && refused.is(&[403, 404, 405]) => Ok(None),
            Err(refused) => Err(refused.cause(NAME)),
        }
    }

    async fn ask(&self, asker: &Asker, role: &str, token: &Option<String>) -> Result<Bytes, Refused> {
        let address = format!("{}{KEYS}{role}", self.address);
        let headers: Vec<(&str, &str)> =
            token.iter().map(|token| ("x-aws-ec2-metadata-token", token.as_str())).collect();
        asker.ask(Reach::Near, || question(Method::GET, &address, &headers, String::new())).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;

    fn found(variables: &[(&str, &str)]) -> Result<Option<Instance>, Cause> {
        Instance::find(&AwsSettings::find(&Environment::from_variables(variables.iter().copied())).unwrap())
    }

    #[test]
    fn variables_say_where_the_service_is() {
        let address = |variables: &[_]| found(variables).unwrap().unwrap().address;
        assert_eq!(address(&[]), "http://169.254.169.254");
        let mode = "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE";
        assert_eq!(address(&[(mode, "IPv6")]), "http://[fd00:ec2::254]");
        assert!(found(&[(mode, "x")]).is_err());
        assert_eq!(
            address(&[("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://h:1/"), (mode, "IPv6")]),
            "http://h:1"
        );
        assert!(found(&[("AWS_EC2_METADATA_SERVICE_ENDPOINT", "h")]).is_err());
        assert_eq!(found(&[("AWS_EC2_METADATA_DISABLED", "TRUE")]), Ok(None));
        assert!(!found(&[("AWS_EC2_METADATA_V1_DISABLED", "true")]).unwrap().unwrap().old);
    }
}
