//! From words as written to arguments as a program would get them, as far as that can be known.

use std::borrow::Cow;

use super::{
    flow::{Arg, Flow, HOLE, Origin, TEXT_MAX, has_hole},
    syntax::{Form, Part, Word},
    walk::{Walker, hides_substitution},
};

/// A longer word is not followed; no script can hold one that is longer by itself.
const WORD_MAX: usize = (1 << 20) + TEXT_MAX;
/// More fields than this are not made of one word.
const FIELDS_MAX: usize = 256;

/// What a letter of an unquoted word may mean besides itself: another word or several, or what nobody knows.
static ODD: [u8; 256] = {
    let mut table = [0; 256];
    table[b'{' as usize] = EXPANDS;
    table[b'*' as usize] = EXPANDS;
    table[b'?' as usize] = EXPANDS;
    table[b'[' as usize] = EXPANDS;
    table[HOLE as usize] = IS_HOLE;
    table
};
const EXPANDS: u8 = 1;
const IS_HOLE: u8 = 2;

/// The fields a word is being split into.
struct Fields<'a> {
    done: Vec<Arg<'a>>,
    text: String,
    /// Whether the current field exists even if it is empty.
    started: bool,
    /// Whether there were more than are kept.
    dropped: bool,
    known: bool,
    glob: bool,
    origin: Origin,
    range: (usize, usize),
}

impl Fields<'_> {
    fn new(range: (usize, usize)) -> Self {
        Self {
            done: Vec::new(),
            text: String::new(),
            started: false,
            dropped: false,
            known: true,
            glob: false,
            origin: Origin::PLAIN,
            range,
        }
    }

    fn push(&mut self, text: &str, quoted: bool) {
        self.started = true;
        if self.text.len() + text.len() > WORD_MAX {
            // A word that grows without end is not followed any further.
            if self.known {
                self.text.push(HOLE);
                self.known = false;
            }
            return;
        }
        self.text.push_str(text);
        self.known &= !has_hole(text);
        self.glob |= !quoted && text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'['));
    }

    fn hole(&mut self, origin: Origin) {
        self.text.push(HOLE);
        self.started = true;
        self.known = false;
        self.origin = self.origin.and(origin);
    }

    fn finish_field(&mut self) {
        self.dropped |= self.started && self.done.len() >= FIELDS_MAX;
        if self.started && self.done.len() < FIELDS_MAX {
            self.done.push(Arg {
                text: Cow::Owned(std::mem::take(&mut self.text)),
                known: self.known,
                glob: self.glob,
                origin: self.origin,
                range: self.range,
            });
        }
        self.text.clear();
        self.started = false;
        self.known = true;
        self.glob = false;
        self.origin = Origin::PLAIN;
    }
}

