//! One connection to its end.
//!
//! A request whose head cannot be read never comes to the router; hyper refuses it with a bare status, or hangs up. Some who
//! ask take both for leave to run. So such a request is answered the way its endpoint says no, as far as its first line
//! tells which that is.

use std::{convert::Infallible, future::ready, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{Request, Response, StatusCode},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::{
    Server,
    ask::refusal,
    heard::{Heard, Tail, Turn},
    problem::Problem,
};

/// What makes hyper write an answer to a request that it could not read.
const ANY: &[u8] = b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n";

/// Serves `connection` until it ends; after `stop`, until what is on its way is answered. Who was not understood is told
/// so, and has `patience` to end what they are sending.
pub fn converse<C, A, F, T>(
    server: Arc<Server>,
    builder: &http1::Builder,
    connection: C,
    answer: A,
    patience: Duration,
    stop: T,
) -> impl Future<Output = ()> + use<C, A, F, T>
where
    C: AsyncRead + AsyncWrite + Unpin,
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = Result<Response<Body>, Infallible>>,
    T: Future<Output = ()>,
{
    let turn = Arc::new(Turn::default());
    let heard = Heard::new(connection, Arc::clone(&turn));
    let whose = Arc::clone(&turn);
    let service = service_fn(move |request| {
        turn.take();
        let (turn, answered) = (Arc::clone(&turn), answer(request));
        async move { answered.await.map(|response| response.map(|body| Tail::new(body, turn))) }
    });
    // What is made out here has one place in the future; there are thousands of those.
    let mut served = builder.serve_connection(TokioIo::new(heard), service);
    async move {
        let ended = tokio::select! {
            ended = &mut served => ended,
            () = stop => {
                std::pin::Pin::new(&mut served).graceful_shutdown();
                // A head that does not end has a part of the time only: there must be some left to say so.
                match tokio::time::timeout(server.settings.limits.drain / 4, &mut served).await {
                    Ok(ended) => ended,
                    Err(_) if whose.is_theirs() => Ok(()),
                    Err(_) => (&mut served).await,
                }
            }
        };
        Box::pin(part(&server, served.into_parts().io.into_inner(), ended, patience)).await;
    }
}

/// Ends what has been served: by an answer, if a request has begun that nobody has read.
async fn part<C: AsyncRead + AsyncWrite + Unpin>(
    server: &Server,
    mut heard: Heard<C>,
    ended: hyper::Result<()>,
    patience: Duration,
) {
    if server.is_stopping() {
        // Who has sent a request that hyper did not look at any more waits for an answer, too.
        heard.look().await;
    }
    let (unread, dialect, mut connection) = (heard.is_unread(), heard.dialect(), heard.into_inner());
    if !unread {
        // How a connection ends is its own affair: whoever was on it knows.
        let _ = connection.shutdown().await;
        return;
    }
    let problem = match ended {
        Ok(()) => Problem::stopping(),
        Err(error) if error.is_timeout() => {
            let status = StatusCode::REQUEST_TIMEOUT;
            Problem::new(
                status,
                "too_slow",
                "the head of the request took too long to come",
                "send it faster",
            )
        }
        Err(error) if error.is_parse_too_large() => {
            let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            Problem::new(status, "too_large", "the head of the request is too large", "send less")
        }
        Err(_) => {
            let (message, remedy) =
                ("the head of the request cannot be read", "look at what sends it, and what is between");
            Problem::new(StatusCode::BAD_REQUEST, "malformed", message, remedy)
        }
    };
    let refused = || refusal(dialect, problem.clone());
    server.metrics.answered(refused().status().as_u16());
    let _ = tokio::time::timeout(patience, tell(&mut connection, refused)).await;
}

/// Answers what could not be read, and reads what is still being sent: whoever sends does not listen yet.
async fn tell<C: AsyncRead + AsyncWrite + Unpin>(connection: &mut C, answer: impl Fn() -> Response<Body>) {
    let service = service_fn(|_: Request<Incoming>| ready(Ok::<_, Infallible>(answer())));
    let mut builder = http1::Builder::new();
    builder.half_close(true).keep_alive(false);
    let io = tokio::io::join(ANY, &mut *connection);
    let told = builder.serve_connection(TokioIo::new(io), service).await;
    let mut rest = [0; 4_096];
    while told.is_ok() && connection.read(&mut rest).await.is_ok_and(|count| count > 0) {}
}
