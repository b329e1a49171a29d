//! How decisions are carried out: enforced, or only watched.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{Decision, Source, Verdict};

/// Whether decisions stop anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// What would have been stopped is recorded, and runs. Warrants, the crisis gate and the kill switch still stop.
    Observe,
    /// Decisions are carried out.
    Enforce,
}

/// Whether the crisis gate stops calls in observe mode too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrisisGate {
    /// It does, as long as nobody says otherwise.
    Stops,
    /// The operator has switched it off there, by name.
    Watches,
}

impl Mode {
    /// Reads `observe` or `enforce`.
    pub fn parse(word: &str) -> Option<Self> {
        [Mode::Observe, Mode::Enforce].into_iter().find(|mode| mode.as_str() == word)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Observe => "observe",
            Mode::Enforce => "enforce",
        }
    }

    /// What follows from `decision` in this mode: its verdict, or in observe mode that of the voices that still count.
    pub fn carry_out(self, decision: &Decision, gate: CrisisGate) -> Verdict {
        match self {
            Mode::Enforce => decision.verdict,
            Mode::Observe => {
                let counts = |source: &Source| match source {
                    Source::Warrant | Source::KillSwitch | Source::Input | Source::Store => true,
                    Source::Crisis => gate == CrisisGate::Stops,
                    Source::Assessment
                    | Source::Setting
                    | Source::Rule(_)
                    | Source::Threat(_)
                    | Source::Grant(_)
                    | Source::Assessor => false,
                };
                let voices = decision.findings.iter().filter(|finding| counts(&finding.source));
                let strictest = voices.map(|finding| finding.verdict).max();
                // Nobody spoke at all: that is no decision, and no is the answer to it.
                if decision.findings.is_empty() {
                    Verdict::Block
                } else {
                    strictest.unwrap_or(Verdict::Allow)
                }
            }
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
