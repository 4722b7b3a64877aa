//! [`Toolbox`]: the tools of a host, as closures.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer as _, Visitor};
use serde::forward_to_deserialize_any;

use crate::codec::{DecodeError, ValueDeserializer, answer_error, answer_result, decode_args};
use crate::{BoxFuture, Dispatch, ExecuteRequest, ProviderDescriptor, Sentence, ToolCall, Value};

/// Tools by provider and name, and the [`Dispatch`] that serves them.
///
/// A call of anything else is answered with [`Sentence::ToolNotFound`]; what is in the box is the boundary. A tool
/// that panics answers with [`Sentence::ToolFailed`] and harms nothing but its own call.
///
/// ```
/// use codemode_protocol::toolbox::{Args, Toolbox};
/// use codemode_protocol::{ExecuteRequest, Value};
///
/// let tools = Toolbox::new().tool("store", "totals", |Args((user,)): Args<(String,)>| async move {
///     if user == "ada" { Ok(vec![42, 7]) } else { Err("no such user") }
/// });
/// let request = ExecuteRequest::new("async () => (await store.totals('ada'))[0]").toolbox(tools);
/// # assert!(request.dispatch.is_some());
/// ```
#[derive(Default)]
pub struct Toolbox {
    providers: Vec<Provider>,
}

struct Provider {
    name: String,
    tools: Vec<(String, Handler)>,
}

type Handler = Box<dyn Fn(Vec<Value>) -> Started + Send + Sync>;

/// A call that runs, or the reason why its arguments do not fit.
type Started = Result<Running, DecodeError>;

type Running = BoxFuture<'static, Result<Option<Value>, String>>;

impl Toolbox {
    /// A box without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool, or replaces the one of the same name. It takes its arguments as [`FromArgs`] says and answers
    /// what [`IntoAnswer`] turns into a value; the text of its error is what the program reads.
    pub fn tool<A, R, E, F, Fut>(
        mut self,
        provider: impl Into<String>,
        name: impl Into<String>,
        function: F,
    ) -> Self
    where
        A: FromArgs,
        R: IntoAnswer,
        E: fmt::Display,
        F: Fn(A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
    {
        let handler: Handler = Box::new(move |args| {
            let call = function(A::from_args(args)?);
            Ok(Box::pin(async move {
                let answer = call.await.map_err(|error| error.to_string())?;
                answer.into_answer().map_err(|error| error.to_string())
            }))
        });
        let (provider, name) = (provider.into(), name.into());
        let tools = self.tools_of(provider);
        match tools.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = handler,
            None => tools.push((name, handler)),
        }
        self
    }

    /// The descriptors to put on a request, in the order in which the providers first came.
    pub fn providers(&self) -> Vec<ProviderDescriptor> {
        let names =
            |provider: &Provider| provider.tools.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        self.providers
            .iter()
            .map(|provider| ProviderDescriptor::new(provider.name.clone(), names(provider)))
            .collect()
    }

    fn tools_of(&mut self, provider: String) -> &mut Vec<(String, Handler)> {
        let known = self.providers.iter().position(|known| known.name == provider);
        let index = known.unwrap_or(self.providers.len());
        if known.is_none() {
            self.providers.push(Provider { name: provider, tools: Vec::new() });
        }
        &mut self.providers[index].tools
    }

    fn find(&self, call: &ToolCall) -> Option<&Handler> {
        let provider = self.providers.iter().find(|provider| provider.name == call.provider)?;
        provider.tools.iter().find(|(name, _)| *name == call.tool).map(|(_, handler)| handler)
    }

    /// Begins a call, up to the first time that it waits.
    fn start(&self, call: &ToolCall) -> Result<Running, Sentence> {
        let (provider, tool) = (call.provider.clone(), call.tool.clone());
        let Some(handler) = self.find(call) else { return Err(Sentence::ToolNotFound { provider, tool }) };
        let misfit = |error: DecodeError| Sentence::ToolArguments {
            provider: call.provider.clone(),
            tool: call.tool.clone(),
            detail: error.to_string(),
        };
        let args = decode_args(&call.args_json).map_err(misfit)?;
        match catch_unwind(AssertUnwindSafe(|| handler(args))) {
            Ok(started) => started.map_err(misfit),
            Err(_panic) => Err(Sentence::ToolFailed { provider, tool }),
        }
    }
}

