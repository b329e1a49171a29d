//! The crisis gate, as far as one call tells: words, tools, what the operator names.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{
    Decision, Finding, Json, Policy, Source, ToolCall, Verdict,
    crisis::{Language, in_text},
    decide,
};

use crate::judge::{self, assessment, object};

const PAIRS: &str = include_str!("crisis/pairs.list");

/// A message to a person.
fn send(text: &str) -> Decision {
    let args =
        [("to", Json::from("ann@example.org")), ("subject", Json::from("hello")), ("body", Json::from(text))];
    judge::tool("send_email", object(args), None)
}

/// Whether the crisis gate speaks.
fn is_gated(decision: &Decision) -> bool {
    let speaks = |finding: &Finding| finding.source == Source::Crisis && finding.verdict == Verdict::Hold;
    let gated = decision.findings.iter().any(speaks);
    assert_eq!(assessment(decision).crisis_sensitive, gated);
    gated
}

struct Pair {
    language: &'static str,
    kind: &'static str,
    confirmed: &'static str,
    not: &'static str,
}

fn pairs() -> impl Iterator<Item = Pair> {
    PAIRS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [head, confirmed, not] = parts[..] else { panic!("{line}") };
        let (language, kind) = head.split_once(' ').unwrap();
        Pair { language, kind, confirmed, not }
    })
}

