//! Rules: the packs, one rule with everything that says whether it is right, and its policy.

mod edit;
mod source;

use std::collections::BTreeMap;

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{
    Timestamp,
    policy::RuleSetting,
    rule::{self, Body, Part, Rule, RulePolicy, Wanted},
};
use placet_engine::RuleDays;

use super::{
    frame::{self, Place},
    part::{
        icon::{icon, tag, verdict},
        text::{empty, escaped, number, plain, several, ticked},
    },
    refused::sentence,
    threats::severity,
    trial,
};
use crate::{
    ask::Asked,
    form::Form,
    keeper::RuleText,
    problem::Problem,
    rules::{self, Tried},
};
pub use edit::{change, create, edit, new, remove};

/// Rules that are listed; who has more narrows them down.
const LISTED: usize = 250;
/// Days of the small charts.
const SPARK_DAYS: usize = 14;
/// Rules that matched most, so many are told.
const BUSIEST: usize = 15;
const DAY_MS: i64 = 86_400_000;

/// What a rule does, as a word with its shape.
pub fn policy_tag(policy: RulePolicy) -> Markup {
    match policy {
        RulePolicy::LogOnly => tag("muted", "read", "log_only"),
        RulePolicy::Hold => tag("held", "ask", "hold"),
        RulePolicy::AutoBlock => tag("blocked", "block", "auto_block"),
    }
}

fn said_policy(policy: Option<RulePolicy>) -> Markup {
    policy.map_or_else(|| tag("muted", "no", "off"), policy_tag)
}

/// A rule in a list.
struct Entry {
    id: String,
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
struct Filter {
    text: String,
    policy: String,
    pack: String,
}

impl Filter {
    fn of(asked: &Asked) -> Self {
        let value = |name: &str| asked.value(name).unwrap_or_default().trim().to_owned();
        Self { text: value("q"), policy: value("policy"), pack: value("pack") }
    }

