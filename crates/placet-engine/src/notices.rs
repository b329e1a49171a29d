//! What people are told: found in the log as it grows, kept until it was told. The log is the queue that nothing is missing
//! from; how far it was read stands beside it, so a restart loses nothing.

use placet_core::{
    Json, Timestamp,
    hold::{HoldState, Ticket},
    printable,
    record::View,
    rule::Severity,
};
use placet_store::{
    Hold, Ledger, NewNotice, Notice, NoticeChange, NoticeState, StoreError, StoredRecord, Threat,
    ThreatState, transact,
};
use serde::Serialize;

use crate::{Card, Engine};

/// Records that are read at once.
const AT_ONCE: usize = 1_000;
/// How far the log was read, plus one: nothing if nobody ever wanted to be told.
const READ_TO: &str = "notices read to";
/// How far it was read is written when something was found, and after so many records.
const WRITTEN_EVERY: u64 = 10_000;
/// Those that were delivered, and are kept to be looked at.
const KEPT: usize = 1_000;
/// Threats among which one that is named in the log is looked for.
const THREATS: usize = 1_000;
/// The longest text that is told.
const TEXT_MAX: usize = 200;

/// Why people are told something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// A call waits for a person.
    HoldOpened,
    /// Nobody has answered, and others are asked.
    HoldEscalated,
    /// A rule has left a threat behind.
    ThreatOpened,
    /// Somebody wants to see whether it arrives.
    Test,
}

impl Occasion {
    /// All of them.
    pub const ALL: [Occasion; 4] =
        [Occasion::HoldOpened, Occasion::HoldEscalated, Occasion::ThreatOpened, Occasion::Test];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Occasion::HoldOpened => "hold_opened",
            Occasion::HoldEscalated => "hold_escalated",
            Occasion::ThreatOpened => "threat_opened",
            Occasion::Test => "test",
        }
    }
}

/// What a channel wants to hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interest {
    /// The channel's name.
    pub channel: String,
    /// Of what.
    pub on: Vec<Occasion>,
    /// How grave it must be.
    pub severity_min: Severity,
}

/// What is told: a summary with secrets masked, never the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct News {
    /// The version of this shape.
    pub version: u8,
    /// Why.
    pub occasion: Occasion,
    /// How grave it is.
    pub severity: Severity,
    /// When it happened.
    pub at: Timestamp,
    /// In a few words.
    pub summary: String,
    /// Who asked.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The tool that would be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The ticket of the hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticket: Option<String>,
    /// Until when somebody can answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// The number of the threat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threat: Option<i64>,
    /// The rule that left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

impl News {
    /// A test.
    pub fn test(at: Timestamp) -> Self {
        Self {
            version: 1,
            occasion: Occasion::Test,
            severity: Severity::Low,
            at,
            summary: "a test: this channel works".to_owned(),
            agent: String::new(),
            session: String::new(),
            tool: None,
            ticket: None,
            deadline: None,
            threat: None,
            rule: None,
        }
    }

    /// Many in one: how many, and as grave as the gravest.
    pub fn many(all: impl IntoIterator<Item = News>) -> Self {
        let mut told = Self::test(Timestamp::MAX);
        let mut count = 0;
        for one in all {
            count += 1;
            told.severity = told.severity.max(one.severity);
            (told.at, told.occasion) =
                if one.at < told.at { (one.at, one.occasion) } else { (told.at, told.occasion) };
        }
        told.summary = format!("{count} more wait to be looked at");
        told
    }

    /// Reads what was kept.
    pub fn read(body: &str) -> Option<Self> {
        let read = Json::read(body).ok()?;
        let text = |key: &str| read.get(key).and_then(Json::as_str).map(str::to_owned);
        let time = |key: &str| text(key).and_then(|text| Timestamp::parse(&text).ok());
        let occasion = text("occasion")?;
        Some(Self {
            version: 1,
            occasion: Occasion::ALL.into_iter().find(|one| one.as_str() == occasion)?,
            severity: Severity::parse(&text("severity")?)?,
            at: time("at")?,
            summary: text("summary")?,
            agent: text("agent").unwrap_or_default(),
            session: text("session").unwrap_or_default(),
            tool: text("tool"),
            ticket: text("ticket"),
            deadline: time("deadline"),
            threat: read.get("threat").and_then(Json::as_i64),
            rule: text("rule"),
        })
    }

    fn of_hold(occasion: Occasion, hold: &Hold, at: Timestamp) -> Self {
        let card = Card::read(&hold.opened.card);
        let about = card.as_ref().map_or("a person is asked", Card::about);
        Self {
            occasion,
            severity: severity(hold, card.as_ref()),
            summary: shown(about),
            agent: shown(&hold.opened.agent),
            session: shown(&hold.opened.session),
            tool: card.as_ref().map(|card| shown(card.tool())),
            ticket: Some(hold.opened.ticket.to_string()),
            deadline: Some(hold.opened.deadline),
            ..Self::test(at)
        }
    }

