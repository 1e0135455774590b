//! Credentials from services: small servers act as STS, IAM Identity Center, the metadata service of instances, the
//! agents of containers, the sign-in of Azure, and the services of Google.

use crate::bucket::{SECRET, location};
use crate::server::{Answer, Asked, Server, unescaped};
use hashmill_store::{Access, Environment, Store};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Returns keys as services of AWS write them in JSON.
fn keys(id: &str) -> Answer {
    let token = "\"Token\":\"session\",\"Expiration\":\"2999-01-01T00:00:00Z\"";
    Answer::new(
        200,
        format!("{{\"Code\":\"Success\",\"AccessKeyId\":\"{id}\",\"SecretAccessKey\":\"{SECRET}\",{token}}}"),
    )
}

/// Returns keys as STS writes them.
fn assumed(action: &str, id: &str) -> Answer {
    Answer::new(
        200,
        format!(
            "<{action}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><{action}Result><AssumedRoleUser>\
             <Arn>a</Arn></AssumedRoleUser><Credentials><AccessKeyId>{id}</AccessKeyId><SecretAccessKey>{SECRET}\
             </SecretAccessKey><SessionToken>session</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>\
             </Credentials></{action}Result><ResponseMetadata/></{action}Response>"
        ),
    )
}

/// Answers requests to a store: an empty listing of each provider.
fn store_of(asked: &Asked) -> Option<Answer> {
    match asked.path.as_str() {
        "/b" => Some(Answer::new(200, "<ListBucketResult><Name>b</Name></ListBucketResult>")),
        "/a/b" => Some(Answer::new(200, "<EnumerationResults><Blobs /><NextMarker /></EnumerationResults>")),
        "/storage/v1/b/b/o" => Some(Answer::new(200, "{}")),
        _ => None,
    }
}

