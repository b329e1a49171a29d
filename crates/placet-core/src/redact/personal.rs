//! Personal data, for those who ask for it: addresses, telephone numbers, cards, accounts and identity numbers.

use std::{borrow::Cow, ops::Range};

use super::{Found, check, class::Class};

/// Adds the personal data in `text`.
pub fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'@', bytes) {
        if let Some(range) = e_mail(bytes, at) {
            found.push(Found { kind: Cow::Borrowed("e-mail"), range });
        }
    }
    let mut at = 0;
    while at < bytes.len() {
        let alone = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        if !alone
            || !(bytes[at].is_ascii_digit()
                || bytes[at] == b'+'
                || bytes[at] == b'('
                || bytes[at].is_ascii_uppercase())
        {
            at += 1;
            continue;
        }
        match number(bytes, at) {
            Some((kind, range)) => {
                at = range.end;
                found.push(Found { kind: Cow::Borrowed(kind), range });
            }
            None => at += 1 + Class::ALNUM.run(&bytes[at + 1..], usize::MAX),
        }
    }
}

/// The address around the `@` at `at`.
fn e_mail(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let local = |byte: u8| Class::UNRESERVED.has(byte) || matches!(byte, b'+' | b'%' | b'\'');
    let before = bytes[..at].iter().rev().take(64).take_while(|byte| local(**byte)).count();
    let after = Class::URL64_DOT.run(&bytes[at + 1..], 255);
    let start = at - before;
    let start = start + bytes[start..at].iter().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    let host = &bytes[at + 1..at + 1 + after];
    let host = &host[..host.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |last| last + 1)];
    let dot = host.iter().rposition(|byte| *byte == b'.')?;
    let ending = &host[dot + 1..];
    let named = ending.len() >= 2 && ending.iter().all(u8::is_ascii_alphabetic) && dot > 0;
    // `user:password@host` is an address of another kind.
    let plain = start < at && (start == 0 || !matches!(bytes[start - 1], b':' | b'/'));
    (named && plain).then_some(start..at + 1 + host.len())
}

/// The number that begins at `at`: what it is by its length, its signs and its sum.
fn number(bytes: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    iban(bytes, at)
        .or_else(|| card(bytes, at))
        .or_else(|| national(bytes, at))
        .or_else(|| phone(bytes, at))
        .or_else(|| ip_address(bytes, at))
        .filter(|(_, range)| bytes.get(range.end).is_none_or(|next| !next.is_ascii_alphanumeric()))
}

/// The digits from `at` on with single blanks, dashes or dots between them, and where they end.
fn digits(bytes: &[u8], at: usize, signs: &[u8]) -> (Vec<u8>, usize) {
    let (mut digits, mut end, mut index) = (Vec::new(), at, at);
    while let Some(byte) = bytes.get(index).filter(|_| digits.len() < 20) {
        if byte.is_ascii_digit() {
            digits.push(byte - b'0');
            end = index + 1;
        } else if !signs.contains(byte) || index == at || !bytes[index - 1].is_ascii_digit() {
            break;
        }
        index += 1;
    }
    (digits, end)
}

/// Payment cards: 13 to 19 digits that begin as the networks' do and add up.
fn card(bytes: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    let (digits, end) = digits(bytes, at, b" -");
    let network = matches!(
        digits.as_slice(),
        [4, ..]
            | [5, 1..=5, ..]
            | [2, 2..=7, ..]
            | [3, 4 | 7, ..]
            | [6, 0 | 2 | 4 | 5, ..]
            | [3, 0 | 5 | 6 | 8, ..]
    );
    ((13..=19).contains(&digits.len()) && network && check::luhn_holds(digits.iter().copied()))
        .then_some(("payment-card", at..end))
}

/// International bank accounts: a country, two check digits, and a remainder of one.
fn iban(bytes: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    let head = bytes.get(at..at + 4)?;
    if !head[..2].iter().all(u8::is_ascii_uppercase) || !head[2..].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut letters = Vec::new();
    let mut end = at;
    for (offset, byte) in bytes[at..].iter().take(42).enumerate() {
        match byte {
            byte if byte.is_ascii_digit() || byte.is_ascii_uppercase() => {
                letters.push(*byte);
                end = at + offset + 1;
            }
            b' ' if letters.len().is_multiple_of(4) => {}
            _ => break,
        }
    }
    let value =
        |letter: u8| u32::from(if letter.is_ascii_digit() { letter - b'0' } else { letter - b'A' + 10 });
    let turned = letters.get(4..)?.iter().chain(&letters[..4]);
    let remainder = turned.fold(0u32, |remainder, letter| {
        let value = value(*letter);
        (remainder * if value > 9 { 100 } else { 10 } + value) % 97
    });
    ((15..=34).contains(&letters.len()) && remainder == 1).then_some(("iban", at..end))
}

