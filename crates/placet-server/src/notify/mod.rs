//! Telling people that they are needed, wherever they are: a masked summary and where to look, never the arguments of a call.
//!
//! The engine keeps what is to be told; this carries it. Nothing is decided over these channels: they only speak.

mod address;

mod email;

mod ntfy;

mod post;

mod slack;

mod webhook;

use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use placet_core::{Timestamp, rule::Severity};
use placet_engine::{Engine, Interest, News, Occasion};
use placet_store::{Notice, wait_for};
use serde_json::{Value, json};

pub use address::Reachable;
pub use email::{Email, SmtpTls};
pub use ntfy::Ntfy;
pub use slack::Slack;
pub use webhook::Webhook;

/// A channel: what it wants to hear of, and how it is told.
#[derive(Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Of what.
    pub on: Vec<Occasion>,
    /// How grave it must be.
    pub severity_min: Severity,
    /// How.
    pub way: Way,
}

/// How a channel is told.
#[derive(Debug)]
pub enum Way {
    /// JSON, signed.
    Webhook(Webhook),
    /// An incoming webhook as Slack has them.
    Slack(Slack),
    /// A topic of an ntfy server.
    Ntfy(Ntfy),
    /// Mail.
    Email(Email),
}

/// What is sent.
#[derive(Debug)]
pub struct Message<'a> {
    /// Its number: whoever gets it twice can tell.
    pub id: i64,
    /// When it is sent.
    pub at: Timestamp,
    /// What is told.
    pub told: &'a News,
    /// Where to look.
    pub link: Option<String>,
}

/// Why something could not be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undelivered {
    /// It may work later.
    Later(String),
    /// It will not work as it is.
    Never(String),
}

impl Undelivered {
    /// Why.
    pub fn why(&self) -> &str {
        match self {
            Undelivered::Later(why) | Undelivered::Never(why) => why,
        }
    }
}

/// How patiently something is tried again.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How often the log is looked at.
    pub look: Duration,
    /// How long after the first try that failed.
    pub first: Duration,
    /// The longest between two.
    pub most: Duration,
    /// How many tries there are.
    pub attempts: u64,
    /// So much is told in one window; what is more is told in one message together.
    pub burst: usize,
    /// The window.
    pub window: Duration,
}

impl Default for Pace {
    /// Twelve tries in about two hours.
    fn default() -> Self {
        Self {
            look: Duration::from_millis(200),
            first: Duration::from_secs(2),
            most: Duration::from_secs(60 * 60),
            attempts: 12,
            burst: 20,
            window: Duration::from_secs(60),
        }
    }
}

impl Pace {
    /// How long to wait after so many tries: twice as long each time, and by chance between half of that and all of it, so
    /// that many who failed together do not come back together.
    fn wait(&self, attempts: u64) -> Duration {
        let doubled = self.first.saturating_mul(1 << attempts.saturating_sub(1).min(20)).min(self.most);
        let mut chance = [0; 2];
        // Without chance the wait is the longer one.
        let share = match getrandom::fill(&mut chance) {
            Ok(()) => f64::from(u16::from_le_bytes(chance)) / f64::from(u16::MAX),
            Err(_) => 1.0,
        };
        doubled.mul_f64(0.5 + share / 2.0)
    }
}

impl Channel {
    /// Sends it.
    pub fn send(&self, message: &Message<'_>) -> Result<(), Undelivered> {
        match &self.way {
            Way::Webhook(way) => way.send(message),
            Way::Slack(way) => way.send(message),
            Way::Ntfy(way) => way.send(message),
            Way::Email(way) => way.send(message),
        }
    }

    /// The word for how it is told.
    pub fn kind(&self) -> &'static str {
        match &self.way {
            Way::Webhook(_) => "webhook",
            Way::Slack(_) => "slack",
            Way::Ntfy(_) => "ntfy",
            Way::Email(_) => "email",
        }
    }
}

