//! The services in rclone's configuration file.
//!
//! Source: rclone's documentation, "Amazon S3", "Google Cloud Storage", "Microsoft Azure Blob Storage", "Configure".

use crate::Scheme;
use crate::access::ini::{Section, sections};
use crate::remote::{BadRemote, Remote};
use crate::request::refusal;

/// The beginning of a file that is encrypted with a password.
const ENCRYPTED: &str = "RCLONE_ENCRYPT_V";

/// Settings that change how objects are read, and that are not supported here.
const UNKNOWN: [&str; 9] = [
    "v2_auth",
    "sse_customer_key",
    "sse_customer_key_base64",
    "sts_endpoint",
    "role_arn",
    "username",
    "client_certificate_path",
    "use_emulator",
    "service_principal_file",
];

/// A service with its name, or the reason why it can't be used.
pub type NamedRemote = (String, Result<Remote, BadRemote>);

/// Reads the services of rclone's file with their names. Services of unsupported types are errors, which name the type.
///
/// # Errors
/// If the file is encrypted.
pub fn remotes(text: &str) -> Result<Vec<NamedRemote>, BadRemote> {
    if text.lines().any(|line| line.starts_with(ENCRYPTED)) {
        return Err(BadRemote("it is encrypted, which is not read here".into()));
    }
    let named = |section: Section| -> NamedRemote { (section.title.clone(), remote(&section)) };
    Ok(sections(text).into_iter().map(named).filter(|(name, _)| is_name(name)).collect())
}

/// Returns whether a service can have this name.
pub fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || "_-.+@ ".contains(letter);
    !name.is_empty() && !name.starts_with(['-', ' ']) && !name.ends_with(' ') && name.chars().all(fits)
}

fn remote(section: &Section) -> Result<Remote, BadRemote> {
    let kind = section.get("type").unwrap_or_default();
    let remote = match kind {
        "s3" => s3(section),
        "google cloud storage" => google(section)?,
        "azureblob" => azure(section)?,
        _ => {
            let kind = refusal::shortened(kind);
            let why = format!(
                "its type is {kind}, which is not read here (s3, google cloud storage and azureblob are)"
            );
            return Err(BadRemote(why.into()));
        }
    };
    // `false` means that it is not set.
    let is_set = |key: &&&str| section.get(key).is_some_and(|value| value != "false");
    if let Some(key) = UNKNOWN.iter().find(is_set) {
        return Err(BadRemote(format!("it has {key}, which is not known here").into()));
    }
    remote.checked()
}

fn is_on(section: &Section, key: &str) -> bool {
    section.get(key).is_some_and(|value| matches!(value, "true" | "1"))
}

fn variable(section: &Section, key: &str, variable: &'static str) -> Option<(&'static str, String)> {
    section.get(key).map(|value| (variable, value.to_owned()))
}

/// Returns an endpoint; rclone leaves `https://` out.
fn endpoint(section: &Section) -> Option<String> {
    let endpoint = section.get("endpoint")?;
    Some(if endpoint.contains("://") { endpoint.to_owned() } else { format!("https://{endpoint}") })
}

fn s3(section: &Section) -> Remote {
    let keys = [
        variable(section, "access_key_id", "AWS_ACCESS_KEY_ID"),
        variable(section, "secret_access_key", "AWS_SECRET_ACCESS_KEY"),
        variable(section, "session_token", "AWS_SESSION_TOKEN"),
    ];
    let mut variables: Vec<_> = keys.into_iter().flatten().collect();
    // Without keys nothing is signed, unless the file refers to the environment.
    let by_environment = variables.is_empty() && is_on(section, "env_auth");
    let anonymous = variables.is_empty() && !by_environment;
    if by_environment {
        variables.extend(variable(section, "profile", "AWS_PROFILE"));
        variables.extend(variable(section, "shared_credentials_file", "AWS_SHARED_CREDENTIALS_FILE"));
    }
    if is_on(section, "requester_pays") {
        variables.push(("AWS_REQUEST_PAYER", "requester".to_owned()));
    }
    let endpoint = endpoint(section);
    let region = section.get("region").or_else(|| endpoint.as_ref().map(|_| "us-east-1"));
    let region = region.map(str::to_owned);
    Remote { endpoint, region, anonymous, variables, ..Remote::new(Scheme::S3) }
}