/// Identity numbers that can be told: by their signs (United States), their letters (United Kingdom, Spain, India), or a sum of
/// their own and their usual signs (Brazil, France).
fn national(bytes: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    let shape = |shape: &[u8]| {
        bytes.get(at..at + shape.len()).filter(|text| {
            text.iter().zip(shape).all(|(byte, kind)| match kind {
                b'9' => byte.is_ascii_digit(),
                b'A' => byte.is_ascii_uppercase(),
                sign => byte == sign,
            })
        })
    };
    let number = |text: &[u8]| {
        text.iter()
            .filter(|byte| byte.is_ascii_digit())
            .fold(0u64, |sum, byte| sum * 10 + u64::from(byte - b'0'))
    };
    if let Some(text) = shape(b"999-99-9999") {
        let (area, group, serial) = (number(&text[..3]), number(&text[4..6]), number(&text[7..]));
        let issued = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
        return issued.then_some(("national-id", at..at + 11));
    }
    for british in [&b"AA 99 99 99 A"[..], b"AA999999A"] {
        if let Some(text) = shape(british) {
            let issued = !b"DFIQUV".contains(&text[0])
                && !b"DFIOQUV".contains(&text[1])
                && matches!(text.last(), Some(b'A'..=b'D'));
            return issued.then_some(("national-id", at..at + british.len()));
        }
    }
    if let Some(text) = shape(b"99999999A") {
        let letter = b"TRWAGMYFPDXBNJZSQVHLCKE"[usize::try_from(number(&text[..8]) % 23).unwrap_or(0)];
        return (letter == text[8]).then_some(("national-id", at..at + 9));
    }
    if let Some(text) = shape(b"AAAAA9999A") {
        return b"PCHFATBLJG".contains(&text[3]).then_some(("national-id", at..at + 10));
    }
    if let Some(text) = shape(b"999.999.999-99") {
        let digits: Vec<u64> =
            text.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| u64::from(byte - b'0')).collect();
        let check = |count: usize| {
            (0..count).map(|at| digits[at] * (count + 1 - at) as u64).sum::<u64>() * 10 % 11 % 10
        };
        let varied = digits.iter().any(|digit| digit != &digits[0]);
        return (varied && check(9) == digits[9] && check(10) == digits[10])
            .then_some(("national-id", at..at + 14));
    }
    for french in [&b"9 99 99 99 999 999 99"[..], b"999999999999999"] {
        if let Some(text) = shape(french) {
            let all: String =
                text.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
            let (body, key) = (all[..13].parse::<u64>().unwrap_or(0), all[13..].parse::<u64>().unwrap_or(0));
            return (matches!(text[0], b'1' | b'2') && 97 - body % 97 == key)
                .then_some(("national-id", at..at + french.len()));
        }
    }
    None
}

/// Telephone numbers with their country, or as North America writes them.
fn phone(bytes: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    let plus = bytes[at] == b'+';
    let bracket = bytes[at] == b'(';
    let start = at + usize::from(plus || bracket);
    let mut count = 0;
    let (mut end, mut signs, mut last) = (start, 0, b'+');
    for (offset, byte) in bytes[start..].iter().take(24).enumerate() {
        match byte {
            byte if byte.is_ascii_digit() => {
                count += 1;
                end = start + offset + 1;
            }
            b' ' | b'-' | b'.' | b'(' | b')' | b'/'
                if last.is_ascii_digit() || matches!(last, b')' | b' ' | b'(') =>
            {
                signs += 1
            }
            _ => break,
        }
        last = *byte;
    }
    let american = {
        let (digits, _) = digits(bytes, start, b" -.)");
        let groups: Vec<usize> = bytes[start..end]
            .split(|byte| !byte.is_ascii_digit())
            .map(<[u8]>::len)
            .filter(|length| *length > 0)
            .collect();
        digits.len() == 10 && groups == [3, 3, 4] && bytes[start] >= b'2'
    };
    let international = plus
        && (8..=15).contains(&count)
        && bytes.get(start).is_some_and(|first| matches!(first, b'1'..=b'9'));
    (international || american && (bracket || signs >= 2)).then_some(("phone", at..end))
}

/// Addresses of machines that anybody can reach.
fn ip_address(bytes: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    let length =
        bytes[at..].iter().take(16).take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let text = std::str::from_utf8(&bytes[at..at + length]).ok()?.trim_end_matches('.');
    let address: std::net::Ipv4Addr = text.parse().ok()?;
    let own = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast();
    let version = at > 0 && matches!(bytes[at - 1], b'.' | b'v' | b'-');
    (!own && !version).then_some(("ip-address", at..at + text.len()))
}
