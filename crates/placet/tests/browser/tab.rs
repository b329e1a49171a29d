//! A tab as somebody uses it: what they look for, click, type and see. It waits for what it is asked for, and never for a while.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    cell::RefCell,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::driver::{Complaint, Driver, Element, Session, Window};

/// Far beyond what anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The first element that fits the selector, is seen, and whose name (its text, label or `aria-label`) begins with a text.
const FIND: &str = r#"
const [selector, text] = arguments;
const plain = (s) => (s || "").replace(/\s+/g, " ").trim();
const name = (e) => [e.getAttribute("aria-label"), e.innerText, e.value, ...[...(e.labels || [])].map((l) => l.innerText)];
for (const e of document.querySelectorAll(selector))
  if (e.checkVisibility() && (!text || name(e).some((n) => plain(n).startsWith(text)))) return e;
return null;
"#;

pub struct Tab {
    session: Session,
    base: String,
    /// Complaints that belong to what is tested.
    expected: RefCell<Vec<&'static str>>,
}

impl Tab {
    pub fn open(driver: &Arc<Driver>, base: &str) -> Self {
        let session = Session::open(driver);
        Self { session, base: base.to_owned(), expected: RefCell::default() }
    }

    /// Goes to a path of the service.
    pub fn go(&self, path: &str) {
        self.open_address(&format!("{}{path}", self.base));
    }

    pub fn open_address(&self, address: &str) {
        self.until(address, || match self.session.post("/url", &json!({ "url": address })) {
            Ok(_) => Some(()),
            // Another page was just on its way.
            Err(why) if why.error == "timeout" => None,
            Err(why) => panic!("{address}: {}", why.message),
        });
    }

    pub fn reload(&self) {
        // Another page may just be on its way.
        self.until("the page once more", || self.session.post("/refresh", &json!({})).ok());
    }

    /// The path with its question, of the page that is shown.
    pub fn path(&self) -> String {
        let address = self.session.get("/url").unwrap_or_else(|why| panic!("{}", why.message));
        address.as_str().unwrap().trim_start_matches(&self.base).to_owned()
    }