fn google(section: &Section) -> Result<Remote, BadRemote> {
    let file = variable(section, "service_account_file", "GOOGLE_APPLICATION_CREDENTIALS");
    let text = variable(section, "service_account_credentials", "GOOGLE_SERVICE_ACCOUNT_KEY");
    let variables: Vec<_> = text.or(file).into_iter().collect();
    let anonymous = is_on(section, "anonymous");
    if variables.is_empty() && !anonymous && !is_on(section, "env_auth") {
        let why = "it has a sign-in that only rclone can renew: set service_account_file, or env_auth = true";
        return Err(BadRemote(why.into()));
    }
    Ok(Remote { endpoint: endpoint(section), anonymous, variables, ..Remote::new(Scheme::Gs) })
}

fn azure(section: &Section) -> Result<Remote, BadRemote> {
    let mut remote = Remote { endpoint: endpoint(section), ..Remote::new(Scheme::Az) };
    remote.variables.extend(variable(section, "account", "AZURE_STORAGE_ACCOUNT"));
    let key = variable(section, "key", "AZURE_STORAGE_KEY");
    let secret = section.get("client_secret").is_some();
    match (key, section.get("sas_url")) {
        (Some(key), _) => remote.variables.push(key),
        (None, Some(address)) => add_signed(&mut remote, address)?,
        (None, None) if secret || is_on(section, "use_msi") => {
            let all = [
                variable(section, "tenant", "AZURE_TENANT_ID"),
                variable(section, "client_id", "AZURE_CLIENT_ID"),
                variable(section, "client_secret", "AZURE_CLIENT_SECRET"),
                variable(section, "msi_client_id", "AZURE_CLIENT_ID"),
            ];
            remote.variables.extend(all.into_iter().flatten());
        }
        (None, None) => remote.anonymous = !is_on(section, "env_auth") && !is_on(section, "use_az"),
    }
    Ok(remote)
}

