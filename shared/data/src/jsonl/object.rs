use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The entries of a JSON object in their order, doubles included.
pub(super) struct Object(pub(super) Vec<(String, Cell)>);

pub(super) enum Cell {
    Number(f64),
    Missing,
    /// What stands there instead of a number, for the error.
    Other(String),
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value;
        impl<'de> Visitor<'de> for Value {
            type Value = Cell;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or null")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Cell, E> {
                Ok(Cell::Number(value))
            }

            // JSON has one kind of number; an integer beyond 2^53 is rounded as any long decimal is.
            fn visit_i64<E>(self, value: i64) -> Result<Cell, E> {
                Ok(Cell::Number(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Cell, E> {
                Ok(Cell::Number(value as f64))
            }

            fn visit_unit<E>(self) -> Result<Cell, E> {
                Ok(Cell::Missing)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Cell, E> {
                Ok(Cell::Other(value.to_string()))
            }

            fn visit_str<E>(self, value: &str) -> Result<Cell, E> {
                Ok(Cell::Other(crate::error::shown(value)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Cell, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Cell::Other("an array".to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Cell::Other("an object".to_owned()))
            }
        }
        deserializer.deserialize_any(Value)
    }
}
