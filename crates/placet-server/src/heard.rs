//! A connection of which we know whether a request has begun that nobody has read yet, and what that one began with.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    task::{Context, Poll, ready},
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::endpoint::Dialect;

/// So much of a request is remembered: a first line, as far as paths of ours go.
const BEGIN_MAX: usize = 512;

/// Whose turn it is to say something. Everything on a connection happens in one task.
#[derive(Default)]
pub struct Turn {
    whose: AtomicU8,
    /// Whether anything was ever asked.
    asked: AtomicBool,
    /// Whether the body of the last request has not come to its end.
    coming: AtomicBool,
}

impl Turn {
    /// The head of a request is to come, or comes.
    const THEIRS: u8 = 0;
    /// A request has been read, and its answer is being made.
    const OURS: u8 = 1;
    /// The answer is there, and on its way out.
    const ANSWERING: u8 = 2;
    /// All of it has been made.
    const ANSWERED: u8 = 3;

    fn is(&self, turn: u8) -> bool {
        self.whose.load(Ordering::Relaxed) == turn
    }

    fn set(&self, turn: u8) {
        self.whose.store(turn, Ordering::Relaxed);
    }

    /// Whether no request has been read that is not answered.
    pub fn is_theirs(&self) -> bool {
        self.is(Self::THEIRS)
    }

    /// Whether there is an answer, or a part of it. What goes out before is none: that a body may be sent, say.
    fn is_answer(&self) -> bool {
        self.is(Self::ANSWERING) || self.is(Self::ANSWERED)
    }

    /// The head of a request has been read.
    pub fn take(&self, has_body: bool) {
        self.set(Self::OURS);
        self.asked.store(true, Ordering::Relaxed);
        self.coming.store(has_body, Ordering::Relaxed);
    }

    /// Whether nothing was asked yet.
    pub fn is_first(&self) -> bool {
        !self.asked.load(Ordering::Relaxed)
    }

    /// Whether the body of the last request has not come to its end.
    pub fn is_coming(&self) -> bool {
        self.coming.load(Ordering::Relaxed)
    }
}

/// The body of a request.
pub struct Coming {
    body: Incoming,
    turn: Arc<Turn>,
}

impl Coming {
    pub fn new(body: Incoming, turn: Arc<Turn>) -> Self {
        Self { body, turn }
    }
}

impl HttpBody for Coming {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.turn.coming.store(false, Ordering::Relaxed);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer; it is our turn until it ends.
pub struct Tail {
    body: Body,
    turn: Arc<Turn>,
}

impl Tail {
    pub fn new(body: Body, turn: Arc<Turn>) -> Self {
        turn.set(Turn::ANSWERING);
        Self { body, turn }
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.turn.set(Turn::ANSWERED);
    }
}

impl HttpBody for Tail {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The connection.
pub struct Heard<C> {
    connection: C,
    turn: Arc<Turn>,
    begin: [u8; BEGIN_MAX],
    length: usize,
    /// Whether hyper has refused what came.
    refused: bool,
    /// Whether a part of an answer has gone out, and not all of it.
    answering: bool,
}

impl<C> Heard<C> {
    pub fn new(connection: C, turn: Arc<Turn>) -> Self {
        Self { connection, turn, begin: [0; BEGIN_MAX], length: 0, refused: false, answering: false }
    }

    /// Whether hyper has refused what came, and nobody was told.
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// Whether a part of an answer has gone out, and not all of it.
    pub fn is_answering(&self) -> bool {
        self.answering
    }

    /// How the endpoint says no that an unread request is for, as its first line has it. That may have come along with the
    /// request before, and be gone, or not have come, or stand behind what a proxy put before it: then it is said to those
    /// who take all else for leave to run.
    pub fn dialect(&self) -> Dialect {
        let begin = &self.begin[..self.length];
        match target(begin) {
            Some(target) => match Dialect::of_target(target) {
                // What the path ends with has not come, or not been kept.
                Dialect::Api if begin.ends_with(target) && !is_whole(target) => Dialect::AgentGuard,
                dialect => dialect,
            },
            None => Dialect::AgentGuard,
        }
    }

