//! Credentials, found where the provider's own tools find them, and signatures made with them.

use crate::profile::Profile;
use crate::signature;
use crate::{Access, Cause, Environment, Location};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, AwsAuthorizer, AwsCredentialProvider};
use object_store::azure::{AzureAuthorizer, AzureConfigKey, AzureCredentialProvider, MicrosoftAzureBuilder};
use object_store::client::HttpRequest;
use object_store::gcp::{GcpCredentialProvider, GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, RetryConfig};
use parking_lot::RwLock;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// The version of the interface of Azure where no signature names one.
const AZURE_VERSION: &str = "2023-11-03";

/// What signs requests.
pub(crate) enum Signer {
    /// Nothing.
    None,
    /// Nothing but a version.
    AnonymousAzure,
    /// Version 4 of the signatures of AWS.
    Aws {
        credentials: AwsCredentialProvider,
        region: RwLock<String>,
        /// Whoever asks pays.
        payer: bool,
    },
    /// A token of Google.
    Gcp(GcpCredentialProvider),
    /// A shared key, a token, or what an address is signed with.
    Azure { credentials: AzureCredentialProvider, account: String },
}

impl Signer {
    /// Signs a request.
    pub(crate) async fn sign(&self, request: &mut HttpRequest) -> Result<(), Cause> {
        match self {
            Signer::None => Ok(()),
            Signer::AnonymousAzure => {
                request.headers_mut().insert("x-ms-version", http::HeaderValue::from_static(AZURE_VERSION));
                Ok(())
            }
            Signer::Aws { credentials, region, payer } => {
                let credential = credentials.get_credential().await.map_err(none)?;
                let region = region.read().clone();
                if signature::is_of(request) {
                    return signature::sign(request, &credential, &region, *payer, chrono::Utc::now());
                }
                let authorizer = AwsAuthorizer::new(&credential, "s3", &region).with_request_payer(*payer);
                authorizer.try_authorize(request, None).map_err(none)
            }
            Signer::Gcp(credentials) => {
                let credential = credentials.get_credential().await.map_err(none)?;
                let value = http::HeaderValue::from_str(&format!("Bearer {}", credential.bearer));
                let mut value = value.map_err(|_| Cause::NoCredentials("the token is no text".into()))?;
                value.set_sensitive(true);
                request.headers_mut().insert(http::header::AUTHORIZATION, value);
                Ok(())
            }
            Signer::Azure { credentials, account } => {
                let credential = credentials.get_credential().await.map_err(none)?;
                AzureAuthorizer::new(&credential, account).try_authorize(request).map_err(none)
            }
        }
    }

    /// Signs for another region from now on.
    pub(crate) fn move_to(&self, to: &str) {
        if let Signer::Aws { region, .. } = self {
            to.clone_into(&mut region.write());
        }
    }
}

/// No credential is in it.
impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signer::None | Signer::AnonymousAzure => "Signer(none)",
            Signer::Aws { .. } => "Signer(aws)",
            Signer::Gcp(_) => "Signer(gcp)",
            Signer::Azure { .. } => "Signer(azure)",
        })
    }
}

/// Errors of providers may quote what they read. What is known to be harmless is said.
fn none(error: object_store::Error) -> Cause {
    let text = error.to_string();
    let known = [
        ("metadata", "no answer of the instance's metadata service"),
        ("Metadata", "no answer of the instance's metadata service"),
        ("169.254", "no answer of the instance's metadata service"),
        ("az ", "the command az gave none"),
        ("AccessKey", "the key is no base64"),
    ];
    let found = known.iter().find(|(part, _)| text.contains(part));
    Cause::NoCredentials(found.map_or("none were found", |(_, why)| why).into())
}

/// Services for credentials are near, or not there.
pub(crate) fn soon() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(1),
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: 2, retry_timeout: Duration::from_secs(5) }
}

/// The region of a bucket of S3, if anything says it.
pub(crate) fn aws_region(access: &Access, profile: &Profile) -> Option<String> {
    let said = access.region.as_deref();
    let said = said.or_else(|| access.environment.first(&["AWS_REGION", "AWS_DEFAULT_REGION"]));
    said.or_else(|| profile.get("region")).map(str::to_owned)
}

/// What signs for S3.
pub(crate) fn aws(
    access: &Access,
    location: &Location,
    profile: &Profile,
    region: &str,
) -> Result<Signer, Cause> {
    if access.anonymous {
        return Ok(Signer::None);
    }
    let environment = &access.environment;
    let mut builder =
        AmazonS3Builder::new().with_bucket_name(location.bucket()).with_region(region).with_retry(soon());
    for (name, value) in environment.beginning("AWS_") {
        if let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>()
            && !is_place(key)
        {
            builder = builder.with_config(key, value);
        }
    }
    if environment.get("AWS_ACCESS_KEY_ID").is_none() {
        builder = of_profile(builder, environment, profile)?;
    }
    let store = builder.build().map_err(none)?;
    let payer =
        environment.get("AWS_REQUEST_PAYER").is_some_and(|payer| payer.eq_ignore_ascii_case("requester"));
    Ok(Signer::Aws {
        credentials: store.credentials().clone(),
        region: RwLock::new(region.to_owned()),
        payer,
    })
}

/// Whether a setting says where the bucket is, which is decided elsewhere.
fn is_place(key: AmazonS3ConfigKey) -> bool {
    use AmazonS3ConfigKey as Key;
    matches!(
        key,
        Key::Bucket | Key::Endpoint | Key::Region | Key::DefaultRegion | Key::VirtualHostedStyleRequest
    )
}