    fn of_threat(threat: &Threat, agent: &str, at: Timestamp) -> Self {
        Self {
            occasion: Occasion::ThreatOpened,
            severity: threat.severity,
            summary: shown(&threat.title),
            agent: shown(agent),
            session: shown(&threat.session),
            threat: Some(threat.id),
            rule: Some(shown(&threat.rule)),
            ..Self::test(at)
        }
    }
}

fn shown(text: &str) -> String {
    printable::shown(text, TEXT_MAX)
}

/// How grave a hold is: as its call was assessed.
fn severity(hold: &Hold, card: Option<&Card>) -> Severity {
    let assessment = card.and_then(|card| card.as_json().get("assessment"));
    let class = assessment.and_then(|assessment| assessment.get("side_effect_class")).and_then(Json::as_str);
    match class {
        _ if hold.opened.crisis => Severity::Critical,
        Some("critical") => Severity::Critical,
        Some("external") => Severity::High,
        Some(_) | None => Severity::Medium,
    }
}

impl Engine {
    /// Reads on in the log from `at`, and keeps what is to be told. Gives how far it came, to be given back the next time;
    /// nothing for the first time, which goes on from where it was left, or from the end if it was never begun.
    ///
    /// What is read is judged beside the writer, not by it: only what is found is written, in one transaction with how far
    /// it was read.
    pub async fn notices_gather(&self, interests: &[Interest], at: Option<u64>) -> Result<u64, StoreError> {
        let kept = self.look(|ledger| ledger.counter_get(READ_TO))?;
        let Some(kept) = kept.checked_sub(1) else {
            // Whoever wants to be told from now on is not told what was before.
            let begin = |ledger: &mut dyn Ledger| {
                let (next, size) = (ledger.counter_get(READ_TO)?, ledger.log_size()?);
                if next == 0 { ledger.counter_add(READ_TO, size + 1).map(|()| size) } else { Ok(next - 1) }
            };
            return transact(&*self.shared.store, begin).await;
        };
        let mut at = at.unwrap_or(kept).max(kept);
        loop {
            let now = self.now();
            let (read, notices) = self.look(|ledger| gather(ledger, interests, at, now))?;
            if read == at {
                return Ok(at);
            }
            at = read;
            if !notices.is_empty() || at - kept >= WRITTEN_EVERY {
                transact(&*self.shared.store, move |ledger| {
                    let next = ledger.counter_get(READ_TO)?;
                    // Somebody else was here meanwhile, and has told it.
                    if next > at {
                        return Ok(());
                    }
                    notices.iter().try_for_each(|notice| ledger.notice_put(notice))?;
                    ledger.counter_add(READ_TO, (at + 1).saturating_sub(next))
                })
                .await?;
            }
        }
    }

    /// Takes it that all there is was told: nobody wants to hear of it.
    pub async fn notices_pass_over(&self) -> Result<(), StoreError> {
        if self.look(|ledger| ledger.counter_get(READ_TO))? == 0 {
            return Ok(());
        }
        transact(&*self.shared.store, |ledger| {
            let next = ledger.counter_get(READ_TO)?;
            let end = ledger.log_size()? + 1;
            ledger.counter_add(READ_TO, end.saturating_sub(next))
        })
        .await
    }

    /// What is to be sent over a channel now. What nobody needs any more is put aside first.
    pub async fn notices_due(&self, channel: &str, limit: usize) -> Result<Vec<Notice>, StoreError> {
        let now = self.now();
        let due = self.look(|ledger| ledger.notices_due(channel, now, limit))?;
        let (mut moot, mut needed) = (Vec::new(), Vec::new());
        for notice in due {
            let answered = self.look(|ledger| is_moot(ledger, &notice))?;
            if answered { moot.push(notice) } else { needed.push(notice) }
        }
        if !moot.is_empty() {
            transact(&*self.shared.store, move |ledger| {
                moot.iter().try_for_each(|notice| {
                    let change = changed(NoticeState::Moot, notice.attempts, now, None);
                    ledger.notice_change(notice.id, &change)
                })
            })
            .await?;
        }
        Ok(needed)
    }

    /// Somebody has taken a notice.
    pub async fn notice_delivered(&self, notice: &Notice) -> Result<(), StoreError> {
        let change = changed(NoticeState::Delivered, notice.attempts + 1, self.now(), None);
        self.notice_change(notice.id, change).await
    }

    /// A notice could not be sent; it is tried again at `next`, or never.
    pub async fn notice_failed(
        &self,
        notice: &Notice,
        problem: &str,
        next: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let state = if next.is_some() { NoticeState::Waiting } else { NoticeState::Dead };
        let due = next.unwrap_or_else(|| self.now());
        let change = changed(state, notice.attempts + 1, due, Some(shown(problem)));
        self.notice_change(notice.id, change).await
    }

