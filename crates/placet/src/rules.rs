//! `placet rules`: detections that people write, read and trust.

mod draft;

mod trial;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::bail;
use placet_core::{
    Policy,
    located::nearest,
    printable,
    quorum::Threshold,
    rule::{
        Body, By, Example, ExampleFailure, Measure, Rule, RulePolicy, Selector, Severity, Wanted, schema,
    },
};
use serde::Serialize;

use crate::{
    cli::{RuleSources, Rules, RulesCommand},
    config,
    rulebook::{self, Source},
    style,
};

/// Runs the command.
pub fn run(arguments: &Rules) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        RulesCommand::Check { paths, json } => check(paths, *json, false),
        RulesCommand::Test { paths, json } => check(paths, *json, true),
        RulesCommand::List { rules, config, json } => list(rules, config.as_deref(), *json),
        RulesCommand::Show { id, rules, json } => show(id, rules, *json),
        RulesCommand::New { name } => draft::print(name),
        RulesCommand::Try { file, calls, json } => trial::run(file, calls.as_deref(), *json),
        RulesCommand::Schema => {
            let schema = serde_json::to_string_pretty(&schema())?;
            writeln!(anstream::stdout(), "{schema}")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// One rule whose examples were run.
#[derive(Serialize)]
struct Tested {
    id: String,
    file: String,
    examples: usize,
    failures: Vec<String>,
}

fn check(paths: &[PathBuf], json: bool, each: bool) -> anyhow::Result<ExitCode> {
    let sources = if paths.is_empty() { rulebook::builtin() } else { sources(paths)? };
    let mut output = anstream::stdout();
    let mut tested = Vec::new();
    let mut problems = Vec::new();
    let mut seen: Vec<(String, String)> = Vec::new();
    for source in &sources {
        let pack = match rulebook::read(source) {
            Ok(pack) => pack,
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        for rule in &pack.rules {
            if let Some((_, first)) = seen.iter().find(|(id, _)| *id == rule.id) {
                problems.push(at(
                    source,
                    rule.mark,
                    &format!("the id `{}` is taken by {first}; rename one", rule.id),
                ));
            }
            seen.push((rule.id.clone(), format!("{}:{}", source.name, rule.mark.line)));
            let failures: Vec<String> = rule.failures().iter().map(|failure| told(source, failure)).collect();
            problems.extend(failures.iter().cloned());
            tested.push(Tested {
                id: rule.id.clone(),
                file: source.name.clone(),
                examples: rule.examples.len(),
                failures,
            });
        }
    }
    let examples: usize = tested.iter().map(|rule| rule.examples).sum();
    if json {
        #[derive(Serialize)]
        struct Report<'a> {
            files: usize,
            rules: &'a [Tested],
            problems: &'a [String],
        }
        let report = Report { files: sources.len(), rules: &tested, problems: &problems };
        writeln!(output, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        if each {
            for rule in &tested {
                let (word, colour) = match rule.failures.is_empty() {
                    true => ("ok", style::GOOD),
                    false => ("fails", style::BAD),
                };
                writeln!(
                    output,
                    "  {colour}{word:<5}{colour:#}  {:<50} {} examples",
                    rule.id, rule.examples
                )?;
            }
        }
        for problem in &problems {
            writeln!(output, "{problem}\n")?;
        }
        let (rules, files) = (counted(tested.len(), "rule"), counted(sources.len(), "file"));
        let examples = counted(examples, "example");
        let verdict = match problems.len() {
            0 => "all is well".to_owned(),
            count => counted(count, "problem"),
        };
        writeln!(output, "{rules} with {examples} in {files}: {verdict}")?;
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in paths {
        sources.extend(rulebook::files(path)?);
    }
    Ok(sources)
}

fn at(source: &Source, mark: placet_core::located::Mark, message: &str) -> String {
    style::at_place(&source.name, &source.text, mark.line, Some(mark.column), message)
}

fn told(source: &Source, failure: &ExampleFailure) -> String {
    at(source, failure.mark, &format!("rule `{}`: {}", failure.rule, failure.message))
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A rule in a list.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    title: &'a str,
    severity: Severity,
    policy: RulePolicy,
}

fn list(rules: &RuleSources, config: Option<&Path>, json: bool) -> anyhow::Result<ExitCode> {
    let policy = config::load(config)?;
    let set = rulebook::load(&rules.own, Vec::new(), !rules.no_builtin_rules, &policy)?;
    let row = |rule: &'_ Rule| -> (String, String) { (rule.id.clone(), rule.title.clone()) };
    let mut output = anstream::stdout();
    if json {
        let rows: Vec<Row<'_>> = set
            .rules()
            .iter()
            .map(|rule| Row {
                id: &rule.id,
                title: &rule.title,
                severity: rule.severity,
                policy: rule.policy,
            })
            .collect();
        writeln!(output, "{}", serde_json::to_string_pretty(&rows)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = set.rules().iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in set.rules() {
        let colour = style::policy(rule.policy);
        let dim = style::DIM;
        let (id, title) = row(rule);
        writeln!(
            output,
            "  {id:<width$}  {colour}{:<10}{colour:#}  {dim}{:<8}{dim:#}  {title}",
            rule.policy, rule.severity
        )?;
    }
    writeln!(output, "\n{}; `placet rules show ID` for more", counted(set.rules().len(), "rule"))?;
    Ok(ExitCode::SUCCESS)
}

fn show(id: &str, rules: &RuleSources, json: bool) -> anyhow::Result<ExitCode> {
    let set = rulebook::load_whole(&rules.own, !rules.no_builtin_rules, &Policy::default())?;
    let Some(rule) = set.get(id) else {
        let known: Vec<&str> = set.rules().iter().map(|rule| rule.id.as_str()).collect();
        match nearest(id, &known) {
            Some(near) => bail!("there is no rule `{}`, did you mean `{near}`?", printable::shown(id, 80)),
            None => {
                bail!("there is no rule `{}`; `placet rules list` shows them all", printable::shown(id, 80))
            }
        }
    };
    let mut output = anstream::stdout();
    if json {
        writeln!(output, "{}", serde_json::to_string_pretty(&shown(rule))?)?;
    } else {
        output.write_all(page(rule).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A rule as data.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    title: &'a str,
    why: &'a str,
    severity: Severity,
    policy: RulePolicy,
    on: Vec<&'static str>,
    in_words: String,
    looks_for: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<&'a Threshold>,
    references: &'a [String],
    matches: Vec<String>,
    does_not_match: Vec<String>,
}

fn shown(rule: &Rule) -> Shown<'_> {
    let examples = |wanted: Wanted| {
        let fitting = rule.examples.iter().filter(move |example| example.wanted == wanted);
        fitting.map(Example::line).collect()
    };
    Shown {
        id: &rule.id,
        title: &rule.title,
        why: &rule.why,
        severity: rule.severity,
        policy: rule.policy,
        on: rule.kinds().iter().map(placet_core::EventKind::as_str).collect(),
        in_words: rule.sentence().to_string(),
        looks_for: looks_for(rule),
        approval: rule.approval.as_ref(),
        references: &rule.references,
        matches: examples(Wanted::Match),
        does_not_match: examples(Wanted::NoMatch),
    }
}

/// What a rule looks for, one line a part.
fn looks_for(rule: &Rule) -> Vec<String> {
    match &rule.body {
        Body::When(condition) => vec![condition.describe()],
        Body::Window(condition, window) => {
            let what = match &window.measure {
                Measure::Count(count) => format!("at least {count} times"),
                Measure::Distinct(Selector::Target, count) => {
                    format!("for at least {count} different targets")
                }
                Measure::Distinct(Selector::Field(field), count) => {
                    format!("for at least {count} different values of `{}`", field.name())
                }
                Measure::Sum(path, least) => {
                    format!("with `arg.{}` adding up to at least {}", path.join("."), least / 1_000_000)
                }
            };
            vec![
                condition.describe(),
                format!("{what} within {}{}", time(window.within_ms), whose(window.by)),
            ]
        }
        Body::Sequence(sequence) => {
            let step = |step: &placet_core::rule::Step| match &step.when {
                Some(when) => when.describe(),
                None => step.on.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or "),
            };
            let mut lines: Vec<String> = sequence
                .steps
                .iter()
                .enumerate()
                .map(|(number, one)| format!("{}. {}", number + 1, step(one)))
                .collect();
            lines.extend(
                sequence.without.as_ref().map(|without| format!("without {} in between", step(without))),
            );
            lines.push(format!("within {}{}", time(sequence.within_ms), whose(sequence.by)));
            lines
        }
    }
}

fn whose(by: By) -> String {
    match by {
        By::Everybody => ", whoever it is".to_owned(),
        by => format!(", by the same {}", by.as_str()),
    }
}

fn time(ms: i64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m")];
    match units.into_iter().find(|(unit, _)| ms % unit == 0) {
        Some((unit, name)) => format!("{}{name}", ms / unit),
        None => format!("{}s", ms / 1_000),
    }
}

/// How many people must agree, in words.
fn needs(threshold: &Threshold) -> String {
    let of = threshold.who.as_ref().map(|who| format!(" of {who}")).unwrap_or_default();
    let people = if threshold.approve == 1 { "person" } else { "people" };
    format!("{} {people}{of} to say yes; {} to say no", threshold.approve, threshold.deny)
}

fn page(rule: &Rule) -> String {
    use std::fmt::Write as _;
    let (bold, dim, colour) = (style::HEADING, style::DIM, style::policy(rule.policy));
    let shown = shown(rule);
    let mut page = String::new();
    let _ = writeln!(page, "\n  {bold}{}{bold:#}", rule.title);
    let _ = writeln!(page, "  {dim}{}{dim:#}  {colour}{}{colour:#}  {}", rule.id, rule.policy, rule.severity);
    let _ = writeln!(page, "\n  {}", rule.why);
    let mut section = |title: &str, lines: &[String]| {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(page, "\n  {bold}{title}{bold:#}");
        for line in lines {
            let _ = writeln!(page, "    {}", printable::shown(line, 1_000));
        }
    };
    section("Looks for", &[shown.in_words]);
    section("Needs", &rule.approval.iter().map(needs).collect::<Vec<_>>());
    section("Matches", &shown.matches);
    section("Does not match", &shown.does_not_match);
    section("More", &rule.references);
    page.push('\n');
    page
}