/// A folder with files, and variables.
struct Home {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Home {
    fn new() -> Home {
        let home = Home { folder: tempfile::tempdir().unwrap(), variables: Vec::new() };
        let path = home.path("").to_str().unwrap().to_owned();
        home.with("HOME", path).with("AWS_MAX_ATTEMPTS", "1")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn with(mut self, name: &str, value: impl Into<String>) -> Home {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    fn file(self, name: &str, text: impl AsRef<[u8]>) -> Home {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Lists a bucket of a server with the credentials found here, and returns the failure.
    fn list(&self, location_of: &str, server: &Server) -> Result<(), String> {
        let variables = self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let environment = Environment::from_variables(variables);
        let access = Access { endpoint: Some(server.endpoint()), environment, ..Access::default() };
        let listed = Store::connect(&location(location_of), &access).and_then(|store| {
            assert!(!format!("{store:?}").contains(SECRET));
            store.list(b"").next().transpose().map(drop)
        });
        listed.map_err(|error| {
            let text = format!("{error} {error:?}");
            assert!(!text.contains(SECRET), "{text}");
            error.to_string()
        })
    }

    /// Lists a bucket, which must work. Returns the request to the store.
    fn lists(&self, location_of: &str, server: &Server) -> Asked {
        assert_eq!(self.list(location_of, server), Ok(()));
        let asked = server.asked();
        asked.into_iter().rfind(|asked| store_of(asked).is_some()).unwrap()
    }
}

/// The id and the token that a request is signed with.
fn signed(asked: &Asked) -> (String, Option<String>) {
    let authorization = &asked.headers["authorization"];
    let id = authorization.split("Credential=").nth(1).unwrap().split('/').next().unwrap();
    (id.to_owned(), asked.headers.get("x-amz-security-token").cloned())
}

/// Returns the value of a field of a form.
fn field(asked: &Asked, name: &str) -> Option<String> {
    let body = String::from_utf8(asked.body.clone()).unwrap();
    let pairs: Vec<(&str, &str)> = body.split('&').filter_map(|pair| pair.split_once('=')).collect();
    pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| unescaped(value))
}

fn sts() -> Server {
    Server::start(|asked, _| {
        store_of(asked).unwrap_or_else(|| {
            let action = field(asked, "Action").unwrap_or_default();
            let role = field(asked, "RoleArn").unwrap_or_default();
            match role.as_str() {
                "arn:denied" => Answer::error(403, "AccessDenied"),
                _ => assumed(&action, &format!("ASIA{}", role.replace(':', ""))),
            }
        })
    })
}

#[test]
fn roles_are_assumed_with_the_keys_of_their_source() {
    let server = sts();
    let config = "[profile top]\nrole_arn = arn:top\nsource_profile = middle\nexternal_id = x&y\nrole_session_name = me\n\
        duration_seconds = 900\n[profile middle]\nrole_arn = arn:middle\nsource_profile = keys\n";
    let credentials = format!("[keys]\naws_access_key_id = AKIDKEYS\naws_secret_access_key = {SECRET}\n");
    let home = Home::new().file(".aws/config", config).file(".aws/credentials", credentials);
    let home = home.with("AWS_PROFILE", "top").with("AWS_ENDPOINT_URL_STS", server.endpoint());
    let asked = home.lists("s3://b", &server);
    assert_eq!(signed(&asked), ("ASIAarntop".into(), Some("session".into())));
    let all = server.asked();
    assert_eq!((signed(&all[0]).0.as_str(), signed(&all[1]).0.as_str()), ("AKIDKEYS", "ASIAarnmiddle"));
    assert!(all[1].headers["authorization"].contains("/us-east-1/sts/aws4_request"));
    let fields =
        ["ExternalId", "RoleSessionName", "DurationSeconds"].map(|name| field(&all[1], name).unwrap());
    assert_eq!(fields, ["x&y", "me", "900"]);
    assert_eq!((field(&all[0], "ExternalId"), all[0].method.as_str()), (None, "POST"));
    let denied = Home::new()
        .file(".aws/config", "[default]\nrole_arn = arn:denied\ncredential_source = Environment\n");
    let denied = denied.with("AWS_ENDPOINT_URL_STS", server.endpoint());
    let told = denied.list("s3://b", &server).unwrap_err();
    assert!(
        told.contains("credential_source of the profile default is Environment, which has none"),
        "{told}"
    );
    let denied = Home::new()
        .file(".aws/config", format!("[default]\nrole_arn = arn:denied\nsource_profile = default\naws_access_key_id = A\naws_secret_access_key = {SECRET}\n"))
        .with("AWS_ENDPOINT_URL_STS", server.endpoint());
    let told = denied.list("s3://b", &server).unwrap_err();
    let says = "no credentials: STS, asked for the role arn:denied, answers with status 403 (AccessDenied)";
    assert!(told.contains(says), "{told}");
    let plain = denied.with("AWS_ENDPOINT_URL_STS", "http://sts.example");
    assert!(plain.list("s3://b", &server).unwrap_err().contains("the endpoint of STS is not https"));
}

#[test]
fn workloads_have_the_role_of_their_token() {
    let server = sts();
    let home = Home::new().file("token", "jwt\n");
    let file = home.path("token").to_str().unwrap().to_owned();
    let home = home.with("AWS_WEB_IDENTITY_TOKEN_FILE", file).with("AWS_ROLE_ARN", "arn:pod");
    let home = home.with("AWS_ENDPOINT_URL_STS", server.endpoint());
    assert_eq!(signed(&home.lists("s3://b", &server)).0, "ASIAarnpod");
    let all = server.asked();
    assert_eq!(field(&all[0], "WebIdentityToken").as_deref(), Some("jwt"));
    assert_eq!(field(&all[0], "Action").as_deref(), Some("AssumeRoleWithWebIdentity"));
    assert!(!all[0].headers.contains_key("authorization") && all[0].query.is_empty());
    std::fs::remove_file(home.path("token")).unwrap();
    let told = home.list("s3://b", &server).unwrap_err();
    assert!(told.contains(&format!("{} can't be read: ", home.path("token").display())), "{told}");
}

/// The SHA-1 of `corp`, which names the cache of that session.
const CORP: &str = ".aws/sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json";

const SSO: &str = "[profile p]\nsso_session = corp\nsso_account_id = 123\nsso_role_name = Read Only\n\
    [sso-session corp]\nsso_region = eu-central-1\nsso_start_url = https://corp.example/start\n";

fn portal() -> Server {
    Server::start(|asked, _| {
        let keys = format!(
            "{{\"roleCredentials\":{{\"accessKeyId\":\"ASIASSO\",\"secretAccessKey\":\"{SECRET}\",\
             \"sessionToken\":\"session\",\"expiration\":32503680000000}}}}"
        );
        store_of(asked).unwrap_or_else(|| match asked.path.as_str() {
            "/token" if asked.body.windows(7).any(|part| part == b"refresh") => Answer::new(
                200,
                format!(
                    "{{\"accessToken\":\"fresh\",\"expiresIn\":3600,\"refreshToken\":\"next-{SECRET}\"}}"
                ),
            ),
            "/federation/credentials"
                if ["good", "fresh"].contains(&asked.headers["x-amz-sso_bearer_token"].as_str()) =>
            {
                Answer::new(200, keys)
            }
            _ => Answer::new(401, "{\"message\":\"Session token not found or invalid\"}"),
        })
    })
}

fn signed_in(server: &Server, cache: Option<&str>) -> Home {
    let home = Home::new().file(".aws/config", SSO).with("AWS_PROFILE", "p");
    let home = home.with("AWS_ENDPOINT_URL_SSO", server.endpoint());
    let home = home.with("AWS_ENDPOINT_URL_SSO_OIDC", server.endpoint());
    match cache {
        Some(cache) => home.file(CORP, cache),
        None => home,
    }
}

#[test]
fn whoever_signed_in_has_keys() {
    let server = portal();
    let good = format!(
        "{{\"accessToken\":\"good\",\"expiresAt\":\"2999-01-01T00:00:00Z\",\"clientSecret\":\"{SECRET}\"}}"
    );
    let asked = signed_in(&server, Some(&good)).lists("s3://b", &server);
    assert_eq!(signed(&asked), ("ASIASSO".into(), Some("session".into())));
    let first = &server.asked()[0];
    assert_eq!((first.query["account_id"].as_str(), first.query["role_name"].as_str()), ("123", "Read Only"));
    let sign_in = "run 'aws sso login --profile p'";
    for (cache, what) in [
        (None, "the sign-in of the profile p is not there"),
        (Some("{"), "the sign-in of the profile p can't be read"),
        (
            Some("{\"accessToken\":\"good\",\"expiresAt\":\"2001-01-01T00:00:00Z\"}"),
            "the sign-in of the profile p has expired",
        ),
        (
            Some("{\"accessToken\":\"bad\",\"expiresAt\":\"2999-01-01T00:00:00Z\"}"),
            "is not accepted any more",
        ),
    ] {
        let told = signed_in(&server, cache).list("s3://b", &server).unwrap_err();
        assert!(told.contains(what) && told.contains(sign_in), "{told}");
    }
}

#[test]
fn a_sign_in_that_expired_is_renewed_and_kept() {
    let server = portal();
    let old = format!(
        "{{\"accessToken\":\"old\",\"expiresAt\":\"2001-01-01T00:00:00UTC\",\"clientId\":\"c\",\"clientSecret\":\"{SECRET}\",\
         \"refreshToken\":\"refresh\",\"region\":\"eu-central-1\"}}"
    );
    let home = signed_in(&server, Some(&old));
    assert_eq!(signed(&home.lists("s3://b", &server)).0, "ASIASSO");
    let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(home.path(CORP)).unwrap()).unwrap();
    assert_eq!(
        (kept["accessToken"].as_str(), kept["region"].as_str()),
        (Some("fresh"), Some("eu-central-1"))
    );
    assert_eq!(kept["refreshToken"], format!("next-{SECRET}"));
    assert!(kept["expiresAt"].as_str().unwrap() > "2026");
    #[cfg(unix)]
    {
        let permissions = std::fs::metadata(home.path(CORP)).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&permissions) & 0o777, 0o600);
    }
    assert_eq!(std::fs::read_dir(home.path(".aws/sso/cache")).unwrap().count(), 1);
}