impl Dispatch for Toolbox {
    fn call(&self, call: ToolCall) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move {
            let failed = |provider, tool| Sentence::ToolFailed { provider, tool }.to_string();
            let answer = match self.start(&call) {
                Ok(running) => CatchPanic(running).await,
                Err(sentence) => Some(Err(sentence.to_string())),
            };
            Ok(match answer {
                Some(Ok(value)) => answer_result(value.as_ref()),
                // An empty text would read as no failure at all.
                Some(Err(text)) if !text.is_empty() => answer_error(&text),
                Some(Err(_)) | None => answer_error(&failed(call.provider, call.tool)),
            })
        })
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolbox").field("providers", &self.providers()).finish()
    }
}

impl ExecuteRequest {
    /// Grants the tools of a box: its providers are added and it serves every call. An `Arc` shares one box among
    /// requests.
    pub fn toolbox(mut self, toolbox: impl Into<Arc<Toolbox>>) -> Self {
        let toolbox = toolbox.into();
        self.providers.get_or_insert_default().extend(toolbox.providers());
        self.dispatch(toolbox)
    }
}

/// A future whose panic is an outcome: `None`.
struct CatchPanic(Running);

impl Future for CatchPanic {
    type Output = Option<Result<Option<Value>, String>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context))) {
            Ok(poll) => poll.map(Some),
            Err(_panic) => Poll::Ready(None),
        }
    }
}

/// What a tool can take: the arguments of one call.
pub trait FromArgs: Sized {
    /// Reads the arguments.
    ///
    /// # Errors
    /// [`DecodeError`] where they do not fit; the program reads [`Sentence::ToolArguments`].
    fn from_args(args: Vec<Value>) -> Result<Self, DecodeError>;
}

/// All arguments as they came.
impl FromArgs for Vec<Value> {
    fn from_args(args: Vec<Value>) -> Result<Self, DecodeError> {
        Ok(args)
    }
}

/// Arguments read into a type that `serde` knows.
///
/// A tuple takes them by position, as a function of JavaScript does: an argument that is absent reads as `null`
/// and one too many does not matter. Any other type is read from the first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Args<T>(pub T);

impl<T: DeserializeOwned> FromArgs for Args<T> {
    fn from_args(args: Vec<Value>) -> Result<Self, DecodeError> {
        T::deserialize(ArgsDeserializer(args)).map(Args)
    }
}

struct ArgsDeserializer(Vec<Value>);

impl ArgsDeserializer {
    fn first(self) -> ValueDeserializer {
        self.0.into_iter().next().unwrap_or(Value::Null).into_deserializer()
    }
}

impl<'de> Deserializer<'de> for ArgsDeserializer {
    type Error = DecodeError;

    fn deserialize_tuple<V: Visitor<'de>>(
        mut self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.0.resize(length, Value::Null);
        Value::Array(self.0).into_deserializer().deserialize_tuple(length, visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.first().deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.first().deserialize_option(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.first().deserialize_seq(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.first().deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.first().deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        tuple_struct map struct identifier ignored_any
    }
}

/// What a tool can answer.
pub trait IntoAnswer {
    /// The value that the program gets; `None` is `undefined`.
    ///
    /// # Errors
    /// [`DecodeError`] where it has no form as a value; the program reads its text.
    fn into_answer(self) -> Result<Option<Value>, DecodeError>;
}

/// `undefined` for `None`.
impl IntoAnswer for Option<Value> {
    fn into_answer(self) -> Result<Option<Value>, DecodeError> {
        Ok(self)
    }
}

/// `undefined`.
impl IntoAnswer for () {
    fn into_answer(self) -> Result<Option<Value>, DecodeError> {
        Ok(None)
    }
}

/// An answer of a type that `serde` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoAnswer for Json<T> {
    fn into_answer(self) -> Result<Option<Value>, DecodeError> {
        Value::serialize_from(&self.0).map(Some)
    }
}

impl IntoAnswer for serde_json::Value {
    fn into_answer(self) -> Result<Option<Value>, DecodeError> {
        Value::try_from(self).map(Some)
    }
}

impl<T: Into<Value>> IntoAnswer for Vec<T> {
    fn into_answer(self) -> Result<Option<Value>, DecodeError> {
        Ok(Some(self.into()))
    }
}

macro_rules! answers {
    ($($type:ty),*) => {
        $(impl IntoAnswer for $type {
            fn into_answer(self) -> Result<Option<Value>, DecodeError> {
                Ok(Some(self.into()))
            }
        })*
    };
}

answers!(Value, bool, f64, i32, u32, String, &str);
