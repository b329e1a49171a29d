//! The first page in a real browser, signed in, on this machine: how long until it can be used.
//!
//! `PLACET=../target/release/placet cargo bench --bench pages`. It needs `chromium` and `chromedriver`, as the tests of the pages do.

#[path = "../../crates/placet/tests/browser/driver.rs"]
#[allow(dead_code, reason = "shared with the tests of the pages")]
mod driver;

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use driver::{Driver, Session};
use serde_json::{Value, json};

/// How often the page is loaded.
const RUNS: usize = 20;
/// Until when it is to be interactive, in milliseconds.
const GOAL_MS: f64 = 100.0;

/// What is measured: the figure of the browser, in words, and its goal.
const FIGURES: [(&str, &str, Option<f64>); 3] = [
    ("interactive", "the first page, interactive", Some(GOAL_MS)),
    ("painted", "the first page, something is seen (first contentful paint)", None),
    ("loaded", "the first page, everything is there (load)", None),
];

/// All three, once the browser knows them.
const TIMES: &str = "const [page] = performance.getEntriesByType('navigation'); \
    const [paint] = performance.getEntriesByName('first-contentful-paint'); \
    if (!page.loadEventEnd || !paint) return null; \
    return {interactive: page.domInteractive, painted: paint.startTime, loaded: page.loadEventEnd};";

struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let program = env::var("PLACET").unwrap_or_else(|_| "../target/release/placet".to_owned());
    let home = tempfile::tempdir()?;
    let placet = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).env("HOME", home.path()).env("PLACET_DATA", home.path().join("data"));
        command.env_remove("XDG_CONFIG_HOME").env_remove("PLACET_APPROVER");
        command
    };
    // What somebody finds in the morning: a few calls that wait, some that ran.
    let calls = [
        "git push --force origin main",
        "terraform destroy -auto-approve",
        "rm -rf ~/notes",
        "git log --oneline",
    ];
    for (number, call) in calls.iter().cycle().take(24).enumerate() {
        let session = format!("s{number}");
        placet(&["ask", "--agent", "nightly", "--session", &session, call]).stdout(Stdio::null()).status()?;
    }
    let serve = ["serve", "--listen", "127.0.0.1:0", "--sign-in"];
    let mut service = Service(placet(&serve).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    let out = service.0.stdout.take().ok_or("no output")?;
    let signs_in =
        |line: String| Some(format!("http://{}", line.split_once("http://")?.1.split(' ').next()?));
    let mut lines = BufReader::new(out).lines().map_while(Result::ok);
    let link =
        lines.find(|line| line.contains("/sign-in/")).and_then(signs_in).ok_or("no link to sign in")?;
    let base = link.split("/sign-in/").next().ok_or("no address")?.to_owned();
    // Whatever it says later is read, so that it is not kept waiting.
    std::thread::spawn(move || lines.for_each(drop));

    let driver = Driver::start();
    let tab = Session::open(&driver);
    let go = |address: &str| tab.post("/url", &json!({ "url": address })).map_err(|why| why.message);
    go(&link)?;
    let mut runs: Vec<Value> = Vec::with_capacity(RUNS);
    while runs.len() < RUNS {
        go(&format!("{base}/"))?;
        let times = loop {
            match tab.script(TIMES, json!([])).map_err(|why| why.message)? {
                Value::Null => std::thread::yield_now(),
                times => break times,
            }
        };
        runs.push(times);
    }
    let mut rows = Vec::new();
    for (key, what, goal) in FIGURES {
        let mut times: Vec<f64> = runs.iter().filter_map(|run| run[key].as_f64()).collect();
        times.sort_by(f64::total_cmp);
        let (median, fastest) = ((times[times.len() / 2] * 10.0).round() / 10.0, times[0]);
        let slowest = times[times.len() - 1];
        let detail =
            format!("{RUNS} times in Chromium, signed in; fastest {fastest:.0} ms, slowest {slowest:.0} ms");
        let row = json!({ "what": what, "value": median, "unit": "ms", "goal": goal, "detail": detail });
        eprintln!("{row}");
        rows.push(row);
    }
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    fs::create_dir_all(&target)?;
    fs::write(target.join("pages.json"), Value::Array(rows).to_string())?;
    Ok(())
}
