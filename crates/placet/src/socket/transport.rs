//! HTTP over a socket of Unix: where bytes go and come from, all else is the library's.

use std::{
    io::{self, ErrorKind, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use ureq::{
    Error,
    unversioned::transport::{Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport},
};

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
        Ok(Some(Connected { stream: UnixStream::connect(&self.0)?, buffers }))
    }
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
