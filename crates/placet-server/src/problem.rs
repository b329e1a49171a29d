//! What goes wrong, in one shape, with what to do about it.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use serde::Serialize;

/// Why a request was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    #[serde(skip)]
    pub status: StatusCode,
    /// A word for programs.
    pub code: &'static str,
    /// What is wrong, for people.
    pub message: String,
    /// What to do about it.
    pub remedy: &'static str,
    /// When to come back, in seconds.
    #[serde(skip)]
    pub retry_after: Option<u64>,
    /// What somebody has written into a form that was not taken, for them to keep.
    #[serde(skip)]
    pub written: Vec<(String, String)>,
}

impl Problem {
    pub fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        remedy: &'static str,
    ) -> Self {
        Self { status, code, message: message.into(), remedy, retry_after: None, written: Vec::new() }
    }

    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", message, "see /v1/openapi.json for the shape")
    }

    pub fn unknown(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message, "list what there is, and name one of those")
    }

    pub fn stopping() -> Self {
        let message = "the service is about to stop";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", message, "ask again in a moment")
    }

    pub fn internal() -> Self {
        let message = "a mistake in placet itself";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message, "please report it")
    }
}

impl From<placet_store::StoreError> for Problem {
    fn from(error: placet_store::StoreError) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "store", error.to_string(), error.fault.remedy())
    }
}

#[derive(Serialize)]
struct Shape<'a> {
    error: &'a Problem,
}

impl From<Problem> for Response {
    fn from(problem: Problem) -> Self {
        let mut response = json(problem.status, &Shape { error: &problem });
        if problem.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = problem.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// A value as a response.
pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => of_bytes(status, "application/json", bytes),
        Err(_) => of_bytes(StatusCode::INTERNAL_SERVER_ERROR, "application/json", b"{}".to_vec()),
    }
}

/// Bytes as a response that nobody keeps and nobody guesses the type of.
pub fn of_bytes(status: StatusCode, kind: &'static str, bytes: impl Into<Body>) -> Response {
    let mut response = Response::new(bytes.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