    pub fn title(&self) -> String {
        self.session
            .get("/title")
            .unwrap_or_else(|why| panic!("{}", why.message))
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub fn sign_in(&self, name: &str, password: &str) {
        self.go("/sign-in");
        self.fill("input[name=user]", name);
        self.fill("input[name=password]", password);
        self.click("button", "Sign in");
    }

    /// Waits for the page that signing in leads on to, until it hears what happens.
    pub fn signed_in(&self) {
        let script = "return 'live' in document.documentElement.dataset";
        self.until("the page after signing in", || {
            (self.session.script(script, json!([])).ok()? == true).then_some(())
        });
    }

    /// What a function in the page returns.
    pub fn ask(&self, script: &str, arguments: Value) -> Value {
        let told = self.session.script(script, arguments);
        told.unwrap_or_else(|why| panic!("{script}: {}: {}", why.error, why.message))
    }

    /// Waits until something is so, and says what was missing if it never is.
    pub fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            if begun.elapsed() > PATIENCE {
                panic!("{what} never came; {} shows:\n{}", self.path(), self.text());
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn look(&self, selector: &str, name: &str) -> Option<Element> {
        // Between two pages there is none to look at.
        Element::of(&self.session.script(FIND, json!([selector, name])).ok()?)
    }

    /// The same once nothing moves any more: a person who sees something jump does not click.
    fn look_when_still(&self, selector: &str, name: &str) -> Option<Element> {
        let moving = self.session.script("return 'moving' in document.documentElement.dataset", json!([]));
        self.look(selector, name).filter(|_| matches!(moving, Ok(Value::Bool(false))))
    }

    /// The first of these with this name, once it is there.
    pub fn find(&self, selector: &str, name: &str) -> Element {
        self.until(&format!("`{selector}` named `{name}`"), || self.look(selector, name))
    }

    pub fn has(&self, selector: &str, name: &str) -> bool {
        self.look(selector, name).is_some()
    }

    /// Waits until there is none.
    pub fn gone(&self, selector: &str, name: &str) {
        self.until(&format!("the end of `{selector}` named `{name}`"), || {
            (!self.has(selector, name)).then_some(())
        });
    }

    pub fn count(&self, selector: &str) -> usize {
        self.session.elements(selector).len()
    }

    /// Clicks as a person does: it is scrolled into view, and nothing may lie over it.
    pub fn click(&self, selector: &str, name: &str) {
        self.until(&format!("a `{selector}` named `{name}` that can be clicked"), || {
            let element = self.look_when_still(selector, name)?;
            match self.session.on(&element, "click", &json!({})) {
                Ok(_) => Some(()),
                // The page was just changing.
                Err(why) if why.error == "stale element reference" => None,
                Err(why) if why.error == "no such element" => None,
                Err(why) => panic!("`{selector}` named `{name}`: {}", why.message),
            }
        });
    }

    /// Twice, as quickly as a hand can.
    pub fn double_click(&self, selector: &str, name: &str) {
        let what = format!("`{selector}` named `{name}`");
        let target = self.until(&what, || self.look_when_still(selector, name)).argument();
        let press = |kind: &str| json!({ "type": kind, "button": 0 });
        let mut actions =
            vec![json!({ "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": target })];
        for _ in 0..2 {
            actions.extend([press("pointerDown"), press("pointerUp")]);
        }
        self.act(json!({ "type": "pointer", "id": "mouse", "actions": actions }));
    }

    /// Types keys to whatever has the focus.
    pub fn keys(&self, keys: &str) {
        let press = |kind: &str, key: char| json!({ "type": kind, "value": key.to_string() });
        let actions: Vec<Value> =
            keys.chars().flat_map(|key| [press("keyDown", key), press("keyUp", key)]).collect();
        self.act(json!({ "type": "key", "id": "keyboard", "actions": actions }));
    }

    fn act(&self, source: Value) {
        // A browser takes no input for a page that nobody has seen yet.
        let seen = "return performance.getEntriesByType('paint').length > 0";
        self.until("the first sight", || (self.session.script(seen, json!([])).ok()? == true).then_some(()));
        let done = self.session.post("/actions", &json!({ "actions": [source] }));
        done.unwrap_or_else(|why| panic!("{}", why.message));
    }

    /// Does what leads to another page, and waits until that is there.
    pub fn leave(&self, act: impl FnOnce()) {
        self.ask("window.left = true", json!([]));
        act();
        let script = "return !window.left && document.readyState === 'complete'";
        self.until("another page", || (self.session.script(script, json!([])).ok()? == true).then_some(()));
    }

    /// Types into a field that may have something in it.
    pub fn fill(&self, selector: &str, text: &str) {
        let field = self.find(selector, "");
        self.session
            .on(&field, "clear", &json!({}))
            .unwrap_or_else(|why| panic!("{selector}: {}", why.message));
        let typed = self.session.on(&field, "value", &json!({ "text": text }));
        typed.unwrap_or_else(|why| panic!("{selector}: {}", why.message));
    }

    /// All the text that is seen.
    pub fn text(&self) -> String {
        let told = self.session.script("return document.body ? document.body.innerText : ''", json!([]));
        told.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    pub fn text_of(&self, selector: &str) -> String {
        let element = self.find(selector, "").argument();
        self.ask("return arguments[0].innerText", json!([element])).as_str().unwrap().to_owned()
    }

    /// Waits until the page shows a text.
    pub fn see(&self, text: &str) {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.until(&format!("`{text}`"), || plain(&self.text()).contains(text).then_some(()));
    }

    pub fn window(&self) -> Window {
        self.session.window()
    }

    /// A second tab of the same browser, which is used from now on.
    pub fn new_window(&self) -> Window {
        let window = self.session.new_window();
        self.session.switch(&window);
        window
    }

    pub fn switch(&self, window: &Window) {
        self.session.switch(window);
    }

    /// The pages that are opened from now on run no script.
    pub fn without_scripts(&self) {
        self.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    }

    pub fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        // A colour that changes slowly would be caught on its way.
        let features = json!([
            { "name": "prefers-color-scheme", "value": value }, { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// A window this wide and high, in CSS pixels.
    pub fn size(&self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
    }

    pub fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.session.devtools(command, parameters)
    }

    /// What the window shows, as a picture.
    pub fn picture(&self, file: &Path) {
        let taken = self.devtools("Page.captureScreenshot", json!({ "format": "png" }));
        std::fs::write(file, BASE64.decode(taken["data"].as_str().unwrap().as_bytes()).unwrap()).unwrap();
    }

    /// The browser will complain of this, and rightly.
    pub fn expect(&self, complaint: &'static str) {
        self.expected.borrow_mut().push(complaint);
    }

    /// What the browser complained of, less what was expected.
    pub fn complaints(&self) -> Vec<String> {
        // Pages of the browser itself complain too.
        let grave = |said: &Complaint| {
            matches!(said.level.as_str(), "SEVERE" | "WARNING") && !said.message.starts_with("chrome://")
        };
        let expected = self.expected.borrow();
        let complaints = self.session.complaints().into_iter().filter(grave);
        let mut messages: Vec<String> = complaints.map(|said| said.message).collect();
        messages.retain(|message| !expected.iter().any(|part| message.contains(part)));
        messages
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        if !thread::panicking() {
            let complaints = self.complaints();
            assert!(complaints.is_empty(), "the browser complains: {complaints:#?}");
        }
    }
}
