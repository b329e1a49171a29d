//! YAML as Placet reads it: one document of plain data, every value with its place.
//!
//! The grammar is that of `saphyr-parser`. What makes YAML surprising is refused: a key that appears twice, anchors,
//! aliases and tags, a second document, and numbers that only YAML reads as numbers (`0x1f`, `1_000`, `.5`).

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::{
    json::{Json, excerpt},
    located::{Key, Located, LocatedError, Mark, Value},
};

/// The longest text that is read.
pub const BYTES_MAX: usize = 1 << 20;
/// The deepest nesting.
pub const DEPTH_MAX: usize = 32;
/// The most values.
pub const VALUES_MAX: usize = 100_000;

/// Reads `text`, which must hold exactly one document.
pub fn read(text: &str) -> Result<Located, LocatedError> {
    if text.len() > BYTES_MAX {
        return Err(Mark::START.error(format!("the file is longer than {BYTES_MAX} bytes; split it")));
    }
    let mut reader = Reader { parser: Parser::new_from_str(text), values: 0 };
    reader.expect_start()?;
    let (event, span) = reader.next()?;
    if matches!(event, Event::StreamEnd) {
        return Err(mark(span).error("the file is empty"));
    }
    let (event, span) = reader.next()?;
    let value = reader.value(event, span, 0)?;
    reader.next()?; // The end of the document.
    match reader.next()? {
        (Event::StreamEnd, _) => Ok(value),
        (_, span) => Err(mark(span).error("a second document begins here; write one file for each")),
    }
}

fn mark(span: Span) -> Mark {
    Mark { line: span.start.line().max(1), column: span.start.col() + 1 }
}

struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    values: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), LocatedError> {
        match self.parser.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => {
                let at = error.marker();
                Err(Mark { line: at.line().max(1), column: at.col() + 1 }.error(error.info().to_owned()))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn expect_start(&mut self) -> Result<(), LocatedError> {
        self.next().map(drop)
    }

    fn value(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Located, LocatedError> {
        let mut mark = mark(span);
        self.values += 1;
        if self.values > VALUES_MAX {
            return Err(mark.error(format!("more than {VALUES_MAX} values; split the file")));
        }
        if depth > DEPTH_MAX {
            return Err(mark.error(format!("nested deeper than {DEPTH_MAX}")));
        }
        let value = match event {
            Event::Scalar(text, style, anchor, tag) => {
                plain(mark, anchor, tag.is_some())?;
                // Text in quotes begins after the quote, so that a place within it can be counted from there.
                if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
                    mark.column += 1;
                }
                scalar(mark, text.into_owned(), style)?
            }
            Event::SequenceStart(anchor, tag) => {
                plain(mark, anchor, tag.is_some())?;
                let mut elements = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break Value::List(elements),
                        (event, span) => elements.push(self.value(event, span, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(anchor, tag) => {
                plain(mark, anchor, tag.is_some())?;
                Value::Map(self.members(depth)?)
            }
            Event::Alias(_) => return Err(mark.error("aliases are not read; write the value out")),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => return Err(mark.error("a value is missing here")),
        };
        Ok(Located { value, mark })
    }

    fn members(&mut self, depth: usize) -> Result<Vec<(Key, Located)>, LocatedError> {
        let mut members: Vec<(Key, Located)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(members);
            }
            let at = mark(span);
            let Event::Scalar(name, _, 0, None) = event else {
                return Err(at.error("a key must be a plain word"));
            };
            let name = name.into_owned();
            if !seen.insert(name.clone()) {
                return Err(at.error(format!("key `{}` appears twice", excerpt(&name))));
            }
            let (event, span) = self.next()?;
            let value = self.value(event, span, depth + 1)?;
            members.push((Key { name, mark: at }, value));
        }
    }
}

fn plain(mark: Mark, anchor: usize, tagged: bool) -> Result<(), LocatedError> {
    match (anchor, tagged) {
        (0, false) => Ok(()),
        (0, true) => Err(mark.error("tags are not read; leave out the `!…`")),
        _ => Err(mark.error("anchors are not read; leave out the `&…` and write the value out")),
    }
}

/// What a scalar says: the words and numbers of JSON if it is not quoted, text otherwise.
fn scalar(mark: Mark, text: String, style: ScalarStyle) -> Result<Value, LocatedError> {
    if style != ScalarStyle::Plain {
        return Ok(Value::Text(text));
    }
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if !text.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.')) {
        return Ok(Value::Text(text));
    }
    if let Ok(Json::Number(number)) = Json::read(&text) {
        return Ok(Value::Number(number));
    }
    if looks_numeric(&text) {
        let shown = excerpt(&text);
        return Err(mark.error(format!(
            "`{shown}` is a number to some and text to others; write it as `12` or `1.5`, or in quotes"
        )));
    }
    Ok(Value::Text(text))
}

/// Whether some version of YAML reads `text` as a number, though JSON does not.
fn looks_numeric(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    let lower = digits.to_ascii_lowercase();
    let radix = ["0x", "0o", "0b"].iter().any(|prefix| {
        lower.strip_prefix(prefix).is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
        })
    });
    radix
        || matches!(lower.as_str(), ".inf" | ".nan")
        || digits.bytes().any(|byte| byte.is_ascii_digit())
            && digits.bytes().filter(|byte| *byte == b'.').count() < 2
            && digits
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'e' | b'E' | b'+' | b'-'))
            && !digits.contains('-')
        || digits.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let answer = match read(text) {
            Ok(value) => serde_json::to_string(&value.to_json()).unwrap(),
            Err(error) => error.to_string(),
        };
        assert_eq!(answer, expected, "{text}");
    }

    #[test]
    fn plain_data_is_read_as_json_would_be() {
        check(
            "a: 1\nb: [x, 'y', true, ~]\nc: {d: -1.5}",
            r#"{"a":1,"b":["x","y",true,null],"c":{"d":-1.5}}"#,
        );
        check(
            "- 9007199254740993\n- '5'\n- 2026-01-01\n- 1.2.3\n- -x",
            r#"[9007199254740993,"5","2026-01-01","1.2.3","-x"]"#,
        );
        check("a: |\n  two\n  lines\n", "{\"a\":\"two\\nlines\\n\"}");
    }

    #[test]
    fn surprises_are_refused_with_their_place() {
        check("a: 1\na: 2", "2:1: key `a` appears twice");
        check("a: &x 1\nb: *x", "1:4: anchors are not read; leave out the `&…` and write the value out");
        check("a: !!str 1", "1:4: tags are not read; leave out the `!…`");
        for number in ["0x1f", "1_000", ".5", "+5", "007", "1.", ".inf", "1e999"] {
            check(
                &format!("a:\n  - {number}"),
                &format!(
                    "2:5: `{number}` is a number to some and text to others; write it as `12` or `1.5`, or in quotes"
                ),
            );
        }
        check("a: 1\n---\nb: 2", "2:1: a second document begins here; write one file for each");
        check("", "1:1: the file is empty");
        check(&"[".repeat(40), "1:34: nested deeper than 32");
        check("[a]: 1", "1:1: a key must be a plain word");
    }
}
