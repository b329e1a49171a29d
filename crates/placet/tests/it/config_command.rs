//! `placet config`: the file to begin with, what the environment says over it, and secrets, which have no place in it.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::run::placet;

fn command(home: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = placet();
    command.args(arguments).env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("PLACET_CONFIG");
    command.current_dir(home).envs(variables.iter().copied()).stdin(Stdio::null());
    command
}

fn run(home: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (String, String, i32) {
    let output = command(home, arguments, variables).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// What is said of `text` under `variables`; the file is `placet.toml`.
fn refused(text: &str, variables: &[(&str, &str)]) -> String {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("placet.toml"), text).unwrap();
    let (out, err, code) = run(home.path(), &["config", "check", "placet.toml"], variables);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    err
}

/// The keys that are set, with value and source.
fn set(home: &Path, variables: &[(&str, &str)]) -> Vec<(String, Value, Value)> {
    let (out, err, code) = run(home, &["config", "check", "placet.toml", "--json"], variables);
    assert_eq!(code, 0, "{err}");
    let all: Value = serde_json::from_str(&out).unwrap();
    let row =
        |set: &Value| (set["key"].as_str().unwrap().to_owned(), set["value"].clone(), set["from"].clone());
    all["set"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_first_file_is_written_once_and_used_from_then_on() {
    let home = TempDir::new().unwrap();
    let (out, _, code) = run(home.path(), &["config", "check"], &[]);
    assert_eq!((code, out.contains("there is no file")), (0, true), "{out}");
    assert_eq!(run(home.path(), &["config", "init"], &[]).2, 0);
    let file = home.path().join(".config/placet/placet.toml");
    assert!(fs::read_to_string(&file).unwrap().contains("#run_below = 0.25"));
    let (_, told, code) = run(home.path(), &["config", "init"], &[]);
    assert_eq!((code, told.contains("--force")), (1, true), "{told}");
    let (printed, _, code) = run(home.path(), &["config", "init", "-"], &[]);
    assert_eq!((code, printed), (0, fs::read_to_string(&file).unwrap()));
    fs::write(&file, "[tools.terminal]\nalways_ask = true\n").unwrap();
    let (out, _, _) = run(home.path(), &["explain", "--", "ls"], &[]);
    assert!(out.contains("HOLD"), "a file where it belongs counts: {out}");
    let (out, _, _) = run(home.path(), &["explain", "--", "ls"], &[("PLACET_CONFIG", "/dev/null")]);
    assert!(out.contains("ALLOW"), "{out}");
    assert_eq!(run(home.path(), &["config", "init", "--force"], &[]).2, 0);
    let (out, _, _) = run(home.path(), &["config", "check"], &[]);
    assert!(out.contains("nothing is set"), "{out}");
}

#[test]
fn the_environment_is_over_the_file_and_said_to_be() {
    let home = TempDir::new().unwrap();
    fs::write(
        home.path().join("placet.toml"),
        "[thresholds]\nask_above = 0.5\n[tools.my-deploy]\nrisk_min = 0.3\n",
    )
    .unwrap();
    let variables = [
        ("PLACET_THRESHOLDS_ASK_ABOVE", "0.4"),
        ("PLACET_SERVER_LISTEN", "127.0.0.1:9"),
        ("PLACET_ORGANISATION_DOMAINS", "example.com, example.org"),
        ("PLACET_WARRANTS_REQUIRED_OF", "[\"a,b\"]"),
        ("PLACET_TOOLS_MY_DEPLOY_ALWAYS_ASK", "true"),
        // Others of ours, that are no settings.
        ("PLACET_DATA", "data"),
    ];
    let set = set(home.path(), &variables);
    let of = |key: &str| set.iter().find(|row| row.0 == key).unwrap_or_else(|| panic!("{key}: {set:?}"));
    assert_eq!(of("thresholds.ask_above").1, "0.4");
    assert_eq!(of("thresholds.ask_above").2["environment"], "PLACET_THRESHOLDS_ASK_ABOVE");
    assert_eq!(of("tools.my-deploy.risk_min").2["line"], 4);
    assert_eq!(set.len(), 6, "{set:?}");
    let call = ["explain", "--config", "placet.toml", "--tool", "my-deploy", "--args", "{}"];
    let (out, _, _) = run(home.path(), &call, &variables);
    assert!(out.contains("the operator wants to be asked"), "{out}");
}

#[test]
fn what_the_environment_gets_wrong_is_said_with_its_name() {
    let said = refused("", &[("PLACET_SERVER_LISTN", "127.0.0.1:9")]);
    assert!(said.contains("did you mean `PLACET_SERVER_LISTEN`?"), "{said}");
    let said = refused("", &[("PLACET_THRESHOLDS_ASK_ABOVE", "7")]);
    assert!(said.contains("PLACET_THRESHOLDS_ASK_ABOVE") && said.contains("from 0 to 1"), "{said}");
    let said = refused("", &[("PLACET_TOOLS_DEPLOY_ALWAYS_ASK", "true")]);
    assert!(said.contains("must be in the file"), "{said}");
    let said = refused("[tools.a-b]\n[tools.a_b]\n", &[("PLACET_TOOLS_A_B_ALWAYS_ASK", "true")]);
    assert!(said.contains("`tools.a-b.always_ask` or `tools.a_b.always_ask`"), "{said}");
}

#[test]
fn a_key_that_is_not_known_is_refused_with_the_one_that_is_near() {
    let said = refused("[server]\nlsten = \"127.0.0.1:9\"\n", &[]);
    assert!(said.contains("placet.toml:2: unknown key `lsten`, did you mean `listen`?"), "{said}");
    let said = refused("ask_above = 0.5\n", &[]);
    assert!(said.contains("did you mean `thresholds.ask_above`?"), "{said}");
    let said = refused("[server]\nagentguard_from = [\"10.0.0.0/40\"]\n", &[]);
    assert!(said.contains("is no network"), "{said}");
    let said = refused("[server]\npublic_url = \"placet.example.com\"\n", &[]);
    assert!(said.contains("public_url"), "{said}");
}

const HOOK: &str = "[notifications.ops]\nkind = \"webhook\"\nurl = \"https://hooks.example.com/placet\"\n";

#[test]
fn secrets_in_the_file_are_refused_with_where_they_belong() {
    let said = refused(&format!("{HOOK}secret = \"hunter2\"\n"), &[]);
    assert!(said.contains("placet.toml:4:") && said.contains("credentials.toml"), "{said}");
    assert!(said.contains("PLACET_NOTIFICATIONS_OPS_SECRET"), "{said}");
    // By the look of it, wherever it stands.
    let token = format!("[server]\nhosts = [\"ghp_{}\"]\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let said = refused(&token, &[]);
    assert!(said.contains("`server.hosts` holds a secret"), "{said}");
    assert!(said.contains("take it out") && !said.contains("put `server"), "{said}");
    // Where the file of secrets has no such key, it is not said to go there.
    let address = "https://ann:hunter2-and-more@hooks.example.com/x";
    let said = refused(&format!("[notifications.ops]\nkind = \"webhook\"\nurl = \"{address}\"\n"), &[]);
    assert!(said.contains("take it out") && said.contains("`notifications.ops.secret`"), "{said}");
    let said = refused(HOOK, &[]);
    assert!(said.contains("needs a secret"), "{said}");
    let said = refused("[notifications.chat]\nkind = \"slack\"\nurl = \"https://chat.example.com/x\"\n", &[]);
    assert!(said.contains("PLACET_NOTIFICATIONS_CHAT_WEBHOOK_URL"), "{said}");
}

#[test]
fn secrets_come_from_a_private_file_or_the_environment_and_are_never_shown() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("placet.toml"), HOOK).unwrap();
    let secrets = home.path().join("credentials.toml");
    fs::write(&secrets, "[notifications.ops]\nsecret = \"hunter2-and-more\"\n").unwrap();
    fs::set_permissions(&secrets, fs::Permissions::from_mode(0o644)).unwrap();
    let check = ["config", "check", "placet.toml"];
    let (_, told, code) = run(home.path(), &check, &[]);
    assert_eq!((code, told.contains("chmod 600")), (1, true), "{told}");
    fs::set_permissions(&secrets, fs::Permissions::from_mode(0o600)).unwrap();
    let (out, _, code) = run(home.path(), &check, &[]);
    assert_eq!(code, 0);
    assert!(out.contains("(secret)") && !out.contains("hunter2"), "{out}");
    let variable = ("PLACET_NOTIFICATIONS_OPS_SECRET", "swordfish-or-not");
    let set = set(home.path(), &[variable]);
    let secret = set.iter().find(|row| row.0 == "notifications.ops.secret").unwrap();
    assert_eq!((&secret.1, &secret.2["environment"]), (&Value::Null, &variable.0.into()));
    fs::write(&secrets, "[notifications.opps]\nsecret = \"hunter2\"\n").unwrap();
    let (_, told, code) = run(home.path(), &check, &[]);
    assert_eq!((code, told.contains("no channel `opps`")), (1, true), "{told}");
}

#[test]
fn the_service_listens_where_the_configuration_says() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("placet.toml"), "[server]\nlisten = \"0.0.0.0:0\"\n").unwrap();
    let serve = ["serve", "--config", "placet.toml"];
    let (_, told, code) = run(home.path(), &serve, &[]);
    assert_eq!((code, told.contains("0.0.0.0:0` can be reached")), (1, true), "{told}");
    // The environment is over the file.
    let (_, told, code) = run(home.path(), &serve, &[("PLACET_SERVER_BEHIND_PROXY", "true")]);
    assert_eq!((code, told.contains("nobody could ask")), (1, true), "{told}");
}

