//! Tokens of Google, found as its tools find "application default credentials": a file, else the metadata service.
//!
//! Source: Google Cloud, "How Application Default Credentials works"; AIP-4110, 4111, 4113, 4115, 4117.

use super::ask::{Asker, FORM, Reach, check_address, form, question};
use super::library;
use super::origin::Origin;
use super::renewed::{CredentialSource, Renewed, Temporary};
use crate::time::moment;
use crate::{Cause, Environment, Location};
use async_trait::async_trait;
use bytes::Bytes;
use http::Method;
use object_store::gcp::{GcpCredential, GcpCredentialProvider, GoogleCloudStorageBuilder, GoogleConfigKey};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The scope of the tokens.
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// The most bytes of a file of credentials.
const FILE: u64 = 1 << 20;

/// Returns what gives tokens, and where they come from. Nothing is asked yet.
pub(crate) fn credentials(
    environment: &Environment,
    location: &Location,
) -> Result<(GcpCredentialProvider, Origin), Cause> {
    let asker = Asker::new(environment)?;
    let mut builder = GoogleCloudStorageBuilder::new()
        .with_bucket_name(location.bucket())
        .with_retry(library::soon())
        .with_http_connector(asker.clone());
    let mut origin = None;
    for (name, value) in environment.beginning("GOOGLE_") {
        use GoogleConfigKey as Key;
        if let Ok(key @ (Key::ServiceAccount | Key::ServiceAccountKey | Key::BearerToken)) =
            name.to_ascii_lowercase().parse()
        {
            builder = builder.with_config(key, value);
            origin = Some(format!("{} ({name})", environment.place()));
        }
    }
    if origin.is_none() {
        let Some(file) = file(environment) else {
            let provider = Arc::new(Renewed::new(metadata(environment)?, asker));
            return Ok((provider, "the metadata service of the machine, if it has one".into()));
        };
        let named = format!("the file {}", file.display());
        let text = read(&file)?;
        match kind(&file, &text)? {
            CredentialFile::OfLibrary => {
                builder = builder.with_application_credentials(file.to_string_lossy());
            }
            CredentialFile::External(external) => {
                let way = GoogleTokenSource::External(external);
                let named = format!("an external account in {named}").into();
                return Ok((Arc::new(Renewed::new(way, asker)), named));
            }
        }
        origin = Some(named);
    }
    let built = builder
        .build()
        .map_err(|_| Cause::Credentials("the keys of a service account of Google can't be read".into()))?;
    Ok((built.credentials().clone(), origin.unwrap_or_default().into()))
}

/// Returns the file of credentials that a variable names, else that of `gcloud auth application-default login`.
fn file(environment: &Environment) -> Option<PathBuf> {
    if let Some(named) = environment.get("GOOGLE_APPLICATION_CREDENTIALS") {
        return Some(named.into());
    }
    let folder = environment.file("CLOUDSDK_CONFIG", ".config/gcloud")?;
    Some(folder.join("application_default_credentials.json")).filter(|file| file.exists())
}

fn read(file: &Path) -> Result<Vec<u8>, Cause> {
    let wrong = |error: std::io::Error| {
        Cause::Credentials(format!("the file {} can't be read: {error}", file.display()).into())
    };
    let is_file = file.metadata().map_err(wrong)?;
    if !is_file.is_file() || is_file.len() > FILE {
        return Err(Cause::Credentials(format!("{} is no file of credentials", file.display()).into()));
    }
    std::fs::read(file).map_err(wrong)
}

/// A file of credentials, by its type.
enum CredentialFile {
    OfLibrary,
    External(External),
}

fn kind(file: &Path, text: &[u8]) -> Result<CredentialFile, Cause> {
    let wrong = |what: &str| Cause::Credentials(format!("the file {} {what}", file.display()).into());
    let read: Value = serde_json::from_slice(text).map_err(|_| wrong("is not JSON"))?;
    match read["type"].as_str() {
        Some("service_account" | "authorized_user") => Ok(CredentialFile::OfLibrary),
        Some("external_account") => {
            let external = External::deserialize(read);
            let external = external.map_err(|_| {
                wrong("lacks settings of an external account, or has others than a file or an address")
            })?;
            external.check()?;
            Ok(CredentialFile::External(external))
        }
        Some(other) => {
            let other = crate::request::refusal::shortened(other);
            Err(wrong(&format!(
                "has credentials of type {other}, which are not read here (service_account, authorized_user and \
                 external_account are)"
            )))
        }
        None => Err(wrong("names no type of credentials")),
    }
}

