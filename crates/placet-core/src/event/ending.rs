//! How a call ended, as far as its host tells: by a word of ours, by the host's own status, or by an error in the result.

use super::Outcome;
use crate::json::Json;

/// Longer results are not searched for an error.
const RESULT_MAX: usize = 256 * 1024;

/// How a call ended, and whether the report proves that the tool ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    /// How; nothing if nothing in the report says so.
    pub(super) outcome: Option<Outcome>,
    /// Whether the tool ran; nothing if the report leaves that open.
    pub(super) ran: Option<bool>,
}

impl Ending {
    const UNSAID: Self = Self { outcome: None, ran: None };
    const BLOCKED: Self = Self { outcome: Some(Outcome::Blocked), ran: Some(false) };
    /// The tool may have been at work when the host gave up on it, or may not have begun.
    const FAILED_SOMEWHERE: Self = Self { outcome: Some(Outcome::Error), ran: None };

    /// Reads `outcome`, then what `data` says of the status and the error, then the error in the result. A host that says
    /// that it blocked a call is believed over everything else in the same report: it contradicts itself, and that is no
    /// proof of a run.
    pub(super) fn of(outcome: Option<Outcome>, data: &Json, result: Option<&Json>) -> Self {
        let word = |key: &str| data.get(key).and_then(Json::as_str).unwrap_or("");
        let status = status(word("status"), word("error_type"));
        match (outcome, status) {
            (Some(Outcome::Blocked), _) | (_, Some(Self::BLOCKED)) => Self::BLOCKED,
            (Some(said @ (Outcome::Ok | Outcome::Error)), _) => Self { outcome: Some(said), ran: Some(true) },
            (Some(Outcome::Unknown) | None, Some(status)) => status,
            (Some(Outcome::Unknown), None) => Self { outcome: Some(Outcome::Unknown), ran: None },
            (None, None) if data.get("error").is_some_and(says_something) => Self::FAILED_SOMEWHERE,
            // Hosts give the reason of a block in the same form as the error of a tool.
            (None, None) if result.is_some_and(is_error_result) => Self::FAILED_SOMEWHERE,
            (None, None) => Self::UNSAID,
        }
    }
}

/// What a host's own word for the status of a call means; nothing if there is none, or it is not known.
fn status(status: &str, error_type: &str) -> Option<Ending> {
    // `plugin_block`, `guardrail_block`, `tool_scope_block`.
    if error_type.ends_with("_block") || error_type == "blocked" {
        return Some(Ending::BLOCKED);
    }
    match (status, error_type) {
        ("blocked" | "denied" | "rejected" | "refused", _) => Some(Ending::BLOCKED),
        ("ok" | "success" | "completed", _) => Some(Ending { outcome: Some(Outcome::Ok), ran: Some(true) }),
        // The host lost sight of its worker.
        ("error" | "failed" | "failure", "thread_missing_result") | ("timeout", _) => {
            Some(Ending::FAILED_SOMEWHERE)
        }
        ("error" | "failed" | "failure", _) => {
            Some(Ending { outcome: Some(Outcome::Error), ran: Some(true) })
        }
        ("", _) => None,
        // `cancelled`, `skipped`, and words of later versions.
        (_, _) => Some(Ending { outcome: Some(Outcome::Unknown), ran: None }),
    }
}

/// Whether the result of a tool is an object that tells of an error, or the text of one.
pub fn is_error_result(result: &Json) -> bool {
    let of_object = |result: &Json| {
        result.get("error").is_some_and(says_something)
            || ["isError", "is_error"].iter().any(|key| result.get(key).and_then(Json::as_bool) == Some(true))
    };
    match result {
        Json::String(text) => {
            let object = text.trim_start().starts_with('{');
            let small = text.len() <= RESULT_MAX && object && text.contains("rror");
            small && Json::read(text.as_bytes()).is_ok_and(|read| of_object(&read))
        }
        other => of_object(other),
    }
}

/// Whether a value under `error` is one: hosts write `null`, `false` or nothing where there was none.
fn says_something(error: &Json) -> bool {
    match error {
        Json::Null => false,
        Json::Bool(error) => *error,
        Json::String(text) => !text.is_empty(),
        Json::Array(list) => !list.is_empty(),
        Json::Object(object) => !object.is_empty(),
        Json::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a report says (outcome, data, result), and what is read of it: the outcome, and whether the call ran.
    type Row = (Option<Outcome>, &'static str, &'static str, Option<Outcome>, Option<bool>);

    #[test]
    fn what_a_host_says_of_an_end_is_read_and_what_it_leaves_open_stays_open() {
        use Outcome::{Blocked, Error, Ok, Unknown};
        let rows: &[Row] = &[
            // Words of ours.
            (Some(Ok), "null", "null", Some(Ok), Some(true)),
            (Some(Error), "null", "null", Some(Error), Some(true)),
            (Some(Blocked), "null", "null", Some(Blocked), Some(false)),
            (Some(Unknown), "null", r#"{"error":"x"}"#, Some(Unknown), None),
            // What Hermes says.
            (None, r#"{"status":"ok","error_type":null}"#, "null", Some(Ok), Some(true)),
            (None, r#"{"status":"ok"}"#, r#"{"error":"printed by the tool"}"#, Some(Ok), Some(true)),
            (None, r#"{"status":"error","error_type":"tool_error"}"#, "null", Some(Error), Some(true)),
            (None, r#"{"status":"error","error_type":"thread_missing_result"}"#, "null", Some(Error), None),
            (None, r#"{"status":"blocked","error_type":"plugin_block"}"#, "null", Some(Blocked), Some(false)),
            (None, r#"{"status":"blocked"}"#, r#"{"error":"no"}"#, Some(Blocked), Some(false)),
            (None, r#"{"error_type":"guardrail_block"}"#, "null", Some(Blocked), Some(false)),
            (None, r#"{"status":"timeout","error_type":"tool_timeout"}"#, "null", Some(Error), None),
            (
                None,
                r#"{"status":"cancelled","error_type":"keyboard_interrupt"}"#,
                "null",
                Some(Unknown),
                None,
            ),
            (None, r#"{"status":"a word of tomorrow"}"#, "null", Some(Unknown), None),
            (Some(Unknown), r#"{"status":"ok"}"#, "null", Some(Ok), Some(true)),
            // A report that contradicts itself proves nothing.
            (Some(Ok), r#"{"status":"blocked"}"#, "null", Some(Blocked), Some(false)),
            // No status: an error may be that of the tool, or the reason of a block.
            (None, "null", r#"{"error":"no"}"#, Some(Error), None),
            (None, "null", r#""{\"error\": \"no\"}""#, Some(Error), None),
            (None, "null", r#"{"isError":true,"content":[]}"#, Some(Error), None),
            (None, r#"{"error":"no"}"#, "null", Some(Error), None),
            (None, r#"{"error":null}"#, r#"{"error":null}"#, None, None),
            (None, "null", r#""{\"error\": null, \"exit_code\": 0}""#, None, None),
            (None, "null", r#""an error in prose""#, None, None),
            (None, "null", "7", None, None),
            (None, r#"{"status":7}"#, "null", None, None),
        ];
        for (outcome, data, result, expected, ran) in rows {
            let [data, result] = [data, result].map(|text| Json::read(text).unwrap());
            let ending = Ending::of(*outcome, &data, Some(&result));
            assert_eq!((ending.outcome, ending.ran), (*expected, *ran), "{outcome:?} {data:?} {result:?}");
        }
    }
}
