//! Authority: what a warrant says to one call.

use std::fmt::Write as _;

use super::{
    chain::Warrant,
    counters::Counters,
    limits::{Amount, Rate, duration},
    link::{Link, Purpose, Subject},
    posture::Posture,
    proof::Possession,
    scope::Tier,
    used::{calls_key, counted_until, rate_key, rate_steps, step_counted_until, sum_key},
};
use crate::{
    Assessment, CallDigest, Claim, Finding, Source, Timestamp, ToolCall, Verdict,
    json::{Json, excerpt},
};

/// A warrant with all that is needed to ask it.
#[derive(Clone, Copy)]
pub struct Authority<'a> {
    /// The warrant.
    pub warrant: &'a Warrant,
    /// That the caller holds it.
    pub held: Held<'a>,
    /// How firmly the agent is confined now.
    pub posture: Posture,
    /// Where the counters stand.
    pub counters: &'a dyn Counters,
    /// When.
    pub now: Timestamp,
}

/// Why we believe that the caller holds the warrant.
#[derive(Clone, Copy, Debug)]
pub enum Held<'a> {
    /// It was proved for this call.
    Proved(&'a Possession),
    /// Whoever asks has checked it in another way, or only wants to know what would be permitted.
    Taken,
}

/// What a warrant says to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorization {
    /// Allow, hold or block, with the reason.
    pub finding: Finding,
    /// What it uses up.
    pub claims: Vec<Claim>,
    /// Whether it answers in advance what a threshold would ask.
    pub in_advance: InAdvance,
}

/// How far a warrant answers in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InAdvance {
    /// Not at all.
    No,
    /// All but critical calls: it names the tool, not what the tool is to do.
    NotCritical,
    /// Critical calls too: the first link, which a trusted root signed, says what an argument may be.
    Critical,
}

