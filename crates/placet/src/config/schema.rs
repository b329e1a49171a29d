//! Which keys there are, asked of the types that read them: a key cannot be known here and unknown there.

use std::cell::RefCell;

use serde::{
    Deserialize,
    de::{self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor},
    forward_to_deserialize_any,
};

/// What stands at a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Keys we know.
    Table(Vec<(&'static str, Shape)>),
    /// Names that the operator chose, and the same below each.
    Named(Box<Shape>),
    /// A list.
    List,
    /// Text, or a word.
    Text,
    /// A number, or yes or no.
    Plain,
}

/// Stands for a name that the operator chooses.
pub const NAME: &str = "NAME";

impl Shape {
    /// The shape of what `T` is read from.
    pub fn of<T: for<'de> Deserialize<'de>>() -> Self {
        shape_at::<T>(&mut Vec::new())
    }

    /// This and `other` in one: a table that both know has the keys of both.
    pub fn and(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Table(mut known), Shape::Table(others)) => {
                for (name, other) in others {
                    match known.iter().position(|(known, _)| *known == name) {
                        Some(at) => {
                            let (_, ours) = known.swap_remove(at);
                            known.push((name, ours.and(other)));
                        }
                        None => known.push((name, other)),
                    }
                }
                Shape::Table(known)
            }
            (ours, _) => ours,
        }
    }

    /// What is below `key`.
    pub fn below(&self, key: &str) -> Option<&Shape> {
        match self {
            Shape::Table(known) => known.iter().find(|(name, _)| *name == key).map(|(_, shape)| shape),
            Shape::Named(shape) => Some(shape),
            Shape::List | Shape::Text | Shape::Plain => None,
        }
    }

    /// What is at the end of `path`.
    pub fn at(&self, path: &[&str]) -> Option<&Shape> {
        path.iter().try_fold(self, |shape, key| shape.below(key))
    }

    /// The keys that are known here.
    pub fn keys(&self) -> Vec<&'static str> {
        match self {
            Shape::Table(known) => known.iter().map(|(name, _)| *name).collect(),
            Shape::Named(_) | Shape::List | Shape::Text | Shape::Plain => Vec::new(),
        }
    }

    /// Every key that holds a value, with [`NAME`] for each name that the operator chooses.
    pub fn leaves(&self) -> Vec<Vec<&'static str>> {
        let below = |name: &'static str, shape: &Shape| {
            let put = move |mut path: Vec<&'static str>| {
                path.insert(0, name);
                path
            };
            shape.leaves().into_iter().map(put).collect::<Vec<_>>()
        };
        match self {
            Shape::Table(known) => known.iter().flat_map(|(name, shape)| below(name, shape)).collect(),
            Shape::Named(shape) => below(NAME, shape),
            Shape::List | Shape::Text | Shape::Plain => vec![Vec::new()],
        }
    }
}

fn shape_at<T: for<'de> Deserialize<'de>>(path: &mut Vec<&'static str>) -> Shape {
    let asked = RefCell::new(None);
    // It always fails: what is asked for on the way is all we want to know.
    let _ = T::deserialize(Probe { path, asked: &asked });
    let mut below = |key: &'static str| {
        path.push(key);
        let shape = shape_at::<T>(path);
        path.pop();
        shape
    };
    match asked.take() {
        Some(Asked::Struct(keys)) => Shape::Table(keys.iter().map(|key| (*key, below(key))).collect()),
        Some(Asked::Map) => Shape::Named(Box::new(below(NAME))),
        Some(Asked::List) => Shape::List,
        Some(Asked::Text) => Shape::Text,
        Some(Asked::Plain) | None => Shape::Plain,
    }
}

/// What a type asked for.
enum Asked {
    Struct(&'static [&'static str]),
    Map,
    List,
    Text,
    Plain,
}

/// Follows a path into whatever a type wants to read, and notes what it wants there.
struct Probe<'a> {
    path: &'a [&'static str],
    asked: &'a RefCell<Option<Asked>>,
}

type Nothing = de::value::Error;

impl<'a> Probe<'a> {
    fn note<T>(&self, asked: Asked) -> Result<T, Nothing> {
        if self.path.is_empty() {
            self.asked.replace(Some(asked));
        }
        Err(de::Error::custom("nothing is here"))
    }

    fn enter<'de, V: Visitor<'de>>(self, asked: Asked, visitor: V) -> Result<V::Value, Nothing> {
        match self.path.split_first() {
            None => self.note(asked),
            Some((key, path)) => {
                visitor.visit_map(OneKey { key: Some(key), probe: Probe { path, asked: self.asked } })
            }
        }
    }
}

impl<'de> de::Deserializer<'de> for Probe<'_> {
    type Error = Nothing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Nothing> {
        self.note(Asked::Plain)
    }

    fn deserialize_str<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Nothing> {
        self.note(Asked::Text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Nothing> {
        self.note(Asked::Text)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Nothing> {
        self.note(Asked::Text)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Nothing> {
        self.note(Asked::List)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Nothing> {
        self.enter(Asked::Map, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Nothing> {
        self.enter(Asked::Struct(keys), visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Nothing> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Nothing> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
        identifier ignored_any
    }
}

/// A table with one key.
struct OneKey<'a> {
    key: Option<&'static str>,
    probe: Probe<'a>,
}

impl<'de> MapAccess<'de> for OneKey<'_> {
    type Error = Nothing;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Nothing> {
        self.key.take().map(|key| seed.deserialize(key.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Nothing> {
        seed.deserialize(Probe { path: self.probe.path, asked: self.probe.asked })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only asked for its shape")]
    struct One {
        server: OneServer,
        tools: std::collections::BTreeMap<String, Vec<u8>>,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only asked for its shape")]
    struct OneServer {
        key: Option<String>,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only asked for its shape")]
    struct Other {
        server: OtherServer,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only asked for its shape")]
    struct OtherServer {
        listen: bool,
    }

    #[test]
    fn a_table_that_two_know_has_the_keys_of_both() {
        let both = Shape::of::<One>().and(Shape::of::<Other>());
        assert_eq!(both.at(&["server", "key"]), Some(&Shape::Text));
        assert_eq!(both.at(&["server", "listen"]), Some(&Shape::Plain));
        assert_eq!(both.at(&["tools", "any"]), Some(&Shape::List));
        assert_eq!(both.at(&["server", "other"]), None);
        assert_eq!(both.leaves().len(), 3);
    }
}
