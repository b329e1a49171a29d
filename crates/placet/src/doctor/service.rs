//! Whether the service runs.

use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use super::{About, Examined};

/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks it at its socket.
pub fn look(directory: &Path, seen: &mut Examined) {
    let socket = directory.join(crate::socket::NAME);
    match UnixStream::connect(&socket) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => seen.fact(
            About::Service,
            format!("`{}` cannot be asked from here: it is another user's", socket.display()),
        ),
        Err(_) => seen.fact(About::Service, "does not run with this data; `placet serve` starts it"),
        Ok(stream) => match ready(stream) {
            Ok(true) => seen.fact(About::Service, format!("runs, and can decide: {}", socket.display())),
            Ok(false) => seen.finding(
                About::Service,
                "runs, and cannot decide: every call is blocked",
                "its log says why; often the disk is full",
            ),
            Err(error) => seen.finding(
                About::Service,
                format!("runs, and does not answer: {error}"),
                "look at its log; start it again if it hangs: holds survive that",
            ),
        },
    }
}

fn ready(mut stream: UnixStream) -> std::io::Result<bool> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut head = [0; 12];
    stream.read_exact(&mut head)?;
    Ok(head.ends_with(b"200"))
}
