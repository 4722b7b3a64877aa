//! What a worker can do whose engine is broken and does an attacker's bidding: nothing, to anybody.

use codemode_pool::{Pool, StartMode};
use codemode_protocol::FaultCode;
use nix::errno::Errno;
use serde::Deserialize;

use crate::raw;
use crate::support::{envelope, job, on_runtime, pool_with, processes_of, tests};

tests!(attacks_end_at_the_filter, attacks_end_below_the_filter);

/// The rows of `attacks.toml`, which says what each is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attacks {
    attack: Vec<Attack>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attack {
    name: String,
    call: String,
    args: Vec<toml::Value>,
    ends: Vec<String>,
    below: Option<Vec<String>>,
}

impl Attack {
    /// The program that makes it. `None` where this processor has no such call.
    fn program(&self) -> Option<String> {
        let number = match self.call.as_str() {
            "x32 read" => 0x4000_0000 | libc::SYS_read,
            "no such call" => 9_999,
            call => raw::number_of(call)?,
        };
        let args = self.args.iter().map(|arg| match arg {
            toml::Value::Integer(value) => value.to_string(),
            toml::Value::String(text) => text.clone(),
            other => panic!("{}: no argument {other}", self.name),
        });
        Some(format!("attack {number}|{}\nreturn", args.collect::<Vec<_>>().join("|")))
    }
}

fn attacks() -> Vec<Attack> {
    toml::from_str::<Attacks>(include_str!("attacks.toml")).unwrap().attack
}

/// What comes of an attack with a neighbour beside it, to whom nothing comes.
async fn outcome(pool: &Pool, program: &str) -> String {
    let (attacked, neighbour) =
        tokio::join!(pool.run(job(program)), pool.run(job("spin 1\nanswer unharmed")));
    assert_eq!(envelope(neighbour), "unharmed", "{program}");
    match attacked {
        Ok(finished) => envelope(Ok(finished)),
        Err(fault) => {
            assert_eq!((fault.code, fault.started), (FaultCode::WorkerCrashed, true), "{program}: {fault:?}");
            let killed = fault.message.contains("SIGSYS")
                && fault.causes.iter().any(|cause| cause.contains("system call that is not on its list"));
            if killed { "SIGSYS".to_owned() } else { format!("{fault:?}") }
        }
    }
}

fn attacks_end_at_the_filter() {
    for mode in [StartMode::Fork, StartMode::Exec] {
        on_runtime(async {
            let pool = pool_with(|config| config.start_mode = mode);
            pool.warm_up().await.unwrap();
            let before = processes_of(&pool);
            let mut wrong = Vec::new();
            for attack in attacks() {
                let Some(program) = attack.program() else { continue };
                let ends = outcome(&pool, &program).await;
                if !attack.ends.contains(&ends) {
                    wrong.push(format!("{}: {ends} instead of {:?}", attack.name, attack.ends));
                }
            }
            assert!(wrong.is_empty(), "{wrong:#?}");
            if mode == StartMode::Fork {
                assert_eq!(processes_of(&pool)[..2], before[..2], "the template is the same");
            }
        });
    }
}

fn attacks_end_below_the_filter() {
    on_runtime(async {
        let pool = pool_with(|config| {
            config.start_mode = StartMode::Fork;
            config.audit.absent_layers = vec!["system call filter".to_owned()];
        });
        pool.warm_up().await.unwrap();
        let said = pool.capabilities();
        if said.iter().any(|(name, value)| value.starts_with("off") && name != "system call filter") {
            eprintln!("this machine lacks layers, so that nothing can be said about those below: {said:?}");
            return;
        }
        let before = processes_of(&pool);
        let mut wrong = Vec::new();
        for attack in attacks() {
            let (Some(program), Some(below)) = (attack.program(), &attack.below) else { continue };
            let ends = outcome(&pool, &program).await;
            if !below.contains(&ends) {
                wrong.push(format!("{}: {ends} instead of {below:?}", attack.name));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(processes_of(&pool)[..2], before[..2], "the template is the same");
    });
}

/// Makes the call that the arguments of a command name, in a worker. Answers its result or the name of its error.
pub(crate) fn make(command: &str) -> String {
    let mut parts = command.split('|');
    let number = parts.next().and_then(|number| number.parse().ok()).unwrap();
    let mut arguments = [0; 6];
    for (argument, text) in arguments.iter_mut().zip(parts.filter(|text| !text.is_empty())) {
        *argument = match text {
            "self" => i64::from(std::process::id()),
            "other" => 1 + i64::from(std::process::id() == 1),
            "room" => raw::room(),
            "vector" => raw::vector(),
            "limits" => raw::limits(),
            _ => match text.strip_prefix("at ") {
                Some(path) => raw::text(path),
                None => text.parse().unwrap(),
            },
        };
    }
    match raw::syscall(number, arguments) {
        value @ -4095..=-1 => {
            let name = format!("{:?}", Errno::from_raw(-(value as i32)));
            if name == "UnknownErrno" { value.to_string() } else { name }
        }
        value => value.to_string(),
    }
}
