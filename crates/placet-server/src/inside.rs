//! The same service without a socket: for a command that has opened the data itself, because no service runs.

use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{Method, header},
};
use futures_util::StreamExt as _;
use placet_engine::Engine;
use tower_service::Service as _;

use crate::{Log, Server, Settings, app, ask::Peer};

/// A service that only this process can ask.
pub struct Inside {
    app: Router,
    runtime: tokio::runtime::Runtime,
}

impl Inside {
    /// The service over `engine`. Whoever has the data open may read all of it; everything else needs a secret as ever.
    pub fn over(engine: Engine) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let server = Server::new(engine, Settings::default(), Log::none());
        Ok(Self { app: app(server), runtime })
    }

    /// What is answered, and with which status.
    pub fn ask(&self, method: &str, path: &str, secret: Option<&str>, body: &str) -> (u16, Vec<u8>) {
        let request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap_or(Method::GET))
            .uri(path)
            .extension(Peer::Inside);
        let request = match secret {
            Some(secret) => request.header(header::AUTHORIZATION, format!("Bearer {secret}")),
            None => request,
        };
        let Ok(request) = request.body(Body::from(body.to_owned())) else { return (400, Vec::new()) };
        self.runtime.block_on(async {
            let Ok(response) = self.app.clone().call(request).await;
            let (status, mut stream) = (response.status().as_u16(), response.into_body().into_data_stream());
            let mut bytes = Vec::new();
            while let Some(Ok(chunk)) = stream.next().await {
                bytes.extend_from_slice(&chunk);
            }
            (status, bytes)
        })
    }
}
