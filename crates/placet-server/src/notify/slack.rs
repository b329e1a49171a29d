//! An incoming webhook as Slack has them; Mattermost, Rocket.Chat and others speak the same.

use placet_core::rule::Severity;
use placet_engine::Occasion;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::{Message, Reachable, Undelivered, email, post::Poster};
use crate::chat;

/// An incoming webhook. Whoever knows its address may write there, so it is a secret.
pub struct Slack {
    poster: Poster,
    url: Zeroizing<String>,
    /// Whether what waits can be answered there.
    answers: bool,
}

impl Slack {
    /// One at `url`.
    pub fn new(url: &str, reach: Reachable) -> Self {
        Self { poster: Poster::new(reach), url: Zeroizing::new(url.to_owned()), answers: false }
    }

    /// The same with buttons to answer with, for a chat from which the operator lets holds be answered.
    pub fn with_answers(self) -> Self {
        Self { answers: true, ..self }
    }

    /// Sends it.
    pub fn send(&self, message: &Message<'_>) -> Result<(), Undelivered> {
        let text = format!("*{}*\n{}", escaped(&email::subject(message)), escaped(&email::text(message)));
        // Nothing of it becomes a mention, a link with another name, or an unfurled page.
        let mut body = json!({ "text": text, "unfurl_links": false, "unfurl_media": false, "link_names": 0 });
        if let Some(ticket) = message.told.ticket.as_ref().filter(|_| self.may_answer(message)) {
            body["blocks"] = json!([
                { "type": "section", "text": { "type": "mrkdwn", "text": text } },
                { "type": "actions", "elements": [
                    button("Approve once", chat::APPROVE, ticket, "primary"),
                    button("Deny", chat::DENY, ticket, "danger"),
                ] },
            ]);
        }
        let headers = [("content-type", "application/json".to_owned())];
        self.poster.post(&self.url, &headers, body.to_string().as_bytes())
    }
}

impl Slack {
    /// What is critical, as all is that touches life and safety, is answered where more of it is seen.
    fn may_answer(&self, message: &Message<'_>) -> bool {
        let told = message.told;
        let waits = matches!(told.occasion, Occasion::HoldOpened | Occasion::HoldEscalated);
        self.answers && waits && told.severity < Severity::Critical
    }
}

fn button(text: &str, action: &str, ticket: &str, look: &str) -> Value {
    json!({
        "type": "button", "text": { "type": "plain_text", "text": text },
        "action_id": action, "value": ticket, "style": look,
    })
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