impl Walker<'_> {
    /// All the arguments `words` expand to.
    pub(super) fn arguments<'a>(&mut self, words: &[Word<'a>]) -> Vec<Arg<'a>> {
        let mut arguments = Vec::with_capacity(words.len());
        for word in words {
            self.argument(word, &mut arguments);
        }
        arguments
    }

    fn argument<'a>(&mut self, word: &Word<'a>, arguments: &mut Vec<Arg<'a>>) {
        let range = (word.range.start, word.range.end);
        // By far the most words are one plain piece of text.
        if let [Part::Text { text, quoted }] = &*word.parts {
            let odd = text.bytes().fold(0, |odd, byte| odd | ODD[usize::from(byte)]);
            if *quoted || odd & EXPANDS == 0 {
                let known = odd & IS_HOLE == 0;
                let (text, origin) = (text.clone(), Origin::PLAIN);
                let mut arg = Arg { text, known, glob: false, origin, range };
                if !known {
                    without_nothing(&mut arg);
                }
                arguments.push(arg);
                return;
            }
        }
        if let Some(variants) = braces(word) {
            if variants.len() >= FIELDS_MAX {
                self.give_up("a word becomes more arguments than can be followed", range);
            }
            for (text, glob) in variants {
                arguments.push(Arg { glob, ..Arg::literal(text, range) });
            }
            return;
        }
        let mut fields = Fields::new(range);
        for part in word.parts.iter() {
            self.field_part(part, &mut fields);
        }
        fields.finish_field();
        fields.done.iter_mut().for_each(without_nothing);
        if fields.dropped {
            self.give_up("a word becomes more arguments than can be followed", range);
        }
        arguments.append(&mut fields.done);
    }

    fn field_part(&mut self, part: &Part<'_>, fields: &mut Fields<'_>) {
        match part {
            Part::Text { text, quoted } => fields.push(text, *quoted),
            Part::Parameter { name, form, quoted } => {
                let values = self.parameter(name, form);
                // `"$@"` and `"${a[@]}"` are several fields even inside quotes.
                for (index, value) in values.into_iter().enumerate() {
                    if index > 0 {
                        fields.finish_field();
                    }
                    self.field_value(value, *quoted, fields);
                }
            }
            Part::Substitution { script, quoted } => {
                let value = self.substitution(script);
                self.field_value(value, *quoted, fields);
            }
            Part::Escaped { text, quoted } => {
                let value = trimmed(self.nested_here(text, fields.range, None));
                self.field_value(value, *quoted, fields);
            }
            Part::Arithmetic(parts) => {
                self.check_arithmetic(parts, fields.range);
                let mut ignored = Fields::new(fields.range);
                for part in parts {
                    self.field_part(part, &mut ignored);
                }
                fields.hole(Origin::PLAIN);
            }
            // Nothing to run leaves nothing behind, not even the name of a pipe: `rm<()` is `rm`.
            Part::Process { script, .. } if script.items.is_empty() => {}
            Part::Process { script, reads } => {
                let stdin = if *reads { None } else { Some(Flow::unknown(Origin::PLAIN)) };
                let content = self.in_subshell(|walker| walker.run(script, stdin));
                let path = self.virtual_file(content);
                fields.push(&path, true);
            }
        }
    }

    fn field_value(&mut self, value: Flow, quoted: bool, fields: &mut Fields<'_>) {
        let Some(text) = value.text else {
            fields.hole(value.origin);
            return;
        };
        if quoted {
            fields.push(&text, true);
            fields.origin = fields.origin.and(value.origin);
            return;
        }
        let separators = self.separators();
        let pieces = text.split(|next| separators.contains(next));
        let mut first = true;
        for piece in pieces {
            if !first {
                fields.finish_field();
            }
            first = false;
            if !piece.is_empty() {
                fields.push(piece, false);
                fields.origin = fields.origin.and(value.origin);
            }
            if fields.done.len() >= FIELDS_MAX {
                fields.dropped = true;
                break;
            }
        }
    }

    /// A variable that arithmetic reads is evaluated in its turn.
    pub(super) fn check_arithmetic(&mut self, parts: &[Part<'_>], range: (usize, usize)) {
        for part in parts {
            let Part::Text { text, .. } = part else { continue };
            let names = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
            for name in names.filter(|name| !name.is_empty()) {
                let value = self.env.value(name).and_then(|value| value.text);
                if value.is_some_and(|value| hides_substitution(&value)) {
                    self.opaque("text that arithmetic would run", range);
                    return;
                }
            }
        }
    }

    fn separators(&self) -> String {
        match self.env.value("IFS") {
            Some(Flow { text: Some(text), .. }) => text,
            Some(_) | None => " \t\n".to_owned(),
        }
    }

    /// The one text `word` stands for where no splitting happens: assignments, here-documents, patterns.
    pub(super) fn text(&mut self, word: &Word<'_>) -> Flow {
        let mut text = String::new();
        let mut origin = Origin::PLAIN;
        for part in word.parts.iter() {
            let value = match part {
                Part::Text { text: more, .. } => {
                    text.push_str(more);
                    continue;
                }
                Part::Parameter { name, form, .. } => self
                    .parameter(name, form)
                    .into_iter()
                    .reduce(|all, next| all.then(Flow::known(" ".to_owned())).then(next))
                    .unwrap_or_else(Flow::empty),
                Part::Substitution { script, .. } => self.substitution(script),
                Part::Escaped { text, .. } => {
                    trimmed(self.nested_here(text, (word.range.start, word.range.end), None))
                }
                Part::Arithmetic(_) | Part::Process { .. } => {
                    let mut fields = Fields::new((word.range.start, word.range.end));
                    self.field_part(part, &mut fields);
                    Flow { text: fields.known.then_some(fields.text), origin: fields.origin }
                }
            };
            origin = origin.and(value.origin);
            match value.text {
                Some(more) if text.len() + more.len() > WORD_MAX => {
                    return Flow::unknown(origin.and(Origin::CUT));
                }
                Some(more) => text.push_str(&more),
                None => text.push(HOLE),
            }
        }
        let nothing_known = text.len() == HOLE.len_utf8() && text.starts_with(HOLE);
        Flow { text: (!nothing_known).then_some(text), origin }
    }

    fn substitution(&mut self, script: &super::syntax::Script<'_>) -> Flow {
        trimmed(self.in_subshell(|walker| walker.run(script, None)))
    }

    /// The value or values of `$name` under `form`, as long as there are not too many of them.
    fn parameter(&mut self, name: &str, form: &Form<'_>) -> Vec<Flow> {
        // Not even looked at once there was too much to copy.
        if !self.may_copy(0) {
            return vec![Flow::unknown(Origin::PLAIN)];
        }
        let values = self.parameter_values(name, form);
        let bytes = values.iter().map(|value| 16 + value.text.as_ref().map_or(0, String::len)).sum();
        if self.may_copy(bytes) { values } else { vec![Flow::unknown(Origin::PLAIN)] }
    }

    fn parameter_values(&mut self, name: &str, form: &Form<'_>) -> Vec<Flow> {
        let set = self.env.get(name).is_some();
        match form {
            Form::Plain => match name {
                "@" | "*" => {
                    self.env.positional.clone().unwrap_or_else(|| vec![Flow::unknown(Origin::PLAIN)])
                }
                _ => vec![self.variable(name)],
            },
            Form::Length => vec![Flow::unknown(Origin::PLAIN)],
            Form::Indirect => {
                let inner = self.variable(name);
                if inner.text.as_deref().is_some_and(hides_substitution) {
                    self.opaque("text that arithmetic would run", (0, 0));
                }
                vec![match inner.text {
                    Some(inner) if !inner.is_empty() => self.variable(&inner),
                    Some(_) | None => Flow::unknown(inner.origin),
                }]
            }
            Form::Default(word) | Form::Assign(word) => {
                let value = self.variable(name);
                // A variable this script did not set may be unset: then the word is what runs.
                let missing =
                    value.text.as_deref().is_none_or(str::is_empty) && !(set && value.text.is_none());
                let fallback = self.text(word);
                if !missing {
                    return vec![value];
                }
                if matches!(form, Form::Assign(_)) {
                    self.env.set(name, vec![fallback.clone()], false);
                }
                vec![fallback]
            }
            Form::Alternative(word) => {
                let alternative = self.text(word);
                vec![alternative]
            }
            Form::Required(word) => {
                self.text(word);
                vec![self.variable(name)]
            }
            Form::Slice(word) => {
                self.check_arithmetic(&word.parts, (word.range.start, word.range.end));
                let bounds = self.text(word);
                let value = self.variable(name);
                let sliced = value.text.zip(bounds.text).and_then(|(value, bounds)| slice(&value, &bounds));
                vec![Flow { text: sliced, origin: value.origin }]
            }
            Form::Strip { front, longest, pattern } => {
                let pattern = self.text(pattern);
                let value = self.variable(name);
                let text = value
                    .text
                    .zip(pattern.text)
                    .and_then(|(value, pattern)| strip(&value, &pattern, *front, *longest));
                vec![Flow { text, origin: value.origin }]
            }
            Form::Replace { all, pattern, with } => {
                let pattern = self.text(pattern);
                let with = self.text(with);
                let value = self.variable(name);
                let text =
                    value.text.zip(pattern.text.zip(with.text)).and_then(|(value, (pattern, with))| {
                        let literal = !pattern.is_empty() && !pattern.contains(['*', '?', '[', '#', '%']);
                        match (literal, all) {
                            (false, _) => None,
                            (true, true)
                                if value.len().saturating_mul(with.len() + 1) > super::flow::TEXT_MAX =>
                            {
                                None
                            }
                            (true, true) => Some(value.replace(&pattern, &with)),
                            (true, false) => Some(value.replacen(&pattern, &with, 1)),
                        }
                    });
                vec![Flow { text, origin: value.origin.and(with.origin) }]
            }
            Form::Other(word) => {
                self.check_arithmetic(&word.parts, (word.range.start, word.range.end));
                let what = self.text(word);
                if what.text.as_deref() == Some("@P")
                    && self.variable(name).text.is_none_or(|text| hides_substitution(&text))
                {
                    self.opaque("text that a prompt would run", (0, 0));
                }
                match what.text.as_deref() {
                    Some("[@]" | "[*]") => {
                        self.env.get(name).map_or_else(|| vec![self.variable(name)], |var| var.items.clone())
                    }
                    Some(index) if index.starts_with('[') && index.ends_with(']') => {
                        let index = index[1..index.len() - 1].parse::<usize>().ok();
                        let item = index.and_then(|index| self.env.get(name)?.items.get(index).cloned());
                        vec![item.unwrap_or_else(|| Flow::unknown(Origin::PLAIN))]
                    }
                    Some(_) | None => {
                        let origin = self.variable(name).origin;
                        vec![Flow::unknown(origin)]
                    }
                }
            }
        }
    }

    /// The value of a variable, from this script or from what every shell has.
    fn variable(&self, name: &str) -> Flow {
        if let Some(value) = self.env.value(name) {
            return value;
        }
        if let Ok(position) = name.parse::<usize>()
            && position > 0
        {
            let missing = || {
                if self.in_function() { Flow::empty() } else { Flow::unknown(Origin::PLAIN) }
            };
            return self
                .env
                .positional
                .as_deref()
                .unwrap_or(&[])
                .get(position - 1)
                .cloned()
                .unwrap_or_else(missing);
        }
        match name {
            "HOME" => Flow::known("~".to_owned()),
            "PWD" => Flow::known(self.directory().unwrap_or(".").to_owned()),
            "TMPDIR" | "TEMP" | "TMP" => Flow::known("/tmp".to_owned()),
            "IFS" => Flow::known(" \t\n".to_owned()),
            "SHELL" | "BASH" => Flow::known("/bin/sh".to_owned()),
            name if names_a_secret(name) => Flow::unknown(Origin::SECRET),
            _ => Flow::unknown(Origin::PLAIN),
        }
    }
}

