//! One connection to its end.
//!
//! A request whose head cannot be read never comes to the router; hyper refuses it with a bare status, or hangs up. Some who
//! ask take both for leave to run. So such a request is answered the way its endpoint says no, as far as its first line
//! tells which that is.

use std::{convert::Infallible, future::ready, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes, HttpBody as _},
    http::{HeaderValue, Request, Response, StatusCode, header},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    time::{Instant, timeout, timeout_at},
};

use crate::{
    Server,
    ask::refusal,
    heard::{Coming, Heard, Tail, Turn},
    problem::Problem,
};

/// What makes hyper write an answer to a request that it could not read.
const ANY: &[u8] = b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n";

/// How long whoever was told no may send nothing while they should be ending their request. What was lost on the way is sent
/// again after a second, and after two, and four.
const PAUSE: Duration = Duration::from_secs(8);

/// Serves `connection` until it ends; after `stop`, until what is on its way is answered. Who was not understood, or heard
/// to the end, is told so, and has `patience` to end what they are sending.
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
    A: Fn(Request<Coming>) -> F,
    F: Future<Output = Result<Response<Body>, Infallible>>,
    T: Future<Output = Instant>,
{
    let turn = Arc::new(Turn::default());
    let heard = Heard::new(connection, Arc::clone(&turn));
    let (whose, of) = (Arc::clone(&turn), Arc::clone(&server));
    let service = service_fn(move |request: Request<Incoming>| {
        turn.take(!request.body().is_end_stream());
        let turn = Arc::clone(&turn);
        let answered = answer(request.map(|body| Coming::new(body, Arc::clone(&turn))));
        let server = Arc::clone(&of);
        async move {
            let mut response = answered.await?;
            // What is left of the body would pass for the next request; and when we stop there is no next one.
            if turn.is_coming() || server.is_stopping() {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| Tail::new(body, turn)))
        }
    });
    // What is made out here has one place in the future; there are thousands of those.
    let mut served = builder.serve_connection(TokioIo::new(heard), service);
    async move {
        let ended = tokio::select! {
            ended = &mut served => ended,
            began = stop => {
                let drain = server.settings.limits.drain;
                // Who has come and not asked yet is about to; who has asked before may just be asking again.
                let a_while = if whose.is_first() { drain / 4 } else { drain / 32 };
                let asked = match whose.is_theirs() {
                    true => timeout_at(began + a_while, &mut served).await.ok(),
                    false => None,
                };
                match asked {
                    Some(ended) => ended,
                    None => {
                        std::pin::Pin::new(&mut served).graceful_shutdown();
                        // A head that does not end has a part of the time only: there must be some left to say so.
                        match timeout_at(began + drain / 2, &mut served).await {
                            Ok(ended) => ended,
                            Err(_) if whose.is_theirs() => Ok(()),
                            Err(_) => (&mut served).await,
                        }
                    }
                }
            }
        };
        let http1::Parts { io, read_buf, .. } = served.into_parts();
        Box::pin(part(&server, io.into_inner(), &whose, read_buf, ended, patience)).await;
    }
}

/// Ends what has been served: by an answer, if a request has begun that nobody has read.
async fn part<C: AsyncRead + AsyncWrite + Unpin>(
    server: &Server,
    mut heard: Heard<C>,
    turn: &Turn,
    left: Bytes,
    ended: hyper::Result<()>,
    patience: Duration,
) {
    let mut has_begun = turn.is_theirs() && !turn.is_coming() && !left.trim_ascii().is_empty();
    let given_up = match &ended {
        Ok(()) => server.is_stopping(),
        Err(error) => error.is_timeout(),
    };
    if given_up && !has_begun && turn.is_theirs() && !turn.is_coming() {
        // Who has sent a request at this moment waits for an answer, too.
        has_begun = heard.look().await;
    }
    let problem = match &ended {
        Err(error) if error.is_parse_too_large() && heard.is_refused() => {
            let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            Some(Problem::new(status, "too_large", "the head of the request is too large", "send less"))
        }
        // Who was given little time because we stop could not have been quicker.
        Err(error) if error.is_timeout() && has_begun && server.is_stopping() => Some(Problem::stopping()),
        Err(error) if error.is_timeout() && has_begun => {
            let (status, message) =
                (StatusCode::REQUEST_TIMEOUT, "the head of the request took too long to come");
            Some(Problem::new(status, "too_slow", message, "send it faster"))
        }
        Err(error)
            if heard.is_refused()
                || (error.is_parse() || error.is_incomplete_message()) && turn.is_theirs() && has_begun =>
        {
            let (message, remedy) =
                ("the head of the request cannot be read", "look at what sends it, and what is between");
            Some(Problem::new(StatusCode::BAD_REQUEST, "malformed", message, remedy))
        }
        // Who says that they have ended may listen still.
        Err(error) if error.is_incomplete_message() && !turn.is_theirs() && !heard.is_answering() => {
            let (message, remedy) =
                ("the connection was closed before the answer", "keep it open until then");
            Some(Problem::new(StatusCode::BAD_REQUEST, "closed", message, remedy))
        }
        Ok(()) if server.is_stopping() && has_begun => Some(Problem::stopping()),
        Ok(()) | Err(_) => None,
    };
    let dialect = heard.dialect();
    drop(left);
    let mut connection = heard.into_inner();
    let told = match problem {
        Some(problem) => {
            let refused = || refusal(dialect, problem.clone());
            server.metrics.answered(refused().status().as_u16());
            tell(&mut connection, refused).await
        }
        // Whose answer was cut off is not told that all is well.
        None if ended.is_err() => false,
        None => connection.shutdown().await.is_ok() && turn.is_coming(),
    };
    if told {
        let _ = timeout(patience, hear_out(&mut connection)).await;
    }
}

/// Reads what is still being sent. Whoever sends does not listen yet: if the connection went now, so would what they were
/// told.
async fn hear_out(connection: &mut (impl AsyncRead + Unpin)) {
    let mut rest = [0; 4_096];
    while let Ok(Ok(1..)) = timeout(PAUSE, connection.read(&mut rest)).await {}
}

/// Answers what could not be read. False if nobody was there to hear it.
async fn tell<C: AsyncRead + AsyncWrite + Unpin>(
    connection: &mut C,
    answer: impl Fn() -> Response<Body>,
) -> bool {
    let service = service_fn(|_: Request<Incoming>| ready(Ok::<_, Infallible>(answer())));
    let mut builder = http1::Builder::new();
    builder.half_close(true).keep_alive(false);
    let io = tokio::io::join(ANY, connection);
    builder.serve_connection(TokioIo::new(io), service).await.is_ok()
}
