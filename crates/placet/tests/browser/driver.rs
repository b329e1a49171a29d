//! The one place that knows the WebDriver protocol: <https://www.w3.org/TR/webdriver2/>, a few requests of JSON over HTTP.
//!
//! It is written here because the published clients would change what is tested: thirtyfour has `serde_json` keep the order of keys, for
//! every crate of the build, and brings a second HTTP client.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;

/// The name that WebDriver gives to a reference to an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A driver, and below it the browsers that it started. They end with it.
pub struct Driver {
    process: Child,
    address: String,
    agent: Agent,
    profiles: TempDir,
}

/// A browser of its own: its tabs share cookies with nobody else's.
pub struct Session {
    driver: Arc<Driver>,
    id: String,
}

/// An element of a page, until the page changes it for another.
#[derive(Clone, Debug)]
pub struct Element(String);

/// A tab, by the name that the driver gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window(String);

/// What the driver could not do, and its word for it.
#[derive(Debug)]
pub struct Refused {
    pub error: String,
    pub message: String,
}

/// Something the browser said of a page.
#[derive(Debug)]
pub struct Complaint {
    pub level: String,
    pub message: String,
}

impl Driver {
    pub fn start() -> Arc<Self> {
        // The port that it finds for one kind of address may be somebody else's for the other kind; then it gives up.
        let (process, port) = (0..5).find_map(|_| Self::try_to_start()).expect(
            "`chromedriver` does not start; `.ci/browser` installs it, and the browser that it drives",
        );
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)));
        let address = format!("http://127.0.0.1:{port}");
        Arc::new(Self { process, address, agent: config.build().into(), profiles: TempDir::new().unwrap() })
    }

    fn try_to_start() -> Option<(Child, String)> {
        // However a test ends, its end of the pipe closes, and the driver with it.
        let until_the_test_ends = "chromedriver --port=0 & exec >&-; read -r _; kill -KILL $!";
        let mut process = Command::new("sh")
            .args(["-c", until_the_test_ends])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let told =
            |line: String| Some(line.split_once("successfully on port ")?.1.trim_end_matches('.').to_owned());
        let port = lines.map_while(Result::ok).find_map(told);
        if port.is_none() {
            drop(process.stdin.take());
            let _ = process.wait();
        }
        Some((process, port?))
    }

    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Refused> {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.address));
        let body = body.map(Value::to_string).unwrap_or_default();
        let gone = |why: String| Refused { error: "gone".to_owned(), message: format!("{path}: {why}") };
        let mut reply = self.agent.run(request.body(body).unwrap()).map_err(|why| gone(why.to_string()))?;
        // Pictures of long pages are large.
        let text = reply.body_mut().with_config().limit(256 << 20).read_to_string();
        let text = text.map_err(|why| gone(why.to_string()))?;
        let mut reply: Value = serde_json::from_str(&text).map_err(|why| gone(format!("{why}: {text}")))?;
        let value = reply["value"].take();
        let word = |key: &str| value[key].as_str().map(str::to_owned);
        match word("error") {
            Some(error) => Err(Refused { error, message: word("message").unwrap_or_default() }),
            None => Ok(value),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The browsers are held by a pipe too.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

impl Session {
    /// A new browser with an empty profile.
    pub fn open(driver: &Arc<Driver>) -> Self {
        let profile = tempfile::tempdir_in(driver.profiles.path()).unwrap().keep();
        let options = json!({
            "args": [
                "--headless=new", "--remote-debugging-pipe", format!("--user-data-dir={}", profile.display()),
                // Root in a container has no other sandbox, and little shared memory.
                "--no-sandbox", "--disable-dev-shm-usage",
                "--window-size=1280,900", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-GB",
                "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--no-first-run",
            ],
        });
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" },
            "unhandledPromptBehavior": "ignore",
            // Two ways to another page at once, and the driver may wait for the one that was given up.
            "timeouts": { "pageLoad": 15_000 },
        } } });
        let opened = driver.ask("POST", "/session", Some(&wanted));
        let opened = opened.unwrap_or_else(|why| panic!("the browser does not start: {}", why.message));
        Self { driver: Arc::clone(driver), id: opened["sessionId"].as_str().unwrap().to_owned() }
    }

    pub fn get(&self, path: &str) -> Result<Value, Refused> {
        self.driver.ask("GET", &format!("/session/{}{path}", self.id), None)
    }

    pub fn post(&self, path: &str, body: &Value) -> Result<Value, Refused> {
        self.driver.ask("POST", &format!("/session/{}{path}", self.id), Some(body))
    }

    /// A command of the browser's own protocol, for what WebDriver knows nothing of.
    pub fn devtools(&self, command: &str, parameters: Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.post("/goog/cdp/execute", &body).unwrap_or_else(|why| panic!("{command}: {}", why.message))
    }

    /// What a function in the page returns.
    pub fn script(&self, text: &str, arguments: Value) -> Result<Value, Refused> {
        self.post("/execute/sync", &json!({ "script": text, "args": arguments }))
    }

    pub fn elements(&self, selector: &str) -> Vec<Element> {
        let found = self.post("/elements", &json!({ "using": "css selector", "value": selector }));
        let found = found.unwrap_or_else(|why| panic!("{selector}: {}", why.message));
        found.as_array().unwrap().iter().map(Element::read).collect()
    }

    pub fn on(&self, element: &Element, act: &str, body: &Value) -> Result<Value, Refused> {
        self.post(&format!("/element/{}/{act}", element.0), body)
    }

    pub fn window(&self) -> Window {
        Window(
            self.get("/window").unwrap_or_else(|why| panic!("{}", why.message)).as_str().unwrap().to_owned(),
        )
    }

    pub fn new_window(&self) -> Window {
        let opened = self
            .post("/window/new", &json!({ "type": "tab" }))
            .unwrap_or_else(|why| panic!("{}", why.message));
        Window(opened["handle"].as_str().unwrap().to_owned())
    }

    pub fn switch(&self, window: &Window) {
        self.post("/window", &json!({ "handle": window.0 })).unwrap_or_else(|why| panic!("{}", why.message));
    }

    /// What the browser said since it was last asked: scripts that failed, what a policy refused, replies that are errors.
    pub fn complaints(&self) -> Vec<Complaint> {
        let said = self
            .post("/se/log", &json!({ "type": "browser" }))
            .unwrap_or_else(|why| panic!("{}", why.message));
        let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let lines = said.as_array().unwrap().iter();
        lines.map(|line| Complaint { level: text(line, "level"), message: text(line, "message") }).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.driver.ask("DELETE", &format!("/session/{}", self.id), None);
    }
}

impl Element {
    fn read(value: &Value) -> Self {
        Self(value[ELEMENT].as_str().unwrap().to_owned())
    }

    pub fn of(value: &Value) -> Option<Self> {
        Some(Self(value.get(ELEMENT)?.as_str()?.to_owned()))
    }

    pub fn argument(&self) -> Value {
        json!({ ELEMENT: self.0 })
    }
}
