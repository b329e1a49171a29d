//! An incoming webhook as Slack has them; Mattermost, Rocket.Chat and others speak the same.

use serde_json::json;
use zeroize::Zeroizing;

use super::{Message, Reachable, Undelivered, email, post::Poster};

/// An incoming webhook. Whoever knows its address may write there, so it is a secret.
pub struct Slack {
    poster: Poster,
    url: Zeroizing<String>,
}

impl Slack {
    /// One at `url`.
    pub fn new(url: &str, reach: Reachable) -> Self {
        Self { poster: Poster::new(reach), url: Zeroizing::new(url.to_owned()) }
    }

    /// Sends it.
    pub fn send(&self, message: &Message<'_>) -> Result<(), Undelivered> {
        let text = format!("*{}*\n{}", escaped(&email::subject(message)), escaped(&email::text(message)));
        // Nothing of it becomes a mention, a link with another name, or an unfurled page.
        let body = json!({ "text": text, "unfurl_links": false, "unfurl_media": false, "link_names": 0 });
        let headers = [("content-type", "application/json".to_owned())];
        self.poster.post(&self.url, &headers, body.to_string().as_bytes())
    }
}

/// The three letters that mean something there.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl std::fmt::Debug for Slack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Slack(…)")
    }
}
