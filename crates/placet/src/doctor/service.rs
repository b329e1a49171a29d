//! Whether the service runs.

use std::{os::unix::net::UnixStream, path::Path};

use super::{About, Examined};
use crate::socket::Socket;

/// Asks it at its socket.
pub fn look(directory: &Path, seen: &mut Examined) {
    let socket = directory.join(crate::socket::NAME);
    match UnixStream::connect(&socket) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => seen.fact(
            About::Service,
            format!("`{}` cannot be asked from here: it is another user's", socket.display()),
        ),
        Err(_) => seen.fact(About::Service, "does not run with this data; `placet serve` starts it"),
        Ok(_) => match Socket::at(&socket).is_ready() {
            Ok(true) => seen.fact(About::Service, format!("runs, and can decide: {}", socket.display())),
            Ok(false) => seen.finding(
                About::Service,
                "runs, and cannot decide: every call is blocked",
                "its log says why; often the disk is full",
            ),
            Err(error) => seen.finding(
                About::Service,
                format!("runs, and does not answer: {}", error.root_cause()),
                "look at its log; start it again if it hangs: holds survive that",
            ),
        },
    }
}
