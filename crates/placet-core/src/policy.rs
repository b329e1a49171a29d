//! What the operator has set: thresholds, and what is known better of single tools.

use std::{collections::BTreeMap, num::NonZero};

use serde::{Deserialize, Deserializer, de::Error};

use crate::{
    assess::{Score, SideEffectClass},
    crisis::CrisisPolicy,
    effect::{
        Role,
        tool_table::{Interpreter, Servers},
    },
    hold,
    quorum::{self, Escalation, Groups, Threshold},
    rule::RulePolicy,
    warrant::{PublicKey, parse_duration},
};

/// The operator's settings for deciding.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// When to ask.
    #[serde(default)]
    pub thresholds: Thresholds,
    /// What is known better of single tools, by name.
    #[serde(default)]
    pub tools: BTreeMap<String, ToolPolicy>,
    /// What single rules do here, by name.
    #[serde(default)]
    pub rules: BTreeMap<String, RuleSetting>,
    /// MCP servers that are, by another name, some of the tool table's.
    #[serde(default)]
    pub servers: Servers,
    /// Whose people are not strangers.
    #[serde(default)]
    pub organisation: Organisation,
    /// How long people have to answer.
    #[serde(default)]
    pub holds: HoldPolicy,
    /// What open threats do.
    #[serde(default)]
    pub threats: ThreatPolicy,
    /// How long things are kept.
    #[serde(default)]
    pub retention: RetentionPolicy,
    /// Whose warrants count, and who needs one.
    #[serde(default)]
    pub warrants: WarrantPolicy,
    /// Somebody outside who may raise a score.
    #[serde(default)]
    pub assessor: Option<AssessorPolicy>,
    /// People who answer, by the name of their group.
    #[serde(default)]
    pub groups: Groups,
    /// How many people must agree, by the class of a call or the id of a rule.
    #[serde(default)]
    pub approval: BTreeMap<String, Threshold>,
    /// Whom to ask when nobody answers.
    #[serde(default)]
    pub escalation: Escalation,
    /// What becomes of calls that are looked at afterwards.
    #[serde(default)]
    pub reviews: ReviewPolicy,
    /// How `placet serve` is reached.
    #[serde(default)]
    pub server: ServerPolicy,
    /// What a person always confirms, and what is said meanwhile.
    #[serde(default)]
    pub crisis: CrisisPolicy,
}

/// What becomes of calls that are looked at afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewPolicy {
    /// How long nobody may have looked before it is a threat.
    pub threat_after: Span,
}

impl Default for ReviewPolicy {
    fn default() -> Self {
        Self { threat_after: Span(7 * 24 * 60 * 60 * 1_000) }
    }
}

/// How `placet serve` is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerPolicy {
    /// A file with its certificate and the chain after it. Whoever reads the settings reads it.
    pub tls_certificate: Option<String>,
    /// A file with the key of the certificate.
    pub tls_key: Option<String>,
}

impl ServerPolicy {
    fn problem(&self) -> Option<String> {
        let (there, missing) = match (&self.tls_certificate, &self.tls_key) {
            (Some(_), None) => ("tls_certificate", "tls_key"),
            (None, Some(_)) => ("tls_key", "tls_certificate"),
            (Some(_), Some(_)) | (None, None) => return None,
        };
        Some(format!("`[server]` has `{there}` and no `{missing}`; it needs both"))
    }
}

/// An HTTP endpoint that may raise a score.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssessorPolicy {
    /// Where it is. Over plain HTTP only on this machine.
    pub url: String,
    /// How long a decision waits for it, in milliseconds.
    #[serde(default = "AssessorPolicy::usual_timeout")]
    pub timeout_ms: u64,
}

impl AssessorPolicy {
    /// Nobody waits longer for somebody who cannot say yes.
    const TIMEOUT_MS_MAX: u64 = 10_000;

    fn usual_timeout() -> u64 {
        500
    }