/// All channels, and where people find the service.
#[derive(Debug, Default)]
pub struct Channels {
    /// The channels.
    pub all: Vec<Channel>,
    /// The beginning of links.
    pub public_url: Option<String>,
}

impl Channels {
    /// The channel of this name.
    pub fn get(&self, name: &str) -> Option<&Channel> {
        self.all.iter().find(|channel| channel.name == name)
    }

    /// Sends a test over a channel, at once.
    pub fn test(&self, channel: &Channel, at: Timestamp) -> Result<(), Undelivered> {
        let told = News::test(at);
        channel.send(&Message { id: 0, at, told: &told, link: self.link(&told) })
    }

    /// Where to look.
    fn link(&self, told: &News) -> Option<String> {
        let base = self.public_url.as_ref()?.trim_end_matches('/');
        Some(match (&told.ticket, told.threat) {
            (Some(ticket), _) => format!("{base}/holds/{ticket}"),
            (None, Some(threat)) => format!("{base}/threats/{threat}"),
            (None, None) => base.to_owned(),
        })
    }
}

/// Threads that find what is to be told and tell it, for as long as somebody has this.
pub struct Notifier {
    stop: Arc<Stop>,
    gatherer: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Stop {
    stopped: AtomicBool,
    lock: Mutex<()>,
    rung: Condvar,
}

impl Stop {
    /// Waits for a while; false if it is over.
    fn wait(&self, time: Duration) -> bool {
        let guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.stopped.load(Ordering::SeqCst) {
            drop(self.rung.wait_timeout(guard, time));
        }
        !self.stopped.load(Ordering::SeqCst)
    }
}

impl Notifier {
    /// Starts a thread for the log, and one for each channel: who is slow keeps nobody else waiting.
    pub fn start(engine: &Engine, channels: &Arc<Channels>, pace: Pace) -> Self {
        let stop = Arc::new(Stop::default());
        let interest = |channel: &Channel| Interest {
            channel: channel.name.clone(),
            on: channel.on.clone(),
            severity_min: channel.severity_min,
        };
        let interests: Vec<Interest> = channels.all.iter().map(interest).collect();
        let gatherer = match interests.is_empty() {
            true => {
                // Nobody wants to hear of what is there.
                let _ = wait_for(engine.notices_pass_over());
                None
            }
            false => {
                // Once before anybody is served: from here on nothing is missed.
                let mut at = gather(engine, &interests, None);
                let (reads, stops) = (engine.clone(), Arc::clone(&stop));
                let read_on = move || {
                    while stops.wait(pace.look) {
                        at = gather(&reads, &interests, at);
                    }
                };
                std::thread::Builder::new().name("placet-notices".to_owned()).spawn(read_on).ok()
            }
        };
        for number in 0..channels.all.len() {
            let (engine, channels, stops) = (engine.clone(), Arc::clone(channels), Arc::clone(&stop));
            let carry = move || {
                let Some(channel) = channels.all.get(number) else { return };
                let mut carrier =
                    Carrier { engine, channel, channels: &channels, pace, sent: VecDeque::new() };
                while stops.wait(pace.look) {
                    carrier.carry(&stops);
                }
            };
            // Not joined: who is in the middle of a request ends it, and nothing is lost if that comes to nothing.
            drop(std::thread::Builder::new().name(format!("placet-{number}")).spawn(carry));
        }
        Self { stop, gatherer }
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        self.stop.stopped.store(true, Ordering::SeqCst);
        self.stop.rung.notify_all();
        if let Some(thread) = self.gatherer.take() {
            drop(thread.join());
        }
    }
}

/// Reads on in the log. What cannot be read now is read the next time.
fn gather(engine: &Engine, interests: &[Interest], at: Option<u64>) -> Option<u64> {
    wait_for(engine.notices_gather(interests, at)).ok().or(at)
}

/// Notices that are taken up at once.
const AT_ONCE: usize = 1_000;

/// What tells over one channel.
struct Carrier<'a> {
    engine: Engine,
    channels: &'a Channels,
    channel: &'a Channel,
    pace: Pace,
    /// When something was sent, within the last window.
    sent: VecDeque<Instant>,
}