    fn is_empty(&self) -> bool {
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
async fn entries(asked: &Asked) -> Result<Vec<(Entry, RuleDays)>, Problem> {
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
fn whole(written: &RuleText) -> Option<Rule> {
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

fn head(asked: &Asked) -> Markup {
    html! {
        div.head {
            h1 { "Rules" }
            a.btn href="/try" { "Try on a call" }
            @if frame::may_run(asked) && asked.server.keeper.get().is_some() { a.btn.solid href="/new-rule" { "New rule" } }
        }
    }
}

/// The list beside a rule, or beside what is told of all of them.
fn beside(filter: &Filter, all: &[(Entry, RuleDays)], current: Option<&str>, class: &str) -> Markup {
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

/// The last days as a small chart.
fn spark(days: &[u64]) -> Markup {
    let last = &days[days.len().saturating_sub(SPARK_DAYS)..];
    let total: u64 = last.iter().sum();
    html! {
        svg.chart.spark viewBox="0 0 100 20" preserveAspectRatio="none" role="img" aria-label={ (several(total, "match", "matches")) " in " (SPARK_DAYS) " days" } {
            path.axis d="M0 19.5h100" {}
            path.h d=(bars(last, 100.0, 20.0)) {}
        }
    }
}

/// Bars for `days` within a width and a height.
fn bars(days: &[u64], wide: f64, high: f64) -> String {
    let most = days.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = wide / days.len().max(1) as f64;
    let bar = |(at, count): (usize, &u64)| {
        let height = (*count as f64 / most * (high - 2.0)).max(1.5);
        format!("M{:.1} {high}v-{height:.1}h{:.1}v{height:.1}z", at as f64 * step + step * 0.15, step * 0.7)
    };
    days.iter().enumerate().filter(|(_, count)| **count > 0).map(bar).collect()
}

/// What was tried on a rule, and what came of it.
struct Trial {
    call: String,
    record: String,
    came: Result<Tried, Problem>,
}

/// `GET /rules/{rule}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    detail(&asked, None).await
}

/// `POST /rules/{rule}/policy`.
pub async fn set_policy(asked: Asked) -> Result<Response, Problem> {
    let id = asked.param("rule").to_owned();
    rules::set_policy(&asked, &id, asked.form().text("policy")).await?;
    Ok(frame::back_to(&format!("/rules/{}", escaped(&id))))
}

/// `POST /rules/{rule}/try`.
pub async fn tried(asked: Asked) -> Result<Response, Problem> {
    let trial = try_form(&asked, &asked.form(), known(&asked, asked.param("rule")).await?.rule).await;
    detail(&asked, Some(trial)).await
}

/// Tries `rule` on what the form names.
async fn try_form(asked: &Asked, form: &Form, rule: Rule) -> Trial {
    let (call, record) = (form.text("call").to_owned(), form.text("record").to_owned());
    let (typed, named) = (call.clone(), record.clone());
    let work = move |engine: &placet_engine::Engine| {
        let wire = match (typed.is_empty(), named.parse::<u64>()) {
            (false, _) => trial::wire(&typed),
            (true, Ok(index)) => rules::call_of(engine, index)?,
            (true, Err(_)) => return Err(Problem::malformed("paste a call, or name a record by its number")),
        };
        rules::try_on(engine, vec![rule], &wire)
    };
    Trial { call, record, came: asked.server.off(work).await }
}

/// A rule and what is known of it.
struct Known {
    /// With its examples, if anybody knows how it is written.
    rule: Rule,
    written: Option<RuleText>,
    /// What it does; nothing if it is switched off.
    policy: Option<RulePolicy>,
}

async fn known(asked: &Asked, id: &str) -> Result<Known, Problem> {
    let written = rules::written(asked, id).await?;
    let snapshot = asked.server.engine.snapshot();
    let in_force = snapshot.configuration().rules.get(id);
    let rule = written.as_ref().and_then(whole).or_else(|| in_force.cloned()).ok_or_else(rules::none)?;
    Ok(Known { rule, policy: in_force.map(|rule| rule.policy), written })
}

async fn detail(asked: &Asked, trial: Option<Trial>) -> Result<Response, Problem> {
    let id = asked.param("rule").to_owned();
    let known = known(asked, &id).await?;
    let mut filter = Filter::of(asked);
    if filter.is_empty() {
        filter.pack = id.split('.').next().unwrap_or("").to_owned();
    }
    let all = entries(asked).await?;
    let days = all.iter().find(|(entry, _)| entry.id == id).map(|(_, days)| days.clone()).unwrap_or_default();
    let now = asked.server.engine.now();
    let failing: Vec<_> = known.rule.failures().into_iter().map(|failure| failure.mark).collect();
    let body = html! {
        (head(asked))
        div.cols.list {
            (beside(&filter, &all, Some(&id), "wide"))
            article.stack {
                (summary(asked, &known, &days))
                (matches(&days, now))
                (condition(asked, &known))
                (examples(&known.rule, &failing))
                (try_it(asked, &known.rule, trial.as_ref()))
                @if !known.rule.references.is_empty() {
                    section.panel aria-labelledby="references" {
                        header { h2 #references { "Where to read more" } }
                        ul.bullets { @for one in &known.rule.references { li { (plain(one)) } } }
                    }
                }
            }
        }
    };
    frame::page(asked, Place::Rules, &id, body).await
}

fn summary(asked: &Asked, known: &Known, days: &RuleDays) -> Markup {
    let Known { rule, written, policy } = known;
    let may = frame::may_run(asked) && asked.server.keeper.get().is_some() && written.is_some();
    let now = policy.map_or("off", RulePolicy::as_str);
    let choices = [
        ("log_only", "read", "log_only"),
        ("hold", "ask", "hold"),
        ("auto_block", "block", "auto_block"),
        ("off", "no", "off"),
    ];
    html! {
        section.panel {
            p.row.small.muted {
                code { (plain(&rule.id)) }
                (severity(rule.severity))
                @if let Some(written) = written {
                    span { @if written.own { "your own rule" } @else { (plain(&written.from)) } }
                }
                @if !may { (said_policy(*policy)) }
            }
            div.yes.gap-top { h2 { (plain(&rule.title)) } }
            p.gap-top { (plain(&rule.why)) }
            @if may {
                form.row.gap-top method="post" action={ "/rules/" (escaped(&rule.id)) "/policy" } {
                    (frame::csrf(asked))
                    fieldset.switch {
                        legend.sr { "Policy" }
                        @for (word, shape, name) in choices {
                            label { input type="radio" name="policy" value=(word) checked[word == now]; (icon(shape)) (name) }
                        }
                    }
                    button.btn { "Save policy" }
                }
                @if now != rule.policy.as_str() {
                    form.row.small.gap-top method="post" action={ "/rules/" (escaped(&rule.id)) "/policy" } {
                        (frame::csrf(asked))
                        span.muted { "The rule itself says " code { (rule.policy.as_str()) } "." }
                        button.link name="policy" value="default" { "Go by what it says" }
                    }
                }
            }
            @for line in would(*policy, days) { p.small.muted.gap-top { (ticked(&line)) } }
            @if let Some(approval) = &rule.approval {
                p.small.gap-top {
                    (icon("person")) " " (several(approval.approve.into(), "person", "people"))
                    @if let Some(who) = &approval.who { " of " b { (plain(who)) } }
                    " must agree."
                }
            }
        }
    }
}

/// What another policy would have done in thirty days.
fn would(policy: Option<RulePolicy>, days: &RuleDays) -> Vec<String> {
    let calls = |count: u64| several(count, "call", "calls");
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{} times", number(count)) };
    let total = days.total();
    match policy {
        Some(RulePolicy::Hold) => {
            let asked = days.approved + days.denied + days.expired;
            let stopped = match days.approved {
                0 => "As `auto_block` it would have stopped no call that a person approved in the last 30 days.".to_owned(),
                approved => format!(
                    "As `auto_block` it would have stopped {} that people approved in the last 30 days.",
                    calls(approved)
                ),
            };
            let spared = format!(
                "As `log_only` nobody would have been asked, where people were asked {}.",
                times(asked)
            );
            if asked == 0 { vec![stopped] } else { vec![stopped, spared] }
        }
        Some(RulePolicy::LogOnly) if total > 0 => vec![format!(
            "It matched {} in the last 30 days: as `hold` a person would have been asked about each, as `auto_block` none would have run.",
            calls(total)
        )],
        Some(RulePolicy::AutoBlock) if total > 0 => vec![format!(
            "It blocked {} in the last 30 days: as `hold` a person would have been asked about each.",
            calls(total)
        )],
        Some(RulePolicy::LogOnly | RulePolicy::AutoBlock) => {
            vec![
                "It matched nothing in the last 30 days, so another policy would have changed nothing."
                    .to_owned(),
            ]
        }
        None => vec!["Switched off: it is not asked, and nothing is counted.".to_owned()],
    }
}

/// A day: `17 Oct`.
fn day(at: Timestamp) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = at.to_string();
    let part = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<usize>().ok());
    match (part(8..10), part(5..7).and_then(|month| MONTHS.get(month.wrapping_sub(1)))) {
        (Some(day), Some(month)) => format!("{day} {month}"),
        _ => text,
    }
}

fn matches(days: &RuleDays, now: Timestamp) -> Markup {
    let (total, most) = (days.total(), days.matches.iter().copied().max().unwrap_or(0));
    let count = days.matches.len().max(1);
    let at = |at: usize| day(now.plus_ms(-DAY_MS * (count - 1 - at) as i64));
    html! {
        section.panel #matched data-live aria-labelledby="matches" {
            header {
                h2 #matches { (several(total, "match", "matches")) " in 30 days" }
                @if days.approved + days.denied + days.expired > 0 {
                    span.small.muted { (number(days.approved)) " approved, " (number(days.denied)) " denied, " (number(days.expired)) " expired" }
                }
            }
            svg.chart.days viewBox="0 0 300 61" preserveAspectRatio="none" role="img"
                aria-label={ "Matches per day over 30 days, at most " (most) " a day, " (total) " in all" } {
                path.axis d="M0 60.5h300" {}
                path.h d=(bars(&days.matches, 300.0, 60.0)) {}
            }
            p.ticks { span { (at(0)) } span { (at(count / 2)) } span { (at(count - 1)) } }
        }
    }
}

/// A sentence with what matters set apart.
fn in_words(rule: &Rule) -> Markup {
    html! {
        p {
            @for part in rule.sentence().parts() {
                @match part {
                    Part::Plain(words) => (plain(words)),
                    Part::Strong(words) => b { (plain(words)) },
                    Part::Code(words) => code { (plain(words)) },
                }
            }
        }
    }
}

fn condition(asked: &Asked, known: &Known) -> Markup {
    let own = known.written.as_ref().is_some_and(|written| written.own) && frame::may_run(asked);
    html! {
        section.panel aria-labelledby="cond" {
            header {
                h2 #cond { "Condition" }
                @if own { a.small href={ "/rules/" (escaped(&known.rule.id)) "/edit" } { "Edit" } }
            }
            (in_words(&known.rule))
            @if let Some(written) = &known.written {
                @let text = source::dedented(&written.text);
                (source::yaml(&source::condition(&text)))
                details.gap-top { summary { "All of its source" } (source::yaml(&text)) }
            }
        }
    }
}

fn examples(rule: &Rule, failing: &[placet_core::located::Mark]) -> Markup {
    html! {
        @if !rule.examples.is_empty() {
            section.panel aria-labelledby="examples" {
                header {
                    h2 #examples { "Examples" }
                    span.small.muted {
                        @if failing.is_empty() { "run just now, all " (rule.examples.len()) " hold" }
                        @else { "run just now, " (failing.len()) " of " (rule.examples.len()) " do not hold" }
                    }
                }
                table.table {
                    thead.sr { tr { th scope="col" { "It" } th scope="col" { "Example" } th scope="col" { "Just now" } } }
                    tbody {
                        @for example in &rule.examples {
                            @let (holds, wanted) = (!failing.contains(&example.mark), example.wanted == Wanted::Match);
                            tr {
                                td.nowrap { @if wanted { b { "must match" } } @else { span.muted { "must not" } } }
                                td { code { (example.line()) } }
                                td.num {
                                    @match (holds, wanted == holds) {
                                        (true, true) => (tag("ok", "yes", "matches")),
                                        (true, false) => (tag("ok", "yes", "does not")),
                                        (false, true) => (tag("blocked", "no", "matches")),
                                        (false, false) => (tag("blocked", "no", "does not")),
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn try_it(asked: &Asked, rule: &Rule, trial: Option<&Trial>) -> Markup {
    let (call, record) = trial.map_or(("", ""), |trial| (&*trial.call, &*trial.record));
    html! {
        section.panel #try aria-labelledby="tried" {
            header { h2 #tried { "Try it on a call" } span.small.muted { "nothing is recorded" } }
            form.stack method="post" action={ "/rules/" (escaped(&rule.id)) "/try#try" } {
                (frame::csrf(asked))
                (try_fields(call, record))
                div.row { button.btn { "Try" } }
            }
            @if let Some(trial) = trial { (came(rule, trial)) }
        }
    }
}

/// The fields that name what is tried.
fn try_fields(call: &str, record: &str) -> Markup {
    html! {
        label { "A command, or a tool call as JSON"
            textarea.mono name="call" rows="2" spellcheck="false" autocapitalize="off" { "\n" (plain(call)) } }
        label { "Or a past call, by the number of its record"
            input name="record" inputmode="numeric" pattern="[0-9]*" value=(plain(record)); }
    }
}

/// What came of a trial.
fn came(rule: &Rule, trial: &Trial) -> Markup {
    html! {
        div.gap-top role="status" {
            @match &trial.came {
                Err(problem) => p.blocked { (sentence(&plain(&problem.message))) },
                Ok(tried) if !tried.matched.is_empty() => {
                    p { (tag("held", "threat", "It matches")) }
                    p.small.muted {
                        "With it the call would be decided " (verdict(tried.verdict)) ", without it " (verdict(tried.without)) "."
                    }
                },
                Ok(tried) => {
                    p { (tag("muted", "no", "It does not match")) }
                    @for near in &tried.near { p.small { "Only this is missing: " (ticked(&plain(&near.missing))) "." } }
                    @if !matches!(rule.body, Body::When(_)) {
                        p.small.muted { "It looks at several events, and one call alone may not complete it; its examples show how." }
                    }
                },
            }
        }
    }
}