#[test]
fn the_lines_of_the_service_are_json_where_that_is_wanted() {
    let home = TempDir::new().unwrap();
    let service = crate::service::Service::start(home.path(), &["--log", "json"]);
    service.post("/v1/none", &Value::Null, "x");
    let announced = service.said[0].clone();
    assert!(announced.contains(r#""what":"listening""#), "{announced}");
    let said = announced + "\n" + &service.end("-TERM");
    assert!(!said.is_empty() && !said.contains('\u{1b}'), "{said}");
    for line in said.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line["at"].is_string() && line["what"].is_string(), "{line}");
    }
}

#[test]
fn what_serve_would_refuse_is_not_well() {
    let said = refused("[rules]\n\"no.such.rule\" = \"off\"\n", &[]);
    assert!(said.contains("no.such.rule"), "{said}");
    let said = refused("[server]\ntls_certificate = \"nope.crt\"\ntls_key = \"nope.key\"\n", &[]);
    assert!(said.contains("nope.crt"), "{said}");
    let said = refused("[warrants]\nissuer = \"nope.key\"\n", &[]);
    assert!(said.contains("nope.key"), "{said}");
    // What serve takes is well.
    let home = TempDir::new().unwrap();
    let text = "[server]\nlisten = \"0.0.0.0:8080\"\nbehind_proxy = true\n[rules]\n\"team.one\" = \"off\"\n";
    fs::write(home.path().join("placet.toml"), text).unwrap();
    let (rule, _, _) = run(home.path(), &["rules", "new", "team.one"], &[]);
    fs::write(home.path().join("team.yaml"), rule).unwrap();
    let check = ["config", "check", "placet.toml", "--rules", "team.yaml"];
    let (out, err, code) = run(home.path(), &check, &[]);
    assert_eq!((code, out.contains("from other machines")), (0, false), "{out}{err}");
    // `--behind-proxy` may make it right.
    let (out, err, code) = run(home.path(), &check, &[("PLACET_SERVER_BEHIND_PROXY", "false")]);
    assert_eq!((code, out.contains("can be reached from other machines")), (0, true), "{out}{err}");
}
