//! Files and addresses that code opens, and what comes out of them.

use std::borrow::Cow;

use super::{
    How, Range,
    reader::Reader,
    special_calls::nowhere,
    value::{Kind, Text, Value},
};
use crate::effect::{
    Effect, Extent, Sensitivity, Target, TargetKind, Verb,
    shell::{Flow, Origin},
};

impl<'a> Reader<'a, '_> {
    pub(super) fn open(&mut self, file: &Value<'a>, mode: &Value<'a>, range: Range) -> Value<'a> {
        let place = self.place(range);
        let path = file.as_text();
        if matches!(file, Value::Number(_)) {
            return Value::Unknown(Origin::PLAIN);
        }
        let letters = match mode {
            Value::Text(text) => text.text.clone(),
            // `os.open` takes flags by name.
            Value::Nothing => Cow::Borrowed("r"),
            Value::Name(name) if name.ends_with("O_RDONLY") => Cow::Borrowed("r"),
            _ => Cow::Borrowed("w"),
        };
        let origin = if letters.contains(['w', 'a', 'x', '+']) {
            self.world.write(&path, Flow::unknown(Origin::PLAIN), letters.contains('a'), place);
            Origin::PLAIN
        } else if path.is_address() {
            return self.read_value(file, range);
        } else {
            let flow = self.world.read(&path, place);
            if let Some(text) = flow.text {
                // A file that this very call has written.
                let held = Value::of_flow(Flow { text: Some(text), origin: flow.origin });
                self.set_marked("\0", &path.text, held);
            }
            flow.origin
        };
        Value::thing(Kind::File, Value::Text(Text { origin, ..path }))
    }

    /// What a file holds that was opened.
    pub(super) fn contents(&mut self, path: &Text<'a>) -> Value<'a> {
        match self.marked("\0", &path.text) {
            Some(value) => value.clone(),
            None => Value::Unknown(path.origin),
        }
    }

    /// The data a value stands for: a path, an address, an open file.
    pub(super) fn read_value(&mut self, value: &Value<'a>, range: Range) -> Value<'a> {
        let place = self.place(range);
        match value {
            Value::Thing(Kind::File, inside) => Value::Unknown(inside.origin()),
            Value::Text(text) if text.is_address() && !text.text.starts_with("file:") => {
                let words = [Text::plain("curl"), Text::plain("--url"), text.clone()];
                Value::of_flow(self.run(&words, How::default(), range))
            }
            Value::Text(_) | Value::Thing(Kind::Path, _) => {
                let text = value.as_text();
                Value::of_flow(self.world.read(&text, place))
            }
            Value::OneOf(items) => {
                let mut found: Option<Value<'a>> = None;
                for item in items.items.iter().take(16) {
                    let value = self.read_value(item, range);
                    found = Some(match found {
                        Some(found) => found.or(value),
                        None => value,
                    });
                }
                found.unwrap_or(Value::Unknown(items.origin))
            }
            other => Value::Unknown(other.origin()),
        }
    }

    /// The whole environment goes where it can be read.
    pub(super) fn dumps_environment(&mut self, value: &Value<'a>, range: Range) {
        if value.origin().has(Origin::ENVIRONMENT) {
            let target = Target::new(TargetKind::Service, "the environment").with(Sensitivity::Secret);
            let effect = Effect::new(Verb::Read, target, nowhere())
                .extent(Extent::Several)
                .words("every variable, with the secrets among them");
            self.emit(effect, range);
        }
    }

    pub(super) fn export(&mut self, name: &Text<'a>, value: &Text<'a>, range: Range) {
        let assignment = Text::plain("export ").then(name).then(&Text::plain("="));
        let quoted = crate::effect::quote(&value.text);
        let script = assignment.then(&Text { text: Cow::Owned(quoted), ..value.clone() });
        if !name.known() {
            return;
        }
        let place = self.place(range);
        let how = How { depth: self.depth, ..How::default() };
        self.world.shell(&script, how, place);
    }
}