/// A source of tokens.
enum GoogleTokenSource {
    /// The metadata service at this host.
    Metadata(String),
    External(External),
}

#[async_trait]
impl CredentialSource for GoogleTokenSource {
    type Credential = GcpCredential;

    async fn fetch(&self, asker: &Asker) -> Result<Temporary<GcpCredential>, Cause> {
        match self {
            GoogleTokenSource::Metadata(host) => of_metadata(asker, host).await,
            GoogleTokenSource::External(external) => external.fetch(asker).await,
        }
    }
}

fn metadata(environment: &Environment) -> Result<GoogleTokenSource, Cause> {
    if environment.get("NO_GCE_CHECK").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        let why = "there is no file of application default credentials: run 'gcloud auth application-default login'";
        return Err(Cause::Credentials(why.into()));
    }
    let host = environment.first(&["GCE_METADATA_HOST", "GCE_METADATA_ROOT", "GCE_METADATA_IP"]);
    Ok(GoogleTokenSource::Metadata(host.unwrap_or("metadata.google.internal").to_owned()))
}

async fn of_metadata(asker: &Asker, host: &str) -> Result<Temporary<GcpCredential>, Cause> {
    let address = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
    let headers = [("metadata-flavor", "Google")];
    let asked = asker.ask(Reach::Near, || question(Method::GET, &address, &headers, String::new()));
    let name = "the metadata service of Google (there is no file of application default credentials)";
    token(&asked.await.map_err(|refused| refused.cause(name))?, name)
}

/// An identity of another provider, which Google exchanges for tokens.
#[derive(Deserialize)]
struct External {
    audience: String,
    subject_token_type: String,
    token_url: String,
    service_account_impersonation_url: Option<String>,
    credential_source: From,
}

/// The source of the other provider's token.
#[derive(Deserialize)]
#[serde(untagged)]
enum From {
    File { file: PathBuf, format: Option<Format> },
    Address { url: String, headers: Option<BTreeMap<String, String>>, format: Option<Format> },
}

#[derive(Deserialize)]
struct Format {
    r#type: String,
    subject_token_field_name: Option<String>,
}

impl External {
    fn check(&self) -> Result<(), Cause> {
        check_address(&self.token_url, "token_url of the external account", &[])?;
        let other = self.service_account_impersonation_url.as_deref();
        other.map_or(Ok(()), |url| check_address(url, "the external account's service account", &[]))?;
        match &self.credential_source {
            // Clouds have such services on their own network.
            From::Address { url, .. } => {
                check_address(url, "url of the external account", &["169.254.169.254"])
            }
            From::File { .. } => Ok(()),
        }
    }

    async fn fetch(&self, asker: &Asker) -> Result<Temporary<GcpCredential>, Cause> {
        let subject = self.subject(asker).await?;
        let body = form(&[
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("audience", &self.audience),
            ("scope", SCOPE),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("subject_token", &subject),
            ("subject_token_type", &self.subject_token_type),
        ]);
        let ask = || question(Method::POST, &self.token_url, &[FORM], body.clone());
        let name = "Google's exchange of tokens";
        let answer = asker.ask(Reach::Outside, ask).await.map_err(|refused| refused.cause(name))?;
        let first = token(&answer, name)?;
        match &self.service_account_impersonation_url {
            Some(url) => impersonated(asker, url, &first.credential.bearer).await,
            None => Ok(first),
        }
    }

