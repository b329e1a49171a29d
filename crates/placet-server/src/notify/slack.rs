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
        let headers = [("content-type", "application/json".to_owned())];
        self.poster.post(&self.url, &headers, self.body(message).to_string().as_bytes())
    }

    fn body(&self, message: &Message<'_>) -> Value {
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
        body
    }

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

#[cfg(test)]
mod tests {
    use placet_core::Timestamp;
    use placet_engine::News;

    use super::*;

    #[test]
    fn there_are_buttons_where_an_answer_would_be_taken_and_nowhere_else() {
        let at = Timestamp::MIN;
        let told = |occasion, severity| News {
            occasion,
            severity,
            ticket: Some("H-7K2M".to_owned()),
            ..News::test(at)
        };
        let quiet = Slack::new("https://hooks.example.com/x", Reachable::default());
        let answers = Slack::new("https://hooks.example.com/x", Reachable::default()).with_answers();
        for (slack, occasion, severity, expected) in [
            (&answers, Occasion::HoldOpened, Severity::High, true),
            (&answers, Occasion::HoldEscalated, Severity::Low, true),
            (&answers, Occasion::HoldOpened, Severity::Critical, false),
            (&answers, Occasion::ThreatOpened, Severity::Low, false),
            (&quiet, Occasion::HoldOpened, Severity::Low, false),
        ] {
            let told = told(occasion, severity);
            let body = slack.body(&Message { id: 1, at, told: &told, link: None });
            assert_eq!(body.get("blocks").is_some(), expected, "{body}");
            if expected {
                let buttons = &body["blocks"][1]["elements"];
                assert_eq!(buttons[0]["action_id"], chat::APPROVE);
                assert_eq!(
                    (&buttons[1]["action_id"], &buttons[1]["value"]),
                    (&json!(chat::DENY), &json!("H-7K2M"))
                );
            }
        }
    }
}
