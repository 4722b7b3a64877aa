//! Playing one case: its runs, the neighbour beside it and the probe behind it.

use std::collections::BTreeMap;

use codemode_executor::{ExecuteRequest, IsolateExecutor};

use crate::case::{Case, Expect, Run, Tool};
use crate::check::check;
use crate::gate::Gates;
use crate::globals::{self, Listing};
use crate::stage::{Stage, perform};

/// Plays `case` on `stage`. `clean` is what a realm holds that nobody has touched.
///
/// # Errors
/// What differs from what the case expects, one difference a line.
pub async fn play(stage: &Stage, case: &Case, clean: &Listing) -> Result<(), String> {
    let executor = stage.executor(&case.settings).map_err(|fault| fault.to_string())?;
    let gates = Gates::default();
    let played = async {
        let mut problems = Vec::new();
        for (index, run) in case.runs.iter().enumerate() {
            let performed = perform(&executor, run, &gates).await?;
            if let Err(problem) = check(run, &case.settings, &performed) {
                problems.push(format!("run {index}: {problem}"));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
    };
    let mut problems = Vec::new();
    if case.neighbour {
        let (outcome, neighbour) = beside(&executor, case, played).await;
        problems.extend(outcome.err());
        problems.extend(neighbour.err().map(|problem| format!("the neighbour: {problem}")));
    } else {
        problems.extend(played.await.err());
    }
    if case.probe {
        problems.extend(probe(&executor, clean).await.err().map(|problem| format!("the probe: {problem}")));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Runs a neighbour that has begun before `played` begins and goes on until it is over.
async fn beside(
    executor: &IsolateExecutor,
    case: &Case,
    played: impl Future<Output = Result<(), String>>,
) -> (Result<(), String>, Result<(), String>) {
    let gates = Gates::default();
    let neighbour = async {
        let run = neighbour();
        let performed = perform(executor, &run, &gates).await;
        // A neighbour that never began must not keep the case waiting.
        gates.open("begun");
        check(&run, &case.settings, &performed?)
    };
    let hostile = async {
        gates.passed("begun").await;
        let outcome = played.await;
        gates.open("over");
        outcome
    };
    tokio::join!(hostile, neighbour)
}

/// A program that is in the middle of its work for as long as the gate `over` is shut.
fn neighbour() -> Run {
    let stay = Tool {
        opens: Some("begun".into()),
        waits_for: Some("over".into()),
        value: Some("7".into()),
        ..Tool::default()
    };
    Run {
        code: "async () => {
            const held = { bytes: new Uint8Array(1_000_000).fill(6), text: 'x'.repeat(100_000) }
            console.log('before')
            const answer = await beside.stay()
            console.log('after')
            return held.bytes[999_999] * answer + held.text.length - 100_000
        }"
        .into(),
        providers: vec![crate::case::Provider { name: "beside".into(), ..Default::default() }],
        tools: Some(BTreeMap::from([("beside.stay".to_owned(), stay)])),
        expect: Some(Expect {
            result: Some("42".into()),
            logs: vec!["log before".into(), "log after".into()],
            ..Expect::default()
        }),
        ..Run::default()
    }
}

/// Runs a program that looks for anything that is not in a clean realm.
async fn probe(executor: &IsolateExecutor, clean: &Listing) -> Result<(), String> {
    let found = listing(executor).await?;
    match globals::differences(clean, &found) {
        differences if differences.is_empty() => Ok(()),
        differences => Err(differences.join("\n")),
    }
}

/// What a realm of `executor` holds.
///
/// # Errors
/// The fault or failure of the run that looks.
pub async fn listing(executor: &IsolateExecutor) -> Result<Listing, String> {
    let result = executor
        .execute(ExecuteRequest::new(globals::LISTING))
        .await
        .map_err(|fault| format!("{} {fault} {:?}", fault.code, fault.causes))?;
    let value = result.into_value()?.ok_or("the listing is undefined")?;
    globals::from_value(&value)
}
