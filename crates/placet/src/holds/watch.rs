//! `placet holds watch`: what waits, live, answered with a key.

use std::{
    collections::BTreeMap,
    io::{IsTerminal as _, Write as _},
    process::ExitCode,
    time::Duration,
};

use anyhow::bail;
use placet_core::{
    Mode, Timestamp,
    hold::{HoldState, Ticket},
    printable,
};
use placet_engine::{Clock as _, Ruling, Standing, SystemClock};
use ratatui::{
    Frame,
    crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    layout::{Constraint, Layout},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Borders, Clear, Paragraph, Wrap},
};

use super::{Seen, view};
use crate::{
    ground::{Ground, list},
    operate,
};

/// How often we look for news, and for keys.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// As many as a person can look at.
const SHOWN_MAX: usize = 200;

/// Runs the command: a screen for a person, or lines of JSON for a program.
pub fn run(ground: &Ground, json: bool) -> anyhow::Result<ExitCode> {
    if json {
        return lines(ground);
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        bail!("`placet holds watch` needs a terminal; a program can use `--json`, or `placet holds list`");
    }
    ground.credential()?;
    let mut terminal = ratatui::init();
    let result = screen(ground, &mut terminal);
    ratatui::restore();
    result
}

/// A number that changes when anything happens to a hold: whatever does is in the log.
fn version(ground: &Ground) -> anyhow::Result<Option<u64>> {
    Ok(ground.get("/v1/records?limit=0")?["size"].as_u64())
}