    /// Tries one again that was given up; false if there is none, or it was not given up.
    pub async fn notice_retry(&self, id: i64) -> Result<bool, StoreError> {
        let now = self.now();
        transact(&*self.shared.store, move |ledger| {
            let Some(notice) = ledger.notice_get(id)?.filter(|notice| notice.state == NoticeState::Dead)
            else {
                return Ok(false);
            };
            let change = changed(NoticeState::Waiting, 0, now, notice.problem.clone());
            ledger.notice_change(id, &change)?;
            Ok(true)
        })
        .await
    }

    async fn notice_change(&self, id: i64, change: NoticeChange) -> Result<(), StoreError> {
        transact(&*self.shared.store, move |ledger| {
            ledger.notice_change(id, &change)?;
            ledger.notices_trim(KEPT)
        })
        .await
    }
}

fn changed(state: NoticeState, attempts: u64, due: Timestamp, problem: Option<String>) -> NoticeChange {
    NoticeChange { state, attempts, due, problem }
}

fn is_moot(ledger: &mut dyn Ledger, notice: &Notice) -> Result<bool, StoreError> {
    let about_hold = notice.new.occasion != Occasion::ThreatOpened.as_str();
    let Some(ticket) = Ticket::parse(&notice.new.subject).ok().filter(|_| about_hold) else {
        return Ok(false);
    };
    Ok(ledger.hold_by_ticket(&ticket)?.is_none_or(|hold| hold.state != HoldState::Pending))
}

/// Reads on from `at`: how far it came, and what is to be told.
fn gather(
    ledger: &mut dyn Ledger,
    interests: &[Interest],
    at: u64,
    now: Timestamp,
) -> Result<(u64, Vec<NewNotice>), StoreError> {
    let records = ledger.records_from(at, AT_ONCE)?;
    let mut notices = Vec::new();
    for record in &records {
        let Some((told, subject)) = told_by(ledger, record, now)? else { continue };
        let wanted = interests
            .iter()
            .filter(|one| one.on.contains(&told.occasion) && told.severity >= one.severity_min);
        notices.extend(wanted.map(|interest| NewNotice {
            channel: interest.channel.clone(),
            occasion: told.occasion.as_str().to_owned(),
            subject: subject.clone(),
            // Our own types have text for keys, so this cannot fail.
            body: serde_json::to_string(&told).unwrap_or_default(),
            made: now,
        }));
    }
    Ok((records.last().map_or(at, |record| record.index + 1), notices))
}

/// What a record gives to tell, and which hold or threat that is; nothing if it was dealt with meanwhile.
fn told_by(
    ledger: &mut dyn Ledger,
    record: &StoredRecord,
    now: Timestamp,
) -> Result<Option<(News, String)>, StoreError> {
    let Some((name, what)) = View::of(&record.body).get("what").and_then(View::only) else { return Ok(None) };
    match name {
        "decision" if what.text_of("carried_out") == "hold" => {
            let Some(hold) = hold_of(ledger, what)? else { return Ok(None) };
            // Who joins a hold asks nobody anew.
            let opened = hold.opened.record == record.index && hold.opened.deadline > now;
            let subject = hold.opened.ticket.as_str().to_owned();
            Ok(opened.then(|| (News::of_hold(Occasion::HoldOpened, &hold, record.at), subject)))
        }
        "hold_escalated" => {
            let Some(hold) = hold_of(ledger, what)? else { return Ok(None) };
            let subject = hold.opened.ticket.as_str().to_owned();
            Ok(Some((News::of_hold(Occasion::HoldEscalated, &hold, record.at), subject)))
        }
        "threat" if what.text_of("state") == "open" => {
            let (rule, session) = (what.text_of("rule"), what.text_of("session"));
            let open = match session {
                "" => ledger.threats(false, THREATS)?,
                session => ledger.threats_open_of(session)?,
            };
            let threat = open.into_iter().find(|threat| {
                threat.rule == rule && threat.session == session && threat.state == ThreatState::Open
            });
            let agent = ledger.session_agent(session)?;
            Ok(threat.map(|threat| (News::of_threat(&threat, &agent, record.at), threat.id.to_string())))
        }
        _ => Ok(None),
    }
}

/// The hold that a record is about, if it still waits for an answer.
fn hold_of(ledger: &mut dyn Ledger, about: View<'_>) -> Result<Option<Hold>, StoreError> {
    let Ok(ticket) = Ticket::parse(about.text_of("ticket")) else { return Ok(None) };
    Ok(ledger.hold_by_ticket(&ticket)?.filter(|hold| hold.state == HoldState::Pending))
}