#[cfg(unix)]
fn process(script: &str) -> Home {
    let home = Home::new().file("keys.sh", script);
    let path = home.path("keys.sh").to_str().unwrap().to_owned();
    home.file(".aws/config", format!("[default]\ncredential_process = sh '{path}' 'a b'\n"))
}

#[cfg(unix)]
#[test]
fn programs_print_keys_and_nothing_else_of_them_is_shown() {
    let server = sts();
    let good = format!(
        "echo {SECRET} >&2\n[ \"$1\" = 'a b' ] || exit 9\necho '{{\"Version\":1,\"AccessKeyId\":\"AKIDPROC\",\"SecretAccessKey\":\"{SECRET}\"}}'\n"
    );
    assert_eq!(signed(&process(&good).lists("s3://b", &server)), ("AKIDPROC".into(), None));
    for (script, says) in [
        (format!("echo {SECRET}; echo {SECRET} >&2; exit 3"), "failed (exit status: 3): run it to see why"),
        (format!("echo {SECRET}"), "the answer of credential_process of the profile default has no keys"),
        (format!("exec yes {SECRET}"), "credential_process of the profile default printed more than 64 KiB"),
    ] {
        let told = process(&script).list("s3://b", &server).unwrap_err();
        assert!(told.contains(says), "{told}");
    }
    let none = Home::new().file(".aws/config", "[default]\ncredential_process = /nonexistent/program\n");
    let told = none.list("s3://b", &server).unwrap_err();
    assert!(told.contains("can't be run: No such file"), "{told}");
}

