//! Grants and likeness: what an approval for more than one call covers.

use placet_core::{
    Context, Decision, Json, Policy, SealedWarrant, Timestamp, ToolCall, decide_in,
    grant::{self, Grant, Grants, Lift, NotGrantable, Wider},
    rule::{self, Memory, RuleSet},
    warrant::{Purpose, Revocations, SigningKey, Subject, Terms, TrustedKeys, Unused, WarrantId},
};
use proptest::{prelude::*, sample::select, test_runner::TestCaseResult};

/// Every call is held, so that it is always the grant that answers.
const HELD: &str = "id: t.held\ntitle: Every call\nseverity: low\npolicy: hold\nwhy: test\n\
    when: { agent: { exact: nightly } }\n\
    examples: { match: [{ tool: terminal, agent: nightly, args: { command: ls } }], no_match: [{ tool: x }] }\n";

fn now() -> Timestamp {
    Timestamp::parse("2026-03-02T12:00:00Z").expect("the time is one")
}

fn decided(call: &ToolCall) -> Decision {
    let rules = RuleSet::new(rule::read(HELD).expect("the rule is one").rules).expect("the rule is one");
    let (policy, history) = (Policy::default(), Memory::new());
    let context = Context { policy: &policy, rules: &rules, history: &history, now: now(), authority: None };
    decide_in(call, &context)
}

/// The call that a line of the table stands for.
fn call(line: &str) -> ToolCall {
    let (cwd, line) = match line.strip_prefix('[') {
        Some(rest) => rest.split_once("] ").expect("a directory ends with a bracket"),
        None => ("/srv/shop", line),
    };
    let (tool, args) = match line.strip_prefix('@') {
        Some(rest) => {
            let (tool, args) = rest.split_once(' ').expect("a tool has arguments");
            (tool, args.to_owned())
        }
        None => ("terminal", serde_json::json!({ "command": line }).to_string()),
    };
    let wire = format!(
        r#"{{"tool":"{tool}","args":{args},"agent":"nightly","session":"s1","host":"test","cwd":"{cwd}"}}"#
    );
    ToolCall::from_json(&Json::read(&wire).expect("the line is a call")).expect("the line is a call")
}

fn card(call: &ToolCall) -> Json {
    let decision = decided(call);
    let card = serde_json::json!({
        "call": {
            "tool": call.tool().as_str(), "args": call.args(), "agent": call.agent(),
            "session": call.session(), "cwd": call.cwd(), "host": call.host(),
        },
        "findings": decision.findings,
        "assessment": decision.assessment,
    });
    Json::read(card.to_string()).expect("a card is JSON")
}

/// What approving `call` for its session leaves behind.
fn granted(call: &ToolCall) -> Result<Grants, NotGrantable> {
    let key = SigningKey::from_seed([7; 32]);
    let terms = Terms {
        id: WarrantId::from_bytes([1; 16]),
        subject: Subject::Session { agent: call.agent().to_owned(), session: call.session().to_owned() },
        not_before: now(),
        expires: Wider::Session.expires(now()),
        purpose: Purpose::Act,
        max_depth: None,
        scope: grant::scope(&card(call), Wider::Session)?,
    };
    let sealed = SealedWarrant::mint(terms, &key).expect("a scope is minted");
    let warrant = sealed
        .open(&TrustedKeys::new([key.public()]), &Revocations::none(), now())
        .expect("what was minted opens");
    Ok(Grants::new(vec![Grant { warrant, by: "ann".to_owned() }]))
}

fn covers(grants: &Grants, later: &ToolCall) -> bool {
    Lift::find(&decided(later), later, (grants, &[]), &Unused, now()).is_some()
}

fn is_alike(one: &ToolCall, other: &ToolCall) -> bool {
    let shape = grant::shape(&card(one));
    shape.is_some() && shape == grant::shape(&card(other))
}

#[test]
fn a_grant_covers_what_is_the_same_where_it_matters() {
    let mut held: Option<(&str, Grants)> = None;
    let (mut pairs, mut wrong) = (0, Vec::new());
    for line in include_str!("grant/pairs.list").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some(row) = line.strip_prefix("  ") else {
            let grants = granted(&call(line)).unwrap_or_else(|error| panic!("{line}: {error}"));
            held = Some((line, grants));
            continue;
        };
        let (expected, later) = row.split_once(' ').unwrap();
        let (first, grants) = held.as_ref().unwrap();
        pairs += 1;
        let covered = covers(grants, &call(later));
        if covered != (expected == "yes") {
            wrong.push(format!("{first}\n  covers {later}: {covered}"));
        }
        // What one answer for several answers is what a grant would, and nothing else.
        let alike = is_alike(&call(first), &call(later));
        if alike != (expected == "yes") {
            wrong.push(format!("{first}\n  is like {later}: {alike}"));
        }
    }
    assert!(pairs > 50, "{pairs} pairs");
    assert!(wrong.is_empty(), "of {pairs} pairs:\n{}", wrong.join("\n"));
}