/// What a variable adds to the name of an option is most often nothing: `-delete$x` and `--force$x` are the options.
fn without_nothing(arg: &mut Arg<'_>) {
    let name = arg.text.trim_end_matches(HOLE);
    if name.len() == arg.text.len() {
        return;
    }
    // `-j$N` is an option with its value.
    let long = name.len() > 3 && name.starts_with('-') && !name[1..].contains([HOLE, '=', '/', '.', ':']);
    if long && name.bytes().skip(1).all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
        arg.text = Cow::Owned(name.to_owned());
    }
}

/// Whether a variable of that name usually holds a secret.
pub fn names_a_secret(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "SECRET",
        "TOKEN",
        "PASSWORD",
        "PASSWD",
        "APIKEY",
        "API_KEY",
        "PRIVATE_KEY",
        "ACCESS_KEY",
        "CREDENTIALS",
    ];
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && WORDS.iter().any(|word| name.contains(word))
}

/// A substitution loses its trailing new lines.
fn trimmed(mut flow: Flow) -> Flow {
    if let Some(text) = &mut flow.text {
        text.truncate(text.trim_end_matches('\n').len());
    }
    flow
}

/// `${x:offset:length}` for plain numbers.
fn slice(value: &str, bounds: &str) -> Option<String> {
    let mut bounds = bounds.split(':').map(|bound| bound.trim().parse::<usize>().ok());
    let offset = bounds.next()??;
    let rest: String = value.chars().skip(offset).collect();
    match bounds.next() {
        None => Some(rest),
        Some(length) => Some(rest.chars().take(length?).collect()),
    }
}

