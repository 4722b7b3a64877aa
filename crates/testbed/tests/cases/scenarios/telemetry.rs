//! What an SDK of OpenTelemetry receives, against the tables of `docs/telemetry.md`.

use std::collections::BTreeMap;
use std::time::Duration;

use codemode_executor::{ExecuteRequest, IsolateExecutor, StartMode, Telemetry};
use codemode_protocol::{ProviderDescriptor, dispatch_fn};
use codemode_testbed::gate::Gates;
use opentelemetry::global::BoxedTracer;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::{Span as _, SpanId, TraceContextExt as _, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, Metric, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};

use crate::Suite;

const TABLES: &str = include_str!("../../../../../docs/telemetry.md");

/// What has to be measured of the programs below: a metric, its attributes, and its sum or its count.
const MEASURED: &[(&str, &str, u64)] = &[
    ("codemode.queue.depth", "", 0),
    ("codemode.queue.wait_time", "", 4),
    ("codemode.run.active", "", 0),
    ("codemode.run.duration", "codemode.run.outcome=settled", 2),
    ("codemode.run.duration", "codemode.run.outcome=killed_on_timeout", 1),
    ("codemode.run.duration", "codemode.memory.bound=heap codemode.run.outcome=out_of_memory", 1),
    ("codemode.request.refusals", "error.type=QUEUE_FULL", 1),
    ("codemode.template.starts", "", 1),
];

type Measured = BTreeMap<(String, String), u64>;

pub(crate) fn telemetry_is_as_documented(suite: &Suite) -> Result<(), String> {
    let (figures, spans) = (InMemoryMetricExporter::default(), InMemorySpanExporter::default());
    let meters = SdkMeterProvider::builder().with_periodic_exporter(figures.clone()).build();
    let tracers = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
    let telemetry =
        Telemetry::new(&meters.meter("codemode"), BoxedTracer::new(Box::new(tracers.tracer("codemode"))));
    let parent = suite.runtime.block_on(run_programs(telemetry, &tracers))?;
    meters.force_flush().map_err(|error| error.to_string())?;

    let metrics = figures.get_finished_metrics().map_err(|error| error.to_string())?;
    let metrics: Vec<&Metric> = metrics
        .last()
        .into_iter()
        .flat_map(|all| all.scope_metrics())
        .flat_map(|scope| scope.metrics())
        .collect();
    for metric in &metrics {
        let row = format!("| `{}` | ", metric.name());
        let line = TABLES.lines().find(|line| line.starts_with(&row));
        let line = line.ok_or_else(|| format!("{} is not documented", metric.name()))?;
        if !line.contains(&format!("| `{}` |", metric.unit())) {
            return Err(format!("{} has the unit {}", metric.name(), metric.unit()));
        }
    }
    let measured: Measured = metrics.iter().flat_map(|metric| points(metric)).collect();
    for &(name, attributes, value) in MEASURED {
        let found = measured.get(&(name.to_owned(), attributes.to_owned()));
        if found != Some(&value) {
            return Err(format!("{name} {attributes}: {found:?} instead of {value} in {measured:#?}"));
        }
    }
    let total = |name: &str| -> u64 {
        measured.iter().filter(|((of, _), _)| of == name).map(|(_, value)| value).sum()
    };
    if total("codemode.worker.starts") < 4 || total("codemode.worker.memory.peak") < 3 {
        return Err(format!("fewer workers than programs: {measured:#?}"));
    }
    spans_are_nested(&spans.get_finished_spans().map_err(|error| error.to_string())?, parent)
}

