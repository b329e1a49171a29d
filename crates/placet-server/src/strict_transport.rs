//! HSTS (RFC 6797): browsers that have reached the service over its own TLS do not ask it in the clear again.

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, header},
    middleware::{self, Next},
    response::Response,
};

/// A year. Without sub-domains: other services may answer there.
const POLICY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// `router`, for a listener that speaks TLS itself.
pub fn over_tls(router: Router) -> Router {
    router.layer(middleware::from_fn(announce))
}

async fn announce(request: Request, next: Next) -> Response {
    let shared = request.headers().get(header::HOST).is_some_and(is_shared);
    let mut response = next.run(request).await;
    if !shared {
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, POLICY);
    }
    response
}

/// Whether a host name stands for this machine only. Browsers apply the policy to all ports of a name, and on `localhost` they would
/// then refuse the development servers of the same person.
fn is_shared(host: &HeaderValue) -> bool {
    let host = host.as_bytes();
    let name = host.split(|byte| *byte == b':').next().unwrap_or(host);
    let name = name.strip_suffix(b".").unwrap_or(name);
    let last = name.rsplit(|byte| *byte == b'.').next().unwrap_or(name);
    last.eq_ignore_ascii_case(b"localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_this_machine_is_shared_with_others() {
        for (host, shared) in [
            ("localhost", true),
            ("LOCALHOST:8443", true),
            ("a1b2.localhost:8443", true),
            ("localhost.", true),
            ("placet.example.com", false),
            ("localhost.example.com:443", false),
            ("127.0.0.1:8443", false),
        ] {
            assert_eq!(is_shared(&HeaderValue::from_static(host)), shared, "{host}");
        }
    }
}