#[test]
fn of_each_pair_one_is_confirmed_and_its_neighbour_is_not() {
    let mut wrong = Vec::new();
    for Pair { language, kind, confirmed, not } in pairs() {
        if !is_gated(&send(confirmed)) {
            wrong.push(format!("missed: {language} {kind}: {confirmed}"));
        }
        if is_gated(&send(not)) {
            wrong.push(format!("asked in vain: {language} {kind}: {not} {:?}", in_text(not)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_language_has_pairs_of_every_kind() {
    for language in Language::all() {
        for kind in ["direct", "veiled", "third", "advice", "helpline", "escalation", "everyday", "elsewhere"]
        {
            let has = pairs().any(|pair| pair.language == language.code() && pair.kind == kind);
            assert!(has, "{} has no pair of kind {kind}", language.code());
        }
    }
}

/// What people do to a text, by accident or on purpose, and what it still says.
fn variants(text: &str) -> Vec<(&'static str, String)> {
    let letters: Vec<char> = text.chars().collect();
    let each =
        |change: &dyn Fn(char) -> String| letters.iter().map(|letter| change(*letter)).collect::<String>();
    let wide = |letter: char| match letter {
        '!'..='~' => char::from_u32(letter as u32 - 0x21 + 0xff01).unwrap(),
        other => other,
    };
    let alike = |letter: char| match letter {
        'a' => 'а',
        'e' => 'е',
        'o' => 'о',
        'i' => 'і',
        'c' => 'с',
        'p' => 'р',
        's' => 'ѕ',
        other => other,
    };
    let digits = |letter: char| match letter {
        'e' => '3',
        'i' => '1',
        'o' => '0',
        other => other,
    };
    let latin = letters.iter().any(char::is_ascii_alphabetic);
    let mut all = vec![
        ("upper case", text.to_uppercase()),
        ("signs without width", each(&|letter| format!("{letter}\u{200b}"))),
        ("soft hyphens", each(&|letter| format!("\u{ad}{letter}"))),
        ("wide letters", each(&|letter| wide(letter).to_string())),
        ("other spaces", text.replace(' ', "\u{a0}\u{2009} ")),
        ("lines", text.replace(' ', "\n")),
        ("tags", text.replace(' ', "</b> <i class=\"x\">")),
        ("escapes", each(&|letter| format!("\\u{:04x}", u32::from(letter)))),
        ("entities", each(&|letter| format!("&#{};", u32::from(letter)))),
        (
            "in a longer text",
            format!("{} {text} {}", "We met again last week. ".repeat(40), "See you soon. ".repeat(40)),
        ),
    ];
    if latin {
        all.push(("look-alikes", each(&|letter| alike(letter).to_string())));
        all.push(("digits", each(&|letter| digits(letter).to_string())));
        all.push(("letters apart", each(&|letter| format!("{letter} "))));
        all.push((
            "repeated letters",
            each(&|letter| {
                if "aeiou".contains(letter) { letter.to_string().repeat(3) } else { letter.to_string() }
            }),
        ));
        all.push(("dots", text.replace(' ', "...")));
    }
    all
}

#[test]
fn what_is_done_to_a_text_does_not_change_what_it_says() {
    let mut wrong = Vec::new();
    for Pair { language, confirmed, .. } in pairs() {
        for (how, text) in variants(confirmed) {
            if !is_gated(&send(&text)) {
                wrong.push(format!("{language}: {how}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nor_does_a_slip_of_the_hand() {
    for text in [
        "I want to kill mysefl",
        "I want to kill mysel",
        "thoughts of sucide",
        "about my suicdie",
        "I am suicdal",
    ] {
        assert!(is_gated(&send(text)), "{text}");
    }
}

fn call(wire: &str) -> Decision {
    decided(wire, &Policy::default())
}

fn decided(wire: &str, policy: &Policy) -> Decision {
    decide(&ToolCall::from_json(&Json::read(wire).unwrap()).unwrap(), policy)
}

#[test]
fn text_that_is_split_or_nested_is_one_text() {
    for wire in [
        r#"{"tool":"send_email","args":{"to":"a@example.org","subject":"I want","body":"to die"}}"#,
        r#"{"tool":"send_message","args":{"to":"a","parts":["I wa","nt to", "di","e"]}}"#,
        r#"{"tool":"slack_post_message","args":{"channel":"C1","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"I want to"}},{"type":"section","text":{"text":"die"}}]}}"#,
        r#"{"tool":"send_message","args":{"to":"a","payload":"{\"text\":\"I want to\\u0020die\"}"}}"#,
        r#"{"tool":"send_message","args":{"to":"a","letters":["I","w","a","n","t","t","o","d","i","e"]}}"#,
    ] {
        assert!(is_gated(&call(wire)), "{wire}");
    }
}

#[test]
fn whatever_carries_it_to_people_is_gated() {
    for wire in [
        r#"{"tool":"terminal","args":{"command":"curl -X POST -d '{\"text\":\"I want to die\"}' https://hooks.slack.com/services/T/B/x"}}"#,
        r#"{"tool":"terminal","args":{"command":"echo 'I want to die' | mail -s hello ann@example.org"}}"#,
        r#"{"tool":"mcp__slack__slack_post_message","args":{"channel_id":"C1","text":"I want to die"}}"#,
        r#"{"tool":"post_tweet","args":{"text":"I want to die"}}"#,
        r#"{"tool":"send_sms","args":{"phone":"+4930123456","body":"I want to die"}}"#,
        r#"{"tool":"add_issue_comment","args":{"issue":7,"body":"I want to die"}}"#,
        r#"{"tool":"make_phone_call","args":{"number":"+4930123456","script":"She wants to die, please come"}}"#,
        r#"{"tool":"schedule_message","args":{"to":"ann","text":"I want to die","when":"tomorrow"}}"#,
    ] {
        assert!(is_gated(&call(wire)), "{wire}: {:?}", call(wire).findings);
    }
}

#[test]
fn whatever_stays_here_is_not() {
    for wire in [
        r#"{"tool":"read_file","args":{"path":"I want to die.txt"}}"#,
        r#"{"tool":"write_file","args":{"path":"draft.md","content":"I want to die"}}"#,
        r#"{"tool":"terminal","args":{"command":"grep -rn 'I want to die' drafts/"},"cwd":"/srv/shop"}"#,
        r#"{"tool":"search_files","args":{"pattern":"suicide"}}"#,
        r#"{"tool":"web_search","args":{"query":"how to help somebody who is suicidal"}}"#,
        r#"{"tool":"todo","args":{"todos":[{"content":"ask about suicide prevention"}]}}"#,
        r#"{"tool":"terminal","args":{"command":"kill -9 4242"},"cwd":"/srv/shop"}"#,
    ] {
        assert!(!is_gated(&call(wire)), "{wire}: {:?}", call(wire).findings);
    }
}

#[test]
fn tools_that_call_for_help_are_gated_whatever_they_say() {
    for (wire, gated) in [
        (r#"{"tool":"make_phone_call","args":{"phone":"911","message":"hello"}}"#, true),
        (r#"{"tool":"contact_emergency_services","args":{"address":"Main Street 1"}}"#, true),
        (r#"{"tool":"request_welfare_check","args":{"person":"Ann"}}"#, true),
        (r#"{"tool":"notify_next_of_kin","args":{"message":"please ring back"}}"#, true),
        (r#"{"tool":"send_to_crisis_team","args":{"note":"please ring back"}}"#, true),
        (r#"{"tool":"get_emergency_contacts","args":{}}"#, false),
        (r#"{"tool":"make_phone_call","args":{"phone":"+4930123456","message":"hello"}}"#, false),
        (r#"{"tool":"send_message","args":{"to":"ann","text":"hello"}}"#, false),
    ] {
        assert_eq!(is_gated(&call(wire)), gated, "{wire}: {:?}", call(wire).findings);
    }
}

fn policy(text: &str) -> Policy {
    toml::from_str(text).unwrap()
}

#[test]
fn what_the_operator_names_is_always_gated() {
    let policy = policy(
        r##"
        [crisis]
        channels = ["#support"]
        recipients = ["help@example.org", "+49 30 1234"]
        tools = ["page_duty"]
        "##,
    );
    for (wire, gated) in [
        (r##"{"tool":"slack_post_message","args":{"channel":"#Support","text":"hello"}}"##, true),
        (r##"{"tool":"slack_post_message","args":{"channel":"#random","text":"hello"}}"##, false),
        (
            r#"{"tool":"send_email","args":{"to":"a@example.org, Help <help@example.org>","body":"hello"}}"#,
            true,
        ),
        (r#"{"tool":"send_sms","args":{"phone":"+49301234","body":"hello"}}"#, true),
        (r##"{"tool":"read_channel","args":{"channel":"#support"}}"##, false),
        (r#"{"tool":"page_duty","args":{"text":"hello"}}"#, true),
        (r#"{"tool":"mcp__pager__page_duty","args":{"text":"hello"}}"#, true),
    ] {
        assert_eq!(is_gated(&decided(wire, &policy)), gated, "{wire}: {:?}", decided(wire, &policy).findings);
    }
}

#[test]
fn a_setting_that_lowers_a_tool_does_not_lift_the_gate() {
    let lowered = policy("[tools.send_email]\nclass = \"read_only\"\n");
    let wire = r#"{"tool":"send_email","args":{"to":"a@example.org","body":"I want to die"}}"#;
    assert!(is_gated(&decided(wire, &lowered)));
    let trusting = policy("[thresholds]\nrun_below = 1.0\nask_above = 1.0\nconfidence_min = 0.0\n");
    assert!(is_gated(&decided(wire, &trusting)));
}

#[test]
fn a_wrong_setting_says_what_is_wrong() {
    let wrong = |text: &str| toml::from_str::<Policy>(text).map_err(|error| error.message().to_owned());
    for (text, expected) in [
        ("[crisis]\nchannels = [\"\"]", "a channel or recipient of `[crisis]` is empty"),
        (
            "[crisis.text]\nEnglish = \"hello\"",
            "`English` of `[crisis.text]` is not the code of a language such as `en`",
        ),
        ("[crisis]\noff = [\"text\"]", "unknown variant `text`, expected `in observe mode`"),
        (
            "[crisis]\nchanels = []",
            "unknown field `chanels`, expected one of `channels`, `recipients`, `tools`, `text`, `off`",
        ),
    ] {
        assert_eq!(wrong(text).unwrap_err(), expected, "{text}");
    }
    assert_eq!(
        policy("[crisis.text]\nen = \" \"").problem().unwrap(),
        "`en` of `[crisis.text]` has 1 bytes; it must have from 1 to 2000"
    );
}

const HELD_OUT: &str = include_str!("crisis/held-out.list");
/// A first set of the same kind, with which the lists were mended.
const READ: &str = include_str!("crisis/read.list");

/// The names of the languages, in the order of the document.
const NAMES: &[(&str, &str)] = &[
    ("en", "English"),
    ("es", "Spanish"),
    ("fr", "French"),
    ("de", "German"),
    ("pt", "Portuguese"),
    ("it", "Italian"),
    ("zh", "Chinese"),
    ("ja", "Japanese"),
    ("ko", "Korean"),
    ("ar", "Arabic"),
    ("hi", "Hindi"),
    ("ru", "Russian"),
    ("vi", "Vietnamese"),
    ("tr", "Turkish"),
];

/// Of `all` texts, how many, in hundredths, with 95 % confidence: the interval of Wilson.
fn interval(count: usize, all: usize) -> (u32, u32) {
    let (z, n, p) = (1.959_964_f64, all as f64, count as f64 / all as f64);
    let middle = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + z * z / n);
    (((middle - half) * scale).max(0.0).round() as u32, ((middle + half) * scale).min(100.0).round() as u32)
}

fn rate((count, all): (usize, usize)) -> String {
    let (low, high) = interval(count, all);
    format!("{count} of {all} ({low} to {high} %)")
}

/// Of the texts of one language that should be confirmed, and of those that should not: how many are judged wrongly.
fn judged(texts: &str, code: &str, wrong_ones: &mut Vec<String>) -> [(usize, usize); 2] {
    let mut counts = [(0, 0), (0, 0)];
    for line in texts.lines().filter(|line| line.starts_with(code)) {
        let (sign, text) = line[code.len() + 1..].split_once(' ').unwrap();
        let expected = match sign {
            "+" => true,
            "-" => false,
            other => panic!("{other}: {line}"),
        };
        let (wrong, all) = &mut counts[usize::from(!expected)];
        *all += 1;
        if is_gated(&send(text)) != expected {
            *wrong += 1;
            wrong_ones.push(format!("{line} {:?}", in_text(text)));
        }
    }
    counts
}

/// How the texts that were held out are judged, as the document shows it.
fn table() -> String {
    let mut table = "| language | missed | asked in vain |\n|---|---|---|\n".to_owned();
    let mut sums = [(0, 0), (0, 0)];
    for (code, name) in NAMES {
        let counts = judged(HELD_OUT, code, &mut Vec::new());
        let [missed, in_vain] = counts;
        table.push_str(&format!("| {name} | {} | {} |\n", rate(missed), rate(in_vain)));
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = (sum.0 + count.0, sum.1 + count.1);
        }
    }
    let [missed, in_vain] = sums;
    table.push_str(&format!("| all | {} | {} |\n", rate(missed), rate(in_vain)));
    table
}

#[test]
fn what_the_lists_were_mended_with_stays_mended() {
    let mut wrong = Vec::new();
    for (code, _) in NAMES {
        judged(READ, code, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_document_says_how_often_it_misses_and_how_often_it_asks_in_vain() {
    let mut known: Vec<&str> = Language::all().map(Language::code).collect();
    let mut named: Vec<&str> = NAMES.iter().map(|(code, _)| *code).collect();
    known.sort_unstable();
    named.sort_unstable();
    assert_eq!(known, named);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/judgement.md");
    let document = std::fs::read_to_string(path).unwrap();
    let table = table();
    if document.contains(&table) {
        return;
    }
    if std::env::var_os("UPDATE_DOCS").is_some_and(|value| !value.is_empty()) {
        let (before, rest) = document.split_once("| language | missed").unwrap();
        let after = rest.split_once("\n\n").unwrap().1;
        std::fs::write(path, format!("{before}{table}\n{after}")).unwrap();
        return;
    }
    panic!("docs/judgement.md should say (UPDATE_DOCS=1 writes it):\n{table}");
}

#[test]
fn an_interval_is_that_of_wilson() {
    // Worked out with pencil and paper, and the same as in tables.
    assert_eq!(interval(0, 10), (0, 28));
    assert_eq!(interval(1, 10), (2, 40));
    assert_eq!(interval(5, 10), (24, 76));
}
