//! Keys and tokens of Azure, found where its tools find them.
//!
//! Source: Azure Identity, "DefaultAzureCredential"; Microsoft identity platform, "OAuth 2.0 client credentials flow";
//! "Managed identities for Azure resources".

use super::ask::{Asker, FORM, Reach, check_address, form, question};
use super::origin::Origin;
use super::renewed::{CredentialSource, Renewed, Temporary};
use super::{library, program};
use crate::{Cause, Environment, Location};
use async_trait::async_trait;
use http::Method;
use object_store::azure::{AzureConfigKey, AzureCredential, AzureCredentialProvider, MicrosoftAzureBuilder};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The service that tokens are requested for.
const STORAGE: &str = "https://storage.azure.com/";

/// The metadata service of virtual machines.
const METADATA: &str = "http://169.254.169.254";

/// The Azure account and its endpoint, from variables and from a connection string.
pub(crate) struct Account {
    pub(crate) name: Option<String>,
    pub(crate) endpoint: Option<String>,
    key: Option<String>,
    token: Option<String>,
}

impl Account {
    /// Reads the account from the environment.
    pub(crate) fn find(environment: &Environment) -> Account {
        let text = environment.get("AZURE_STORAGE_CONNECTION_STRING").unwrap_or_default();
        let part = |name: &str| {
            let mut pairs = text.split(';').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
        };
        let said = |names: &[&str], of_string: &str| {
            environment.first(names).map(str::to_owned).or_else(|| part(of_string))
        };
        Account {
            name: said(&["AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"], "AccountName"),
            endpoint: part("BlobEndpoint"),
            key: said(
                &["AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY"],
                "AccountKey",
            ),
            token: said(&["AZURE_STORAGE_SAS_TOKEN"], "SharedAccessSignature"),
        }
    }
}

/// Returns what gives keys or tokens for an account, and where they come from. Nothing is asked yet.
pub(crate) fn credentials(
    environment: &Environment,
    location: &Location,
    account: &Account,
    name: &str,
) -> Result<(AzureCredentialProvider, Origin), Cause> {
    let builder = MicrosoftAzureBuilder::new().with_container_name(location.bucket()).with_account(name);
    let bearer = environment.first(&["AZURE_STORAGE_TOKEN", "AZURE_STORAGE_BEARER_TOKEN"]);
    let (builder, what) = match (&account.key, &account.token, bearer) {
        (Some(key), ..) => (builder.with_access_key(key), "a key of the account"),
        (None, Some(token), _) => {
            let token = token.trim_start_matches('?');
            (builder.with_config(AzureConfigKey::SasKey, token), "a shared access signature")
        }
        (None, None, Some(token)) => (builder.with_bearer_token_authorization(token), "a token"),
        (None, None, None) => {
            let way = AzureTokenSource::find(environment)?;
            let origin = way.to_string().into();
            return Ok((Arc::new(Renewed::new(way, Asker::new(environment)?)), origin));
        }
    };
    let provider = builder.build().map_err(library::none)?.credentials().clone();
    Ok((provider, format!("{what} in {}", environment.place()).into()))
}

/// A source of tokens.
#[derive(Debug, PartialEq, Eq)]
enum AzureTokenSource {
    /// An application, with its secret.
    Secret { login: String, client: String, secret: String },
    /// A workload, with the token in a file.
    Workload { login: String, client: String, file: String },
    /// A managed identity: of App Service (with the header that opens it) or of a machine.
    Managed { address: String, client: Option<String>, header: Option<String> },
    /// The command `az`, where the user signed in.
    Command,
}

/// Says where tokens come from, without any of them.
impl fmt::Display for AzureTokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AzureTokenSource::Secret { client, .. } => {
                write!(f, "the application {client} (AZURE_CLIENT_SECRET)")
            }
            AzureTokenSource::Workload { client, file, .. } => {
                write!(f, "the application {client}, by the token in {file}")
            }
            AzureTokenSource::Managed { header: Some(_), .. } => {
                f.write_str("a managed identity (IDENTITY_ENDPOINT)")
            }
            AzureTokenSource::Managed { .. } => {
                f.write_str("a managed identity of the machine, if it has one")
            }
            AzureTokenSource::Command => f.write_str("the sign-in of the command az"),
        }
    }
}