/// With the keys of a profile, if the environment names no other way.
fn of_profile(
    builder: AmazonS3Builder,
    environment: &Environment,
    profile: &Profile,
) -> Result<AmazonS3Builder, Cause> {
    if let (Some(id), Some(secret)) = (profile.get("aws_access_key_id"), profile.get("aws_secret_access_key"))
    {
        let builder = builder.with_access_key_id(id).with_secret_access_key(secret);
        return Ok(match profile.get("aws_session_token") {
            Some(token) => builder.with_token(token),
            None => builder,
        });
    }
    let elsewhere = [
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ];
    if environment.first(&elsewhere).is_some() {
        return Ok(builder);
    }
    if let Some(way) = profile.other_way() {
        let name = &profile.name;
        let why = format!(
            "the profile {name} has {way}, which is not read here; \
             'aws configure export-credentials --profile {name} --format env' gives keys for the environment"
        );
        return Err(Cause::NoCredentials(why.into()));
    }
    if environment.get("AWS_EC2_METADATA_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Err(Cause::NoCredentials("neither the environment nor a profile has any".into()));
    }
    Ok(builder)
}

/// What signs for Google.
pub(crate) fn google(access: &Access, location: &Location) -> Result<Signer, Cause> {
    let environment = &access.environment;
    if access.anonymous || environment.get("STORAGE_EMULATOR_HOST").is_some() {
        return Ok(Signer::None);
    }
    let mut builder = GoogleCloudStorageBuilder::new().with_bucket_name(location.bucket()).with_retry(soon());
    for (name, value) in environment.beginning("GOOGLE_") {
        if let Ok(key) = name.to_ascii_lowercase().parse::<GoogleConfigKey>()
            && !matches!(key, GoogleConfigKey::Bucket)
        {
            builder = builder.with_config(key, value);
        }
    }
    let store = builder.build().map_err(none)?;
    Ok(Signer::Gcp(store.credentials().clone()))
}

/// The account of Azure and how it is reached, from variables and from a connection string.
pub(crate) struct Account {
    pub(crate) name: Option<String>,
    pub(crate) endpoint: Option<String>,
    key: Option<String>,
    token: Option<String>,
}

impl Account {
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

/// What signs for Azure.
pub(crate) fn azure(
    access: &Access,
    location: &Location,
    account: &Account,
    name: &str,
) -> Result<Signer, Cause> {
    if access.anonymous {
        return Ok(Signer::AnonymousAzure);
    }
    let mut builder = MicrosoftAzureBuilder::new()
        .with_container_name(location.bucket())
        .with_account(name)
        .with_retry(soon());
    match (&account.key, &account.token) {
        (Some(key), _) => builder = builder.with_access_key(key),
        (None, Some(token)) => {
            builder = builder.with_config(AzureConfigKey::SasKey, token.trim_start_matches('?'))
        }
        (None, None) => builder = of_azure_environment(builder, &access.environment),
    }
    let store = builder.build().map_err(none)?;
    Ok(Signer::Azure { credentials: store.credentials().clone(), account: name.to_owned() })
}

/// With what else the environment has: a client's secret, a workload's token; else what `az login` left.
fn of_azure_environment(
    mut builder: MicrosoftAzureBuilder,
    environment: &Environment,
) -> MicrosoftAzureBuilder {
    let mut found = false;
    for (name, value) in environment.beginning("AZURE_") {
        if let Ok(key) = name.to_ascii_lowercase().parse::<AzureConfigKey>()
            && !matches!(
                key,
                AzureConfigKey::AccountName | AzureConfigKey::ContainerName | AzureConfigKey::Endpoint
            )
        {
            builder = builder.with_config(key, value);
            found = true;
        }
    }
    let folder = environment.file("AZURE_CONFIG_DIR", ".azure");
    let logged_in = folder.is_some_and(|folder| Path::new(&folder).join("azureProfile.json").exists());
    if logged_in && !found { builder.with_use_azure_cli(true) } else { builder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_strings_are_read() {
        let text = "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5==;BlobEndpoint=http://h/a;";
        let account = Account::find(&Environment::of([("AZURE_STORAGE_CONNECTION_STRING", text)]));
        assert_eq!(account.name.as_deref(), Some("a"));
        assert_eq!(account.key.as_deref(), Some("a2V5=="));
        assert_eq!(account.endpoint.as_deref(), Some("http://h/a"));
        assert_eq!(account.token, None);
    }

    #[test]
    fn signers_show_nothing() {
        crate::runtime::runtime();
        let location = Location::parse(b"s3://b").unwrap().unwrap();
        let environment =
            Environment::of([("AWS_ACCESS_KEY_ID", "id1234"), ("AWS_SECRET_ACCESS_KEY", "secret1234")]);
        let access = Access { environment, ..Access::default() };
        let signer = aws(&access, &location, &Profile::default(), "eu-west-1").unwrap();
        assert_eq!(format!("{signer:?}"), "Signer(aws)");
        assert!(!format!("{access:?}").contains("1234"));
    }

    #[test]
    fn ways_that_are_not_known_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        std::fs::write(&config, "[profile p]\nsso_session = s\n").unwrap();
        let variables = [("AWS_CONFIG_FILE", config.to_str().unwrap()), ("AWS_PROFILE", "p")];
        let environment = Environment::of(variables);
        let profile = Profile::find(&environment);
        let access = Access { environment, ..Access::default() };
        let location = Location::parse(b"s3://b").unwrap().unwrap();
        let Err(Cause::NoCredentials(why)) = aws(&access, &location, &profile, "eu-west-1") else { panic!() };
        assert!(why.contains("the profile p has sso_session"), "{why}");
    }
}