    async fn subject(&self, asker: &Asker) -> Result<String, Cause> {
        let (text, format): (Bytes, _) = match &self.credential_source {
            From::File { file, format } => (read(file)?.into(), format),
            From::Address { url, headers, format } => {
                let headers: Vec<(&str, &str)> =
                    headers.iter().flatten().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                let ask = || question(Method::GET, url, &headers, String::new());
                let reach = if url.starts_with("https:") { Reach::Outside } else { Reach::Near };
                let asked = asker.ask(reach, ask).await;
                (asked.map_err(|refused| refused.cause("the external account's service"))?, format)
            }
        };
        let field = format.as_ref().filter(|format| format.r#type == "json");
        let field = field.map(|format| format.subject_token_field_name.as_deref().unwrap_or("access_token"));
        let found = match field {
            Some(field) => serde_json::from_slice::<Value>(&text)
                .ok()
                .and_then(|value| Some(value[field].as_str()?.to_owned())),
            None => String::from_utf8(text.to_vec()).ok().map(|text| text.trim().to_owned()),
        };
        found.ok_or_else(|| Cause::NoCredentials("the external account's token is not there".into()))
    }
}

/// Requests a token of a service account, with a token that is allowed to.
async fn impersonated(asker: &Asker, url: &str, bearer: &str) -> Result<Temporary<GcpCredential>, Cause> {
    let bearer = format!("Bearer {bearer}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let body = json!({ "scope": [SCOPE] }).to_string();
    let asked = asker.ask(Reach::Outside, || question(Method::POST, url, &headers, body.clone()));
    let name = "Google's service of service accounts";
    let answer = asked.await.map_err(|refused| refused.cause(name))?;
    let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
    let expires = answer["expireTime"].as_str().and_then(moment);
    match (answer["accessToken"].as_str(), expires) {
        (Some(token), Some(_)) => {
            Ok(Temporary { credential: GcpCredential { bearer: token.to_owned() }, expires })
        }
        _ => Err(Cause::NoCredentials(format!("the answer of {name} has no token").into())),
    }
}

/// Reads a token.
fn token(body: &[u8], from: &str) -> Result<Temporary<GcpCredential>, Cause> {
    #[derive(Deserialize)]
    struct Answer {
        access_token: String,
        expires_in: u64,
    }
    let wrong = |_| Cause::NoCredentials(format!("the answer of {from} has no token").into());
    let Answer { access_token, expires_in } = serde_json::from_slice(body).map_err(wrong)?;
    let expires = SystemTime::now().checked_add(Duration::from_secs(expires_in));
    Ok(Temporary { credential: GcpCredential { bearer: access_token }, expires })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        kind(Path::new("/f"), text.as_bytes()).err().map(|cause| cause.to_string()).unwrap_or_default()
    }

    #[test]
    fn files_of_other_types_are_refused_by_name() {
        assert!(told("{").contains("the file /f is not JSON"));
        assert!(told("{}").contains("the file /f names no type"));
        assert!(
            told(r#"{"type":"impersonated_service_account"}"#)
                .contains("of type impersonated_service_account")
        );
        assert_eq!(told(r#"{"type":"authorized_user","refresh_token":"s3cr3t"}"#), "");
        let external = |token: &str, source: &str| {
            told(&format!(
                r#"{{"type":"external_account","audience":"a","subject_token_type":"t","token_url":"{token}","credential_source":{source}}}"#
            ))
        };
        let good = "https://sts.googleapis.com/v1/token";
        assert_eq!(external(good, r#"{"file":"/t"}"#), "");
        assert!(
            external("http://evil.example/", r#"{"file":"/t"}"#)
                .contains("token_url of the external account is not https")
        );
        assert!(external(good, r#"{"url":"http://evil.example/"}"#).contains("is not https"));
        assert!(
            external(good, r#"{"executable":{"command":"x"}}"#)
                .contains("has others than a file or an address")
        );
    }

    #[test]
    fn a_file_that_is_named_must_be_there() {
        let location = Location::parse(b"gs://b").unwrap().unwrap();
        let of = |variables: &[(&str, &str)]| {
            let _inside = crate::client::runtime::runtime().enter();
            let environment = Environment::from_variables(variables.iter().copied());
            credentials(&environment, &location).map(drop).map_err(|cause| cause.to_string())
        };
        let named = of(&[("GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent/x")]).unwrap_err();
        assert!(named.contains("the file /nonexistent/x can't be read"), "{named}");
        let none = of(&[("HOME", "/nonexistent"), ("NO_GCE_CHECK", "true")]).unwrap_err();
        assert!(none.contains("gcloud auth application-default login"), "{none}");
        assert_eq!(of(&[("HOME", "/nonexistent")]), Ok(()));
    }
}
