//! The stylesheet, the script and the icon. Each is found under a name that has its hash in it, so a browser may keep it
//! for good.

use std::{io::Write as _, sync::LazyLock};

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

use crate::{
    ask::Asked,
    problem::{Problem, of_bytes},
};

/// A file that pages need.
pub struct Asset {
    /// Where it is found.
    pub path: String,
    kind: &'static str,
    bytes: &'static [u8],
    packed: Vec<u8>,
}

impl Asset {
    fn new(stem: &str, end: &str, kind: &'static str, bytes: &'static [u8]) -> Self {
        let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(bytes)[..6]);
        Self {
            path: format!("/assets/{stem}.{hash}.{end}"),
            kind,
            bytes,
            packed: pack(bytes, Compression::best()),
        }
    }
}

/// How everything looks.
pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("app", "css", "text/css; charset=utf-8", include_bytes!("assets/app.css")));
/// What makes pages live.
pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("app", "js", "text/javascript; charset=utf-8", include_bytes!("assets/app.js"))
});
/// What stands in the tab.
pub static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_bytes!("assets/icon.svg")));

/// `GET /assets/{name}`.
pub async fn asset(asked: Asked) -> Result<Response, Problem> {
    let found = [&STYLE, &SCRIPT, &ICON].into_iter().find(|asset| asset.path == asked.path);
    let asset = found.ok_or_else(|| Problem::unknown("there is no such file"))?;
    let mut response = match takes_gzip(&asked.headers) {
        true => packed(of_bytes(StatusCode::OK, asset.kind, asset.packed.clone())),
        false => of_bytes(StatusCode::OK, asset.kind, asset.bytes),
    };
    let for_good = HeaderValue::from_static("public, max-age=31536000, immutable");
    response.headers_mut().insert(header::CACHE_CONTROL, for_good);
    Ok(response)
}

/// Whether whoever asks unpacks what we pack.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    let takes = |line: &HeaderValue| {
        let mut kinds = line.to_str().unwrap_or("").split(',');
        kinds.any(|kind| {
            let (name, how) = kind.split_once(';').unwrap_or((kind, ""));
            name.trim().eq_ignore_ascii_case("gzip") && !matches!(how.trim(), "q=0" | "q=0.0")
        })
    };
    headers.get_all(header::ACCEPT_ENCODING).iter().any(takes)
}

/// `bytes` in fewer.
pub fn pack(bytes: &[u8], how: Compression) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::with_capacity(bytes.len() / 3), how);
    // Writing into memory does not fail.
    let _ = packer.write_all(bytes);
    packer.finish().unwrap_or_default()
}

/// Says that a response was packed.
pub fn packed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}
