//! What a person sees of a call that waits for them.

use placet_core::{
    Assessment, Decision, Finding, Json, ToolCall, Verdict, canonical,
    effect::Pointer,
    explanation::Marked,
    quorum::Needs,
    record::{CallView, TEXT_BYTES_MAX, compact, expand},
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// No card is longer: every open hold keeps one, and nobody reads more.
const BYTES_MAX: usize = 64 * 1024;
/// Of a card that is too long, so many effects are kept.
const EFFECTS_SHOWN: usize = 50;

/// What is kept of a held call for the person who answers. Masked already.
#[derive(Serialize)]
struct Kept<'a> {
    about: String,
    call: CallView<'a>,
    reasons: &'a [String],
    findings: &'a [Finding],
    assessment: Option<&'a Assessment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<&'a Needs>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    edits: bool,
}

/// What a person sees of a held call.
#[derive(Clone, Debug, PartialEq)]
pub struct Card(Json);

/// The card of a call. `edits` says whether its host takes other arguments.
pub(crate) fn write(call: &ToolCall, decision: &Decision, needs: Option<&Needs>, edits: bool) -> Vec<u8> {
    let kept = Kept {
        about: about(decision),
        call: call.into(),
        reasons: &decision.reasons,
        findings: &decision.findings,
        assessment: decision.assessment.as_ref(),
        needs,
        edits,
    };
    // Our own types have text for keys, so this cannot fail; a card that is empty says that it is gone.
    let card = serde_json::to_vec(&kept).unwrap_or_default();
    if card.len() <= BYTES_MAX { card } else { shorter(&card, call).unwrap_or_default() }
}

/// What the record of the decision says of a card.
pub(crate) fn hash(card: &[u8]) -> [u8; 32] {
    Sha256::digest(card).into()
}

/// The same in fewer bytes: texts are cut as in the record, and what is still too much is left out and says so.
fn shorter(card: &[u8], call: &ToolCall) -> Option<Vec<u8>> {
    let mut card: serde_json::Value = serde_json::from_slice(card).ok()?;
    let cut = expand(&compact(call.args())).ok()?;
    card["call"]["args"] = serde_json::to_value(cut).ok()?;
    shorten_spans(&mut card, call);
    let size =
        |card: &serde_json::Value| serde_json::to_vec(card).map(|bytes| bytes.len()).unwrap_or(usize::MAX);
    if size(&card) > BYTES_MAX {
        let effects = card["assessment"]["effects"].as_array_mut();
        effects.into_iter().for_each(|effects| effects.truncate(EFFECTS_SHOWN));
    }
    if size(&card) > BYTES_MAX {
        let bytes = serde_json::to_vec(call.args()).map(|bytes| bytes.len()).unwrap_or(0);
        let told = format!("too much to show: {bytes} bytes; deny it, and ask for less at once");
        card["call"]["args"] = serde_json::json!({ "…": told });
    }
    for key in ["findings", "assessment"] {
        if size(&card) > BYTES_MAX {
            card[key] = serde_json::Value::Null;
        }
    }
    serde_json::to_vec(&card).ok()
}

/// Of a text that was cut, nothing is marked beyond its end: there stands how much was left out.
fn shorten_spans(card: &mut serde_json::Value, call: &ToolCall) {
    let effects = card["assessment"]["effects"].as_array_mut();
    for because in effects.into_iter().flatten().map(|effect| &mut effect["because"]) {
        let pointer = because["pointer"].as_str().map(Pointer::from);
        let text = pointer.and_then(|pointer| pointer.find(call.args()).and_then(Json::as_str));
        let Some(text) = text.filter(|text| text.len() > TEXT_BYTES_MAX) else { continue };
        let kept = text.floor_char_boundary(TEXT_BYTES_MAX) as u64;
        for edge in ["start", "end"] {
            let at = because[edge].as_u64().unwrap_or(0).min(kept);
            because[edge] = at.into();
        }
    }
}

/// In a few words what a call is about: what it would do, or who asks for a person.
pub(crate) fn about(decision: &Decision) -> String {
    let assessed = decision.assessment.as_ref().filter(|assessment| assessment.requires_human);
    let first = assessed.and_then(|assessment| assessment.reasons.first());
    let speaking = || decision.findings.iter().find(|finding| finding.verdict == Verdict::Hold);
    match first {
        Some(reason) => reason.clone(),
        None => speaking().map_or_else(|| "a person is asked".to_owned(), |finding| finding.reason.clone()),
    }
}

impl Card {
    /// Reads a card; nothing if it has aged out.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty())?;
        Json::read(text).ok().map(Self)
    }

    /// What it is about.
    pub fn about(&self) -> &str {
        self.0.get("about").and_then(Json::as_str).unwrap_or("")
    }

    /// The tool.
    pub fn tool(&self) -> &str {
        self.call("tool").and_then(Json::as_str).unwrap_or("")
    }

    /// The arguments.
    pub fn args(&self) -> Option<&Json> {
        self.call("args")
    }

    /// What else is known of the call.
    pub fn call(&self, key: &str) -> Option<&Json> {
        self.0.get("call")?.get(key)
    }

    /// Why a person is asked.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        let reasons = self.0.get("reasons").and_then(Json::as_array).unwrap_or_default();
        reasons.iter().filter_map(Json::as_str)
    }

    /// How the call was assessed; nothing of a card that was too long, or is of a later version.
    pub fn assessment(&self) -> Option<Assessment> {
        serde_json::from_str(&canonical::to_string(self.0.get("assessment")?)).ok()
    }

    /// Everybody who spoke.
    pub fn findings(&self) -> Vec<Finding> {
        let findings = self.0.get("findings").map(canonical::to_string);
        findings.and_then(|findings| serde_json::from_str(&findings).ok()).unwrap_or_default()
    }

    /// The texts among the arguments that effects were read from, with the words that weigh marked; the weightiest first.
    pub fn marked(&self) -> Vec<Marked> {
        let marked = || Some(self.assessment()?.marked(self.args()?));
        marked().unwrap_or_default()
    }

    /// The rules that spoke.
    pub fn rules(&self) -> Vec<String> {
        let findings = self.0.get("findings").and_then(Json::as_array).unwrap_or_default();
        let rule = |finding: &Json| finding.get("source")?.get("rule")?.as_str().map(str::to_owned);
        findings.iter().filter_map(rule).collect()
    }

    /// What it takes to release the call, where one answer of anybody is not enough. What counts is the same in the
    /// record of the decision.
    pub(crate) fn needs(&self) -> Option<Needs> {
        self.0.get("needs").and_then(Needs::from_json)
    }

    /// Whether the host of the call takes other arguments.
    pub(crate) fn takes_edits(&self) -> bool {
        self.0.get("edits").and_then(Json::as_bool).unwrap_or(false)
    }

    /// All of it.
    pub fn as_json(&self) -> &Json {
        &self.0
    }
}
