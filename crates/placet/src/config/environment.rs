//! What the environment says over the file, by one rule: the variable of `server.listen` is `PLACET_SERVER_LISTEN`.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use anyhow::bail;
use placet_core::{nearest::nearest, printable};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::schema::Shape;

/// A key that the environment sets.
#[derive(Clone, Debug)]
pub struct Override {
    /// The variable.
    pub name: String,
    /// What it holds.
    pub value: String,
    path: Vec<String>,
    shape: Shape,
}

/// The variables that could be ours.
pub fn ours() -> BTreeMap<String, String> {
    let own = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        let name = name.into_string().ok().filter(|name| name.starts_with(PREFIX))?;
        Some((name, value.to_string_lossy().into_owned()))
    };
    std::env::vars_os().filter_map(own).collect()
}

const PREFIX: &str = "PLACET_";

/// The variable of a key: its path in capitals, with `_` for whatever is no letter or digit.
pub fn variable(path: &[impl AsRef<str>]) -> String {
    let mut name = PREFIX.trim_end_matches('_').to_owned();
    for key in path {
        name.push('_');
        let letter =
            |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
        name.extend(key.as_ref().chars().map(letter));
    }
    name
}

/// The keys that `variables` set. One that begins like a table of ours and names no key of it is a mistake, and refused.
pub fn overrides(
    variables: &BTreeMap<String, String>,
    table: &DeTable<'_>,
    shape: &Shape,
    elsewhere: &[String],
) -> anyhow::Result<Vec<Override>> {
    let mut known = Vec::new();
    keys(Some(table), shape, &mut Vec::new(), &mut known);
    let names: Vec<String> = known.iter().map(|(path, _)| variable(path)).collect();
    let mut found = Vec::new();
    for (name, value) in variables {
        let mut meant = known.iter().zip(&names).filter(|(_, known)| *known == name).map(|(key, _)| key);
        match (meant.next(), meant.next()) {
            (Some(one), Some(two)) => bail!(
                "`{name}` in the environment could mean `{}` or `{}`; give one of them another name",
                printable::shown(&one.0.join("."), 160),
                printable::shown(&two.0.join("."), 160)
            ),
            (Some((path, shape)), None) => found.push(Override {
                name: name.clone(),
                value: value.clone(),
                path: path.clone(),
                shape: shape.clone(),
            }),
            (None, _) if elsewhere.contains(name) => {}
            (None, _) => refuse_stray(name, &names, shape)?,
        }
    }
    Ok(found)
}

/// Refuses a variable that was meant for us and says nothing to us.
fn refuse_stray(name: &str, names: &[String], shape: &Shape) -> anyhow::Result<()> {
    let ours = shape.keys().into_iter().any(|table| name.starts_with(&format!("{}_", variable(&[table]))));
    if !ours {
        return Ok(());
    }
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let shown = printable::shown(name, 160);
    match nearest(name, &known) {
        Some(near) => bail!("`{shown}` in the environment is no setting, did you mean `{near}`?"),
        None => bail!(
            "`{shown}` in the environment is no setting; `placet config init` shows every key, and a table with a name \
             of yours must be in the file"
        ),
    }
}

/// Every key that can hold a value; of tables with names, those that are in the file.
fn keys(
    table: Option<&DeTable<'_>>,
    shape: &Shape,
    path: &mut Vec<String>,
    known: &mut Vec<(Vec<String>, Shape)>,
) {
    let mut below = |key: &str, shape: &Shape| {
        let inner = table.and_then(|table| table.get(key)).and_then(|value| value.get_ref().as_table());
        path.push(key.to_owned());
        keys(inner, shape, path, known);
        path.pop();
    };
    match shape {
        Shape::Table(keys) => keys.iter().for_each(|(key, shape)| below(key, shape)),
        Shape::Named(shape) => {
            table.into_iter().flat_map(DeTable::keys).for_each(|name| below(name.get_ref(), shape));
        }
        Shape::List | Shape::Text | Shape::Plain => known.push((path.clone(), shape.clone())),
    }
}

impl Override {
    /// Puts it into `table`, as if it stood at `span`.
    pub fn put<'a>(&'a self, table: &mut DeTable<'a>, span: Range<usize>) -> Result<(), String> {
        let value = self.read(&span)?;
        let Some((last, tables)) = self.path.split_last() else { return Ok(()) };
        let key = |key: &str| Spanned::new(span.clone(), Cow::Owned(key.to_owned()));
        let mut at = table;
        for name in tables {
            let empty = Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
            let below = at.entry(key(name)).or_insert(empty);
            let DeValue::Table(inner) = below.get_mut() else {
                return Err(format!("`{name}` is no table in the file"));
            };
            at = inner;
        }
        at.insert(key(last), value);
        Ok(())
    }

    fn read<'a>(&'a self, span: &Range<usize>) -> Result<Spanned<DeValue<'a>>, String> {
        let text = |text: &str| Spanned::new(span.clone(), DeValue::String(Cow::Owned(text.to_owned())));
        Ok(match self.shape {
            Shape::List if self.value.trim_start().starts_with('[') => {
                let list = DeValue::parse(&self.value).map_err(|error| error.message().to_owned())?;
                let mut list = list.into_inner();
                list.make_owned();
                let DeValue::Array(values) = list else { return Err("this is no list".to_owned()) };
                let placed = values.into_iter().map(|value| Spanned::new(span.clone(), value.into_inner()));
                Spanned::new(span.clone(), DeValue::Array(placed.collect()))
            }
            Shape::List => {
                let words = self.value.split(',').map(str::trim).filter(|word| !word.is_empty());
                Spanned::new(span.clone(), DeValue::Array(words.map(text).collect()))
            }
            Shape::Text => text(&self.value),
            Shape::Plain | Shape::Table(_) | Shape::Named(_) => match DeValue::parse(self.value.trim()) {
                Ok(value) => {
                    let mut value = value.into_inner();
                    value.make_owned();
                    Spanned::new(span.clone(), value)
                }
                Err(_) => text(&self.value),
            },
        })
    }
}
