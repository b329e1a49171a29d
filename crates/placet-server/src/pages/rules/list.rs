//! The rules, by pack and by what they did.

use std::collections::BTreeMap;

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{
    policy::RuleSetting,
    rule::{self, Rule, RulePolicy},
};
use placet_engine::RuleDays;

use super::said_policy;
use crate::{
    ask::Asked,
    keeper::RuleText,
    pages::{
        frame::{self, Place},
        part::{
            chart::{SPARK_DAYS, spark},
            text::{empty, escaped, number, plain, several},
        },
    },
    problem::Problem,
    rules,
};

/// Rules that are listed; who has more narrows them down.
const LISTED: usize = 250;
/// Rules that matched most, so many are told.
const BUSIEST: usize = 15;

/// A rule in a list.
pub(super) struct Entry {
    pub id: String,
    title: String,
    /// Nothing if it is switched off.
    policy: Option<RulePolicy>,
}

impl Entry {
    /// The pack: the first part of its name.
    fn pack(&self) -> &str {
        self.id.split('.').next().unwrap_or("")
    }

    /// Its name among those of `pack`.
    fn name_in(&self, pack: &str) -> &str {
        let rest = self.id.strip_prefix(pack).and_then(|rest| rest.strip_prefix('.'));
        rest.filter(|_| !pack.is_empty()).unwrap_or(&self.id)
    }
}

/// Which rules are listed.
#[derive(Default)]
pub(super) struct Filter {
    text: String,
    policy: String,
    pub pack: String,
}

impl Filter {
    pub fn of(asked: &Asked) -> Self {
        let value = |name: &str| asked.value(name).unwrap_or_default().trim().to_owned();
        Self { text: value("q"), policy: value("policy"), pack: value("pack") }
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.policy.is_empty() && self.pack.is_empty()
    }

    fn keeps(&self, entry: &Entry) -> bool {
        let word = entry.policy.map_or("off", RulePolicy::as_str);
        let text = self.text.to_lowercase();
        (self.pack.is_empty() || entry.pack() == self.pack)
            && (self.policy.is_empty() || word == self.policy)
            && (entry.id.contains(&text) || entry.title.to_lowercase().contains(&text))
    }

    /// As the query of a link.
    fn query(&self) -> String {
        let said = [("q", &self.text), ("policy", &self.policy), ("pack", &self.pack)];
        let said: Vec<String> = said
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", escaped(value)))
            .collect();
        if said.is_empty() { String::new() } else { format!("?{}", said.join("&")) }
    }
}

/// All rules, in force or switched off, with what they did.
pub(super) async fn entries(asked: &Asked) -> Result<Vec<(Entry, RuleDays)>, Problem> {
    let snapshot = asked.server.engine.snapshot();
    let configuration = snapshot.configuration();
    let of_rule =
        |rule: &Rule| Entry { id: rule.id.clone(), title: rule.title.clone(), policy: Some(rule.policy) };
    let mut all: Vec<Entry> = configuration.rules.rules().iter().map(of_rule).collect();
    for (id, _) in configuration.policy.rules.iter().filter(|(_, setting)| **setting == RuleSetting::Off) {
        let rule = rules::written(asked, id).await?.and_then(|written| whole(&written));
        let title = rule.map_or_else(|| id.clone(), |rule| rule.title);
        all.push(Entry { id: id.clone(), title, policy: None });
    }
    all.sort_by(|a, b| a.pack().cmp(b.pack()));
    let ids: Vec<String> = all.iter().map(|entry| entry.id.clone()).collect();
    let days =
        asked.server.pulse(move |pulse| ids.iter().map(|id| pulse.rule(id)).collect::<Vec<_>>()).await?;
    Ok(all.into_iter().zip(days).collect())
}

/// The rule that is written, with its examples.
pub(super) fn whole(written: &RuleText) -> Option<Rule> {
    rule::read(&written.text).ok().and_then(|pack| pack.rules.into_iter().next())
}

/// `GET /rules`.
pub async fn list(asked: Asked) -> Result<Response, Problem> {
    let (filter, all) = (Filter::of(&asked), entries(&asked).await?);
    let body = html! {
        (head(&asked))
        div.cols.list {
            @if filter.is_empty() { (packs(&all)) } @else { (beside(&filter, &all, None, "")) }
            (busiest(&all))
        }
    };
    frame::page(&asked, Place::Rules, "Rules", body).await
}

pub(super) fn head(asked: &Asked) -> Markup {
    html! {
        div.head {
            h1 { "Rules" }
            a.btn href="/try" { "Try on a call" }
            @if frame::may_run(asked) && asked.server.keeper.get().is_some() { a.btn.solid href="/new-rule" { "New rule" } }
        }
    }
}