#[test]
fn what_a_grant_permits_is_said_in_words() {
    let says =
        |line: &str| grant::sentences(&grant::scope(&card(&call(line)), Wider::Session).unwrap())[0].clone();
    assert_eq!(
        says("kubectl --context test delete pod web-1"),
        "calls of terminal, where `command` is `kubectl --context test delete pod web-1`; \
         made where `cwd` is `/srv/shop`, `host` is `test`"
    );
    assert_eq!(
        says("git commit -m \"one\""),
        "calls of terminal, where `command` is like `git commit -m *`; made where `cwd` is `/srv/shop`, `host` is `test`"
    );
    assert_eq!(
        says("@write_file {\"path\":\"/srv/shop/a.txt\",\"content\":\"x\"}"),
        "calls of write_file, where `path` is `/srv/shop/a.txt`; made where `cwd` is `/srv/shop`, `host` is `test`"
    );
}

#[test]
fn what_stands_for_anything_stands_for_itself_where_it_was_written() {
    // The literal letters that stand for text in what is kept of a call are no way to be approved for all texts.
    let grants = granted(&call("git commit -m *")).unwrap();
    assert!(!covers(&grants, &call("git commit -m other")));
    let grants = granted(&call("@terminal {\"command\":{\"like\":\"git commit -m *\"}}"));
    assert!(!grants.is_ok_and(|grants| covers(&grants, &call("git commit -m other"))));
}

/// Commands whose parts say what is done, where, and in which words.
fn command() -> impl Strategy<Value = (Vec<&'static str>, &'static str)> {
    let program = select(vec![
        "git push",
        "git push --force",
        "git commit",
        "git tag v1",
        "kubectl delete pod web",
        "kubectl get pods",
        "terraform apply",
        "aws s3 rm s3://a/b",
        "gh pr comment 1",
        "curl -X DELETE",
        "curl",
        "docker rm web",
        "psql",
        "rsync -a --delete /srv/a/ web:/srv/a/",
        "rm",
    ]);
    let places = vec![
        "",
        "origin",
        "upstream",
        "main",
        "feature/x",
        "--all",
        "--mirror",
        "--tags",
        "-C /srv/b",
        "--context prod",
        "-n billing",
        "--namespace=billing",
        "--cluster east",
        "--profile prod",
        "--region eu",
        "--project p",
        "-chdir=prod",
        "--repo acme/bank",
        "-R acme/bank",
        "-h db.prod",
        "-d bank",
        "--kubeconfig /srv/c",
        "-H tcp://p",
        "https://a.example/1",
        "https://b.example/1",
        "https://a.example/1?x=2",
        "/srv/shop/a",
        "/srv/shop/b",
        "--amend",
        "--no-verify",
        "-f",
        "--",
        "-x http://p.example",
        "-o out.txt",
        "-t",
        "--title",
    ];
    let before = vec![
        "",
        "",
        "",
        "AWS_PROFILE=prod ",
        "KUBECONFIG=/srv/c ",
        "DOCKER_HOST=tcp://p ",
        "GIT_DIR=/srv/g ",
    ];
    let text = select(vec![
        "",
        "-m one",
        "-m two",
        "-m 'three words'",
        "-m \"four\"",
        "--message=five",
        "-am six",
        "--body seven",
        "-b 'eight'",
        "--body=\"nine\"",
    ]);
    (select(before), program, proptest::collection::vec(select(places), 0..3), text).prop_map(
        |(before, program, places, text)| {
            let mut parts = vec![before.trim_end(), program];
            parts.extend(places);
            parts.retain(|part| !part.is_empty());
            (parts, text)
        },
    )
}

fn line((parts, text): &(Vec<&'static str>, &'static str)) -> String {
    [parts.join(" "), (*text).to_owned()].join(" ").trim_end().to_owned()
}

/// What a command says of where, with the text taken out: worked out from how the command was made, not from its words.
fn place_of((parts, text): &(Vec<&'static str>, &'static str)) -> (Vec<String>, String) {
    // Of an address that is only read, the page does not count.
    let plain_read = parts.first() == Some(&"curl");
    let place =
        |part: &&str| match part.strip_suffix("/1").filter(|_| plain_read && part.starts_with("https://")) {
            Some(site) => site.to_owned(),
            None => (*part).to_owned(),
        };
    let flag = text.split([' ', '=']).next().unwrap_or("").to_owned();
    (parts.iter().map(place).collect(), flag)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn what_a_grant_lets_through_is_done_in_the_same_place(one in command(), other in command(), same in any::<bool>()) {
        // Two at random seldom have anything in common.
        let other = if same { (one.0.clone(), other.1) } else { other };
        same_place(&one, &other)?;
    }
}

fn same_place(
    one: &(Vec<&'static str>, &'static str),
    other: &(Vec<&'static str>, &'static str),
) -> TestCaseResult {
    let (held, later) = (call(&line(one)), call(&line(other)));
    let grants = granted(&held);
    if let Ok(grants) = &grants {
        prop_assert!(covers(grants, &held), "{} does not cover itself", line(one));
    }
    let covered = grants.is_ok_and(|grants| covers(&grants, &later));
    if !(covered || is_alike(&held, &later)) {
        return Ok(());
    }
    prop_assert_eq!(place_of(one), place_of(other), "{} covers {}", line(one), line(other));
    let effects = |call: &ToolCall| {
        let effects = decided(call).assessment.expect("a call is assessed").effects;
        let mut effects: Vec<String> = effects
            .iter()
            .map(|effect| format!("{:?} {:?} {:?}", effect.verb, effect.target.kind, effect.target.place))
            .collect();
        effects.sort();
        effects.dedup();
        effects
    };
    let before = effects(&held);
    for effect in effects(&later) {
        prop_assert!(before.contains(&effect), "{} covers {}, which {effect}", line(one), line(other));
    }
    Ok(())
}
