//! The lines: calls as they are written, answers as they are read.

use codemode_protocol::codec::answer_error;
use codemode_protocol::{Sentence, ToolCall};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// The arguments as a JSON array on one line.
///
/// They come from a worker, which may be in the hands of its program, so nothing is taken for granted.
///
/// # Errors
/// The text of the failure, for the program.
pub(super) fn args(call: &ToolCall) -> Result<Box<RawValue>, String> {
    let text = match call.args_json.trim_ascii() {
        "" => "[]".to_owned(),
        // Within valid JSON a raw line break is white space, and it would end the line here.
        array if array.starts_with('[') => array.replace(['\n', '\r'], " "),
        single => format!("[{}]", single.replace(['\n', '\r'], " ")),
    };
    RawValue::from_string(text).map_err(|error| {
        let (provider, tool) = (call.provider.clone(), call.tool.clone());
        Sentence::ToolArguments { provider, tool, detail: error.to_string() }.to_string()
    })
}

/// The line of a call, its break included.
pub(super) fn call(id: u64, call: &ToolCall, args: &RawValue) -> String {
    #[derive(Serialize)]
    struct Call<'a> {
        id: u64,
        provider: &'a str,
        tool: &'a str,
        args: &'a RawValue,
    }
    let line = Call { id, provider: &call.provider, tool: &call.tool, args };
    let mut line = serde_json::to_string(&line).expect("texts, a number and JSON are JSON");
    line.push('\n');
    line
}

/// What a line answers, still as the JSON it is.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    /// The call that it answers.
    pub(super) id: u64,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    error: Option<Box<RawValue>>,
}

/// `null` is a result, unlike a member that is absent.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl Answer {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(line).map_err(|error| error.to_string())
    }

    /// The envelope that the program reads.
    ///
    /// # Errors
    /// A text for the program when `error` is no text.
    pub(super) fn envelope(self, call: &ToolCall) -> Result<String, String> {
        let (provider, tool) = (call.provider.clone(), call.tool.clone());
        match (self.error, self.result) {
            (None, None) => Ok("{}".to_owned()),
            (None, Some(result)) => Ok(format!("{{\"result\":{result}}}")),
            (Some(error), _) => match serde_json::from_str::<String>(error.get()) {
                // An empty text would read as no failure at all.
                Ok(text) if text.is_empty() => {
                    Ok(answer_error(&Sentence::ToolFailed { provider, tool }.to_string()))
                }
                Ok(text) => Ok(answer_error(&text)),
                Err(_) => Err(format!(
                    "Tool \"{tool}\" of provider \"{provider}\" failed with an error that is no text: {error}"
                )),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool_call(args_json: &str) -> ToolCall {
        ToolCall { provider: "store".into(), tool: "get".into(), args_json: args_json.into() }
    }

    fn written(args_json: &str) -> Result<String, String> {
        let tool_call = tool_call(args_json);
        args(&tool_call).map(|args| call(7, &tool_call, &args))
    }

    #[test]
    fn arguments_stay_on_one_line_and_are_an_array() {
        for (args_json, args) in [
            ("[1,\"a\\n\",null]", "[1,\"a\\n\",null]"),
            ("", "[]"),
            ("{\"user\":\"ada\"}", "[{\"user\":\"ada\"}]"),
            ("[1,\n2\r\n]", "[1, 2  ]"),
            ("[\"\\ud800\",1e999]", "[\"\\ud800\",1e999]"),
        ] {
            let line = format!("{{\"id\":7,\"provider\":\"store\",\"tool\":\"get\",\"args\":{args}}}\n");
            assert_eq!(written(args_json), Ok(line));
        }
    }

    #[test]
    fn arguments_that_are_no_json_reach_no_command() {
        for args_json in ["[1", "[1] [2]", "1],\"id\":2,\"x\":[1", "[\"\n\"]x"] {
            assert!(written(args_json).is_err(), "{args_json}");
        }
    }

    #[test]
    fn answers_pass_through() {
        for (line, envelope) in [
            ("{\"id\":1,\"result\":null}", "{\"result\":null}"),
            ("{\"id\":1}", "{}"),
            ("{\"result\":[1, \"\\ud800\"],\"id\":1,\"error\":null}\r", "{\"result\":[1, \"\\ud800\"]}"),
            ("{\"id\":1,\"error\":\"no\",\"result\":1}", "{\"error\":\"no\"}"),
            (
                "{\"id\":1,\"result\":{\"__codemode_binary_v1__\":\"Uint8Array\",\"data\":\"AQ==\"}}",
                "{\"result\":{\"__codemode_binary_v1__\":\"Uint8Array\",\"data\":\"AQ==\"}}",
            ),
        ] {
            let answer = Answer::read(line.as_bytes()).unwrap();
            assert_eq!(answer.envelope(&tool_call("[]")), Ok(envelope.to_owned()));
        }
    }

    #[test]
    fn an_error_is_a_text() {
        let envelope = |line: &str| Answer::read(line.as_bytes()).unwrap().envelope(&tool_call("[]"));
        assert!(envelope("{\"id\":1,\"error\":\"\"}").unwrap().contains("failed in its host"));
        assert!(envelope("{\"id\":1,\"error\":{\"code\":1}}").unwrap_err().contains("no text: {\"code\":1}"));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for line in [
            "",
            "ready",
            "[]",
            "{}",
            "{\"id\":\"1\"}",
            "{\"id\":-1}",
            "{\"id\":1}{\"id\":2}",
            "{\"id\":1,\"id\":2}",
        ] {
            assert!(Answer::read(line.as_bytes()).is_err(), "{line}");
        }
        assert!(Answer::read(b"{\"id\":1,\"result\":\"\xff\"}").is_err());
    }
}
