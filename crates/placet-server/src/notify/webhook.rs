//! A webhook: what is told as JSON, signed, so that whoever takes it knows from whom it is and that it is fresh.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::json;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::{Message, Reachable, Undelivered, post::Poster};

/// A webhook.
pub struct Webhook {
    poster: Poster,
    url: String,
    secret: Zeroizing<String>,
}

impl Webhook {
    /// One at `url`, signed with `secret`.
    pub fn new(url: String, secret: &str, reach: Reachable) -> Self {
        Self { poster: Poster::new(reach), url, secret: Zeroizing::new(secret.to_owned()) }
    }

    /// Sends it.
    pub fn send(&self, message: &Message<'_>) -> Result<(), Undelivered> {
        let body = json!({ "id": message.id, "link": message.link, "told": message.told }).to_string();
        let seconds = message.at.as_ms() / 1_000;
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("placet-notice", message.id.to_string()),
            ("placet-signature", format!("t={seconds},v1={}", self.sign(seconds, &body)?)),
        ];
        self.poster.post(&self.url, &headers, body.as_bytes())
    }

    /// HMAC-SHA256 over the time, a dot and the body: a signature cannot be used for another body, or long afterwards.
    fn sign(&self, seconds: i64, body: &str) -> Result<String, Undelivered> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.as_bytes())
            .map_err(|_| Undelivered::Never("the secret cannot be used".to_owned()))?;
        mac.update(format!("{seconds}.").as_bytes());
        mac.update(body.as_bytes());
        Ok(HEXLOWER.encode(&mac.finalize().into_bytes()))
    }
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook").field("url", &self.url).finish_non_exhaustive()
    }
}
