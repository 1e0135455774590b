//! `hashmill explain` of locations: how a store would be asked, with nothing of a secret, and without asking it.

use super::gateway::{KEY, SECRET};
use crate::case;
use crate::util::{Place, Ran};

/// An endpoint where nobody answers.
const NOBODY: &str = "http://127.0.0.1:9";

fn run(t: &Place, args: &str, variables: &[(&str, &str)]) -> Ran {
    let mut command = t.command(args);
    for name in
        ["AWS_ENDPOINT_URL", "AWS_PROFILE", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
    {
        command.env_remove(name);
    }
    command.env("HOME", t.path("home")).env("AWS_EC2_METADATA_DISABLED", "true");
    command.envs(variables.iter().copied());
    let ran = t.ran(command, args);
    assert!(!ran.stderr().contains(SECRET) && !String::from_utf8_lossy(ran.stdout()).contains(SECRET));
    ran
}

const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", KEY), ("AWS_SECRET_ACCESS_KEY", SECRET)];

case!(a_bucket_is_explained_without_asking_it, |t| {
    let line = format!("explain s3://bucket/p/ -m 64M --endpoint {NOBODY} --region eu-north-1 --requests 7");
    let ran = run(t, &line, &KEYS).code(0).quiet();
    ran.prints("s3://bucket/p/\n  store       s3: bucket bucket\n  address     http://127.0.0.1:9/bucket\n")
        .prints("\n  region      eu-north-1\n")
        .prints("\n  credentials keys in the environment (AWS_ACCESS_KEY_ID)\n")
        .prints("\n  objects     listed by their keys, up to 1,000 with each request\n")
        .prints("\n  reading     7 requests at a time; parts of 4.00 MiB, one request each; ")
        .prints("\n  memory      32.00 MiB of file data at most");
    t.file("file", "abc");
    let json =
        run(t, &format!("explain file s3://bucket/k -f json --endpoint {NOBODY}"), &KEYS).code(0).json();
    assert_eq!(json["paths"][0]["path"], "file");
    let location = &json["locations"][0];
    assert_eq!((&location["location"], &location["listed"]), (&"s3://bucket/k".into(), &false.into()));
    assert_eq!((&location["part"], &location["requests"]), (&(4 << 20).into(), &64.into()));
});

case!(credentials_are_named_by_where_they_are, |t| {
    let says = |location: &str, variables: &[(&str, &str)]| {
        let json = run(t, &format!("explain {location} -f json"), variables).code(0).json();
        json["locations"][0]["credentials"].as_str().unwrap().to_owned()
    };
    t.file("home/.aws/config", "[profile lab]\nrole_arn = arn:r\nsource_profile = keys\n");
    t.file(
        "home/.aws/credentials",
        format!("[keys]\naws_access_key_id = A\naws_secret_access_key = {SECRET}\n"),
    );
    let role = "the role arn:r, by keys in the profile keys (aws_access_key_id)";
    assert_eq!(says("s3://b", &[("AWS_PROFILE", "lab")]), role);
    assert_eq!(says("s3://b --anonymous", &[]), "none: requests are not signed");
    assert_eq!(says("https://h/f?sig=x", &[]), "none: requests are not signed");
    let account = ("AZURE_STORAGE_ACCOUNT", "a");
    assert_eq!(
        says("az://c", &[account, ("AZURE_STORAGE_KEY", "czNjcjN0")]),
        "a key of the account in the environment"
    );
    let machine = "a managed identity of the machine, if it has one";
    assert_eq!(says("az://c", &[account]), machine);
    assert_eq!(says("gs://b", &[]), "the metadata service of the machine, if it has one");
    // Keys of the environment count, whatever profile is named.
    let nosuch = [KEYS[0], KEYS[1], ("AWS_PROFILE", "nosuch")];
    assert_eq!(says("s3://b", &nosuch), "keys in the environment (AWS_ACCESS_KEY_ID)");
    run(t, "explain s3://b", &nosuch[2..]).code(2).says("s3://b: ").says("there is no profile nosuch");
});

case!(a_remote_is_explained_by_its_name, |t| {
    let conf = format!(
        "[lab]\ntype = s3\naccess_key_id = {KEY}\nsecret_access_key = {SECRET}\nendpoint = {NOBODY}\n"
    );
    t.file("settings/rclone/rclone.conf", conf);
    run(t, "explain lab:photos/", &[])
        .code(0)
        .prints("lab:photos/\n  remote      lab, ")
        .prints("\n  address     http://127.0.0.1:9/photos\n")
        .prints("\n  credentials keys in the settings of the remote (AWS_ACCESS_KEY_ID)\n");
});

case!(a_location_of_a_file_is_explained_as_the_file, |t| {
    t.file("file", "abc");
    let path = t.path("file").display().to_string();
    let json = run(t, &format!("explain file://{path} -f json"), &[]).code(0).json();
    assert_eq!(json["paths"][0]["path"], path.as_str());
    run(t, "explain s3:// file", &[]).code(2).says("s3://").prints("file\n");
});
