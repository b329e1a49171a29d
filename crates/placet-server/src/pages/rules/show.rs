//! One rule: what it looks for, what it does, what it did, and what it says of a call.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::{
    Timestamp,
    rule::{Body, Part, Rule, RulePolicy, Wanted},
};
use placet_engine::RuleDays;

use super::{
    list::{Filter, beside, entries, head, whole},
    said_policy, source,
};
use crate::{
    ask::Asked,
    form::Form,
    keeper::RuleText,
    pages::{
        frame::{self, Place},
        part::{
            chart::bars,
            icon::{icon, tag, verdict},
            text::{escaped, number, plain, several, ticked},
        },
        refused::sentence,
        threats::severity,
        trial,
    },
    problem::Problem,
    rules::{self, Tried},
};

const DAY_MS: i64 = 86_400_000;

/// What was tried on a rule, and what came of it.
pub(super) struct Trial {
    pub call: String,
    pub record: String,
    pub came: Result<Tried, Problem>,
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
pub(super) async fn try_form(asked: &Asked, form: &Form, rule: Rule) -> Trial {
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
pub(super) fn in_words(rule: &Rule) -> Markup {
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

pub(super) fn examples(rule: &Rule, failing: &[placet_core::located::Mark]) -> Markup {
    html! {
        @if !rule.examples.is_empty() {
            section.panel aria-labelledby="examples" {
                header {
                    h2 #examples { "Examples" }
                    span.small.muted {
                        @if failing.is_empty() && rule.examples.len() == 1 { "run just now, and it holds" }
                        @else if failing.is_empty() { "run just now, all " (rule.examples.len()) " hold" }
                        @else { "run just now, " (failing.len()) " of " (rule.examples.len()) @if failing.len() == 1 { " does not hold" } @else { " do not hold" } }
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
pub(super) fn try_fields(call: &str, record: &str) -> Markup {
    html! {
        label { "A command, or a tool call as JSON"
            textarea.mono name="call" rows="2" spellcheck="false" autocapitalize="off" { "\n" (plain(call)) } }
        label { "Or a past call, by the number of its record"
            input name="record" inputmode="numeric" pattern="[0-9]*" value=(plain(record)); }
    }
}

/// What came of a trial.
pub(super) fn came(rule: &Rule, trial: &Trial) -> Markup {
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
