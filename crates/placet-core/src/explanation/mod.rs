//! What people are told of a decision: the same on a terminal, on a page and as data.

mod marked;

mod row;

use serde::Serialize;

use crate::{
    Context, Decision, Finding, Redactor, Source, ToolCall, Verdict,
    assess::advice,
    explain_in,
    rule::{Match, NearMatch},
};

pub use marked::{Marked, Piece, pieces};
pub use row::{Fact, Row};

/// A decision with everything that helps to understand it. Its secrets are masked.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
    /// What would change it, most useful first.
    pub advice: Vec<&'static str>,
    /// Which rules had a say.
    pub rules: Asked,
    /// The call.
    #[serde(skip)]
    pub call: ToolCall,
}

/// Which rules had a say.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    /// How many are in force.
    pub in_force: usize,
    /// Those that could concern the call, and were asked.
    pub considered: Vec<String>,
    /// Those that matched.
    pub matched: Vec<Match>,
    /// Those that would have matched but for one thing.
    pub near: Vec<NearMatch>,
}

impl Explanation {
    /// What is decided on `call` in `context`, and why. Decided on what the call says, told without its secrets.
    pub fn of(call: &ToolCall, context: &Context<'_>, redactor: &Redactor) -> Self {
        let (decision, hearing) = explain_in(call, context);
        let advice = match decision.verdict {
            Verdict::Allow | Verdict::Hold => decision.assessment.as_ref().map(advice).unwrap_or_default(),
            Verdict::Block => {
                vec!["no approval; the operator can give the rule another policy, in `[rules]`"]
            }
        };
        let mut record = redactor.record();
        let (shown, moves) = record.call(call);
        let decision = record.decision_moved(&moves, decision);
        let mut near = hearing.near;
        for near in &mut near {
            // What is missing may quote the call.
            near.missing = record.text(&near.missing).into_owned();
        }
        Self {
            decision,
            advice,
            rules: Asked {
                in_force: context.rules.rules().len(),
                considered: hearing.considered,
                matched: hearing.judged.matches,
                near,
            },
            call: shown.into_owned(),
        }
    }

    /// What stands above the reasons.
    pub fn title(&self) -> &'static str {
        match self.decision.verdict {
            Verdict::Allow => "What the risk is made of",
            Verdict::Hold => "Why it asks",
            Verdict::Block => "Why it is blocked",
        }
    }

    /// Whether there is more to say than what it does: a harmless call that nobody has spoken of needs no reasons.
    pub fn has_reasons(&self) -> bool {
        let risk = self.decision.assessment.as_ref().map_or(100, |one| one.risk_score.as_hundredths());
        let set = self.decision.findings.iter().any(|finding| finding.source == Source::Setting);
        self.decision.verdict != Verdict::Allow || set || !self.rules.matched.is_empty() || risk >= 25
    }

    /// What others said than the assessment and the rules.
    pub fn said(&self) -> impl Iterator<Item = &Finding> {
        let by_others = |finding: &&Finding| {
            !matches!(finding.source, Source::Assessment | Source::Crisis | Source::Rule(_))
        };
        self.decision.findings.iter().filter(by_others)
    }

    /// Which gate it stops at, in words, if the assessment asks for a person.
    pub fn gate(&self) -> Option<&str> {
        let assessment = self.decision.assessment.as_ref().filter(|assessment| assessment.requires_human)?;
        let last = assessment.reasons.last().filter(|_| assessment.reasons.len() > 1);
        last.map(String::as_str)
    }
}
