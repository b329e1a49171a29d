//! What somebody outside says of a call. It can make the judgement stricter, and nothing else: whoever answers with a
//! lower score, or not at all, changes nothing.

use serde::Deserialize;

use super::{Assessment, Factor, On, Pattern, Score};
use crate::{Finding, Policy, Source, Verdict, printable};

/// Of a longer answer nothing is read.
pub const ANSWER_BYTES_MAX: usize = 16 * 1024;
/// As much is kept of the words.
const WORDS_MAX: usize = 300;

/// What came of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// A score, and why.
    Score {
        /// How risky it is.
        risk: Score,
        /// In whose words; made printable.
        words: String,
    },
    /// No answer that counts, and why.
    None(String),
}

/// An answer on the wire: these keys, and no others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    risk_score: f64,
    #[serde(default)]
    reason: String,
}

impl Opinion {
    /// Reads an answer.
    pub fn read(answer: &[u8]) -> Self {
        if answer.len() > ANSWER_BYTES_MAX {
            return Opinion::None("the answer is too long".to_owned());
        }
        // A list of values without their names is none.
        let object = answer.trim_ascii_start().starts_with(b"{");
        let read = object.then(|| serde_json::from_slice::<Answer>(answer).ok()).flatten();
        let Some(read) = read.filter(|read| (0.0..=1.0).contains(&read.risk_score)) else {
            return Opinion::None("the answer is not a `risk_score` from 0 to 1 with a `reason`".to_owned());
        };
        // Rounded up: never lower than what was said.
        let hundredths = (read.risk_score * 100.0 - 1e-9).ceil().max(0.0) as u32;
        Opinion::Score {
            risk: Score::hundredths(hundredths),
            words: printable::shown(&read.reason, WORDS_MAX),
        }
    }

    /// Adds its voice to what was assessed. The sum of the factors stays the score.
    pub(crate) fn weigh_in(&self, assessment: &mut Assessment, findings: &mut Vec<Finding>, policy: &Policy) {
        let mut said = |reason: String| {
            findings.push(Finding { source: Source::Assessor, verdict: Verdict::Allow, reason });
        };
        let (risk, words) = match self {
            Opinion::None(why) => return said(format!("the external assessor has no say: {why}")),
            Opinion::Score { risk, words } => (*risk, words),
        };
        let because = if words.is_empty() { String::new() } else { format!(": {words}") };
        if risk <= assessment.risk_score {
            return said(format!("the external assessor says {risk}, which changes nothing{because}"));
        }
        said(format!(
            "the external assessor raises the risk from {} to {risk}{because}",
            assessment.risk_score
        ));
        assessment.factors.push(Factor {
            name: "assessor".into(),
            on: On::Risk,
            weight: Score::hundredths(risk.as_hundredths() - assessment.risk_score.as_hundredths()),
            words: format!("the external assessor says {risk}").into(),
            effect: None,
        });
        assessment.risk_score = risk;
        let thresholds = policy.thresholds;
        let unsure = assessment.confidence < thresholds.confidence_min && risk >= thresholds.run_below;
        if risk <= thresholds.ask_above && !unsure {
            return;
        }
        assessment.requires_human = true;
        if risk > thresholds.ask_above {
            assessment.pattern = Pattern::PreExecutionGate;
        }
        let reason = format!("the external assessor says {risk}{because}");
        assessment.reasons.push(reason.clone());
        for finding in findings.iter_mut().filter(|finding| finding.source == Source::Assessment) {
            if finding.verdict == Verdict::Allow {
                finding.verdict = Verdict::Hold;
                finding.reason = format!("{}; {reason}", finding.reason);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_score_with_a_reason_is_an_answer() {
        let score = |hundredths, words: &str| Opinion::Score {
            risk: Score::hundredths(hundredths),
            words: words.to_owned(),
        };
        for (answer, read) in [
            (r#"{"risk_score":0.8}"#, Some(score(80, ""))),
            (r#"{"risk_score":0.801,"reason":"odd"}"#, Some(score(81, "odd"))),
            (r#"{"risk_score":1,"reason":"a\u001b[2Jb"}"#, Some(score(100, "a\u{fffd}[2Jb"))),
            (r#"{"risk_score":0}"#, Some(score(0, ""))),
            (r#"{"risk_score":1.5}"#, None),
            (r#"{"risk_score":-1}"#, None),
            (r#"{"risk_score":"high"}"#, None),
            (r#"{"risk_score":0.5,"allow":true}"#, None),
            (r#"{"reason":"odd"}"#, None),
            (r#"[0.5]"#, None),
            ("", None),
        ] {
            match (Opinion::read(answer.as_bytes()), read) {
                (Opinion::None(_), None) => {}
                (found, expected) => assert_eq!(Some(found), expected, "{answer}"),
            }
        }
        let long = format!(r#"{{"risk_score":0.5,"reason":"{}"}}"#, "x".repeat(ANSWER_BYTES_MAX));
        assert!(matches!(Opinion::read(long.as_bytes()), Opinion::None(_)));
    }
}