/// Prints each hold as it opens, as somebody speaks or is asked besides, and as it is answered, a line each.
fn lines(ground: &Ground) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout();
    let mut known: BTreeMap<i64, (HoldState, usize, usize)> = BTreeMap::new();
    let mut seen = None;
    loop {
        let now = version(ground)?;
        if now != seen {
            let query = match seen {
                None => "limit=10000",
                Some(_) => "state=all&limit=1000",
            };
            seen = now;
            for hold in super::seen(ground, query)?.iter().rev() {
                let stands = (hold.state, hold.list("votes").len(), hold.list("addressed_to").len());
                if known.insert(hold.id, stands) != Some(stands) {
                    writeln!(out, "{}", crate::style::json(&hold.told))?;
                }
            }
            out.flush()?;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// What the screen shows.
pub struct Screen {
    pub holds: Vec<Seen>,
    /// Which one the keys are about. If it goes, none is, until somebody chooses.
    pub chosen: Option<i64>,
    pub standing: Standing,
    pub agents: usize,
    pub now: Timestamp,
    pub mood: Mood,
    pub note: String,
}

/// What the keys mean now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mood {
    /// A list to choose from.
    List,
    /// All of one hold, from this line on.
    Details(u16),
    /// A reason is typed for a denial.
    Reason(Ticket, String),
    /// The word `yes` is typed, since this is not answered with one key.
    Careful(Ticket, String),
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    Quit,
    Answer(Ticket, Ruling),
}

impl Screen {
    fn place(&self) -> Option<usize> {
        self.holds.iter().position(|hold| Some(hold.id) == self.chosen)
    }

    fn hold(&self) -> Option<&Seen> {
        self.place().and_then(|place| self.holds.get(place))
    }

    /// The same list with what waits now; the chosen one stays chosen. One that is gone leaves nothing chosen, so that no
    /// key is taken for an answer to another.
    pub fn replace(&mut self, holds: Vec<Seen>) {
        let first = self.holds.is_empty() && self.chosen.is_none();
        self.holds = holds;
        if first {
            self.chosen = self.holds.first().map(|hold| hold.id);
        }
        self.let_go();
    }

    /// Takes away what can no longer be answered.
    pub fn expire(&mut self, now: Timestamp) {
        self.now = now;
        self.holds.retain(|hold| hold.deadline > now);
        self.let_go();
    }

    fn let_go(&mut self) {
        if self.place().is_none() {
            self.chosen = None;
            if matches!(self.mood, Mood::Details(_)) {
                self.mood = Mood::List;
            }
        }
    }

    fn step(&mut self, by: isize) {
        let last = self.holds.len().saturating_sub(1);
        let place = match self.place() {
            Some(place) => place.saturating_add_signed(by).min(last),
            None => 0,
        };
        self.chosen = self.holds.get(place).map(|hold| hold.id);
    }

    /// What a key means.
    pub fn key(&mut self, key: KeyEvent) -> Wish {
        if key.kind != KeyEventKind::Press {
            return Wish::Nothing;
        }
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Wish::Quit;
        }
        match &mut self.mood {
            Mood::Reason(ticket, text) | Mood::Careful(ticket, text) => {
                let ticket = ticket.clone();
                match key.code {
                    KeyCode::Esc => self.mood = Mood::List,
                    KeyCode::Backspace => {
                        text.pop();
                    }
                    KeyCode::Char(letter) if text.len() < 500 => text.push(letter),
                    KeyCode::Enter => {
                        let (mood, list) = (self.mood.clone(), Mood::List);
                        self.mood = list;
                        return match mood {
                            Mood::Careful(_, said) if said.trim() == "yes" => {
                                Wish::Answer(ticket, Ruling::Approve)
                            }
                            Mood::Reason(_, said) => {
                                let reason = (!said.trim().is_empty()).then(|| said.trim().to_owned());
                                Wish::Answer(ticket, Ruling::Deny { reason })
                            }
                            Mood::Careful(..) | Mood::List | Mood::Details(_) => Wish::Nothing,
                        };
                    }
                    _ => {}
                }
                Wish::Nothing
            }
            Mood::List | Mood::Details(_) => self.plain_key(key.code),
        }
    }

    fn plain_key(&mut self, code: KeyCode) -> Wish {
        let ticket = self.hold().map(|hold| (hold.ticket.clone(), hold.crisis));
        let whole = self.mood != Mood::List || self.hold().is_some_and(view::is_whole);
        match (code, ticket) {
            (KeyCode::Char('q'), _) => return Wish::Quit,
            (KeyCode::Esc, _) if self.mood == Mood::List => return Wish::Quit,
            (KeyCode::Esc, _) => self.mood = Mood::List,
            (KeyCode::Char('j') | KeyCode::Down, _) => match &mut self.mood {
                Mood::Details(from) => *from = from.saturating_add(1),
                _ => self.step(1),
            },
            (KeyCode::Char('k') | KeyCode::Up, _) => match &mut self.mood {
                Mood::Details(from) => *from = from.saturating_sub(1),
                _ => self.step(-1),
            },
            (KeyCode::Char('d') | KeyCode::Enter, Some(_)) => {
                self.mood = if self.mood == Mood::List { Mood::Details(0) } else { Mood::List };
            }
            // What touches life and safety is not answered with one key.
            (KeyCode::Char('y'), Some((ticket, true))) => self.mood = Mood::Careful(ticket, String::new()),
            // Nobody says yes to what they have not seen all of.
            (KeyCode::Char('y'), Some((_, false))) if !whole => self.mood = Mood::Details(0),
            (KeyCode::Char('y'), Some((ticket, false))) => return Wish::Answer(ticket, Ruling::Approve),
            (KeyCode::Char('n'), Some((ticket, false))) => {
                return Wish::Answer(ticket, Ruling::Deny { reason: None });
            }
            (KeyCode::Char('n' | 'r'), Some((ticket, _))) => self.mood = Mood::Reason(ticket, String::new()),
            _ => {}
        }
        Wish::Nothing
    }

    /// Draws the screen.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let dim = Style::new().add_modifier(Modifier::DIM);
        let areas = Layout::vertical([Constraint::Length(2), Constraint::Min(1), Constraint::Length(2)]);
        let [top, middle, bottom] = areas.areas(frame.area());
        frame.render_widget(Paragraph::new(self.head()), top);
        match &self.mood {
            Mood::Details(from) => {
                let page = self.hold().map(|hold| view::page(hold, self.now)).unwrap_or_default();
                // The screen has its own styles; those of a plain terminal are taken out.
                let page = anstream::adapter::strip_str(&page).to_string();
                frame.render_widget(
                    Paragraph::new(page).scroll((*from, 0)).wrap(Wrap { trim: false }),
                    middle,
                );
            }
            Mood::List | Mood::Reason(..) | Mood::Careful(..) => {
                frame.render_widget(Paragraph::new(self.list(usize::from(middle.height))), middle);
            }
        }
        let keys = "y approve once   n deny   r deny with a reason   d details   j/k move   q quit";
        let foot = vec![Line::from(self.note.clone()), Line::from(Span::styled(keys, dim))];
        frame.render_widget(Paragraph::new(foot), bottom);
        let asked = match &self.mood {
            Mood::Reason(ticket, text) => Some((
                format!(" deny {ticket}: why? (the agent reads it; enter to send, esc to leave) "),
                text,
            )),
            Mood::Careful(ticket, text) => {
                Some((format!(" {ticket} touches life and safety: type yes to approve it "), text))
            }
            Mood::List | Mood::Details(_) => None,
        };
        if let Some((title, text)) = asked {
            let [_, area, _] =
                Layout::vertical([Constraint::Fill(1), Constraint::Length(3), Constraint::Fill(1)])
                    .areas(frame.area());
            frame.render_widget(Clear, area);
            let framed = Block::new().borders(Borders::ALL).title(title);
            frame.render_widget(Paragraph::new(text.as_str()).block(framed), area);
        }
    }

    fn head(&self) -> Vec<Line<'static>> {
        let waiting = match self.holds.len() {
            0 => "nothing waits".to_owned(),
            1 => "1 waits".to_owned(),
            many => format!("{many} wait"),
        };
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let mut spans = vec![
            Span::styled(format!("  {waiting}"), bold),
            Span::raw(format!("     agents: {}", self.agents)),
        ];
        if self.standing.mode == Mode::Observe {
            let loud = Style::new().fg(Color::Black).bg(Color::Yellow);
            spans.push(Span::raw("   "));
            spans.push(Span::styled(" observe: nothing is stopped ", loud));
        }
        if let Some(by) = &self.standing.stopped_by {
            let loud = Style::new().fg(Color::White).bg(Color::Red);
            spans.push(Span::raw("   "));
            spans
                .push(Span::styled(format!(" everything is stopped by {} ", printable::shown(by, 40)), loud));
        }
        vec![Line::from(spans), Line::default()]
    }

    fn list(&self, height: usize) -> Vec<Line<'static>> {
        const LINES_EACH: usize = 4;
        let dim = Style::new().add_modifier(Modifier::DIM);
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let fits = (height / LINES_EACH).max(1);
        let first = self.place().map_or(0, |place| (place + 1).saturating_sub(fits));
        let mut lines = Vec::new();
        for hold in self.holds.iter().skip(first).take(fits) {
            let mark = if Some(hold.id) == self.chosen { "▸ " } else { "  " };
            let about = printable::shown(&view::about(hold), 200);
            let crisis = if hold.crisis { "touches life and safety: " } else { "" };
            lines.push(Line::from(vec![
                Span::raw(mark),
                Span::styled(format!("{:<8}", hold.ticket.as_str()), bold),
                Span::raw(format!(
                    "{:<12} {:<34} ",
                    format!("{} left", view::left(hold, self.now)),
                    view::who(hold)
                )),
                Span::styled(crisis, Style::new().fg(Color::Red)),
                Span::raw(about),
            ]));
            lines.push(Line::from(Span::raw(format!("{:<23}{}", "", view::called(hold)))));
            let why: Vec<String> =
                [view::why(hold), view::people(hold)].into_iter().filter(|part| !part.is_empty()).collect();
            lines.push(Line::from(Span::styled(format!("{:<23}{}", "", why.join("   ")), dim)));
            lines.push(Line::default());
        }
        lines
    }
}

