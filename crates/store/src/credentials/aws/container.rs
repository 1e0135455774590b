//! The keys of a container, from ECS or from the agent of EKS Pod Identity.
//!
//! Source: AWS SDKs and Tools Reference Guide, "Container credential provider".

use super::given::Given;
use super::sts::read_token;
use crate::credentials::ask::{Asker, Reach, check_address, question};
use crate::credentials::renewed::Temporary;
use crate::{Cause, Environment};
use http::Method;
use object_store::aws::AwsCredential;
use std::path::PathBuf;

/// The host of the ECS service, on each machine.
const ECS: &str = "169.254.170.2";

/// Hosts that may be asked without TLS, besides this machine: those of ECS and EKS.
const HOSTS: [&str; 3] = [ECS, "169.254.170.23", "fd00:ec2::23"];

/// A service that gives a container its keys.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Container {
    address: String,
    token: Option<Token>,
}

/// The token that the service requires.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    File(PathBuf),
    Text(String),
}

impl Container {
    /// Finds the service that the environment names.
    pub(crate) fn find(environment: &Environment) -> Result<Option<Container>, Cause> {
        let relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
        let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
        let address = match (environment.get(relative), environment.get(full)) {
            // Without the slash the path would be read as a part of the host's name.
            (Some(path), _) if !path.starts_with('/') => {
                return Err(Cause::Credentials(format!("{relative} does not begin with a slash").into()));
            }
            (Some(path), _) => format!("http://{ECS}{path}"),
            (None, Some(address)) => {
                check_address(address, full, &HOSTS)?;
                address.to_owned()
            }
            (None, None) => return Ok(None),
        };
        let file = environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
        let text = environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN");
        let token = file.map(|file| Token::File(file.into()));
        Ok(Some(Container {
            address,
            token: token.or_else(|| text.map(|text| Token::Text(text.to_owned()))),
        }))
    }

    /// Requests keys.
    pub(crate) async fn fetch(&self, asker: &Asker) -> Result<Temporary<AwsCredential>, Cause> {
        let token = match &self.token {
            Some(Token::File(file)) => Some(read_token(file)?),
            Some(Token::Text(text)) => Some(text.clone()),
            None => None,
        };
        let headers: Vec<(&str, &str)> =
            token.iter().map(|token| ("authorization", token.as_str())).collect();
        let asked = asker.ask(Reach::Near, || question(Method::GET, &self.address, &headers, String::new()));
        let body = asked.await.map_err(|refused| refused.cause("the container's service"))?;
        Given::of_json(&body, "the container's service")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_of_containers_is_asked_without_tls() {
        let found = |variables: &[(&str, &str)]| {
            Container::find(&Environment::from_variables(variables.iter().copied()))
        };
        let address = |variables: &[_]| found(variables).map(|found| found.map(|found| found.address));
        let relative = |path| address(&[("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", path)]);
        assert_eq!(relative("/v2/x").unwrap().unwrap(), "http://169.254.170.2/v2/x");
        assert!(relative("@evil.example/").is_err() && relative(".evil.example/").is_err());
        let full = |uri| address(&[("AWS_CONTAINER_CREDENTIALS_FULL_URI", uri)]);
        for good in [
            "http://169.254.170.23/v1/credentials",
            "http://[fd00:ec2::23]/v1",
            "https://h/",
            "http://localhost:1/",
        ] {
            assert_eq!(full(good).unwrap().unwrap(), good);
        }
        assert!(full("http://evil.example/").is_err());
        assert_eq!(address(&[]), Ok(None));
    }
}