impl Carrier<'_> {
    /// Sends what is due. An agent that asks for a thousand things at once does not ring a telephone a thousand times: what
    /// does not fit into the window is told together.
    fn carry(&mut self, stop: &Stop) {
        while self.sent.front().is_some_and(|sent| sent.elapsed() >= self.pace.window) {
            self.sent.pop_front();
        }
        // Even where there is no room, what was answered meanwhile is put aside.
        let Ok(due) = wait_for(self.engine.notices_due(&self.channel.name, AT_ONCE)) else { return };
        let room = self.pace.burst.saturating_sub(self.sent.len());
        if room == 0 {
            return;
        }
        let alone = if due.len() > room { room - 1 } else { due.len() };
        let (alone, together) = due.split_at(alone);
        for notice in alone {
            if stop.stopped.load(Ordering::SeqCst) {
                return;
            }
            let sent = deliver(self.channels, self.channel, notice, self.engine.now());
            if !self.note(sent, std::slice::from_ref(notice)) {
                return;
            }
        }
        if let Some(first) = together.first() {
            let told = News::many(together.iter().filter_map(|notice| News::read(&notice.new.body)));
            let (at, link) = (self.engine.now(), self.channels.link(&told));
            let sent = self.channel.send(&Message { id: first.id, at, told: &told, link });
            self.note(sent, together);
        }
    }

    /// Remembers what became of `notices`, which were sent as one; false if that cannot be kept.
    fn note(&mut self, sent: Result<(), Undelivered>, notices: &[Notice]) -> bool {
        self.sent.push_back(Instant::now());
        // A store that fails now is asked again later; what was sent may be sent once more.
        notices.iter().all(|notice| match &sent {
            Ok(()) => wait_for(self.engine.notice_delivered(notice)).is_ok(),
            Err(why) => {
                let tried = notice.attempts + 1;
                let again = matches!(why, Undelivered::Later(_)) && tried < self.pace.attempts;
                let wait = i64::try_from(self.pace.wait(tried).as_millis()).unwrap_or(i64::MAX);
                let next = again.then(|| self.engine.now().plus_ms(wait));
                wait_for(self.engine.notice_failed(notice, why.why(), next)).is_ok()
            }
        })
    }
}

fn deliver(
    channels: &Channels,
    channel: &Channel,
    notice: &Notice,
    at: Timestamp,
) -> Result<(), Undelivered> {
    let Some(told) = News::read(&notice.new.body) else {
        return Err(Undelivered::Never("what was kept of it cannot be read".to_owned()));
    };
    channel.send(&Message { id: notice.id, at, link: channels.link(&told), told: &told })
}

/// A notice, as data.
pub fn of_notice(notice: &Notice) -> Value {
    json!({
        "id": notice.id,
        "channel": notice.new.channel,
        "occasion": notice.new.occasion,
        "subject": notice.new.subject,
        "state": notice.state.as_str(),
        "attempts": notice.attempts,
        "made": notice.new.made.to_string(),
        "due": notice.due.to_string(),
        "problem": notice.problem,
        "told": serde_json::from_str::<Value>(&notice.new.body).ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_is_about_twice_as_long_as_the_one_before_and_none_too_long() {
        let pace = Pace::default();
        for (tried, most) in [(1, 2), (2, 4), (3, 8), (10, 1_024), (12, 3_600), (u64::MAX, 3_600)] {
            let most = Duration::from_secs(most);
            for _ in 0..20 {
                let wait = pace.wait(tried);
                assert!(wait >= most / 2 && wait <= most, "{tried}: {wait:?}");
            }
        }
        let waits: std::collections::BTreeSet<Duration> = (0..20).map(|_| pace.wait(12)).collect();
        assert!(waits.len() > 1, "many who failed together do not come back together");
    }
}