/// Two programs that answer, one that spins, one that fills the heap, and one that is refused. Answers the span that
/// is current for one of them.
async fn run_programs(telemetry: Telemetry, tracers: &SdkTracerProvider) -> Result<SpanId, String> {
    let executor = IsolateExecutor::builder()
        .max_workers(1)
        .max_queue(0)
        .memory_mb(64)
        .start_mode(StartMode::Fork)
        .grace(Duration::from_millis(50))
        .observer(telemetry)
        .build()
        .map_err(|fault| fault.to_string())?;
    let span = tracers.tracer("caller").start("caller");
    let parent = span.span_context().span_id();
    let gates = Gates::default();
    let opens = gates.clone();
    let parked = ExecuteRequest::new("async () => host.stay()")
        .provider(ProviderDescriptor::new("host", ["stay"]))
        .dispatch(dispatch_fn(move |_call| {
            let gates = opens.clone();
            async move {
                gates.open("begun");
                gates.passed("refused").await;
                Ok("{\"result\":42}".to_owned())
            }
        }));
    let refused = async {
        gates.passed("begun").await;
        let refused = executor.execute(ExecuteRequest::new("() => 1")).await;
        gates.open("refused");
        refused
    };
    let first = {
        let attached = Context::current_with_span(span).attach();
        let mut first = Box::pin(executor.execute(parked));
        // Its context is the one that is current now.
        let begun =
            std::future::poll_fn(|context| std::task::Poll::Ready(first.as_mut().poll(context).is_pending()));
        if !begun.await {
            return Err("the first program did not wait".into());
        }
        drop(attached);
        first
    };
    let (first, refused) = tokio::join!(first, refused);
    if first.is_err() || refused.is_ok() {
        return Err(format!("{first:?} {refused:?}"));
    }
    for (code, timeout) in [
        ("() => 1", Duration::from_secs(60)),
        ("() => { for (;;); }", Duration::from_millis(50)),
        ("() => { const kept = []; for (;;) kept.push(new Array(1e5).fill({})) }", Duration::from_secs(60)),
    ] {
        executor
            .execute(ExecuteRequest::new(code).timeout(timeout))
            .await
            .map_err(|fault| format!("{code}: {fault}"))?;
    }
    executor.dispose().await;
    Ok(parent)
}

fn points(metric: &Metric) -> Vec<((String, String), u64)> {
    fn text<'a>(attributes: impl Iterator<Item = &'a KeyValue>) -> String {
        let mut attributes: Vec<_> = attributes.map(|at| format!("{}={}", at.key, at.value)).collect();
        attributes.sort();
        attributes.join(" ")
    }
    fn of<T: Copy>(
        name: &str,
        data: &MetricData<T>,
        value: impl Fn(T) -> u64,
    ) -> Vec<((String, String), u64)> {
        let named = |attributes: String, value| ((name.to_owned(), attributes), value);
        match data {
            MetricData::Gauge(gauge) => gauge
                .data_points()
                .map(|point| named(text(point.attributes()), value(point.value())))
                .collect(),
            MetricData::Sum(sum) => {
                sum.data_points().map(|point| named(text(point.attributes()), value(point.value()))).collect()
            }
            MetricData::Histogram(histogram) => {
                histogram.data_points().map(|point| named(text(point.attributes()), point.count())).collect()
            }
            MetricData::ExponentialHistogram(_) => Vec::new(),
        }
    }
    match metric.data() {
        AggregatedMetrics::F64(data) => of(metric.name(), data, |value| value as u64),
        AggregatedMetrics::U64(data) => of(metric.name(), data, |value| value),
        AggregatedMetrics::I64(data) => of(metric.name(), data, |value| value.unsigned_abs()),
    }
}

/// One execution for each request, its phases below it, and the first below the caller's span.
fn spans_are_nested(spans: &[SpanData], caller: SpanId) -> Result<(), String> {
    let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let (executions, queues, runs) =
        (named("codemode.execute"), named("codemode.queue"), named("codemode.run"));
    let is_below = |child: &SpanData| {
        let parent = executions.iter().find(|parent| parent.span_context.span_id() == child.parent_span_id);
        parent
            .is_some_and(|parent| parent.start_time <= child.start_time && child.end_time <= parent.end_time)
    };
    let holds = [
        (executions.len() == 5, "five executions"),
        (queues.len() == 5, "five that waited"),
        (runs.len() == 4, "four runs"),
        (queues.iter().chain(&runs).all(|span| is_below(span)), "phases below their execution"),
        (executions.iter().filter(|span| span.parent_span_id == caller).count() == 1, "one below its caller"),
    ];
    let wrong: Vec<_> = holds.iter().filter(|(holds, _)| !holds).map(|(_, what)| what).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("{wrong:?} does not hold: {spans:#?}")) }
}
