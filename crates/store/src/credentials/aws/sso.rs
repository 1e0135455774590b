//! The keys of a role in IAM Identity Center, for a user who signed in by `aws sso login`.
//!
//! Source: AWS SDKs and Tools Reference Guide, "IAM Identity Center credential provider"; the caches as the AWS tools
//! write them: named by the SHA-1 of the session's name, or of the address of the portal.

use super::profile::{Profile, Profiles};
use super::settings::AwsSettings;
use crate::credentials::ask::{Asker, Reach, check_address, form, question};
use crate::credentials::renewed::Temporary;
use crate::time::moment;
use crate::{Cause, access};
use http::Method;
use object_store::aws::AwsCredential;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The remaining lifetime at which tokens are renewed.
const EARLY: Duration = Duration::from_secs(60);

/// A role in an account.
pub(crate) struct Sso {
    pub(crate) profile: String,
    cache: PathBuf,
    account: String,
    role: String,
    /// The portal, which exchanges a token for keys.
    portal: String,
    /// The service that renews tokens; only tokens of sessions can be renewed.
    tokens: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    role_credentials: Keys,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keys {
    access_key_id: String,
    secret_access_key: String,
    session_token: String,
    /// Milliseconds since 1970.
    expiration: u64,
}

impl Sso {
    /// Finds the settings of a profile; none if it does not use the portal.
    pub(crate) fn find(settings: &AwsSettings, profile: &Profile) -> Result<Option<Sso>, Cause> {
        let session = profile.get("sso_session");
        if session.is_none() && profile.get("sso_start_url").is_none() {
            return Ok(None);
        }
        let need = |key: &str| match setting(&settings.profiles, profile, session, key) {
            Some(value) => Ok(value.to_owned()),
            None => {
                let why = format!("the profile {} has no {key}: run 'aws configure sso'", profile.name);
                Err(Cause::Credentials(why.into()))
            }
        };
        let (start, region) = (need("sso_start_url")?, need("sso_region")?);
        if !access::is_region(&region) {
            let why = format!("sso_region of the profile {} is no region", profile.name);
            return Err(Cause::Credentials(why.into()));
        }
        let name = hex(digest(&SHA1_FOR_LEGACY_USE_ONLY, session.unwrap_or(&start).as_bytes()).as_ref());
        let folder = settings.environment.home(".aws/sso/cache").unwrap_or_default();
        let service = |service, host| settings.address(service, host, &region);
        Ok(Some(Sso {
            profile: profile.name.clone(),
            cache: folder.join(format!("{name}.json")),
            account: need("sso_account_id")?,
            role: need("sso_role_name")?,
            portal: service("sso", "portal.sso"),
            tokens: session.map(|_| service("sso_oidc", "oidc")),
        }))
    }

    /// Requests keys from the portal.
    pub(crate) async fn fetch(&self, asker: &Asker) -> Result<Temporary<AwsCredential>, Cause> {
        let token = self.token(asker).await?;
        check_address(&self.portal, "the endpoint of IAM Identity Center", &[])?;
        let query = form(&[("account_id", &self.account), ("role_name", &self.role)]);
        let address = format!("{}/federation/credentials?{query}", self.portal);
        let headers = [("x-amz-sso_bearer_token", token.as_str())];
        let asked = asker.ask(Reach::Outside, || question(Method::GET, &address, &headers, String::new()));
        let body = match asked.await {
            Err(refused) if refused.is(&[401]) => return Err(self.sign_in("is not accepted any more")),
            other => other.map_err(|refused| refused.cause("IAM Identity Center"))?,
        };
        let wrong = |_| Cause::NoCredentials("the answer of IAM Identity Center has no keys".into());
        let Answer { role_credentials: keys } = serde_json::from_slice(&body).map_err(wrong)?;
        let credential = AwsCredential {
            key_id: keys.access_key_id,
            secret_key: keys.secret_access_key,
            token: Some(keys.session_token),
        };
        let expires = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(keys.expiration));
        Ok(Temporary { credential, expires })
    }

    /// Returns the token of the user who signed in, renewed if it has expired and can be.
    async fn token(&self, asker: &Asker) -> Result<String, Cause> {
        let text = fs::read(&self.cache).map_err(|_| self.sign_in("is not there"))?;
        let kept: Value = serde_json::from_slice(&text).map_err(|_| self.sign_in("can't be read"))?;
        let expires = kept["expiresAt"].as_str().and_then(moment);
        match kept["accessToken"].as_str() {
            Some(token) if expires.is_some_and(|expires| expires > SystemTime::now() + EARLY) => {
                Ok(token.to_owned())
            }
            _ => self.renewed(asker, kept).await.ok_or_else(|| self.sign_in("has expired")),
        }
    }

    /// Renews a token, and stores it for the other tools: the old one must not be used again.
    async fn renewed(&self, asker: &Asker, mut kept: Value) -> Option<String> {
        let address = format!("{}/token", self.tokens.as_ref()?);
        check_address(&address, "", &[]).ok()?;
        let text = |key: &str| kept[key].as_str().filter(|text| !text.is_empty());
        let body = json!({
            "grantType": "refresh_token",
            "clientId": text("clientId")?,
            "clientSecret": text("clientSecret")?,
            "refreshToken": text("refreshToken")?,
        });
        let body = body.to_string();
        let headers = [("content-type", "application/json")];
        let asked = asker.ask(Reach::Outside, || question(Method::POST, &address, &headers, body.clone()));
        let answer: Value = serde_json::from_slice(&asked.await.ok()?).ok()?;
        let token = answer["accessToken"].as_str()?.to_owned();
        let seconds = answer["expiresIn"].as_i64().filter(|seconds| (1..=604_800).contains(seconds))?;
        let expires =
            chrono::DateTime::<chrono::Utc>::from(SystemTime::now()) + chrono::TimeDelta::seconds(seconds);
        kept["accessToken"] = json!(token);
        kept["expiresAt"] = json!(expires.format("%Y-%m-%dT%H:%M:%SZ").to_string());
        if let Some(next) = answer["refreshToken"].as_str() {
            kept["refreshToken"] = json!(next);
        }
        // The token can be used even if it can't be stored.
        let _ = replace(&self.cache, kept.to_string().as_bytes());
        Some(token)
    }

    fn sign_in(&self, what: &str) -> Cause {
        let name = &self.profile;
        let why = format!("the sign-in of the profile {name} {what}: run 'aws sso login --profile {name}'");
        Cause::Credentials(why.into())
    }
}

/// Returns a setting of a profile, or of the session that it names.
fn setting<'p>(
    profiles: &'p Profiles,
    profile: &'p Profile,
    session: Option<&str>,
    key: &str,
) -> Option<&'p str> {
    let of_session = session.and_then(|session| profiles.of_section("sso-session", session, key));
    of_session.or_else(|| profile.get(key))
}

/// Replaces a file with a new one that only the user can read.
fn replace(file: &Path, text: &[u8]) -> std::io::Result<()> {
    let beside = file.with_extension(format!("{}.tmp", std::process::id()));
    let mut new = hashmill_os::create_own(&beside)?;
    let done = new.write_all(text).and_then(|()| fs::rename(&beside, file));
    if done.is_err() {
        fs::remove_file(&beside)?;
    }
    done
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
