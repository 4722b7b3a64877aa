//! `crypto.subtle` across the boundary: values of the engine to data and back, and the queue between.
//!
//! A call is read when it is made and performed later, one call at a time in order: a short one when the run has
//! nothing else to do, a long one on another thread of the host's, while the program goes on. It opens no host wait,
//! so its time counts.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, channel};

use codemode_protocol::Sentence;
use codemode_runtime::v8::{
    self, Array, ArrayBufferView, FunctionCallbackArguments, GetPropertyNamesArgs, Global, Local, Object,
    PinScope, PromiseResolver, ReturnValue, String as JsString, Uint8Array, Value,
};

use crate::Work;
use crate::bytes::{array_buffer, bytes_of};
use crate::crypto::{Data, Failure, KeyStore, Operation, Outcome, perform};
use crate::run::{self, SharedRun, in_engine};
use crate::text::{js_string, name, string_or_empty};

/// How deep the arguments of a call nest: a list inside an algorithm inside the arguments.
const DEPTH_LIMIT: usize = 8;

/// The calls of `crypto.subtle` that wait, and the keys of the run.
pub(crate) struct Subtle {
    keys: KeyStore,
    waiting: VecDeque<(Operation, Global<PromiseResolver>)>,
    aside: Option<Aside>,
}

/// The call that is performed on another thread.
struct Aside {
    answer: Receiver<Result<Outcome, Failure>>,
    resolver: Global<PromiseResolver>,
}

impl Subtle {
    /// No call, and room for `key_limit` keys.
    pub(crate) fn new(key_limit: u32) -> Self {
        Self { keys: KeyStore::new(key_limit), waiting: VecDeque::new(), aside: None }
    }

    /// Whether a call waits for nothing but its turn.
    pub(crate) fn is_ready(&self) -> bool {
        self.aside.is_none() && !self.waiting.is_empty()
    }

    fn take_ready(&mut self) -> Option<(Operation, Global<PromiseResolver>)> {
        if self.aside.is_some() { None } else { self.waiting.pop_front() }
    }
}

/// `performSubtleOperation(name, arguments)`: a promise for `['returned', value]` or `['thrown', name, message]`.
///
/// The promise never rejects, and the frame it settles with has no prototype.
pub(super) fn perform_subtle_operation(
    scope: &mut PinScope<'_, '_>,
    args: FunctionCallbackArguments<'_>,
    mut answer: ReturnValue<'_>,
) {
    let Some(resolver) = PromiseResolver::new(scope) else { return };
    answer.set(resolver.get_promise(scope).into());
    if let Err(failure) = enqueue(scope, &args, resolver) {
        settle(scope, resolver, Err(failure));
    }
}

fn enqueue(
    scope: &mut PinScope<'_, '_>,
    args: &FunctionCallbackArguments<'_>,
    resolver: Local<'_, PromiseResolver>,
) -> Result<(), Failure> {
    let ended = || Failure::operation(Sentence::ExecutionEnded.to_string());
    let run = run::current(scope).ok_or_else(ended)?;
    if run.borrow().is_over() {
        return Err(ended());
    }
    let operation = string_or_empty(scope, args.get(0));
    let Data::List(arguments) = read(scope, args.get(1), DEPTH_LIMIT)? else {
        return Err(Failure::type_error("The arguments are not a list."));
    };
    let resolver = Global::new(scope, resolver);
    let mut run = run.borrow_mut();
    let operation = Operation::read(&operation, arguments, &run.subtle.keys)?;
    run.subtle.waiting.push_back((operation, resolver));
    Ok(())
}

/// Takes the call that has waited longest, unless another is being performed: performs it and settles its promise, or
/// hands it to another thread where it would keep the program waiting.
pub(crate) fn perform_next(scope: &mut PinScope<'_, '_>, run: &SharedRun) {
    let next = run.borrow_mut().subtle.take_ready();
    let Some((operation, resolver)) = next else { return };
    let admitted = run.borrow().subtle.keys.admit(operation.key_count());
    if let Err(failure) = admitted {
        return conclude(scope, run, &resolver, Err(failure));
    }
    if operation.is_short() {
        let outcome = in_engine(run, || perform(operation));
        return conclude(scope, run, &resolver, outcome);
    }
    let (outbox, answer) = channel();
    let work: Work = Box::new(move || {
        // The run may have ended, and nobody wants the answer.
        let _ = outbox.send(perform(operation));
    });
    let mut shared = run.borrow_mut();
    shared.subtle.aside = Some(Aside { answer, resolver });
    shared.begin_work();
    if let Err(work) = shared.host.perform_aside(work) {
        drop(shared);
        work();
        finish_aside(scope, run);
    }
}

/// Settles the promise of the call that another thread has performed.
pub(crate) fn finish_aside(scope: &mut PinScope<'_, '_>, run: &SharedRun) {
    let Some(Aside { answer, resolver }) = run.borrow_mut().subtle.aside.take() else { return };
    run.borrow_mut().end_work();
    let lost = |_| Err(Failure::operation("The operation was lost."));
    let outcome = answer.try_recv().unwrap_or_else(lost);
    conclude(scope, run, &resolver, outcome);
}

