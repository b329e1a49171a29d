//! `placet explain`: a call for people.

use std::{fmt::Write as _, io::Write as _, process::ExitCode};

use placet_core::{
    Assessment, Decision, Effect, Json, Redactor, Source, Timestamp, ToolCall, Verdict,
    assess::{On, advice},
    effect::{Extent, Manner, Place, TargetKind, Undo, Verb, readable},
    explain_in,
    redact::Record,
    rule::{Hearing, Match, Memory, NearMatch, RuleSet},
};
use serde::Serialize;

use crate::{cli::Explain, config, rulebook, style};

/// A decision with what would change it.
#[derive(Serialize)]
struct Explained<'a> {
    #[serde(flatten)]
    decision: &'a Decision,
    advice: Vec<&'static str>,
    rules: &'a Asked,
}

/// Which rules had a say.
#[derive(Serialize)]
struct Asked {
    /// How many are in force.
    in_force: usize,
    /// Those that could concern the call, and were asked.
    considered: Vec<String>,
    /// Those that matched.
    matched: Vec<Match>,
    /// Those that would have matched but for one thing.
    near: Vec<NearMatch>,
}

impl Asked {
    fn of(hearing: Hearing, rules: &RuleSet) -> Self {
        Self {
            in_force: rules.rules().len(),
            considered: hearing.considered,
            matched: hearing.judged.matches,
            near: hearing.near,
        }
    }