    fn problem(&self) -> Option<String> {
        if !(1..=Self::TIMEOUT_MS_MAX).contains(&self.timeout_ms) {
            return Some(format!(
                "`timeout_ms` of `[assessor]` is {}; it must be from 1 to {}",
                self.timeout_ms,
                Self::TIMEOUT_MS_MAX
            ));
        }
        let shown = crate::json::excerpt(&self.url);
        let plain = self.url.strip_prefix("http://");
        let (Some(rest), secure) = (plain.or_else(|| self.url.strip_prefix("https://")), plain.is_none())
        else {
            return Some(format!("`url` of `[assessor]` is `{shown}`; it must begin with `https://`"));
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
        let host = match authority.strip_prefix('[') {
            Some(address) => address.split(']').next().unwrap_or(""),
            None => authority.split(':').next().unwrap_or(""),
        };
        if host.is_empty() || authority.contains('@') || self.url.chars().any(|letter| letter.is_whitespace())
        {
            return Some(format!("`url` of `[assessor]` is `{shown}`, which names no host"));
        }
        let here = host == "localhost"
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        (!secure && !here).then(|| {
            format!("`url` of `[assessor]` is `{shown}`; calls leave this machine only over `https://`")
        })
    }
}

/// How long people have to answer, and how much they are asked at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HoldPolicy {
    /// Until an unanswered hold means no.
    pub deadline: Span,
    /// The same where the call cannot come back later, and so waits.
    pub inline_deadline: Span,
    /// So many calls of one session wait at most; what comes beyond is blocked.
    pub pending_of_session: NonZero<u64>,
    /// The same of one agent, in all of its sessions.
    pub pending_of_agent: NonZero<u64>,
}

impl Default for HoldPolicy {
    fn default() -> Self {
        let at_least_one = |most| NonZero::new(most).unwrap_or(NonZero::<u64>::MIN);
        Self {
            deadline: Span(hold::DEADLINE_MS),
            inline_deadline: Span(hold::INLINE_DEADLINE_MS),
            pending_of_session: at_least_one(hold::PENDING_OF_SESSION_MAX),
            pending_of_agent: at_least_one(hold::PENDING_OF_AGENT_MAX),
        }
    }
}

/// What open threats do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThreatPolicy {
    /// Whether a threat that nobody has looked at weighs on later calls of its session.
    pub carry_over: bool,
}

impl Default for ThreatPolicy {
    fn default() -> Self {
        Self { carry_over: true }
    }
}

/// How long things are kept. The audit log is not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionPolicy {
    /// What people see of a hold, after it has ended.
    pub holds: Span,
    /// Events other than calls.
    pub events: Span,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
        Self { holds: Span(30 * DAY_MS), events: Span(30 * DAY_MS) }
    }
}

/// Whose warrants count, and who needs one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WarrantPolicy {
    /// The keys whose word counts without another's.
    pub roots: Vec<Root>,
    /// Files with signed lists of what was revoked. Whoever reads the settings reads them.
    pub revocations: Vec<String>,
    /// Agents that may do nothing without a warrant; `*` for all.
    pub required_of: Vec<String>,
    /// The file of the key with which operators issue warrants at the service. Without it, the service holds none.
    pub issuer: Option<String>,
    /// How long a warrant lives at most that is issued there.
    pub issuer_life: Option<Span>,
    /// Whether a warrant that is issued there may leave it open what is called, and with what.
    pub issuer_unlimited: bool,
}

/// How long a warrant lives at most that is issued at the service, unless the operator says otherwise.
pub const ISSUER_LIFE_MS: i64 = 24 * 60 * 60 * 1_000;

/// A public key that is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root(pub PublicKey);

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        PublicKey::parse(&text).map(Self).map_err(D::Error::custom)
    }
}

/// A length of time, as in `10m` or `30d`. Invariant: from a second to ten years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(i64);

