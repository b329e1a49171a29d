//! What a tool says of itself: the definition an MCP server or an agent gives of it. All of it is untrusted: it can make a
//! judgement stricter, never milder.

use crate::{Json, ToolCall, ToolName, json::Object, tool_call::InvalidToolName};

/// A tool as it describes itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    name: ToolName,
    description: Option<String>,
    schema: Option<Object>,
    annotations: Option<Object>,
}

impl ToolDefinition {
    /// A tool of which only the name is known.
    pub fn new(name: ToolName) -> Self {
        Self { name, description: None, schema: None, annotations: None }
    }

    /// Reads one definition: of MCP (`inputSchema`), or as model interfaces take it (`input_schema`, `parameters`, or all of it in
    /// `function`). Keys that say nothing about what a call does are passed over.
    ///
    /// ```
    /// use placet_core::{Json, ToolDefinition};
    ///
    /// let wire = Json::read(r#"{"name": "get_page", "inputSchema": {"properties": {"at": {"format": "uri"}}}}"#)?;
    /// let definition = ToolDefinition::from_json(&wire)?;
    /// assert_eq!(definition.name().as_str(), "get_page");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(wire: &Json) -> Result<Self, ToolDefinitionError> {
        let object = wire.as_object().ok_or(ToolDefinitionError::NotAnObject { found: wire.kind() })?;
        if let Some(function) = object.get("function").filter(|function| function.as_object().is_some())
            && object.get("name").is_none()
        {
            return Self::from_json(function);
        }
        let name = text(object, "name")?.ok_or(ToolDefinitionError::NoName)?;
        let schemas = ["inputSchema", "input_schema", "parameters"];
        let schema = schemas.iter().find_map(|key| member(object, key).transpose()).transpose()?;
        Ok(Self {
            name: ToolName::parse(&name).map_err(ToolDefinitionError::Name)?,
            description: text(object, "description")?,
            schema,
            annotations: member(object, "annotations")?,
        })
    }

    /// Reads many: the result of `tools/list`, the whole answer around it, an array, or a single one.
    pub fn read_all(wire: &Json) -> Result<Vec<Self>, ToolDefinitionError> {
        let list = [wire, wire.get("result").unwrap_or(&Json::Null)]
            .into_iter()
            .find_map(|wire| wire.as_array().or_else(|| wire.get("tools").and_then(Json::as_array)));
        let Some(list) = list else { return Self::from_json(wire).map(|one| vec![one]) };
        let read = |(index, wire)| {
            Self::from_json(wire)
                .map_err(|source| ToolDefinitionError::InList { number: index + 1, source: Box::new(source) })
        };
        list.iter().enumerate().map(read).collect()
    }

    /// The name agents call it by.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// What it says it does.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The schema of its arguments.
    pub fn schema(&self) -> Option<&Object> {
        self.schema.as_ref()
    }

    /// What it says of its effects: `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`.
    pub fn annotations(&self) -> Option<&Object> {
        self.annotations.as_ref()
    }

    /// A call of this tool, with what it says of itself beside it.
    pub fn call(&self, args: Object) -> ToolCall {
        let mut call = ToolCall::new(self.name.clone(), args);
        if let Some(description) = &self.description {
            call = call.with_description(description.as_str());
        }
        if let Some(schema) = &self.schema {
            call = call.with_schema(schema.clone());
        }
        if let Some(annotations) = &self.annotations {
            call = call.with_annotations(annotations.clone());
        }
        call
    }
}

fn text(object: &Object, key: &'static str) -> Result<Option<String>, ToolDefinitionError> {
    match object.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(ToolDefinitionError::WrongType { key, expected: "a string", found: other.kind() }),
    }
}

fn member(object: &Object, key: &'static str) -> Result<Option<Object>, ToolDefinitionError> {
    match object.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(member)) => Ok(Some(member.clone())),
        Some(other) => {
            Err(ToolDefinitionError::WrongType { key, expected: "an object", found: other.kind() })
        }
    }
}

/// Why something is not a [`ToolDefinition`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ToolDefinitionError {
    /// It is not an object.
    #[error("a tool definition is an object, found {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// It has no name.
    #[error("a tool definition needs a `name`")]
    NoName,
    /// Its name is none.
    #[error(transparent)]
    Name(InvalidToolName),
    /// A value is of another type.
    #[error("key `{key}` must be {expected}, found {found}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// One of a list is wrong.
    #[error("tool {number} of the list")]
    InList {
        /// Which, counted from one.
        number: usize,
        /// What is wrong with it.
        source: Box<ToolDefinitionError>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(wire: &str) -> Result<Vec<String>, String> {
        let read = ToolDefinition::read_all(&Json::read(wire).unwrap());
        read.map(|all| all.iter().map(|one| one.name().to_string()).collect()).map_err(|error| {
            let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
            format!("{error}{}", source.unwrap_or_default())
        })
    }

    #[test]
    fn lists_come_in_many_shapes() {
        for wire in [
            r#"{"tools":[{"name":"a"},{"name":"b"}]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"}]}}"#,
            r#"[{"name":"a"},{"type":"function","function":{"name":"b","parameters":{}}}]"#,
            r#"[{"name":"a","input_schema":{}},{"name":"b","annotations":null,"title":"B","_meta":{}}]"#,
        ] {
            assert_eq!(read(wire), Ok(vec!["a".to_owned(), "b".to_owned()]), "{wire}");
        }
        assert_eq!(read(r#"{"name":"a"}"#), Ok(vec!["a".to_owned()]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (wire, words) in [
            ("[{}]", "tool 1 of the list: a tool definition needs a `name`"),
            (r#"[{"name":"a"},{"name":"a b"}]"#, "tool 2 of the list: tool name `a b` has the character"),
            (r#"{"name":"a","inputSchema":[]}"#, "key `inputSchema` must be an object, found array"),
            ("7", "a tool definition is an object, found number"),
        ] {
            let error = read(wire).unwrap_err();
            assert!(error.starts_with(words), "{error}");
        }
    }
}