fn screen(ground: &Ground, terminal: &mut ratatui::DefaultTerminal) -> anyhow::Result<ExitCode> {
    let mut screen = Screen {
        holds: Vec::new(),
        chosen: None,
        standing: operate::standing(&ground.get("/v1/mode")?)?,
        agents: 0,
        now: SystemClock.now(),
        mood: Mood::List,
        note: String::new(),
    };
    let mut seen = None;
    loop {
        screen.now = SystemClock.now();
        let now = version(ground)?;
        if now != seen {
            seen = now;
            let before = screen.holds.len();
            screen.replace(super::seen(ground, &format!("limit={SHOWN_MAX}"))?);
            screen.standing = operate::standing(&ground.get("/v1/mode")?)?;
            screen.agents = list(&ground.get("/v1/agents")?, "agents").len();
            if screen.holds.len() > before {
                // A bell for whoever looks elsewhere.
                let _ = std::io::stdout().write_all(b"\x07");
            }
        }
        // What ran out while we looked is not shown as if it could be answered.
        screen.expire(SystemClock.now());
        terminal.draw(|frame| screen.draw(frame))?;
        if !event::poll(LOOK_EVERY)? {
            continue;
        }
        let Event::Key(key) = event::read()? else { continue };
        match screen.key(key) {
            Wish::Nothing => {}
            Wish::Quit => return Ok(ExitCode::SUCCESS),
            Wish::Answer(ticket, ruling) => {
                screen.note = match super::rule(ground, &ticket, &ruling)? {
                    Ok(hold) if hold.state == HoldState::Pending => {
                        format!("  {} noted; others must answer too", hold.ticket)
                    }
                    Ok(hold) => format!("  {} {}", hold.ticket, hold.state),
                    Err(refusal) => format!("  {refusal}"),
                };
                screen.mood = Mood::List;
                seen = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use placet_core::{CallDigest, hold::InvalidTicket};
    use placet_engine::HoldView;
    use placet_store::{Hold, HoldId, NewHold};
    use ratatui::{Terminal, backend::TestBackend};

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms).expect("an instant")
    }

    fn hold(number: i64, ticket: &str, crisis: bool) -> Result<Hold, InvalidTicket> {
        let card = r#"{"about":"deletes \u001b[31m~/notes","call":{"tool":"terminal","args":{"command":"rm -rf ~/notes"}},
            "reasons":["deletes ~/notes"],"findings":[{"source":{"rule":"destructive.home"},"verdict":"hold","reason":"x"}],
            "assessment":{"risk_score":0.63,"reasons":["deletes ~/notes"],"factors":[]}}"#;
        Ok(Hold {
            id: HoldId(number),
            opened: NewHold {
                ticket: Ticket::parse(ticket)?,
                digest: CallDigest::from_bytes([0; 32]),
                agent: "nightly".to_owned(),
                session: "81c2".to_owned(),
                record: 7,
                opened: at(0),
                deadline: at(252_000),
                inline_only: false,
                crisis,
                card: card.as_bytes().to_vec(),
            },
            state: HoldState::Pending,
            since: at(0),
            by: None,
            reason: None,
            redeem_until: at(0),
            approval: None,
        })
    }

    fn screen(holds: Vec<Hold>) -> Screen {
        let mut screen = Screen {
            holds: Vec::new(),
            chosen: None,
            standing: Standing { mode: Mode::Enforce, agents: Vec::new(), stopped_by: None },
            agents: 2,
            now: at(0),
            mood: Mood::List,
            note: String::new(),
        };
        screen.replace(views(holds));
        screen
    }

    fn views(holds: Vec<Hold>) -> Vec<Seen> {
        let seen = |hold| Seen::read(HoldView::new(hold, Vec::new(), at(0)).as_json(true));
        holds.into_iter().map(seen).collect::<Result<_, _>>().expect("holds as they are told")
    }

    fn drawn(screen: &Screen) -> String {
        let mut terminal = Terminal::new(TestBackend::new(100, 14)).expect("a terminal in memory");
        terminal.draw(|frame| screen.draw(frame)).expect("it can be drawn");
        terminal.backend().to_string()
    }

    fn press(screen: &mut Screen, keys: &str) -> Wish {
        let mut wish = Wish::Nothing;
        for key in keys.chars() {
            let code = if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
            wish = screen.key(KeyEvent::new(code, KeyModifiers::NONE));
        }
        wish
    }

    #[test]
    fn what_waits_is_shown_and_control_characters_are_not() -> Result<(), InvalidTicket> {
        let mut screen = screen(vec![hold(1, "H-7K2M", false)?, hold(2, "H-9QXD", true)?]);
        insta::assert_snapshot!("watch_list", drawn(&screen));
        assert!(!drawn(&screen).contains('\u{1b}'));
        press(&mut screen, "d");
        insta::assert_snapshot!("watch_details", drawn(&screen));
        screen.standing.stopped_by = Some("ann".to_owned());
        screen.standing.mode = Mode::Observe;
        assert!(
            drawn(&screen).contains("observe: nothing is stopped")
                && drawn(&screen).contains("everything is stopped by ann")
        );
        Ok(())
    }

    #[test]
    fn one_key_answers_but_not_where_life_and_safety_are_touched() -> Result<(), InvalidTicket> {
        let ticket = |text| Ticket::parse(text);
        let mut screen = screen(vec![hold(1, "H-7K2M", false)?, hold(2, "H-9QXD", true)?]);
        assert_eq!(press(&mut screen, "y"), Wish::Answer(ticket("H-7K2M")?, Ruling::Approve));
        assert_eq!(press(&mut screen, "n"), Wish::Answer(ticket("H-7K2M")?, Ruling::Deny { reason: None }));
        let reason = Some("not now".to_owned());
        assert_eq!(
            press(&mut screen, "rnot now\n"),
            Wish::Answer(ticket("H-7K2M")?, Ruling::Deny { reason })
        );
        assert_eq!(press(&mut screen, "jy"), Wish::Nothing);
        assert_eq!(press(&mut screen, "y\n"), Wish::Nothing);
        assert_eq!(press(&mut screen, "yyes\n"), Wish::Answer(ticket("H-9QXD")?, Ruling::Approve));
        assert_eq!(press(&mut screen, "n\n"), Wish::Answer(ticket("H-9QXD")?, Ruling::Deny { reason: None }));
        assert_eq!(press(&mut screen, "q"), Wish::Quit);
        Ok(())
    }

    #[test]
    fn what_expires_above_does_not_move_the_answer_to_another() -> Result<(), InvalidTicket> {
        let mut early = hold(1, "H-7K2M", false)?;
        early.opened.deadline = at(1_000);
        let mut screen = screen(vec![early, hold(2, "H-9QXD", false)?, hold(3, "H-AAAA", false)?]);
        press(&mut screen, "j");
        screen.expire(at(2_000));
        assert_eq!(press(&mut screen, "y"), Wish::Answer(Ticket::parse("H-9QXD")?, Ruling::Approve));
        screen.expire(at(300_000));
        assert_eq!(press(&mut screen, "y"), Wish::Nothing);
        Ok(())
    }

    #[test]
    fn the_chosen_one_stays_chosen_as_others_come_and_go() -> Result<(), InvalidTicket> {
        let mut screen = screen(vec![hold(1, "H-7K2M", false)?, hold(2, "H-9QXD", false)?]);
        press(&mut screen, "j");
        screen.replace(views(vec![
            hold(3, "H-AAAA", false)?,
            hold(1, "H-7K2M", false)?,
            hold(2, "H-9QXD", false)?,
        ]));
        assert_eq!(press(&mut screen, "y"), Wish::Answer(Ticket::parse("H-9QXD")?, Ruling::Approve));
        // The one that was chosen is gone: no key is taken for an answer to another.
        screen.replace(views(vec![hold(3, "H-AAAA", false)?]));
        assert_eq!(press(&mut screen, "y"), Wish::Nothing);
        assert_eq!(press(&mut screen, "jy"), Wish::Answer(Ticket::parse("H-AAAA")?, Ruling::Approve));
        screen.replace(Vec::new());
        assert_eq!(press(&mut screen, "y"), Wish::Nothing);
        Ok(())
    }
}
