//! [`Telemetry`]: metrics and spans of a pool, through the API of OpenTelemetry.
//!
//! The API alone: what becomes of them is for the host to decide, which installs an SDK or does not. Names, units and
//! attributes are listed in `docs/telemetry.md`.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use opentelemetry::global::{self, BoxedSpan, BoxedTracer};
use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter, UpDownCounter};
use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, KeyValue};

use crate::events::{PoolEvent, PoolObserver, RunEnd};

/// Name of the instrumentation scope.
pub const SCOPE: &str = "codemode";

/// Seconds, from a tenth of a millisecond to the default timeout.
const SECONDS: [f64; 18] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
    30.0, 60.0,
];

/// Makes metrics and spans of what a pool tells. One for each pool.
///
/// The span of a run is a child of the context that is current where its caller awaits it for the first time.
pub struct Telemetry {
    tracer: BoxedTracer,
    open: Mutex<HashMap<u64, Open>>,
    instruments: Instruments,
}

/// A request that is not over.
struct Open {
    /// Holds the span of the whole execution.
    context: Context,
    /// The span of what it is at: the queue or the run.
    phase: BoxedSpan,
}

struct Instruments {
    queue_depth: UpDownCounter<i64>,
    queue_wait: Histogram<f64>,
    active: UpDownCounter<i64>,
    duration: Histogram<f64>,
    refusals: Counter<u64>,
    worker_starts: Counter<u64>,
    worker_failures: Counter<u64>,
    worker_cpu: Histogram<f64>,
    worker_memory: Histogram<u64>,
    template_starts: Counter<u64>,
    template_failures: Counter<u64>,
    template_ends: Counter<u64>,
    memory_pressure: Gauge<u64>,
    retained: Histogram<f64>,
}

impl Telemetry {
    /// With the meter and the tracer that the host installed globally. Before it installs them nothing is recorded.
    pub fn global() -> Self {
        Self::new(&global::meter(SCOPE), global::tracer(SCOPE))
    }

    /// With a meter and a tracer of the host's.
    pub fn new(meter: &Meter, tracer: BoxedTracer) -> Self {
        Self { tracer, open: Mutex::default(), instruments: Instruments::new(meter) }
    }

    fn requested(&self, run: u64, tenant: &str) {
        self.instruments.queue_depth.add(1, &[]);
        let mut execution = self.tracer.span_builder("codemode.execute").with_kind(SpanKind::Internal);
        if !tenant.is_empty() {
            execution = execution.with_attributes([KeyValue::new("codemode.tenant", tenant.to_owned())]);
        }
        let parent = Context::current();
        let context = parent.with_span(self.tracer.build_with_context(execution, &parent));
        let phase = self.phase("codemode.queue", &context);
        self.lock().insert(run, Open { context, phase });
    }

    fn refused(&self, run: u64, code: Option<&'static str>) {
        self.instruments.queue_depth.add(-1, &[]);
        let error = KeyValue::new("error.type", code.unwrap_or("cancelled"));
        self.instruments.refusals.add(1, std::slice::from_ref(&error));
        self.close(run, &[error], code.map(Status::error));
    }

    fn begun(&self, run: u64, worker: u64, waited: Duration) {
        self.instruments.queue_depth.add(-1, &[]);
        self.instruments.active.add(1, &[]);
        self.instruments.queue_wait.record(waited.as_secs_f64(), &[]);
        let Some(Open { context, phase: mut waiting }) = self.lock().remove(&run) else { return };
        waiting.end();
        let mut phase = self.phase("codemode.run", &context);
        phase.set_attribute(KeyValue::new("codemode.worker.id", i64::try_from(worker).unwrap_or(i64::MAX)));
        self.lock().insert(run, Open { context, phase });
    }

    fn ended(&self, run: u64, end: RunEnd, took: Duration) {
        self.instruments.active.add(-1, &[]);
        let mut attributes = vec![KeyValue::new("codemode.run.outcome", end.as_str())];
        if let RunEnd::OutOfMemory(bound) = end {
            attributes.push(KeyValue::new("codemode.memory.bound", bound.as_str()));
        }
        self.instruments.duration.record(took.as_secs_f64(), &attributes);
        let failed = match end {
            RunEnd::Settled | RunEnd::Cancelled => None,
            _ => Some(Status::error(end.as_str())),
        };
        if failed.is_some() {
            attributes.push(KeyValue::new("error.type", end.as_str()));
        }
        self.close(run, &attributes, failed);
    }

    fn phase(&self, name: &'static str, context: &Context) -> BoxedSpan {
        self.tracer.build_with_context(self.tracer.span_builder(name).with_kind(SpanKind::Internal), context)
    }