/// `${x#pattern}` and relatives, for patterns that are literal or a `*` at one end.
fn strip(value: &str, pattern: &str, front: bool, longest: bool) -> Option<String> {
    if !pattern.contains(['*', '?', '[']) {
        let stripped = if front { value.strip_prefix(pattern) } else { value.strip_suffix(pattern) };
        return Some(stripped.unwrap_or(value).to_owned());
    }
    let star = if front { pattern.strip_prefix('*')? } else { pattern.strip_suffix('*')? };
    if star.contains(['*', '?', '[']) || star.is_empty() {
        return None;
    }
    let found = match (front, longest) {
        (true, false) | (false, true) => value.find(star),
        (true, true) | (false, false) => value.rfind(star),
    };
    Some(match found {
        None => value.to_owned(),
        Some(at) if front => value[at + star.len()..].to_owned(),
        Some(at) => value[..at].to_owned(),
    })
}

/// The words that braces make of a word that is all text, with whether each is a pattern.
fn braces(word: &Word<'_>) -> Option<Vec<(String, bool)>> {
    let mut letters: Vec<(char, bool)> = Vec::new();
    let mut open = false;
    for part in word.parts.iter() {
        let Part::Text { text, quoted } = part else { return None };
        open |= !quoted && text.contains('{');
        letters.extend(text.chars().map(|letter| (letter, *quoted)));
    }
    if !open || letters.len() > 4096 {
        return None;
    }
    let mut made = Vec::new();
    let mut work = 0;
    expand_braces(letters, &mut made, &mut work);
    let variants = made.into_iter().map(|letters| {
        let glob = letters.iter().any(|(letter, quoted)| !quoted && matches!(letter, '*' | '?' | '['));
        (letters.into_iter().map(|(letter, _)| letter).collect(), glob)
    });
    Some(variants.collect())
}

