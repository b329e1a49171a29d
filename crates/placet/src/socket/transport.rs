//! HTTP over a socket of Unix: where bytes go and come from, all else is the library's.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, ErrorKind, Read as _, Write as _},
    os::unix::{fs::MetadataExt as _, net::UnixStream},
    path::{Path, PathBuf},
    time::Duration,
};

use ureq::{
    Error,
    unversioned::transport::{Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport},
};

use crate::trusted_path;

/// Connects to the socket at a path, whatever the address of a request.
#[derive(Debug)]
pub struct Connect(PathBuf);

impl Connect {
    /// To the socket at `path`.
    pub fn to(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Connector for Connect {
    type Out = Connected;

    fn connect(&self, details: &ConnectionDetails<'_>, _: Option<()>) -> Result<Option<Connected>, Error> {
        let config = details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Connected { stream: connect(&self.0)?, buffers }))
    }
}

/// Connects to the socket at `path`, if it is that of a service of this user, of root or of the user to whom the data belongs.
/// Whoever else listens there would be sent a credential.
pub fn connect(path: &Path) -> io::Result<UnixStream> {
    connect_to_one_of(&trusted_path::owners(path.parent().unwrap_or(Path::new(""))), path)
}

fn connect_to_one_of(owners: &BTreeSet<u32>, path: &Path) -> io::Result<UnixStream> {
    let refuse = |user: u32| {
        let what =
            format!("`{}` is a socket of another user (uid {user}), and is sent nothing", path.display());
        Err(io::Error::new(ErrorKind::PermissionDenied, what))
    };
    let file = fs::symlink_metadata(path)?.uid();
    if !owners.contains(&file) {
        return refuse(file);
    }
    let stream = UnixStream::connect(path)?;
    match foreign_peer(owners, &stream)? {
        Some(user) => refuse(user),
        None => Ok(stream),
    }
}

/// The user who listens at the other end, if it is none of `owners`.
fn foreign_peer(owners: &BTreeSet<u32>, stream: &UnixStream) -> io::Result<Option<u32>> {
    Ok(peer(stream)?.filter(|user| !owners.contains(user)))
}

/// The user whose process listens at the other end, where the system tells.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn peer(stream: &UnixStream) -> io::Result<Option<u32>> {
    Ok(Some(rustix::net::sockopt::socket_peercred(stream)?.uid.as_raw()))
}

/// Elsewhere the owner of the file has to do.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn peer(_: &UnixStream) -> io::Result<Option<u32>> {
    Ok(None)
}

/// A connection to a socket.
#[derive(Debug)]
pub struct Connected {
    stream: UnixStream,
    buffers: LazyBuffers,
}

impl Transport for Connected {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.set_write_timeout(left(timeout))?;
        in_time(self.stream.write_all(&self.buffers.output()[..amount]), timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.set_read_timeout(left(timeout))?;
        let read = loop {
            match self.stream.read(self.buffers.input_append_buf()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break in_time(read, timeout)?,
            }
        };
        self.buffers.input_appended(read);
        Ok(read > 0)
    }

    fn is_open(&mut self) -> bool {
        // No connection is used twice.
        false
    }
}

fn left(timeout: NextTimeout) -> Option<Duration> {
    timeout.not_zero().map(|left| *left)
}

fn in_time<T>(done: io::Result<T>, timeout: NextTimeout) -> Result<T, Error> {
    done.map_err(|error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Error::Timeout(timeout.reason),
        _ => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_socket_of_another_user_is_not_connected_to() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.sock");
        let _listener = UnixListener::bind(&path).unwrap();
        let me = rustix::process::geteuid().as_raw();
        assert!(connect(&path).is_ok());
        let others = BTreeSet::from([me + 1]);
        let refused = connect_to_one_of(&others, &path).unwrap_err();
        assert!(refused.to_string().contains("is sent nothing"), "{refused}");
        // The file may be ours and the process another's: who listens is asked of the system, too.
        let stream = UnixStream::connect(&path).unwrap();
        assert_eq!(foreign_peer(&BTreeSet::from([me]), &stream).unwrap(), None);
        if cfg!(target_os = "linux") {
            assert_eq!(foreign_peer(&others, &stream).unwrap(), Some(me));
        }
    }
}
