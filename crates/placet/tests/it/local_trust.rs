//! Where other users of this machine may write, nothing is decided and no secret is shown.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    fs,
    io::Read as _,
    os::unix::{fs::PermissionsExt as _, net::UnixListener},
    path::Path,
    thread,
};

use tempfile::TempDir;

use crate::service::run;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_data_directory_that_others_may_write_is_refused_whatever_the_command() {
    let home = TempDir::new().unwrap();
    let data = home.path().join("data");
    assert_eq!(run(home.path(), &["ask", "--", "ls"]).2, 0);
    for bad in [0o777, 0o1777, 0o707] {
        mode(&data, bad);
        for command in [
            &["ask", "--", "ls"][..],
            &["serve", "--listen", "127.0.0.1:0"],
            &["holds", "list"],
            &["token", "create", "x", "--role", "operator"],
            &["mode", "observe"],
        ] {
            let (out, told, code) = run(home.path(), command);
            assert_eq!((out.as_str(), code), ("", 1), "{command:?} in a directory of mode {bad:o}: {told}");
            assert!(told.contains("everybody may write into") && told.contains("chmod go-w"), "{told}");
        }
        let (found, ..) = run(home.path(), &["doctor"]);
        assert!(found.contains("nothing is decided: everybody may write into"), "{found}");
    }
    mode(&data, 0o700);
    mode(home.path(), 0o777);
    let (_, told, code) = run(home.path(), &["ask", "--", "ls"]);
    assert_eq!((code, told.contains("everybody may swap what is in")), (1, true), "{told}");
    mode(home.path(), 0o1777);
    assert_eq!(run(home.path(), &["ask", "--", "ls"]).2, 0);
}

#[test]
fn a_socket_that_others_could_have_put_there_is_sent_no_credential() {
    let home = TempDir::new().unwrap();
    let data = home.path().join("data");
    assert_eq!(run(home.path(), &["holds", "list"]).2, 0);
    let secret = fs::read_to_string(home.path().join(".config/placet/approver")).unwrap();
    mode(&data, 0o777);
    let listener = UnixListener::bind(data.join("placet.sock")).unwrap();
    let (send, heard) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 4096];
            let read = stream.read(&mut bytes).unwrap_or(0);
            let _ = send.send(String::from_utf8_lossy(&bytes[..read]).into_owned());
        }
    });
    for command in [&["holds", "list"][..], &["token", "list"], &["ask", "--", "ls"], &["demo", "--yes"]] {
        run(home.path(), command);
    }
    let heard: String = heard.try_iter().collect();
    assert!(!heard.contains(secret.trim()) && heard.is_empty(), "{heard}");
}