    fn close(&self, run: u64, attributes: &[KeyValue], failed: Option<Status>) {
        let Some(Open { context, mut phase }) = self.lock().remove(&run) else { return };
        phase.end();
        let execution = context.span();
        execution.set_attributes(attributes.iter().cloned());
        if let Some(status) = failed {
            execution.set_status(status);
        }
        execution.end();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Open>> {
        // Every change is complete before anything can panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Instruments {
    fn new(meter: &Meter) -> Self {
        let seconds = |name: &'static str, what: &'static str| {
            meter
                .f64_histogram(name)
                .with_unit("s")
                .with_description(what)
                .with_boundaries(SECONDS.to_vec())
                .build()
        };
        let counter = |name: &'static str, unit: &'static str, what: &'static str| {
            meter.u64_counter(name).with_unit(unit).with_description(what).build()
        };
        let level = |name: &'static str, unit: &'static str, what: &'static str| {
            meter.i64_up_down_counter(name).with_unit(unit).with_description(what).build()
        };
        let mebibytes = (0..14).map(|power| f64::from(1u32 << power) * f64::from(1u32 << 20));
        Self {
            queue_depth: level("codemode.queue.depth", "{request}", "Requests that wait for a worker"),
            queue_wait: seconds("codemode.queue.wait_time", "Time a request waited for a worker"),
            active: level("codemode.run.active", "{run}", "Programs that run"),
            duration: seconds(
                "codemode.run.duration",
                "Time from the begin of a program to the end of its run",
            ),
            refusals: counter("codemode.request.refusals", "{request}", "Requests that were not served"),
            worker_starts: counter(
                "codemode.worker.starts",
                "{worker}",
                "Worker processes that were asked for",
            ),
            worker_failures: counter(
                "codemode.worker.failures",
                "{worker}",
                "Worker processes that did not come up",
            ),
            worker_cpu: seconds("codemode.worker.cpu.time", "Processor time of a worker process"),
            worker_memory: meter
                .u64_histogram("codemode.worker.memory.peak")
                .with_unit("By")
                .with_description("Peak resident memory of a worker process, what it shares included")
                .with_boundaries(mebibytes.collect())
                .build(),
            template_starts: counter(
                "codemode.template.starts",
                "{template}",
                "Template processes that were started",
            ),
            template_failures: counter(
                "codemode.template.failures",
                "{template}",
                "Template processes that did not come up",
            ),
            template_ends: counter(
                "codemode.template.ends",
                "{template}",
                "Template processes that are gone",
            ),
            memory_pressure: meter
                .u64_gauge("codemode.memory.pressure")
                .with_unit("1")
                .with_description("Whether the memory of the machine is short, 0 or 1")
                .build(),
            retained: seconds(
                "codemode.retained.duration",
                "Time that a program served handles behind its run",
            ),
        }
    }
}

impl PoolObserver for Telemetry {
    fn event(&self, event: &PoolEvent) {
        let instruments = &self.instruments;
        match event {
            PoolEvent::Requested { run, tenant } => self.requested(*run, tenant),
            PoolEvent::Refused { run, code, .. } => self.refused(*run, code.map(|code| code.as_str())),
            PoolEvent::RunBegun { run, worker, waited, .. } => self.begun(*run, *worker, *waited),
            PoolEvent::RunEnded { run, end, took, .. } => self.ended(*run, *end, *took),
            PoolEvent::WorkerStarting { forked, cause, .. } => {
                let attributes = [
                    KeyValue::new("codemode.worker.start.cause", cause.as_str()),
                    KeyValue::new("codemode.worker.start.method", if *forked { "fork" } else { "exec" }),
                ];
                instruments.worker_starts.add(1, &attributes);
            }
            PoolEvent::WorkerFailed { .. } => instruments.worker_failures.add(1, &[]),
            PoolEvent::WorkerExited { cpu, max_resident_bytes, .. } => {
                instruments.worker_cpu.record(cpu.as_secs_f64(), &[]);
                instruments.worker_memory.record(*max_resident_bytes, &[]);
            }
            PoolEvent::TemplateStarting { .. } => instruments.template_starts.add(1, &[]),
            PoolEvent::TemplateFailed { .. } => instruments.template_failures.add(1, &[]),
            PoolEvent::TemplateEnded { retired, .. } => {
                let cause = if *retired { "retired" } else { "died" };
                instruments.template_ends.add(1, &[KeyValue::new("codemode.template.end.cause", cause)]);
            }
            PoolEvent::MemoryPressure { short } => instruments.memory_pressure.record(u64::from(*short), &[]),
            PoolEvent::RetainedEnded { end, took, .. } => {
                let outcome = KeyValue::new("codemode.retained.outcome", end.as_str());
                instruments.retained.record(took.as_secs_f64(), &[outcome]);
            }
            PoolEvent::TemplateUp { .. } | PoolEvent::HardeningIncomplete { .. } | PoolEvent::Disposed => {}
        }
    }
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Telemetry").field("open", &self.lock().len()).finish_non_exhaustive()
    }
}