impl Span {
    /// In milliseconds.
    pub fn as_ms(self) -> i64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const TEN_YEARS_MS: i64 = 3_653 * 24 * 60 * 60 * 1_000;
        let text = String::deserialize(deserializer)?;
        let ms = parse_duration(&text).and_then(|ms| i64::try_from(ms).ok());
        match ms.filter(|ms| (1_000..=TEN_YEARS_MS).contains(ms)) {
            Some(ms) => Ok(Self(ms)),
            None => {
                let shown = crate::json::excerpt(&text);
                Err(D::Error::custom(format!("`{shown}` is not a time such as `90s`, `10m`, `1h` or `30d`")))
            }
        }
    }
}

/// The organisation an agent works for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Organisation {
    /// Its domains, with all names below them. None is named by default: then nobody can tell who is a stranger.
    pub domains: Vec<Domain>,
}

/// A domain such as `example.org`. Invariant: lower case, labels of letters, digits and hyphens, at least two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain(String);

impl<'de> Deserialize<'de> for Domain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let label = |label: &str| {
            !label.is_empty() && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
        };
        let domain = text.to_lowercase();
        if domain.contains('.') && domain.len() < 256 && domain.split('.').all(label) {
            return Ok(Self(domain));
        }
        let shown = crate::json::excerpt(&text);
        Err(D::Error::custom(format!("`{shown}` is not a domain such as `example.org`")))
    }
}

impl Organisation {
    /// Whether somebody belongs to it, as far as an address tells; `None` if nobody can tell.
    pub fn has(&self, address: &str) -> Option<bool> {
        let (_, domain) = address.trim().trim_end_matches('>').rsplit_once('@')?;
        if self.domains.is_empty() || !domain.contains('.') {
            return None;
        }
        let domain = domain.trim_end_matches('.').to_lowercase();
        Some(self.domains.iter().any(|Domain(own)| {
            domain.strip_suffix(own.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        }))
    }
}

/// When a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// Below this risk a call runs, unless we are unsure of a side effect.
    pub run_below: Score,
    /// Above this risk a person is asked.
    pub ask_above: Score,
    /// Below this confidence a person is asked about side effects.
    pub confidence_min: Score,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            run_below: Score::hundredths(25),
            ask_above: Score::hundredths(60),
            confidence_min: Score::hundredths(70),
        }
    }
}

/// What the operator says of one tool. Lowering is recorded with the decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolPolicy {
    /// The class of its side effects, whatever was read.
    pub class: Option<SideEffectClass>,
    /// It is at least this risky.
    pub risk_min: Option<Score>,
    /// A person is always asked.
    pub always_ask: bool,
    /// How its arguments are read, whatever its name.
    pub reads_as: Option<Interpreter>,
    /// What its arguments are for, by their names.
    pub roles: BTreeMap<String, Role>,
}

/// What a rule does, as the operator set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSetting {
    /// It is not asked.
    Off,
    /// This happens when it matches.
    Policy(RulePolicy),
}

impl<'de> Deserialize<'de> for RuleSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let policy = RulePolicy::ALL.into_iter().find(|policy| policy.as_str() == word);
        match (word.as_str(), policy) {
            ("off", _) => Ok(Self::Off),
            (_, Some(policy)) => Ok(Self::Policy(policy)),
            (word, None) => Err(D::Error::unknown_variant(word, &["off", "log_only", "hold", "auto_block"])),
        }
    }
}

impl Policy {
    /// What the operator says of `tool`.
    pub fn tool(&self, tool: &str) -> Option<&ToolPolicy> {
        self.tools.get(tool)
    }

    /// What is wrong with it, in words.
    pub fn problem(&self) -> Option<String> {
        let Thresholds { run_below, ask_above, .. } = self.thresholds;
        (run_below > ask_above)
            .then(|| format!("`run_below` ({run_below}) is above `ask_above` ({ask_above}); it must not be"))
            .or_else(|| self.assessor.as_ref()?.problem())
            .or_else(|| quorum::problem(self))
            .or_else(|| self.server.problem())
            .or_else(|| self.crisis.problem())
    }
}