    /// Nothing is kept back any longer.
    pub fn into_inner(self) -> C {
        self.connection
    }
}

/// Whether the path has come to its end, or is one that only our own clients ask for.
fn is_whole(target: &[u8]) -> bool {
    target.contains(&b'?') || target.starts_with(b"/v1/")
}

/// What the first line of a request asks for, however wrong the rest of it is. None in the rest of a line, or in a body.
fn target(begin: &[u8]) -> Option<&[u8]> {
    let line = begin.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let is_target = |word: &&[u8]| word.starts_with(b"/") || word.windows(3).any(|three| three == b"://");
    words.nth(1).filter(is_target)
}

impl<C: AsyncRead + Unpin> Heard<C> {
    /// Whether something has come by now that nobody has read.
    pub async fn look(&mut self) -> bool {
        let mut some = [0; BEGIN_MAX];
        let mut some = ReadBuf::new(&mut some);
        poll_fn(|context| {
            let _ = Pin::new(&mut *self).poll_read(context, &mut some);
            Poll::Ready(())
        })
        .await;
        !some.filled().is_empty()
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Heard<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let known = buffer.filled().len();
        ready!(Pin::new(&mut self.connection).poll_read(context, buffer))?;
        let this = &mut *self;
        if this.length < BEGIN_MAX && this.turn.is_theirs() {
            let mut new = &buffer.filled()[known..];
            if this.length == 0 {
                // Empty lines between requests are nothing.
                new = new.trim_ascii_start();
            }
            let count = new.len().min(BEGIN_MAX - this.length);
            this.begin[this.length..][..count].copy_from_slice(&new[..count]);
            this.length += count;
        }
        Poll::Ready(Ok(()))
    }
}

/// What nobody has answered is not refused by hyper either: that is done where the endpoint is known. The end of the
/// connection, too, is up to whoever has it.
impl<C: AsyncWrite + Unpin> AsyncWrite for Heard<C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.turn.is_theirs() {
            self.refused = true;
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = ready!(Pin::new(&mut self.connection).poll_write(context, bytes))?;
        self.answering |= written > 0 && self.turn.is_answer();
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.connection).poll_flush(context))?;
        if self.turn.is(Turn::ANSWERED) {
            // All of the answer has gone out.
            self.length = 0;
            self.answering = false;
            self.turn.set(Turn::THEIRS);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.turn.is_theirs() {
            self.refused = true;
            return Poll::Ready(Ok(parts.iter().map(|part| part.len()).sum()));
        }
        let written = ready!(Pin::new(&mut self.connection).poll_write_vectored(context, parts))?;
        self.answering |= written > 0 && self.turn.is_answer();
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn a_target_is_found_in_what_is_no_request() {
        for (line, said) in [
            ("POST /api/holds HTTP/1.1\r\nhost: x", Some("/api/holds")),
            ("POST /api/holds?next=http://x/y HTT", Some("/api/holds?next=http://x/y")),
            ("POST http://placet:8080/a/api/holds HTTP/9", Some("http://placet:8080/a/api/holds")),
            ("P(ST\t/api/holds\t\t", Some("/api/holds")),
            // Nothing of ours.
            ("POST api/holds", None),
            ("PROXY TCP4 192.0.2.1 192.0.2.2 5000 80\r\nPOST /v1/holds HTTP/1.1", None),
            // What is left of a line that was read before, and of a body.
            ("lds HTTP/1.1", None),
            ("/1.1", None),
            ("{\"path\":\"/etc\"}", None),
            ("PO", None),
            ("\u{16}\u{3}\u{1}", None),
        ] {
            assert_eq!(target(line.as_bytes()), said.map(str::as_bytes), "{line}");
        }
    }
}
