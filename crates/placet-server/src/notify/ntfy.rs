//! A push to a topic of an ntfy server.

use placet_core::rule::Severity;
use serde_json::json;
use zeroize::Zeroizing;

use super::{Message, Reachable, Undelivered, email, post::Poster};

/// A topic.
pub struct Ntfy {
    poster: Poster,
    /// The server: the address without its last part.
    server: String,
    topic: String,
    token: Option<Zeroizing<String>>,
}

impl Ntfy {
    /// The topic at `url`, as in `https://ntfy.example.com/placet`; nothing if that names none.
    pub fn new(url: &str, token: Option<&str>, reach: Reachable) -> Option<Self> {
        let (server, topic) = url.trim_end_matches('/').rsplit_once('/')?;
        if topic.is_empty() || server.ends_with('/') {
            return None;
        }
        Some(Self {
            poster: Poster::new(reach),
            server: server.to_owned(),
            topic: topic.to_owned(),
            token: token.map(|token| Zeroizing::new(token.to_owned())),
        })
    }

    /// Sends it.
    pub fn send(&self, message: &Message<'_>) -> Result<(), Undelivered> {
        let priority = match message.told.severity {
            Severity::Low => 2,
            Severity::Medium => 3,
            Severity::High => 4,
            Severity::Critical => 5,
        };
        // As JSON, since headers hold no more than ASCII.
        let body = json!({
            "topic": self.topic,
            "title": email::subject(message),
            "message": email::text(message),
            "priority": priority,
            "click": message.link,
        });
        let mut headers = vec![("content-type", "application/json".to_owned())];
        if let Some(token) = &self.token {
            headers.push(("authorization", format!("Bearer {}", token.as_str())));
        }
        self.poster.post(&self.server, &headers, body.to_string().as_bytes())
    }
}

impl std::fmt::Debug for Ntfy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ntfy").field("server", &self.server).finish_non_exhaustive()
    }
}