/// Adds the parts of an address with a signature: the account is the first part of the host.
fn add_signed(remote: &mut Remote, address: &str) -> Result<(), BadRemote> {
    let parts = || {
        let (place, signature) = address.split_once('?')?;
        let host = place.strip_prefix("https://")?.split('/').next()?;
        Some((host, host.split_once('.')?.0, signature))
    };
    let (host, account, signature) =
        parts().ok_or_else(|| BadRemote("sas_url is no address with a signature".into()))?;
    remote.endpoint = Some(format!("https://{host}"));
    remote.variables = vec![
        ("AZURE_STORAGE_ACCOUNT", account.to_owned()),
        ("AZURE_STORAGE_SAS_TOKEN", signature.to_owned()),
    ];
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Remote, String> {
        let (_, remote) = remotes(&format!("[x]\n{text}")).unwrap().remove(0);
        remote.map_err(|bad| bad.to_string())
    }

    fn variables(text: &str) -> Vec<(&'static str, String)> {
        one(text).unwrap().variables
    }

    #[test]
    fn services_of_s3_are_read() {
        let text = "type = s3\nprovider = Minio\naccess_key_id = A\nsecret_access_key = s#3 ;cr\nendpoint = h:9000\n";
        let minio = one(text).unwrap();
        assert_eq!(
            (minio.endpoint.as_deref(), minio.region.as_deref()),
            (Some("https://h:9000"), Some("us-east-1"))
        );
        assert_eq!(minio.variables[1], ("AWS_SECRET_ACCESS_KEY", "s#3 ;cr".to_owned()));
        let plain = one("type = s3\nendpoint = http://127.0.0.1:1\nregion = r\n").unwrap();
        assert!(plain.anonymous && plain.region.as_deref() == Some("r"));
        let found = one("type = s3\nenv_auth = true\nprofile = p\n").unwrap();
        assert!(!found.anonymous && found.endpoint.is_none() && found.region.is_none());
        assert_eq!(found.variables, [("AWS_PROFILE", "p".to_owned())]);
        assert_eq!(
            variables("type = s3\nenv_auth = true\nrequester_pays = true\n"),
            [("AWS_REQUEST_PAYER", "requester".to_owned())]
        );
        assert_eq!(variables("type = s3\nenv_auth = true\nv2_auth = false\n"), []);
    }

    #[test]
    fn services_of_google_and_azure_are_read() {
        let google = |rest: &str| format!("type = google cloud storage\n{rest}\n");
        assert_eq!(variables(&google("service_account_file = /f"))[0].0, "GOOGLE_APPLICATION_CREDENTIALS");
        assert_eq!(variables(&google("service_account_credentials = {}"))[0].0, "GOOGLE_SERVICE_ACCOUNT_KEY");
        assert!(one(&google("anonymous = true")).unwrap().anonymous);
        assert!(
            one(&google("token = {\"access_token\":\"s3cr3t\"}"))
                .unwrap_err()
                .contains("only rclone can renew")
        );
        let azure = |rest: &str| format!("type = azureblob\n{rest}\n");
        assert_eq!(variables(&azure("account = a\nkey = k"))[1], ("AZURE_STORAGE_KEY", "k".to_owned()));
        let signed = one(&azure("sas_url = https://acc.blob.core.windows.net/c?sv=1&sig=s3cr3t")).unwrap();
        assert_eq!(signed.endpoint.as_deref(), Some("https://acc.blob.core.windows.net"));
        assert_eq!(signed.variables[1], ("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=s3cr3t".to_owned()));
        assert_eq!(variables(&azure("account = a\ntenant = t\nclient_id = c\nclient_secret = s")).len(), 4);
        assert!(one(&azure("account = a")).unwrap().anonymous);
        assert!(!one(&azure("account = a\nenv_auth = true")).unwrap().anonymous);
    }

    #[test]
    fn hostile_and_unknown_settings_are_refused_by_name() {
        for (text, why) in [
            ("type = crypt\nremote = s3:b\npassword = s3cr3t\n", "its type is crypt, which is not read here"),
            ("remote = x\n", "its type is , which"),
            ("type = \u{1b}[31mevil\n", "its type is [31mevil"),
            ("type = s3\naccess_key_id = A\n", "but not both"),
            ("type = s3\nv2_auth = true\n", "it has v2_auth"),
            ("type = s3\nsse_customer_key = s3cr3t\n", "it has sse_customer_key"),
            ("type = s3\nendpoint = http://me:s3cr3t@h\n", "endpoint has a user or a password"),
            ("type = s3\nendpoint = ftp://h\n", "endpoint is no endpoint"),
            ("type = azureblob\n", "it names no account"),
            ("type = azureblob\nsas_url = s3cr3t\n", "sas_url is no address"),
        ] {
            let told = one(text).unwrap_err();
            assert!(told.contains(why) && !told.contains("s3cr3t"), "{told}");
        }
        assert!(remotes("# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\ns3cr3t\n").is_err());
        let names = |text| remotes(text).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("[a]\n[../b]\n[c/d]\n[]\n[-e]\n[f\u{1b}]\n[g h]\n[i:j]\n"), ["a", "g h"]);
    }

    #[test]
    fn any_text_passes() {
        for start in ["[x]\ntype = s3\n", "[x]\ntype = azureblob\naccount = a\nsas_url = https://", "["] {
            for byte in 0..128_u8 {
                let text = format!("{start}{}{}={0}\n", char::from(byte), char::from(127 - byte));
                let _ = remotes(&text);
            }
        }
    }
}
