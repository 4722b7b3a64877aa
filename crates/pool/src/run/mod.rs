//! One run, from its request to its end, in the task of its caller.

mod bounds;
mod calls;
mod clock;
mod console;
mod death;
mod drive;
mod report;
mod watch;

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use codemode_protocol::{Fault, FaultCode, Sentence, Usage, defaults, sentence};

use crate::dispatcher::queue::Tenant;
use crate::events::RunEnd;
use crate::ipc::frame::{HostFrame, Outcome, RunRequest};
use crate::ipc::host::{HostChannel, encode_first, write_first};
use crate::job::{Finished, Job};
use crate::retained;
use crate::supervisor::{Followup, Lease, Shared};
use bounds::Bounds;
pub(crate) use death::End;
use drive::Verdict;
pub(crate) use drive::{Drive, Served};
use report::Report;

/// What the pool allows a frame beyond the payload bound: names, numbers and the archive's own structure.
const FRAME_SLACK_BYTES: usize = 1 << 20;

/// Workers a request is handed to. One that dies before it has read its request did nothing, so that another may
/// have it; but not for ever, should dying be what workers do.
const ATTEMPTS: u32 = 3;

/// Runs `job` in a worker of its own.
pub(crate) async fn run(shared: &Arc<Shared>, mut job: Job) -> Result<Finished, Fault> {
    fill_in(shared, &mut job);
    if let Some(finished) = refuse_oversized(size_of(&job.request), shared.config.payload_limit) {
        return Ok(finished);
    }
    let tenant = job.tenant.clone().unwrap_or_default();
    let place = job.request.retain_handles.then(|| retained::reserve(shared, &tenant)).transpose()?;
    let bounds = Bounds::of(&job.request, &shared.config);
    let frame = HostFrame::Start(std::mem::take(&mut job.request));
    let first = encode_first(&frame);
    drop(frame);
    let mut report = Report::new(shared, tenant.clone());
    let mut attempts = 0;
    loop {
        let acquired = acquire(shared, tenant.clone()).await;
        let (mut lease, followup) = acquired.inspect_err(|fault| report.refused(fault))?;
        let stream = lease.take_channel();
        let written = write_first(&stream, &first);
        let begun = Instant::now();
        if let Some(followup) = followup {
            followup.perform();
        }
        // A worker that died while it waited has read nothing: the request goes to another.
        let Ok(rest) = written else { continue };
        let channel = HostChannel::new(stream, rest, shared.config.payload_limit + FRAME_SLACK_BYTES)
            .map_err(|error| Fault::of(FaultCode::Internal).caused_by(format!("No channel: {error}.")))?;
        attempts += 1;
        let worker = lease.worker().id;
        let mut driving = pin!(Drive::new(lease, channel, job.clone(), bounds, begun).finish(shared));
        // Dropped before what it tells of: that a run was given up is told before its place is free.
        let running = report.begun(worker, begun);
        match driving.as_mut().await {
            Verdict::Retained(mut finished, drive) => {
                running.ended(RunEnd::Settled);
                finished.execution_id = place.map(|place| retained::keep(shared, *drive, place));
                return Ok(finished);
            }
            Verdict::Over(end, ended) => {
                running.ended(end);
                return ended;
            }
            Verdict::NeverBegan(fault) => {
                running.ended(RunEnd::Crashed);
                if attempts == ATTEMPTS {
                    return Err(fault);
                }
                report.asked();
            }
        }
    }
}

/// A place in the queue. Dropping it gives the request up.
struct Waiting<'a> {
    shared: &'a Arc<Shared>,
    job: u64,
    answered: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.answered {
            self.shared.cancel(self.job);
        }
    }
}

/// Waits for a worker. What comes with one that was there already is to be performed once it has its request.
async fn acquire(shared: &Arc<Shared>, tenant: Tenant) -> Result<(Lease, Option<Followup<'_>>), Fault> {
    let (job, mut answer, followup) = shared.submit(tenant);
    if let Ok(grant) = answer.try_recv() {
        return match grant {
            Ok(lease) => Ok((lease, Some(followup))),
            Err(fault) => {
                followup.perform();
                Err(fault)
            }
        };
    }
    let mut waiting = Waiting { shared, job, answered: false };
    followup.perform();
    let began = Instant::now();
    let grant = match shared.config.queue_timeout {
        None => answer.await,
        Some(bound) => match tokio::time::timeout(bound, answer).await {
            Ok(grant) => grant,
            Err(_) => {
                let waited_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                return Err(Sentence::QueueTimeout { waited_ms }.into());
            }
        },
    };
    waiting.answered = true;
    match grant {
        Ok(grant) => grant.map(|lease| (lease, None)),
        // The pool's thread ended and took every waiting caller with it.
        Err(_) => Err(Sentence::PoolShuttingDown.into()),
    }
}

/// Puts in what only the pool knows.
fn fill_in(shared: &Arc<Shared>, job: &mut Job) {
    let config = &shared.config;
    let request: &mut RunRequest = &mut job.request;
    request.timeout_ms = request.timeout_ms.min(defaults::MAX_DELAY_MS);
    request.grace_ms = u64::try_from(config.grace.as_millis()).unwrap_or(u64::MAX);
    request.has_dispatch = job.dispatch.is_some();
    request.outbound_enabled = job.outbound.is_some();
    request.payload_limit = config.payload_limit as u64;
    request.memory_mb = config.memory_mb;
}

/// Bytes of everything in a request that a caller can make long.
fn size_of(request: &RunRequest) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let providers = request.providers.iter();
    let providers = providers
        .map(|provider| provider.name.len() + text(&provider.prelude) + text(&provider.proxy_source));
    let modules = request.modules.iter().map(|module| module.name.len() + module.body.len());
    request.code.len() + providers.sum::<usize>() + modules.sum::<usize>()
}

fn refuse_oversized(size_bytes: usize, limit_bytes: usize) -> Option<Finished> {
    (size_bytes > limit_bytes).then(|| {
        let sentence = Sentence::PayloadTooLarge {
            subject: sentence::subject::EXECUTE_REQUEST,
            size_bytes,
            limit_bytes,
        };
        let outcome = Outcome::Failed { kind: sentence.kind().into(), text: sentence.to_string() };
        Finished { outcome, execution_id: None, logs: Vec::new(), usage: Usage::default() }
    })
}