fn expand_braces(letters: Vec<(char, bool)>, made: &mut Vec<Vec<(char, bool)>>, work: &mut usize) {
    *work += letters.len();
    if made.len() >= FIELDS_MAX || *work > 1 << 16 {
        return;
    }
    // A brace without a comma inside stays as it is, and the next one is tried.
    let mut from = 0;
    while let Some(open) =
        letters[from..].iter().position(|letter| *letter == ('{', false)).map(|at| from + at)
    {
        let mut depth = 0usize;
        let mut commas = Vec::new();
        let mut close = None;
        for (at, letter) in letters.iter().enumerate().skip(open) {
            match letter {
                ('{', false) => depth += 1,
                ('}', false) => {
                    depth -= 1;
                    if depth == 0 {
                        close = Some(at);
                        break;
                    }
                }
                (',', false) if depth == 1 => commas.push(at),
                _ => {}
            }
        }
        let Some(close) = close else { break };
        if commas.is_empty() {
            if let Some(range) = brace_range(&letters[open + 1..close]) {
                for item in range {
                    let mut variant = letters[..open].to_vec();
                    variant.extend(item.chars().map(|letter| (letter, true)));
                    variant.extend_from_slice(&letters[close + 1..]);
                    expand_braces(variant, made, work);
                }
                return;
            }
            from = open + 1;
            continue;
        }
        let mut start = open + 1;
        for end in commas.into_iter().chain([close]) {
            let mut variant = letters[..open].to_vec();
            variant.extend_from_slice(&letters[start..end]);
            variant.extend_from_slice(&letters[close + 1..]);
            expand_braces(variant, made, work);
            start = end + 1;
        }
        return;
    }
    made.push(letters);
}

/// `1..5` and `a..e`.
fn brace_range(inside: &[(char, bool)]) -> Option<Vec<String>> {
    let text: String = inside.iter().map(|(letter, _)| *letter).collect();
    let (low, high) = text.split_once("..")?;
    if let (Ok(low), Ok(high)) = (low.parse::<i32>(), high.parse::<i32>()) {
        let (low, high) = (low.min(high), low.max(high));
        return (high.checked_sub(low)? <= 64)
            .then(|| (low..=high).map(|number| number.to_string()).collect());
    }
    let mut letters = (low.chars(), high.chars());
    let (low, high) = (letters.0.next()?, letters.1.next()?);
    (letters.0.next().is_none() && letters.1.next().is_none() && low.is_ascii() && high.is_ascii())
        .then(|| (low.min(high)..=low.max(high)).map(String::from).collect())
}