fn conclude(
    scope: &mut PinScope<'_, '_>,
    run: &SharedRun,
    resolver: &Global<PromiseResolver>,
    outcome: Result<Outcome, Failure>,
) {
    let answer = outcome.and_then(|outcome| run.borrow_mut().subtle.keys.publish(outcome));
    let resolver = Local::new(scope, resolver);
    settle(scope, resolver, answer);
}

fn settle(scope: &mut PinScope<'_, '_>, resolver: Local<'_, PromiseResolver>, answer: Result<Data, Failure>) {
    if let Some(frame) = frame(scope, answer) {
        resolver.resolve(scope, frame.into());
    }
}

fn frame<'s>(scope: &mut PinScope<'s, '_>, answer: Result<Data, Failure>) -> Option<Local<'s, Array>> {
    let items: Vec<Local<Value>> = match answer {
        Ok(Data::Bytes(bytes)) => vec![name(scope, "returned").into(), array_buffer(scope, &bytes).into()],
        Ok(value) => vec![name(scope, "returned").into(), write(scope, &value)?],
        Err(failure) => vec![
            name(scope, "thrown").into(),
            name(scope, failure.name).into(),
            js_string(scope, &failure.message)?.into(),
        ],
    };
    let frame = Array::new_with_elements(scope, &items);
    // Settling looks for a `then`, which a program could have put on a prototype.
    let null = v8::null(scope);
    frame.set_prototype(scope, null.into())?;
    Some(frame)
}

/// A value of the engine as data, copied. Only what the library makes of arguments can be read.
fn read(scope: &mut PinScope<'_, '_>, value: Local<'_, Value>, depth: usize) -> Result<Data, Failure> {
    let unreadable = || Failure::type_error("The value cannot be handed to an operation.");
    let depth = depth.checked_sub(1).ok_or_else(unreadable)?;
    if value.is_null_or_undefined() {
        return Ok(Data::Absent);
    }
    if value.is_boolean() {
        return Ok(Data::Bool(value.is_true()));
    }
    if value.is_number() {
        return value.number_value(scope).map(Data::Number).ok_or_else(unreadable);
    }
    if let Ok(text) = Local::<JsString>::try_from(value) {
        return Ok(Data::Text(text.to_rust_string_lossy(scope)));
    }
    if let Ok(view) = Local::<ArrayBufferView>::try_from(value) {
        return Ok(Data::Bytes(bytes_of(view)));
    }
    if value.is_proxy() || value.is_function() {
        return Err(unreadable());
    }
    if let Ok(list) = Local::<Array>::try_from(value) {
        return read_list(scope, list, depth);
    }
    let record = Local::<Object>::try_from(value).map_err(|_| unreadable())?;
    read_record(scope, record, depth)
}

fn read_list(scope: &mut PinScope<'_, '_>, list: Local<'_, Array>, depth: usize) -> Result<Data, Failure> {
    let mut items = Vec::new();
    for index in 0..list.length() {
        v8::scope!(let scope, scope);
        let item = list.get_index(scope, index);
        let item = item.ok_or_else(|| Failure::type_error("The list cannot be read."))?;
        items.push(read(scope, item, depth)?);
    }
    Ok(Data::List(items))
}

fn read_record(
    scope: &mut PinScope<'_, '_>,
    record: Local<'_, Object>,
    depth: usize,
) -> Result<Data, Failure> {
    let unreadable = || Failure::type_error("The record cannot be read.");
    let names =
        record.get_own_property_names(scope, GetPropertyNamesArgs::default()).ok_or_else(unreadable)?;
    let mut members = Vec::new();
    for index in 0..names.length() {
        let key = names.get_index(scope, index).ok_or_else(unreadable)?;
        let value = record.get(scope, key).ok_or_else(unreadable)?;
        members.push((string_or_empty(scope, key), read(scope, value, depth)?));
    }
    Ok(Data::Record(members))
}

/// Data as a value of the engine. Bytes inside become a `Uint8Array`.
fn write<'s>(scope: &mut PinScope<'s, '_>, data: &Data) -> Option<Local<'s, Value>> {
    Some(match data {
        Data::Absent => v8::undefined(scope).into(),
        Data::Bool(value) => v8::Boolean::new(scope, *value).into(),
        Data::Number(number) => v8::Number::new(scope, *number).into(),
        Data::Text(text) => js_string(scope, text)?.into(),
        Data::Bytes(bytes) => {
            let buffer = array_buffer(scope, bytes);
            Uint8Array::new(scope, buffer, 0, bytes.len())?.into()
        }
        Data::List(items) => {
            let items = items.iter().map(|item| write(scope, item)).collect::<Option<Vec<_>>>()?;
            Array::new_with_elements(scope, &items).into()
        }
        Data::Record(members) => {
            let object = Object::new(scope);
            for (key, value) in members {
                let key = js_string(scope, key)?;
                let value = write(scope, value)?;
                object.create_data_property(scope, key.into(), value)?;
            }
            object.into()
        }
    })
}