impl AzureTokenSource {
    fn find(environment: &Environment) -> Result<AzureTokenSource, Cause> {
        let get = |names: &[&str]| environment.first(names).map(str::to_owned);
        let client = get(&["AZURE_CLIENT_ID", "AZURE_STORAGE_CLIENT_ID"]);
        let secret = get(&["AZURE_CLIENT_SECRET", "AZURE_STORAGE_CLIENT_SECRET"]);
        let file = get(&["AZURE_FEDERATED_TOKEN_FILE"]);
        if let Some(name) = secret
            .as_ref()
            .map(|_| "AZURE_CLIENT_SECRET")
            .or(file.as_ref().map(|_| "AZURE_FEDERATED_TOKEN_FILE"))
        {
            let lacks = |other: &str| Cause::Credentials(format!("{name} is set, but {other} is not").into());
            let client = client.ok_or_else(|| lacks("AZURE_CLIENT_ID"))?;
            let tenant = get(&["AZURE_TENANT_ID", "AZURE_STORAGE_TENANT_ID"]);
            let login = login(environment, &tenant.ok_or_else(|| lacks("AZURE_TENANT_ID"))?)?;
            return Ok(match (secret, file) {
                (Some(secret), _) => AzureTokenSource::Secret { login, client, secret },
                (None, file) => AzureTokenSource::Workload { login, client, file: file.unwrap_or_default() },
            });
        }
        if let (Some(address), Some(header)) = (get(&["IDENTITY_ENDPOINT"]), get(&["IDENTITY_HEADER"])) {
            check_address(&address, "IDENTITY_ENDPOINT", &["169.254.129.1", "169.254.130.1"])?;
            return Ok(AzureTokenSource::Managed { address, client, header: Some(header) });
        }
        let folder = environment.file("AZURE_CONFIG_DIR", ".azure");
        let is_signed_in = folder.is_some_and(|folder| folder.join("azureProfile.json").exists());
        let host = get(&["AZURE_POD_IDENTITY_AUTHORITY_HOST"]);
        if is_signed_in && host.is_none() && client.is_none() {
            return Ok(AzureTokenSource::Command);
        }
        let host = host.unwrap_or_else(|| METADATA.to_owned());
        let address = format!("{}/metadata/identity/oauth2/token", host.trim_end_matches('/'));
        Ok(AzureTokenSource::Managed { address, client, header: None })
    }
}

#[async_trait]
impl CredentialSource for AzureTokenSource {
    type Credential = AzureCredential;

    async fn fetch(&self, asker: &Asker) -> Result<Temporary<AzureCredential>, Cause> {
        match self {
            AzureTokenSource::Secret { login, client, secret } => {
                sign_in(asker, login, client, &[("client_secret", secret)]).await
            }
            AzureTokenSource::Workload { login, client, file } => {
                let token = std::fs::read_to_string(file).map_err(|error| {
                    Cause::Credentials(format!("the token in {file} can't be read: {error}").into())
                })?;
                let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
                let proof = [("client_assertion_type", kind), ("client_assertion", token.trim())];
                sign_in(asker, login, client, &proof).await
            }
            AzureTokenSource::Managed { address, client, header } => {
                managed(asker, address, client.as_deref(), header.as_deref()).await
            }
            AzureTokenSource::Command => of_command().await,
        }
    }
}

/// Returns the address that gives tokens of a tenant.
fn login(environment: &Environment, tenant: &str) -> Result<String, Cause> {
    if !tenant.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')) {
        return Err(Cause::Credentials("AZURE_TENANT_ID is no name of a tenant".into()));
    }
    let host = environment.get("AZURE_AUTHORITY_HOST").unwrap_or("https://login.microsoftonline.com");
    let host = if host.contains("://") { host.to_owned() } else { format!("https://{host}") };
    check_address(&host, "AZURE_AUTHORITY_HOST", &[])?;
    Ok(format!("{}/{tenant}/oauth2/v2.0/token", host.trim_end_matches('/')))
}

async fn sign_in(
    asker: &Asker,
    login: &str,
    client: &str,
    proof: &[(&str, &str)],
) -> Result<Temporary<AzureCredential>, Cause> {
    let scope = format!("{STORAGE}.default");
    let pairs = [("grant_type", "client_credentials"), ("client_id", client), ("scope", &scope)];
    let body = form(&[&pairs[..], proof].concat());
    let asked = asker.ask(Reach::Outside, || question(Method::POST, login, &[FORM], body.clone()));
    let body = asked.await.map_err(|refused| refused.cause("the sign-in of Azure"))?;
    token(&body, "the sign-in of Azure")
}

async fn managed(
    asker: &Asker,
    address: &str,
    client: Option<&str>,
    header: Option<&str>,
) -> Result<Temporary<AzureCredential>, Cause> {
    let version = if header.is_some() { "2019-08-01" } else { "2018-02-01" };
    let mut pairs = vec![("api-version", version), ("resource", STORAGE)];
    pairs.extend(client.map(|client| ("client_id", client)));
    let address = format!("{address}?{}", form(&pairs));
    let mut headers = vec![("metadata", "true")];
    headers.extend(header.map(|header| ("x-identity-header", header)));
    let asked = asker.ask(Reach::Near, || question(Method::GET, &address, &headers, String::new()));
    let body = asked.await.map_err(|refused| refused.cause("the service of managed identities"))?;
    token(&body, "the service of managed identities")
}

async fn of_command() -> Result<Temporary<AzureCredential>, Cause> {
    let words = ["az", "account", "get-access-token", "--output", "json", "--resource", STORAGE];
    let output = program::output(words.map(str::to_owned).to_vec()).await;
    let failed = |failure| Cause::Credentials(format!("the command az {failure} (az login signs in)").into());
    token(&output.map_err(failed)?, "the command az")
}