/// The list beside a rule, or beside what is told of all of them.
pub(super) fn beside(
    filter: &Filter,
    all: &[(Entry, RuleDays)],
    current: Option<&str>,
    class: &str,
) -> Markup {
    let kept: Vec<&(Entry, RuleDays)> = all.iter().filter(|(entry, _)| filter.keeps(entry)).collect();
    html! {
        section class={ "panel " (class) } aria-labelledby="pack" {
            header {
                h2 #pack { @if filter.pack.is_empty() { "All packs" } @else { "Pack: " (plain(&filter.pack)) } }
                span.small.muted { (several(kept.len() as u64, "rule", "rules")) ", matches in " (SPARK_DAYS) " days" }
            }
            (search(filter, all))
            @if kept.is_empty() {
                p.muted.gap-top { "No rule is like that. " a href="/rules" { "Show all packs" } }
            }
            div.gap-top { ul.pick {
                @for (entry, days) in kept.iter().take(LISTED) {
                    li {
                        a href={ "/rules/" (escaped(&entry.id)) (filter.query()) } aria-current=[(Some(entry.id.as_str()) == current).then_some("true")] {
                            b { (plain(&entry.title)) }
                            (spark(&days.matches))
                            span.small.muted.mono { (plain(entry.name_in(&filter.pack))) }
                            (said_policy(entry.policy))
                        }
                    }
                }
            } }
            @if kept.len() > LISTED { p.small.muted.gap-top { "and " (number((kept.len() - LISTED) as u64)) " more; narrow them down" } }
        }
    }
}

/// What narrows the list down.
fn search(filter: &Filter, all: &[(Entry, RuleDays)]) -> Markup {
    let mut names: Vec<&str> = all.iter().map(|(entry, _)| entry.pack()).collect();
    names.dedup();
    html! {
            form.stack method="get" action="/rules" role="search" {
                label { span.sr { "Words in its name or title" } input type="search" name="q" placeholder="Search" value=(plain(&filter.text)); }
                div.filter {
                    label { span.sr { "Pack" } select name="pack" {
                        option value="" { "Every pack" }
                        @for name in &names { option value=(name) selected[*name == filter.pack] { (plain(name)) } }
                    } }
                    label { span.sr { "Policy" } select name="policy" {
                        option value="" { "Any policy" }
                        @for name in ["log_only", "hold", "auto_block", "off"] { option value=(name) selected[name == filter.policy] { (name) } }
                    } }
                    button.btn { "Show" }
                }
            }
    }
}

/// All packs, with how many of their rules do what.
fn packs(all: &[(Entry, RuleDays)]) -> Markup {
    let mut packs: BTreeMap<&str, ([u64; 4], Vec<u64>)> = BTreeMap::new();
    for (entry, days) in all {
        let (count, matches) = packs.entry(entry.pack()).or_default();
        count[entry.policy.map_or(3, |policy| policy as usize)] += 1;
        matches.resize(days.matches.len().max(matches.len()), 0);
        matches.iter_mut().zip(&days.matches).for_each(|(sum, day)| *sum += day);
    }
    let done = |count: &[u64; 4]| {
        let words = ["only noted", "hold", "block", "off"];
        let said = count.iter().zip(words).filter(|(count, _)| **count > 0);
        said.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    };
    html! {
        section.panel aria-labelledby="packs" {
            header { h2 #packs { (several(packs.len() as u64, "pack", "packs")) } span.small.muted { (several(all.len() as u64, "rule", "rules")) ", matches in " (SPARK_DAYS) " days" } }
            (search(&Filter::default(), all))
            div.gap-top { ul.pick {
                @for (name, (count, matches)) in &packs {
                    li {
                        a href={ "/rules?pack=" (escaped(name)) } {
                            b { (plain(name)) }
                            (spark(matches))
                            span.small.muted { (done(count)) }
                            span.small.muted.num { (several(count.iter().sum(), "rule", "rules")) }
                        }
                    }
                }
            } }
        }
    }
}

/// The rules that matched most often.
fn busiest(all: &[(Entry, RuleDays)]) -> Markup {
    let mut matched: Vec<&(Entry, RuleDays)> = all.iter().filter(|(_, days)| days.total() > 0).collect();
    matched.sort_by_key(|(entry, days)| (std::cmp::Reverse(days.total()), entry.id.as_str()));
    html! {
        article.stack #busiest data-live {
            @if all.is_empty() {
                (empty("threat", "No rules", html! {
                    "Calls are decided by their assessment alone. " code { "placet serve" }
                    " reads the rules that come with Placet, and those of " code { "--rules" } "."
                }))
            } @else if matched.is_empty() {
                (empty("threat", "Nothing matched in 30 days", html! {
                    "Which rules match how often, and what people answered, stands here once agents ask. "
                    a href="/try" { "Try a call" } " to see which would."
                }))
            } @else {
                section.panel aria-labelledby="most" {
                    header { h2 #most { "Matched most in 30 days" } span.small.muted { (several(matched.len() as u64, "rule", "rules")) " matched" } }
                    table.table {
                        thead { tr {
                            th scope="col" { "Rule" } th scope="col" { "Policy" } th.num scope="col" { "Matches" }
                            th.num.wide scope="col" { "Approved" } th.num.wide scope="col" { "Denied" } th.num.wide scope="col" { "Expired" }
                        } }
                        tbody {
                            @for (entry, days) in matched.iter().take(BUSIEST) {
                                tr {
                                    td { a href={ "/rules/" (escaped(&entry.id)) } { (plain(&entry.title)) } br; span.small.muted.mono { (plain(&entry.id)) } }
                                    td { (said_policy(entry.policy)) }
                                    td.num { (number(days.total())) }
                                    @for count in [days.approved, days.denied, days.expired] {
                                        td.num.wide { @if count > 0 { (number(count)) } @else { span.muted { "0" } } }
                                    }
                                }
                            }
                        }
                    }
                }
                p.small.muted {
                    "A rule looks at what a call would do, not at how it is spelled. Each has examples that must match and must not, which are run before it counts."
                }
            }
        }
    }
}
