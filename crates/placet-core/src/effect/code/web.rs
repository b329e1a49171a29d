//! Other machines that code talks to.

use super::{
    How, Range,
    arguments::Arguments,
    reader::Reader,
    value::{Kind, Text, Value},
};
use crate::effect::shell::Origin;

impl<'a> Reader<'a, '_> {
    pub(super) fn connect(&mut self, host: &Text<'a>, range: Range) -> Value<'a> {
        self.connected = Some(host.text.clone().into_owned());
        let words = [
            Text::plain("curl"),
            Text::plain("--data-raw"),
            Text::hole(Origin::PLAIN),
            Text::plain("--url"),
            host.clone(),
        ];
        self.run(&words, How::default(), range);
        Value::Text(Text { origin: host.origin.and(Origin::FETCHED), ..host.clone() })
    }

    pub(super) fn web_request(
        &mut self,
        method: &str,
        url: &Value<'a>,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        let mut words = vec![Text::plain("curl")];
        if !method.is_empty() {
            let method = method.chars().filter(char::is_ascii_alphabetic).collect::<String>();
            words.extend([Text::plain("-X"), Text::plain(method)]);
        }
        for name in ["data", "json", "files", "content", "params", "body", "form", "searchParams"] {
            if let Some(value) = arguments.named(name).filter(|value| !matches!(value, Value::Nothing)) {
                let body = Text { origin: value.origin(), ..value.as_text() };
                words.extend([Text::plain("--data-raw"), body]);
            }
        }
        words.extend([Text::plain("--url"), url.as_text()]);
        Value::of_flow(self.run(&words, How::default(), range))
    }

    /// `s3.delete_bucket(Bucket="x")` is `aws s3api delete-bucket --bucket x`.
    pub(super) fn cloud_call(
        &mut self,
        service: &Value<'a>,
        method: &str,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        let service = service.as_text();
        let path = |place: usize, name: &str| {
            arguments.get(place, name).map_or(Text::hole(Origin::PLAIN), Value::as_text)
        };
        let words = match method {
            "upload_file" => {
                vec![
                    Text::plain("aws"),
                    Text::plain("s3"),
                    Text::plain("cp"),
                    path(0, "Filename"),
                    Text::plain("s3://bucket/key"),
                ]
            }
            "download_file" => {
                vec![
                    Text::plain("aws"),
                    Text::plain("s3"),
                    Text::plain("cp"),
                    Text::plain("s3://bucket/key"),
                    path(2, "Filename"),
                ]
            }
            "get_paginator" | "get_waiter" | "paginate" | "wait" | "Bucket" | "Table" | "Object"
            | "Instance" | "Queue" | "all" | "filter" | "limit" | "load" | "reload" | "close" | "get"
            | "scan" | "query" => {
                return Value::thing(Kind::Cloud, Value::Text(service));
            }
            _ => {
                let name = match &*service.text {
                    "s3" => Text::plain("s3api"),
                    _ => service.clone(),
                };
                // A resource has short verbs: `bucket.delete()`.
                let verb = match method {
                    "delete" | "terminate" | "put" | "send" if &*service.text == "s3" => {
                        format!("{method}-objects")
                    }
                    other => other.replace('_', "-"),
                };
                let mut words = vec![Text::plain("aws"), name, Text::plain(verb)];
                for (key, value) in arguments.by_name().iter().take(16) {
                    words.push(Text::plain(format!("--{}", dashed(key))));
                    words.push(value.as_text());
                }
                words
            }
        };
        Value::of_flow(self.run(&words, How::default(), range))
    }
}

/// `BucketName` is `bucket-name`.
fn dashed(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parameters_become_flags() {
        assert_eq!(dashed("BucketName"), "bucket-name");
    }
}