/// Reads a token. Times are numbers, or numbers as text; `az` uses other names and another format of times.
fn token(body: &[u8], from: &str) -> Result<Temporary<AzureCredential>, Cause> {
    let none = || Cause::NoCredentials(format!("the answer of {from} has no token").into());
    let answer: Value = serde_json::from_slice(body).map_err(|_| none())?;
    let token = answer["access_token"].as_str().or_else(|| answer["accessToken"].as_str());
    let token = token.filter(|token| !token.is_empty()).ok_or_else(none)?;
    let number = |name: &str| {
        let value = &answer[name];
        value.as_u64().or_else(|| value.as_str()?.parse().ok()).map(Duration::from_secs)
    };
    let at = number("expires_on").map(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    let expires = at.unwrap_or_else(|| SystemTime::now().checked_add(number("expires_in")?));
    // A token without an expiry is valid for an hour at least.
    let expires = expires.or_else(|| SystemTime::now().checked_add(Duration::from_secs(3000)));
    Ok(Temporary { credential: AzureCredential::BearerToken(token.to_owned()), expires })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_strings_are_read() {
        let text = "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5==;BlobEndpoint=http://h/a;";
        let account =
            Account::find(&Environment::from_variables([("AZURE_STORAGE_CONNECTION_STRING", text)]));
        assert_eq!(account.name.as_deref(), Some("a"));
        assert_eq!(account.key.as_deref(), Some("a2V5=="));
        assert_eq!(account.endpoint.as_deref(), Some("http://h/a"));
        assert_eq!(account.token, None);
    }

    fn way(variables: &[(&str, &str)]) -> Result<AzureTokenSource, String> {
        AzureTokenSource::find(&Environment::from_variables(variables.iter().copied()))
            .map_err(|cause| cause.to_string())
    }

    #[test]
    fn ways_come_in_the_order_of_the_azure_tools() {
        let identity = [("AZURE_CLIENT_ID", "c"), ("AZURE_TENANT_ID", "t")];
        let login = || "https://login.microsoftonline.com/t/oauth2/v2.0/token".to_owned();
        let file = ("AZURE_FEDERATED_TOKEN_FILE", "/t");
        let workload = way(&[&identity[..], &[file]].concat()).unwrap();
        assert_eq!(
            workload,
            AzureTokenSource::Workload { login: login(), client: "c".into(), file: "/t".into() }
        );
        let secret = way(&[&identity[..], &[file, ("AZURE_CLIENT_SECRET", "s")]].concat()).unwrap();
        assert_eq!(
            secret,
            AzureTokenSource::Secret { login: login(), client: "c".into(), secret: "s".into() }
        );
        let address =
            |way| if let AzureTokenSource::Managed { address, .. } = way { address } else { panic!() };
        assert_eq!(address(way(&[]).unwrap()), "http://169.254.169.254/metadata/identity/oauth2/token");
        let service = [("IDENTITY_ENDPOINT", "http://localhost:1/x"), ("IDENTITY_HEADER", "h")];
        assert_eq!(address(way(&service).unwrap()), "http://localhost:1/x");
    }

    #[test]
    fn what_is_missing_is_named() {
        let file = ("AZURE_FEDERATED_TOKEN_FILE", "/t");
        let told = |variables: &[_]| way(variables).unwrap_err();
        assert_eq!(
            told(&[file]),
            "no credentials: AZURE_FEDERATED_TOKEN_FILE is set, but AZURE_CLIENT_ID is not"
        );
        assert!(told(&[file, ("AZURE_CLIENT_ID", "c")]).contains("but AZURE_TENANT_ID is not"));
        let all = [file, ("AZURE_CLIENT_ID", "c"), ("AZURE_TENANT_ID", "t")];
        let elsewhere = [&all[..], &[("AZURE_AUTHORITY_HOST", "http://evil.example")]].concat();
        assert!(told(&elsewhere).contains("AZURE_AUTHORITY_HOST is not https"));
        let odd = [file, ("AZURE_CLIENT_ID", "c"), ("AZURE_TENANT_ID", "../t")];
        assert!(told(&odd).contains("no name of a tenant"));
    }

    #[test]
    fn tokens_of_all_shapes_are_read() {
        let seconds = |text: &str| {
            let read = token(text.as_bytes(), "it").unwrap();
            let left = read.expires.unwrap().duration_since(SystemTime::now()).unwrap_or_default();
            (left.as_secs() + 50) / 100
        };
        assert_eq!(seconds(r#"{"access_token":"t","expires_in":3600}"#), 36);
        assert_eq!(seconds(r#"{"access_token":"t","expires_in":"3600"}"#), 36);
        assert_eq!(seconds(r#"{"access_token":"t","expires_on":"1"}"#), 0);
        assert_eq!(seconds(r#"{"accessToken":"t","expiresOn":"2026-01-01 00:00:00.000000"}"#), 30);
        for text in ["", "{}", r#"{"access_token":""}"#, r#"{"error":"s3cr3t"}"#] {
            let Err(told) = token(text.as_bytes(), "it") else { panic!() };
            assert!(told.to_string().contains("the answer of it has no token"), "{told}");
        }
    }
}
