//! What an agent says is shown as text, whatever it says.

use serde_json::{Map, Value, json};

use crate::{place::Place, tab::Tab, tour::every_page};

/// Texts that do something where they are taken for markup, an address, a style or a template.
const PAYLOADS: [&str; 6] = [
    "<img src=x onerror=hacked=1>",
    "\"><script>hacked=1</script>",
    "' autofocus onfocus=hacked=1 x='",
    "</title></textarea></script><svg onload=hacked=1>",
    "javascript:hacked=1//${hacked=1}{{hacked=1}}",
    "</pre><iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
];

/// A call that has `payload` in every field that an agent controls.
fn call(payload: &str, tool: &str, id: u32) -> Value {
    let field = |name: &str| format!("{name} {payload}");
    let args = Map::from_iter([
        (field("key"), json!(field("value"))),
        ("nested".to_owned(), json!({ field("inner"): [field("element"), { "deep": field("deep") }] })),
        ("command".to_owned(), json!(format!("git push --force origin '{payload}'"))),
        ("path".to_owned(), json!(field("/etc/"))),
    ]);
    json!({
        "tool": tool, "args": args, "agent": field("agent"), "session": field("session"), "host": field("host"), "user": field("user"),
        "reason": field("reason"), "cwd": field("/srv"), "deployment": field("deployment"), "id": format!("x{id} {payload}"),
        "parent_session": field("parent"),
    })
}

/// Whether anything of it came alive.
fn is_text(tab: &Tab, path: &str) {
    let script = r#"
        const ours = new Set(['SCRIPT', 'LINK', 'META', 'TITLE', 'HEAD', 'HTML']);
        const alive = [...document.querySelectorAll('*')].filter((e) =>
          (e.tagName === 'SCRIPT' && !new URL(e.src || 'x:').pathname.startsWith('/assets/')) || ['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'BASE'].includes(e.tagName)
          || [...e.attributes].some((a) => a.name.startsWith('on') || a.name === 'srcdoc' || a.name === 'style'
               || (/^(href|src|action|formaction)$/.test(a.name) && /^\s*(javascript|data|vbscript):/i.test(a.value))));
        return [...(typeof hacked === 'undefined' ? [] : ['it ran']), ...alive.map((e) => e.outerHTML.slice(0, 120))];
    "#;
    let alive = tab.ask(script, json!([]));
    assert!(alive.as_array().is_some_and(Vec::is_empty), "{path}: {alive}");
}

#[test]
fn whatever_an_agent_says_is_shown_as_text_on_every_page() {
    let place = Place::new();
    for (at, payload) in (0..).zip(PAYLOADS) {
        // No markup is the name of a tool.
        let refused = place.call(&call(payload, payload, at));
        assert!(refused["reason"].to_string().contains("is not a tool name"), "{refused}");
        for (kind, tool) in (0..).zip(["terminal", "mcp__x:y/z.script"]) {
            let call = call(payload, tool, at * 10 + kind);
            let answer = place.call(&call);
            assert!(answer["ticket"].is_string(), "it is held, and so on the pages: {answer}");
            let mut other = call.clone();
            other["args"]["command"] = json!(format!("ls '{payload}'"));
            other["id"] = json!(format!("l{at}{kind} {payload}"));
            place.call(&other);
        }
        let session = format!("session {payload}");
        place.report(&[
            json!({ "event": "user_input", "session": session, "agent": format!("agent {payload}"), "text": payload }),
            json!({ "event": "subagent_start", "session": payload, "parent_session": session, "agent": payload }),
        ]);
    }
    let tab = place.operator();
    every_page(&tab, |path| is_text(&tab, path));
    for payload in PAYLOADS {
        tab.go("/");
        let hold = "const link = [...document.querySelectorAll('.hold')].find(h => h.innerText.includes(arguments[0])); \
                    return link && link.id";
        let ticket = tab.ask(hold, json!([payload]));
        let ticket = ticket
            .as_str()
            .unwrap_or_else(|| panic!("`{payload}` stands nowhere on the first page: {}", tab.text()));
        tab.go(&format!("/holds/{ticket}"));
        for field in
            ["value", "element", "deep", "agent", "session", "host", "user", "reason", "/srv", "deployment"]
        {
            tab.see(&format!("{field} {payload}").split_whitespace().collect::<Vec<_>>().join(" "));
        }
        is_text(&tab, "a hold");
    }
    // What a person says is no better.
    tab.fill("input[name=reason]", PAYLOADS[0]);
    tab.click("#answer button", "Deny");
    tab.see("How it ended");
    tab.see(PAYLOADS[0]);
    is_text(&tab, "a hold that has ended");
}

#[test]
fn letters_that_hide_or_turn_are_seen() {
    let place = Place::new();
    let mut call = crate::place::risky(1);
    call["agent"] = json!("nightly\u{202e}tob");
    call["reason"] = json!("calm\u{200b} \u{1b}[2J\u{feff}down");
    call["args"] = json!({ "command": "git push --force origin ma\u{202e}ni\u{2066}" });
    let held = place.call(&call);
    let tab = place.operator();
    tab.go(&format!("/holds/{}", held["ticket"].as_str().expect("it is held")));
    tab.see("Your answer");
    let text = tab.text() + &tab.title();
    let hidden = |letter: &char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{1b}');
    assert!(!text.contains(|letter| hidden(&letter)), "{text:?}");
    assert!(text.contains('\u{fffd}'), "{text:?}");
}