    /// What is missing may quote the call.
    fn mask(&mut self, record: &mut Record<'_>) {
        for near in &mut self.near {
            near.missing = record.text(&near.missing).into_owned();
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Explain) -> anyhow::Result<ExitCode> {
    let policy = config::load(arguments.config.as_deref())?;
    let call = arguments.call.read()?;
    let rules = rulebook::load(&arguments.rules.own, Vec::new(), !arguments.rules.no_builtin_rules, &policy)?;
    // One call alone: windows and sequences have nothing to look back on.
    let nothing = Memory::new();
    let context = placet_core::Context {
        policy: &policy,
        rules: &rules,
        history: &nothing,
        now: Timestamp::MIN,
        authority: None,
    };
    let (decision, hearing) = explain_in(&call, &context);
    let mut asked = Asked::of(hearing, &rules);
    let advice = match decision.verdict {
        Verdict::Allow | Verdict::Hold => decision.assessment.as_ref().map(advice).unwrap_or_default(),
        Verdict::Block => vec!["no approval; the operator can give the rule another policy, in `[rules]`"],
    };
    // Decided on what the call says, shown without its secrets.
    let mut record = Redactor::builtin().record();
    let (shown, moves) = record.call(&call);
    let decision = record.decision_moved(&moves, decision);
    asked.mask(&mut record);
    let mut output = anstream::stdout();
    if arguments.json {
        serde_json::to_writer_pretty(&mut output, &Explained { decision: &decision, advice, rules: &asked })
            .map_err(std::io::Error::from)?;
        writeln!(output)?;
    } else {
        output.write_all(page(&shown, &decision, &advice, &asked).as_bytes())?;
    }
    Ok(match decision.verdict {
        Verdict::Allow => ExitCode::SUCCESS,
        Verdict::Hold if arguments.exit_code => ExitCode::from(4),
        Verdict::Block if arguments.exit_code => ExitCode::from(5),
        Verdict::Hold | Verdict::Block => ExitCode::SUCCESS,
    })
}

/// The whole answer as text.
fn page(call: &ToolCall, decision: &Decision, advice: &[&str], asked: &Asked) -> String {
    let mut page = String::from("\n");
    let Some(assessment) = &decision.assessment else {
        let _ = writeln!(page, "  BLOCK  {}\n", readable(&decision.reasons.join("; ")));
        return page;
    };
    head(&mut page, decision.verdict, assessment);
    let allowed = decision.verdict == Verdict::Allow;
    let heading = style::HEADING;
    if allowed {
        effects(&mut page, call, assessment, false);
    } else {
        let _ = writeln!(page, "\n  {heading}What would happen{heading:#}");
        effects(&mut page, call, assessment, true);
    }
    let said_by_operator = decision.findings.iter().any(|finding| finding.source == Source::Setting);
    let said_by_rules = !asked.matched.is_empty();
    // A harmless call is three lines; one that has some risk says what it is made of.
    if !allowed || said_by_operator || said_by_rules || assessment.risk_score.as_hundredths() >= 25 {
        let title = match decision.verdict {
            Verdict::Allow => "What the risk is made of",
            Verdict::Hold => "Why it asks",
            Verdict::Block => "Why it is blocked",
        };
        let _ = writeln!(page, "\n  {heading}{title}{heading:#}");
        reasons(&mut page, decision, assessment);
        rule_rows(&mut page, asked);
    }
    if !advice.is_empty() {
        let _ = writeln!(page, "\n  {heading}What would change it{heading:#}");
        for line in advice {
            let _ = writeln!(page, "    · {line}");
        }
    }
    page.push('\n');
    // Empty columns leave blanks at the ends of lines.
    page.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The factors of both scores, what the operator set, and which gate it stopped at.
fn reasons(page: &mut String, decision: &Decision, assessment: &Assessment) {
    let dim = style::DIM;
    let several = assessment.effects.len() > 1;
    let factors = |on: On| assessment.factors.iter().filter(move |factor| factor.on == on);
    for factor in factors(On::Risk) {
        let number = factor.effect.filter(|_| several).and_then(|index| row_number(assessment, index));
        let effect = number.map_or(String::new(), |number| dimmed(&format!("effect {number}")));
        let _ = writeln!(page, "    +{}  {:<66} {effect}", factor.weight, factor.words);
    }
    let sum: u32 = factors(On::Risk).map(|factor| factor.weight.as_hundredths()).sum();
    if sum > 100 {
        let _ = writeln!(page, "    {dim}=1.00  a risk is at most 1{dim:#}");
    }
    for factor in factors(On::Confidence) {
        let _ = writeln!(page, "    {dim}-{}  {} (confidence){dim:#}", factor.weight, factor.words);
    }
    let said = |finding: &&placet_core::Finding| {
        !matches!(finding.source, Source::Assessment | Source::Crisis) && !is_match(&finding.source)
    };
    for finding in decision.findings.iter().filter(said) {
        let _ = writeln!(page, "    {}", readable(&finding.reason));
    }
    if assessment.requires_human
        && let Some(gate) = assessment.reasons.last().filter(|_| assessment.reasons.len() > 1)
    {
        let _ = writeln!(page, "    {gate}");
    }
}

/// Whether a rule speaks; those have rows of their own.
fn is_match(source: &Source) -> bool {
    matches!(source, Source::Rule(_))
}

/// The rules that matched, and the first few that nearly did.
fn rule_rows(page: &mut String, asked: &Asked) {
    const NEAR_SHOWN: usize = 3;
    let dim = style::DIM;
    let width = asked.matched.iter().map(|matched| matched.rule.len()).max().unwrap_or(0);
    for matched in &asked.matched {
        let colour = style::policy(matched.policy);
        let _ = writeln!(
            page,
            "    rule   {:<width$}  {colour}{:<10}{colour:#}  {dim}{}{dim:#}",
            matched.rule, matched.policy, matched.title
        );
    }
    if asked.matched.is_empty() {
        return;
    }
    for near in asked.near.iter().take(NEAR_SHOWN) {
        let _ = writeln!(page, "    {dim}near   {}: missing {}{dim:#}", near.rule, readable(&near.missing));
    }
    if asked.near.len() > NEAR_SHOWN {
        let _ = writeln!(page, "    {dim}       and {} more{dim:#}", asked.near.len() - NEAR_SHOWN);
    }
}

fn head(page: &mut String, verdict: Verdict, assessment: &Assessment) {
    let word = style::word(verdict);
    let (colour, dim) = (style::verdict(verdict), style::DIM);
    let _ = writeln!(
        page,
        "  {colour}{word:<5}{colour:#}  {} {dim}·{dim:#} risk {} {dim}·{dim:#} confidence {}",
        assessment.side_effect_class.words(),
        assessment.risk_score,
        assessment.confidence
    );
}

/// More rows than this help nobody.
const ROWS_MAX: usize = 24;

fn effects(page: &mut String, call: &ToolCall, assessment: &Assessment, numbered: bool) {
    let dim = style::DIM;
    let mut rows: Vec<(usize, &Effect)> = worth_a_row(assessment).collect();
    let more = rows.len().saturating_sub(ROWS_MAX);
    rows.truncate(ROWS_MAX);
    let cells: Vec<[String; 4]> = rows
        .iter()
        .map(|(index, effect)| {
            let number = row_number(assessment, *index).filter(|_| numbered);
            let number = number.map_or(String::new(), |number| format!("{number:<3}"));
            let target = match (&effect.words, effect.verb) {
                (Some(words), Verb::Opaque) => words.to_string(),
                (_, _) => cut(&readable(&effect.target.name), 38),
            };
            [number, target, cut(&circumstances(effect), 52), cut(&source_words(call, effect), 60)]
        })
        .collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (target_width, circumstance_width) = (width(1), width(2));
    for ((_, effect), [number, target, circumstance, source]) in rows.iter().zip(&cells) {
        let _ = writeln!(
            page,
            "    {number}{:<11}{target:<target_width$}  {circumstance:<circumstance_width$}  {}",
            verb_words(effect.verb),
            dimmed(source),
        );
    }
    if more > 0 {
        let _ = writeln!(page, "    {dim}and {more} more{dim:#}");
    }
}

/// The effects that get a row. `cd`, `echo` and `test` only look at themselves: they have none beside others.
fn worth_a_row(assessment: &Assessment) -> impl Iterator<Item = (usize, &Effect)> {
    let worth = |effect: &Effect| !(effect.verb == Verb::Read && effect.target.kind == TargetKind::Command);
    let any = assessment.effects.iter().any(worth);
    assessment.effects.iter().enumerate().filter(move |(_, effect)| !any || worth(effect))
}

/// The number of the row that effect `index` has.
fn row_number(assessment: &Assessment, index: usize) -> Option<usize> {
    worth_a_row(assessment).position(|(row, _)| row == index).map(|position| position + 1)
}

fn dimmed(text: &str) -> String {
    let dim = style::DIM;
    if text.is_empty() { String::new() } else { format!("{dim}{text}{dim:#}") }
}

fn verb_words(verb: Verb) -> &'static str {
    match verb {
        Verb::Opaque => "unreadable",
        other => other.words(),
    }
}

/// What is special about an effect, in a few words.
fn circumstances(effect: &Effect) -> String {
    let mut words: Vec<String> = Vec::new();
    if let (Some(said), true) = (&effect.words, effect.verb != Verb::Opaque) {
        words.push(said.to_string());
    }
    if effect.target.place == Place::Away && effect.words.is_none() {
        words
            .push(if effect.verb == Verb::Read { "from outside" } else { "outside this machine" }.to_owned());
    }
    if effect.manner.has(Manner::ELEVATED) {
        words.push("as root".to_owned());
    }
    if effect.manner.has(Manner::REMOTE) {
        words.push("on another machine".to_owned());
    }
    if effect.manner.has(Manner::CARRIES_SECRET) {
        words.push("with a secret".to_owned());
    }
    if effect.extent == Extent::Unbounded && effect.verb != Verb::Read && effect.words.is_none() {
        words.push("everything".to_owned());
    }
    if effect.undo == Undo::Impossible && effect.words.is_none() {
        words.push("for good".to_owned());
    }
    words.join(", ")
}

/// The words of the call an effect was read from.
fn source_words(call: &ToolCall, effect: &Effect) -> String {
    let mut steps = effect.because.pointer.as_str().split('/').skip(1);
    let value = steps.try_fold(call.args(), |value, step| match value {
        Json::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(&step.replace("~1", "/").replace("~0", "~")),
    });
    match value.and_then(Json::as_str) {
        Some(text) => readable(effect.because.of(text).trim()),
        None => String::new(),
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width - 1).collect();
    cut.push('…');
    cut
}