impl Authority<'_> {
    /// What the warrant says to `call`. Every link is asked, and all must permit.
    pub fn ask(&self, call: &ToolCall, assessment: &Assessment) -> Authorization {
        match self.permitted(call, assessment) {
            Ok(authorization) => authorization,
            Err(reason) => Authorization {
                finding: Finding { source: Source::Warrant, verdict: Verdict::Block, reason },
                claims: Vec::new(),
                in_advance: InAdvance::No,
            },
        }
    }

    fn permitted(&self, call: &ToolCall, assessment: &Assessment) -> Result<Authorization, String> {
        let links = self.warrant.links();
        self.check_holder(call)?;
        let mut claims = Vec::new();
        if let Held::Proved(possession) = self.held {
            claims.push(possession.claim());
        }
        let mut tier = Tier::Always;
        let mut in_advance = InAdvance::NotCritical;
        for (number, link) in links.iter().enumerate() {
            if self.now < link.head.not_before || self.now >= link.head.expires {
                return Err(self.outside(number, |text| text.push_str("it is not valid now")));
            }
            let permit = link
                .scope
                .permit(call, &assessment.effects)
                .map_err(|outside| self.outside(number, |text| outside.say(text)))?;
            self.check_limits(link, call, assessment, &mut claims)
                .map_err(|reason| self.outside(number, |text| text.push_str(&reason)))?;
            tier = tier.max(permit.capability.tier);
            if number == 0 && permit.capability.deed.constrains_an_argument() {
                in_advance = InAdvance::Critical;
            }
        }
        let tool = call.tool();
        let (verdict, reason) = match tier {
            Tier::Always => (Verdict::Allow, format!("the warrant allows this call of `{tool}`")),
            Tier::Gated => {
                in_advance = InAdvance::No;
                (Verdict::Hold, format!("the warrant wants a person to approve each such call of `{tool}`"))
            }
        };
        let finding = Finding { source: Source::Warrant, verdict, reason };
        Ok(Authorization { finding, claims, in_advance })
    }

    /// That link `number` refuses, for the reason that `say` puts down.
    fn outside(&self, number: usize, say: impl FnOnce(&mut String)) -> String {
        let mut text = String::with_capacity(128);
        text.push_str("outside the warrant");
        let links = self.warrant.links().len();
        if links > 1 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", link {} of {links}", number + 1);
        }
        text.push_str(": ");
        say(&mut text);
        text
    }

    fn check_holder(&self, call: &ToolCall) -> Result<(), String> {
        let last = self.warrant.last();
        if last.head.purpose == Purpose::Issue {
            return Err("the warrant only gives leave to issue others, not to act".to_owned());
        }
        match (&last.head.subject, self.held) {
            (Subject::Session { agent, session }, _)
                if call.agent() == agent && call.session() == session =>
            {
                Ok(())
            }
            (Subject::Session { .. }, _) => {
                Err("the warrant is bound to another agent or session".to_owned())
            }
            (Subject::Holder(_), Held::Taken) => Ok(()),
            (Subject::Holder(_), Held::Proved(possession)) => {
                // Over all arguments: the holder need not know which of them a tool ignores.
                if possession.is_of(self.warrant) && possession.is_for(&CallDigest::of_all(call)) {
                    Ok(())
                } else {
                    Err("the proof of possession is for another warrant or call".to_owned())
                }
            }
        }
    }

    fn check_limits(
        &self,
        link: &Link,
        call: &ToolCall,
        assessment: &Assessment,
        claims: &mut Vec<Claim>,
    ) -> Result<(), String> {
        let limits = &link.scope.limits;
        if !self.posture.meets(link.scope.posture) {
            return Err(format!(
                "it needs a confinement of at least `{}`, and `{}` is in force",
                link.scope.posture.describe(),
                self.posture.describe()
            ));
        }
        if let Some(most) = limits.max_risk.filter(|most| assessment.risk_score > *most) {
            return Err(format!("the risk is {}, and at most {most} is allowed", assessment.risk_score));
        }
        if let Some(hours) = limits.hours.as_ref().filter(|hours| !hours.hold(self.now)) {
            return Err(format!("it is only valid {hours}"));
        }
        if let Some(limit) = limits.max_calls {
            let key = calls_key(link.head.id);
            let ends = counted_until(link);
            claims.push(
                self.count(key, 1, limit, ends).map_err(|()| format!("all {limit} calls are used up"))?,
            );
        }
        if let Some(rate) = limits.rate {
            claims.push(self.count_rate(link, rate).map_err(|()| {
                format!("all {} calls in {} are used up", rate.count, duration(rate.per_ms))
            })?);
        }
        for budget in &limits.budgets {
            let name = excerpt(&budget.argument);
            let amount = match call.arg(&budget.argument) {
                None => continue,
                Some(Json::Number(number)) => Amount::from_number(*number),
                Some(_) => None,
            };
            let amount = amount.ok_or_else(|| {
                format!("`{name}` has a budget, so it must be a number that is not negative, with at most six decimals")
            })?;
            let key = sum_key(link.head.id, &budget.argument);
            let left = budget.most.millionths().saturating_sub(self.counters.count(&key));
            let (adds, most) = (amount.millionths(), budget.most.millionths());
            claims.push(self.count(key, adds, most, counted_until(link)).map_err(|()| {
                let left = Amount::from_millionths(left);
                format!("`{name}` is {amount}, and {left} of {} are left", budget.most)
            })?);
        }
        Ok(())
    }

    /// The claim to add to the current step of a rate, if all steps that a stretch ending now could touch stay within it.
    fn count_rate(&self, link: &Link, rate: Rate) -> Result<Claim, ()> {
        let (past, current) = rate_steps(link, rate, self.now);
        let key = |step: u64| rate_key(link.head.id, step);
        let past = past.map(|step| self.counters.count(&key(step)));
        let used = past.fold(0, u64::saturating_add);
        // Steps that are over no longer change, so what they leave is a limit for the current one.
        let left = rate.count.saturating_sub(used);
        self.count(key(current), 1, left, step_counted_until(link, rate, current))
    }

    /// The claim to add to a counter, if that stays within its limit.
    fn count(&self, key: String, adds: u64, limit: u64, ends: Timestamp) -> Result<Claim, ()> {
        let seen = self.counters.count(&key);
        match seen.checked_add(adds) {
            Some(sum) if sum <= limit => Ok(Claim::Count { key, seen, adds, limit, ends: Some(ends) }),
            Some(_) | None => Err(()),
        }
    }
}
