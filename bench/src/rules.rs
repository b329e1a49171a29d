//! Rules of every sort, as many as are asked for.

use placet_core::{
    Context, Decision, Policy, Timestamp, ToolCall,
    rule::{Memory, RuleSet, read},
};

/// The text of `count` rules from number `from` on: by tool, by text, by argument, by effect, windows and sequences in turn.
pub fn rules_text(from: usize, count: usize) -> String {
    const SORTS: [fn(usize) -> String; 10] = [
        |n| format!("when: {{tool: team_tool_{n}}}"),
        |n| format!("when: {{tool: [team_tool_{n}, other_tool_{n}], arg.env: production}}"),
        |n| format!("when: {{text: {{regex: '(?i)project-{n}[a-z]+ (key|token)'}}}}"),
        |n| format!("when: {{text: {{contains: 'do not touch {n}'}}, effect: {{verb: [write, delete]}}}}"),
        |n| format!("when: {{arg.command: {{regex: 'deploy-{n}\\.sh'}}}}"),
        |n| {
            format!(
                "when: {{effect: {{verb: [write, delete], target: {{kind: path, name: {{glob: '**/vault-{n}/**'}}}}}}}}"
            )
        },
        |n| {
            format!(
                "when: {{effect: {{verb: send, target: {{external: true, name: {{contains: 'host-{n}.example'}}}}}}}}"
            )
        },
        |n| {
            format!(
                "when: {{effect: {{verb: delete, target: {{name: {{under: /srv/team-{n}}}}}}}}}\nwindow: {{count: {}, within: 10m, by: session}}",
                5 + n % 50
            )
        },
        |n| {
            format!(
                "when: {{tool: pay_{n}}}\nwindow: {{sum: {{of: arg.amount, least: {}}}, within: 24h, by: agent}}",
                100 + n
            )
        },
        |n| {
            format!(
                "sequence:\n  within: 10m\n  steps:\n    - effect: {{verb: read, target: {{name: {{glob: '**/records-{n}/**'}}}}}}\n    - effect: {{verb: send, target: {{external: true}}, manner: carries_secret}}"
            )
        },
    ];
    (from..from + count)
        .map(|number| {
            let body = SORTS[number % SORTS.len()](number);
            let rule = format!(
                "id: bench.r{number}\ntitle: Rule {number}\nwhy: It is measured.\nseverity: low\npolicy: hold\n{body}\nexamples: {{match: [ls], no_match: [pwd]}}"
            );
            format!("- {}\n", rule.replace('\n', "\n  "))
        })
        .collect()
}

/// So many rules, ready to be asked: read from files of five hundred.
pub fn rule_set(count: usize) -> RuleSet {
    let rules = (0..count).step_by(500).flat_map(|from| {
        let text = rules_text(from, 500.min(count - from));
        read(&text).expect("rules of ours").rules
    });
    let set = RuleSet::new(rules.collect()).expect("they have names of their own");
    set.prepare();
    set
}

/// Decides under the default policy and `rules`, with nothing before.
pub fn decided_with(call: &ToolCall, rules: &RuleSet, memory: &Memory) -> Decision {
    let policy = Policy::default();
    let context = Context { policy: &policy, rules, history: memory, now: Timestamp::MIN, authority: None };
    placet_core::decide_in(call, &context)
}
