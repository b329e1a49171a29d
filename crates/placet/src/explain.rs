//! `placet explain`: a call for people.

use std::{fmt::Write as _, io::Write as _, process::ExitCode};

use placet_core::{
    Assessment, Effect, Redactor, Timestamp, ToolCall, Verdict,
    assess::On,
    effect::{Verb, readable},
    explanation::{Asked, Explanation, Fact, Row},
    rule::Memory,
};

use crate::{cli::Explain, config, rulebook, style};

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
    let explanation = Explanation::of(&call, &context, Redactor::builtin());
    let mut output = anstream::stdout();
    if arguments.json {
        serde_json::to_writer_pretty(&mut output, &explanation).map_err(std::io::Error::from)?;
        writeln!(output)?;
    } else {
        output.write_all(page(&explanation).as_bytes())?;
    }
    Ok(match explanation.decision.verdict {
        Verdict::Allow => ExitCode::SUCCESS,
        Verdict::Hold if arguments.exit_code => ExitCode::from(4),
        Verdict::Block if arguments.exit_code => ExitCode::from(5),
        Verdict::Hold | Verdict::Block => ExitCode::SUCCESS,
    })
}

/// The whole answer as text.
fn page(explanation: &Explanation) -> String {
    let Explanation { decision, advice, rules, call } = explanation;
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
    // A harmless call is three lines; one that has some risk says what it is made of.
    if explanation.has_reasons() {
        let title = explanation.title();
        let _ = writeln!(page, "\n  {heading}{title}{heading:#}");
        reasons(&mut page, explanation, assessment);
        rule_rows(&mut page, rules);
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
fn reasons(page: &mut String, explanation: &Explanation, assessment: &Assessment) {
    let dim = style::DIM;
    let several = assessment.effects.len() > 1;
    let factors = |on: On| assessment.factors.iter().filter(move |factor| factor.on == on);
    for factor in factors(On::Risk) {
        let number = factor.effect.filter(|_| several).and_then(|index| assessment.row_number(index));
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
    for finding in explanation.said() {
        let _ = writeln!(page, "    {}", readable(&finding.reason));
    }
    if let Some(gate) = explanation.gate() {
        let _ = writeln!(page, "    {gate}");
    }
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
    let mut rows: Vec<Row<'_>> = assessment.rows().collect();
    let more = rows.len().saturating_sub(ROWS_MAX);
    rows.truncate(ROWS_MAX);
    let cells: Vec<[String; 4]> = rows
        .iter()
        .map(|Row { number, effect, .. }| {
            let number = if numbered { format!("{number:<3}") } else { String::new() };
            let target = match (&effect.words, effect.verb) {
                (Some(words), Verb::Opaque) => words.to_string(),
                (_, _) => cut(&readable(&effect.target.name), 38),
            };
            let source = effect.source_words(call.args());
            [number, target, cut(&circumstances(effect), 52), cut(&source, 60)]
        })
        .collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (target_width, circumstance_width) = (width(1), width(2));
    for (Row { effect, .. }, [number, target, circumstance, source]) in rows.iter().zip(&cells) {
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
    let said = effect.words.is_some();
    words.extend(effect.facts().into_iter().filter_map(|fact| match fact {
        // The interpreter's own words say those already.
        Fact::Outside | Fact::Everything | Fact::ForGood if said => None,
        Fact::Outside if effect.verb == Verb::Read => Some("from outside".to_owned()),
        Fact::Elevated => Some("as root".to_owned()),
        Fact::Everything => Some("everything".to_owned()),
        Fact::ForGood => Some("for good".to_owned()),
        Fact::Outside | Fact::Elsewhere | Fact::WithSecret => Some(fact.words().to_owned()),
    }));
    words.join(", ")
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width - 1).collect();
    cut.push('…');
    cut
}
