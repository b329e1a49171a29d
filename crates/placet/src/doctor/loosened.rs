//! What somebody has loosened on purpose. Each may be right; all of them are to be seen.

use placet_core::{Mode, Policy, effect::Role, policy::RuleSetting, printable, rule::RulePolicy};
use placet_engine::Standing;

use super::{About, Examined};
use crate::{
    cli::RuleSources,
    config::{Config, notifications::SmtpTls},
};

/// Says what is: `written` is the policy of the configuration, without what was changed over HTTP.
pub fn look(
    config: Option<&Config>,
    written: Option<&Policy>,
    standing: Option<&Standing>,
    sources: &RuleSources,
    seen: &mut Examined,
) {
    let mut loose = |what: String, remedy: &str| seen.finding(About::BreakGlass, what, remedy);
    if let Some(standing) = standing {
        if standing.mode == Mode::Observe {
            loose(
                "observe mode: calls run whatever is decided".to_owned(),
                "placet mode enforce; `placet report` counts what would have been stopped",
            );
        }
        for (agent, _) in standing.agents.iter().filter(|(_, mode)| *mode == Mode::Observe) {
            let agent = printable::shown(agent, 60);
            loose(
                format!("observe mode for {agent}: its calls run whatever is decided"),
                &format!("placet mode enforce --agent {agent}"),
            );
        }
        if let Some(by) = &standing.stopped_by {
            loose(
                format!("everything is stopped by {}: every call is blocked", printable::shown(by, 60)),
                "placet resume, when it is over",
            );
        }
    }
    if sources.no_builtin_rules {
        loose("the rules that come with Placet are left out".to_owned(), "leave `--no-builtin-rules` away");
    }
    let Some(config) = config else { return };
    of_policy(&config.policy, written.unwrap_or(&config.policy), &mut loose);
    if config.server.behind_proxy {
        loose(
            "`behind_proxy`: the service takes it that somebody else speaks TLS".to_owned(),
            "make sure that nothing but the proxy reaches it",
        );
    }
    for network in &config.server.agentguard_from {
        loose(
            format!("whoever is in {} may ask for an agent without a secret", printable::shown(network, 60)),
            "give the plugin a token in its path, and take the network out of `agentguard_from`",
        );
    }
    for (sender, user) in &config.chat.senders {
        loose(
            format!(
                "{} may answer holds from a chat, as {}, without signing in",
                printable::shown(sender, 60),
                printable::shown(user, 60)
            ),
            "take them out of `senders` of `[chat]`, and let them answer in the pages",
        );
    }
    for (name, channel) in &config.notifications {
        let name = printable::shown(name, 60);
        for host in &channel.private_hosts {
            loose(
                format!(
                    "notifications of {name} may go to a private address by the name {}",
                    printable::shown(host, 100)
                ),
                "take it out of `private_hosts` if that is not meant",
            );
        }
        if channel.smtp_tls == SmtpTls::None {
            loose(
                format!("mail of {name} is sent in the clear"),
                "use `smtp_tls = \"starttls\"` where the mail server has it",
            );
        }
    }
}

fn of_policy(policy: &Policy, written: &Policy, loose: &mut impl FnMut(String, &str)) {
    let usual = Policy::default();
    let (set, by_default, file) = (policy.thresholds, usual.thresholds, written.thresholds);
    let milder = [
        ("run_below", set.run_below > by_default.run_below, set.run_below == file.run_below),
        ("ask_above", set.ask_above > by_default.ask_above, set.ask_above == file.ask_above),
        (
            "confidence_min",
            set.confidence_min < by_default.confidence_min,
            set.confidence_min == file.confidence_min,
        ),
    ];
    for (key, _, in_file) in milder.iter().filter(|(_, milder, _)| *milder) {
        let remedy = match in_file {
            true => "take it out of the configuration",
            false => "it was changed over HTTP: set it back there (`PUT /v1/thresholds`)",
        };
        loose(format!("`thresholds.{key}` is milder than the default: fewer calls ask"), remedy);
    }
    for (tool, settings) in &policy.tools {
        let tool = printable::shown(tool, 60);
        if let Some(class) = settings.class {
            loose(
                format!("`tools.{tool}` counts as {}, whatever its calls would do", class.words()),
                "take `class` out, or use `risk_min` and `always_ask`, which only make it stricter",
            );
        }
        for (argument, _) in settings.roles.iter().filter(|(_, role)| **role == Role::Ignored) {
            loose(
                format!(
                    "`{}` of `{tool}` is ignored: it may change after a person has approved",
                    printable::shown(argument, 60)
                ),
                "give it the role `plain`",
            );
        }
    }
    for (rule, setting) in &policy.rules {
        let remedy = match written.rules.get(rule) == Some(setting) {
            true => "take it out of `[rules]`, or set `hold`",
            false => "it was changed over HTTP: set it back on the page of the rule",
        };
        let rule = printable::shown(rule, 80);
        match setting {
            RuleSetting::Off => loose(format!("the rule `{rule}` is off"), remedy),
            RuleSetting::Policy(RulePolicy::LogOnly) => {
                loose(format!("the rule `{rule}` only notes what it finds"), remedy);
            }
            RuleSetting::Policy(RulePolicy::Hold | RulePolicy::AutoBlock) => {}
        }
    }
    if let Some(issuer) = &policy.warrants.issuer {
        let unlimited = if policy.warrants.issuer_unlimited { ", of any reach" } else { "" };
        loose(
            format!(
                "`warrants.issuer`: operators issue warrants{unlimited} at the service, which holds the key {}",
                printable::shown(issuer, 100)
            ),
            "issue them where the key is, with `placet warrant mint`, and take it out of the configuration",
        );
    }
    if !policy.crisis.off.is_empty() {
        loose(
            "`crisis.off`: in observe mode the crisis gate stops nothing either".to_owned(),
            "take it out of the configuration",
        );
    }
    if !policy.threats.carry_over {
        loose(
            "`threats.carry_over` is off: an open threat does nothing to later calls of its session"
                .to_owned(),
            "take it out of the configuration",
        );
    }
}
