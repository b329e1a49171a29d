//! Redirections.

use super::{Parser, Read};
use crate::effect::shell::syntax::{Fd, Part, Parts, Redirect, RedirectKind, Word};

impl<'a> Parser<'a> {
    pub(super) fn redirects(&mut self, redirects: &mut Vec<Redirect<'a>>) -> Read<()> {
        loop {
            self.skip_blanks();
            if self.done() || !self.redirect(redirects)? {
                return Ok(());
            }
        }
    }

    pub(super) fn redirect(&mut self, redirects: &mut Vec<Redirect<'a>>) -> Read<bool> {
        if !matches!(self.peek(), b'0'..=b'9' | b'{' | b'<' | b'>' | b'&') {
            return Ok(false);
        }
        let start = self.at;
        let mut fd = None;
        if self.peek().is_ascii_digit() {
            let mut number = 0u32;
            while self.peek().is_ascii_digit() && !self.done() {
                number = number.saturating_mul(10).saturating_add(u32::from(self.peek() - b'0'));
                self.at += 1;
            }
            fd = Some(Fd::Number(number));
        } else if self.peek() == b'{' {
            self.at += 1;
            let name = self.name();
            match name {
                Some(name)
                    if self.peek() == b'}'
                        && (!matches!(self.peek_at(1), b'<' | b'>') || self.only_bash()) =>
                {
                    self.at += 1;
                    fd = Some(Fd::Named(name));
                }
                _ => {
                    self.at = start;
                    return Ok(false);
                }
            }
        }
        const OPERATORS: [(&str, RedirectKind); 13] = [
            ("<<<", RedirectKind::HereString),
            ("<<-", RedirectKind::HereDoc),
            ("<<", RedirectKind::HereDoc),
            ("<&", RedirectKind::DupRead),
            ("<>", RedirectKind::ReadWrite),
            ("<", RedirectKind::Read),
            (">>", RedirectKind::Append),
            (">&", RedirectKind::DupWrite),
            (">|", RedirectKind::Write),
            (">", RedirectKind::Write),
            ("&>>", RedirectKind::AppendBoth),
            ("&>", RedirectKind::WriteBoth),
            // Closes the table so that no operator is a prefix of a later one.
            ("\0", RedirectKind::Read),
        ];
        if !matches!(self.peek(), b'<' | b'>' | b'&')
            || (self.peek() == b'&' && fd.is_some())
            || (matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(' && fd.is_none())
        {
            self.at = start;
            return Ok(false);
        }
        let Some((operator, kind)) = OPERATORS.into_iter().find(|(operator, _)| self.starts_with(operator))
        else {
            self.at = start;
            return Ok(false);
        };
        if matches!(kind, RedirectKind::WriteBoth | RedirectKind::AppendBoth) && self.only_dash() {
            // To dash that is `&`, and then `>`.
            self.at = start;
            return Ok(false);
        }
        if kind == RedirectKind::HereString && !self.only_bash() {
            return Err(self.refuse());
        }
        self.node()?;
        self.at += operator.len();
        if self.is_continued_at(self.at) {
            let next =
                self.bytes[self.at..].chunks(2).find(|pair| *pair != b"\\\n").and_then(|pair| pair.first());
            if matches!(next, Some(b'<' | b'>' | b'&' | b'|' | b'-' | b'(')) {
                return Err(self.fail("an operator that is broken over lines"));
            }
        }
        let closes = matches!(kind, RedirectKind::DupRead | RedirectKind::DupWrite) && self.peek() == b'-';
        if closes {
            // A token by itself: what follows is another word, or a comment.
            let range = self.at..self.at + 1;
            self.at += 1;
            self.fresh = self.at;
            let text = self.text[range.clone()].into();
            let target = Word { parts: Parts::One(Part::Text { text, quoted: true }), range };
            redirects.push(Redirect { fd, kind, target });
            return Ok(true);
        }
        if kind == RedirectKind::HereDoc {
            self.announce_here_doc(redirects, fd, operator == "<<-")?;
            return Ok(true);
        }
        self.skip_blanks();
        if self.done() || matches!(self.peek(), b'\n' | b';' | b'|' | b'&' | b')') {
            return Err(self.fail("a redirection without a target"));
        }
        let target = self.word()?;
        redirects.push(Redirect { fd, kind, target });
        Ok(true)
    }
}
