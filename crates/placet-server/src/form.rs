//! Forms, as browsers send them.

/// What somebody filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a form, or a query.
    pub fn read(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// What a field says; the first of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// The same without blanks around it, and empty if it is not there.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or("").trim()
    }

    /// What all fields of that name say.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

impl Form {
    /// All fields with what they say, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// What somebody has written themselves, by the names of its fields: nothing that must not be shown again, and nothing
    /// that the page had put there.
    pub fn written(&self) -> Vec<(String, String)> {
        const OURS: [&str; 18] = [
            "csrf", "half", "confirm", "password", "current", "from", "answer", "scope", "with", "to", "do",
            "seen", "args", "session", "role", "next", "mode", "policy",
        ];
        let written =
            |(name, value): &&(String, String)| !OURS.contains(&name.as_str()) && !value.trim().is_empty();
        self.0.iter().filter(written).cloned().collect()
    }
}

/// One field of a form, or of a query.
pub fn field(text: &str, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(text.as_bytes());
    pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_and_read() {
        let form = Form::read(b"a=1&reason=+not+%22now%22+&a=2&empty=&%ff=x");
        assert_eq!(
            (form.get("a"), form.text("reason"), form.get("empty")),
            (Some("1"), "not \"now\"", Some(""))
        );
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((form.get("b"), form.text("b")), (None, ""));
        let form = Form::read(b"csrf=x&password=secret&reason=not+now&note=+");
        assert_eq!(form.written(), [("reason".to_owned(), "not now".to_owned())]);
        assert_eq!(field("x=%41%zz+b", "x").as_deref(), Some("A%zz b"));
    }
}