/// Starts a metadata service; `version` is the newest version of its interface.
fn instance(version: u8) -> Server {
    Server::start(move |asked, _| {
        let has_token = asked.headers.get("x-aws-ec2-metadata-token").is_some_and(|token| token == "t0ken");
        store_of(asked).unwrap_or_else(|| match (asked.method.as_str(), asked.path.as_str()) {
            ("PUT", "/latest/api/token") if version == 2 => Answer::new(200, "t0ken"),
            ("PUT", "/latest/api/token") => Answer::new(404, ""),
            _ if version == 2 && !has_token => Answer::new(401, ""),
            (_, "/latest/meta-data/iam/security-credentials/") => Answer::new(200, "my role\n"),
            (_, "/latest/meta-data/iam/security-credentials/my%20role") => keys("ASIAINSTANCE"),
            _ => Answer::new(404, ""),
        })
    })
}

#[test]
fn instances_have_the_keys_of_their_role() {
    for version in [1, 2] {
        let server = instance(version);
        let home = Home::new().with("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.endpoint());
        assert_eq!(signed(&home.lists("s3://b", &server)), ("ASIAINSTANCE".into(), Some("session".into())));
        // The service is asked once for all requests.
        let asked = server.asked().len();
        assert_eq!(asked, 4);
        let without = home.with("AWS_EC2_METADATA_V1_DISABLED", "true");
        assert_eq!(without.list("s3://b", &server).is_ok(), version == 2);
    }
    let server = instance(2);
    let disabled = Home::new().with("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.endpoint());
    let disabled = disabled.with("AWS_EC2_METADATA_DISABLED", "true");
    assert!(
        disabled
            .list("s3://b", &server)
            .unwrap_err()
            .contains("neither the environment nor a profile has any")
    );
    assert!(server.asked().is_empty());
}

#[test]
fn services_of_credentials_are_not_followed_elsewhere_and_not_read_without_end() {
    let other = instance(2);
    let to = other.endpoint();
    for (answer, says) in [
        (
            Answer::new(307, "").header("location", format!("{to}/latest/api/token")),
            "sends elsewhere (status 307), which is not followed",
        ),
        (Answer::new(200, vec![b'x'; 1 << 20]), "answers with too much"),
        (Answer::new(500, SECRET), "answers with status 500"),
    ] {
        let server = Server::start(move |_, _| answer.clone());
        let home = Home::new().with("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.endpoint());
        let told = home.list("s3://b", &server).unwrap_err();
        let start = "neither the environment nor a profile has any, and the instance's metadata service ";
        assert!(told.contains(start) && told.contains(says), "{told}");
    }
    assert!(other.asked().is_empty());
    // A server that never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://127.0.0.1:{}", silent.local_addr().unwrap().port());
    let start = Instant::now();
    let told =
        Home::new().with("AWS_EC2_METADATA_SERVICE_ENDPOINT", address).list("s3://b", &other).unwrap_err();
    assert!(told.contains("the instance's metadata service does not answer"), "{told}");
    assert!(start.elapsed() < Duration::from_secs(15));
}

#[test]
fn containers_ask_with_their_token() {
    let server = Server::start(|asked, _| {
        let is_known = asked.headers.get("authorization").is_some_and(|token| token == "pod-token");
        store_of(asked).unwrap_or_else(|| if is_known { keys("ASIAPOD") } else { Answer::new(401, "") })
    });
    let uri = format!("{}/v1/credentials", server.endpoint());
    let home =
        || Home::new().with("AWS_CONTAINER_CREDENTIALS_FULL_URI", uri.as_str()).file("token", "pod-token\n");
    let by_text = home().with("AWS_CONTAINER_AUTHORIZATION_TOKEN", "pod-token");
    assert_eq!(signed(&by_text.lists("s3://b", &server)).0, "ASIAPOD");
    let by_file = home();
    let file = by_file.path("token").to_str().unwrap().to_owned();
    let by_file = by_file.with("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file);
    assert_eq!(signed(&by_file.lists("s3://b", &server)).0, "ASIAPOD");
    let told = home().list("s3://b", &server).unwrap_err();
    assert!(told.contains("the container's service answers with status 401"), "{told}");
    let split = home().with("AWS_CONTAINER_AUTHORIZATION_TOKEN", "a\r\nx: y");
    assert!(split.list("s3://b", &server).unwrap_err().contains("bytes that it can't have"));
}

#[test]
fn azure_gives_tokens_to_workloads_applications_and_machines() {
    let server = Server::start(|asked, _| {
        store_of(asked).unwrap_or_else(|| match asked.path.as_str() {
            "/tenant/oauth2/v2.0/token" if field(asked, "client_assertion").as_deref() == Some("jwt") => {
                Answer::new(200, r#"{"access_token":"of-workload","expires_in":3600}"#)
            }
            "/tenant/oauth2/v2.0/token" if field(asked, "client_secret").as_deref() == Some(SECRET) => {
                Answer::new(200, r#"{"access_token":"of-application","expires_in":3600}"#)
            }
            "/metadata/identity/oauth2/token" if asked.headers["metadata"] == "true" => Answer::new(
                200,
                format!(
                    "{{\"access_token\":\"of-{}\",\"expires_on\":\"32503680000\"}}",
                    asked.query["client_id"]
                ),
            ),
            _ => Answer::new(400, r#"{"error":"invalid_client","error_description":"s"}"#),
        })
    });
    let home = || {
        let home = Home::new().with("AZURE_STORAGE_ACCOUNT", "a").with("AZURE_CLIENT_ID", "client");
        home.with("AZURE_AUTHORITY_HOST", server.endpoint()).file("token", "jwt\n")
    };
    let bearer = |home: &Home| home.lists("az://b", &server).headers["authorization"].clone();
    let workload = home().with("AZURE_TENANT_ID", "tenant");
    let file = workload.path("token").to_str().unwrap().to_owned();
    let workload = workload.with("AZURE_FEDERATED_TOKEN_FILE", file);
    assert_eq!(bearer(&workload), "Bearer of-workload");
    let scope = field(&server.asked()[0], "scope");
    assert_eq!(scope.as_deref(), Some("https://storage.azure.com/.default"));
    let application = home().with("AZURE_TENANT_ID", "tenant").with("AZURE_CLIENT_SECRET", SECRET);
    assert_eq!(bearer(&application), "Bearer of-application");
    let machine = home().with("AZURE_POD_IDENTITY_AUTHORITY_HOST", server.endpoint());
    assert_eq!(bearer(&machine), "Bearer of-client");
    let wrong = home().with("AZURE_TENANT_ID", "tenant").with("AZURE_CLIENT_SECRET", "other");
    let told = wrong.list("az://b", &server).unwrap_err();
    assert!(told.contains("the sign-in of Azure answers with status 400 (invalid_client)"), "{told}");
}

#[test]
fn google_gives_tokens_by_its_metadata_and_for_identities_of_elsewhere() {
    let server = Server::start(|asked, _| {
        store_of(asked).unwrap_or_else(|| match asked.path.as_str() {
            "/computeMetadata/v1/instance/service-accounts/default/token"
                if asked.headers["metadata-flavor"] == "Google" =>
            {
                Answer::new(200, r#"{"access_token":"of-metadata","expires_in":3600,"token_type":"Bearer"}"#)
            }
            "/v1/token" if field(asked, "subject_token").as_deref() == Some("jwt") => {
                Answer::new(200, r#"{"access_token":"exchanged","expires_in":3600}"#)
            }
            "/subject" if asked.headers["x-key"] == "k" => Answer::new(200, r#"{"value":"jwt"}"#),
            "/account:generateAccessToken" if asked.headers["authorization"] == "Bearer exchanged" => {
                Answer::new(200, r#"{"accessToken":"of-account","expireTime":"2999-01-01T00:00:00Z"}"#)
            }
            _ => Answer::new(403, ""),
        })
    });
    let bearer = |home: &Home| home.lists("gs://b", &server).headers["authorization"].clone();
    assert_eq!(bearer(&Home::new().with("GCE_METADATA_HOST", server.address.as_str())), "Bearer of-metadata");
    let external = |source: &str, more: &str| {
        let text = format!(
            r#"{{"type":"external_account","audience":"a","subject_token_type":"t","token_url":"{}/v1/token",{more}"credential_source":{source}}}"#,
            server.endpoint()
        );
        let home = Home::new().file("external.json", text).file("token", "jwt\n");
        let file = home.path("external.json").to_str().unwrap().to_owned();
        home.with("GOOGLE_APPLICATION_CREDENTIALS", file)
    };
    let by_address = format!(
        r#"{{"url":"{}/subject","headers":{{"X-Key":"k"}},"format":{{"type":"json","subject_token_field_name":"value"}}}}"#,
        server.endpoint()
    );
    assert_eq!(bearer(&external(&by_address, "")), "Bearer exchanged");
    let account = format!(
        r#""service_account_impersonation_url":"{}/account:generateAccessToken","#,
        server.endpoint()
    );
    assert_eq!(bearer(&external(&by_address, &account)), "Bearer of-account");
    let missing = external(r#"{"file":"/nonexistent/t"}"#, "").list("gs://b", &server).unwrap_err();
    assert!(missing.contains("the file /nonexistent/t can't be read"), "{missing}");
    // The file of gcloud is used without a variable.
    let home = external(&by_address, "");
    let text = std::fs::read(home.path("external.json")).unwrap();
    let usual = Home::new().file(".config/gcloud/application_default_credentials.json", text);
    assert_eq!(bearer(&usual), "Bearer exchanged");
}
