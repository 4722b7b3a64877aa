//! A worker without an engine: its programs are lines of a small command language.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use codemode_pool::{
    ChannelClosed, ConsoleLevel, FailKind, HandleResponseParts, HostFrame, InvocationOutcome,
    OutboundOutcome, OutboundParts, Outcome, Prepared, Received, RunRequest, Settlement, Spent,
    TemplateConfig, ToolOutcome, WorkerBody, WorkerChannel, WorkerFrame,
};

use crate::raw;

#[derive(Default)]
pub(crate) struct Fake {
    seed: u64,
    held: Vec<Vec<u8>>,
    /// Programs that this process was given.
    served: u32,
    /// What the third copy of the template, its first worker, takes away from it.
    takes_away: Option<(&'static AtomicU32, libc::__rlimit_resource_t, u64)>,
}

impl WorkerBody for Fake {
    fn prepare(&mut self, config: &TemplateConfig) -> Result<Prepared, String> {
        let wish = String::from_utf8_lossy(&config.body).into_owned();
        match wish.as_str() {
            "" => {}
            "panic" => panic!("prepared to panic"),
            "exit" => std::process::exit(9),
            "hang" => loop {
                std::thread::park();
            },
            "thread" => {
                std::thread::spawn(|| {
                    loop {
                        std::thread::park();
                    }
                });
            }
            "fork-crash" | "self-test-fails" => {}
            "no-forks" => self.takes_away = Some((raw::shared_counter(), libc::RLIMIT_NPROC, 0)),
            "no-descriptors" => {
                // With this one, the numbers below four are taken.
                raw::take_number(1);
                self.takes_away = Some((raw::shared_counter(), libc::RLIMIT_NOFILE, 4));
            }
            "slow" => spin(Some(Duration::from_millis(300))),
            other => return Err(other.to_owned()),
        }
        self.held.push(wish.into_bytes());
        Ok(Prepared { capabilities: vec![("engine".to_owned(), "fake".to_owned())] })
    }

    fn after_fork(&mut self) {
        self.seed = raw::random();
        if let Some((copies, what, to)) = self.takes_away
            && copies.fetch_add(1, Ordering::Relaxed) == 2
        {
            raw::limit_parent(what, to);
        }
    }

    fn self_test(&mut self) -> Result<(), String> {
        match self.held[0].as_slice() {
            b"fork-crash" => raw::raise(libc::SIGTRAP),
            b"self-test-fails" => return Err("the fake engine is out of tune".to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn wants_second_thread(&self, request: &RunRequest) -> bool {
        request.code.contains("aside")
    }

    fn run(&mut self, request: RunRequest, channel: &mut WorkerChannel) {
        self.served += 1;
        let mut run = Run { fake: self, channel, last: String::new(), next_id: 0 };
        // A closed channel is the end, as it is for every worker.
        let _ = run.serve(&request);
    }
}

struct Run<'a> {
    fake: &'a mut Fake,
    channel: &'a mut WorkerChannel,
    last: String,
    next_id: u32,
}

impl Run<'_> {
    fn serve(&mut self, request: &RunRequest) -> Result<(), ChannelClosed> {
        for line in request.code.lines() {
            let (command, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let number = || rest.trim().parse::<u64>().unwrap_or(0);
            match command {
                "" => {}
                "answer" => return self.settle(Outcome::Envelope(rest.to_owned())),
                "return" => return self.settle(Outcome::Envelope(self.last.clone())),
                "undefined" => return self.settle(Outcome::Undefined),
                "fail" => {
                    return self.settle(Outcome::Failed { kind: FailKind::Thrown, text: rest.to_owned() });
                }
                "log" => self.log(ConsoleLevel::Log, rest)?,
                "warn" => self.log(ConsoleLevel::Warn, rest)?,
                "flood" => loop {
                    self.log(ConsoleLevel::Log, &"x".repeat(number() as usize))?;
                },
                "tool" => self.tool(rest)?,
                "tools" => self.tools(number() as u32)?,
                "tell" => {
                    let id = self.next_id;
                    self.call(id, "p", "t", rest)?;
                }
                "tools-unread" => {
                    for id in 0..number() as u32 {
                        self.call(id, "p", "t", "[]")?;
                    }
                    spin(None);
                }
                "fetch" => self.fetch(rest)?,
                "spin" => spin((!rest.is_empty()).then(|| Duration::from_millis(number()))),
                "spin-in-tool" => {
                    self.call(0, "p", "slow", "[]")?;
                    spin(None);
                }
                "hang" => loop {
                    std::thread::park();
                },
                "crash" => raw::raise(number() as i32),
                "fault" => raw::fault(),
                "exit" => std::process::exit(number() as i32),
                "panic" => panic!("{rest}"),
                "allocate" => self.fake.held.push(raw::touched(number() as usize)),
                "page-tables" => raw::fill_page_tables(number() as usize),
                "allocate-then-crash" => {
                    self.fake.held.push(raw::touched(number() as usize));
                    raw::raise(libc::SIGTRAP);
                }
                "allocate-or-say" => {
                    self.last = if raw::try_map(number() as usize) { "mapped" } else { "refused" }.to_owned();
                }
                "bytes" => self.channel.send_bytes(&unhex(rest))?,
                "flip" => {
                    let mut bytes = WorkerChannel::bytes_of(&console(ConsoleLevel::Log, "flipped"));
                    let bit = number() as usize;
                    bytes[bit / 8] ^= 1 << (bit % 8);
                    self.channel.send_bytes(&bytes)?;
                }
                "half-answer-then-crash" => {
                    let bytes = WorkerChannel::bytes_of(&console(ConsoleLevel::Log, &"x".repeat(1 << 20)));
                    self.channel.send_bytes(&bytes[..bytes.len() / 2])?;
                    raw::raise(number() as i32);
                }
                "log-last" => {
                    let last = self.last.clone();
                    self.log(ConsoleLevel::Log, &last)?;
                }
                "births" => self.last = format!("{} {}", self.fake.seed, self.fake.served),
                "oversized" => self.channel.send_bytes(&[0xff, 0xff, 0xff, 0x7f])?,
                "close" => raw::close(0),
                "aside" => self.aside()?,
                "panic-aside" => {
                    let text = rest.to_owned();
                    assert!(self.channel.perform_aside(Box::new(move || panic!("{text}"))).is_ok());
                    self.channel.receive(None)?;
                }
                "attack" => self.last = crate::attacks::make(rest),
                "seed" => self.last = self.fake.seed.to_string(),
                "environment" => self.last = std::env::vars_os().count().to_string(),
                "descriptors" => self.last = raw::open_descriptors().to_string(),
                "size" => self.last = request.modules.iter().map(|m| m.name.len()).sum::<usize>().to_string(),
                "request" => {
                    self.last = format!(
                        "{} {} {} {} {}",
                        request.has_dispatch,
                        request.outbound_enabled,
                        request.memory_mb,
                        request.grace_ms,
                        request.payload_limit
                    );
                }
                "compiled" => return self.settle(Outcome::Compiled(rest.as_bytes().to_vec())),
                "retain" => self.settle(Outcome::Retained)?,
                "await-invocation" => match self.channel.receive(None)? {
                    Received::Frame(HostFrame::Invoke(request)) => self.last = request.url,
                    other => panic!("{other:?}"),
                },
                "respond" => {
                    let status = number() as u16;
                    let body = Some(self.last.clone().into_bytes());
                    self.respond(HandleResponseParts { status, body, ..HandleResponseParts::default() })?;
                }
                "respond-header" => {
                    let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                    let headers = vec![(name.to_owned(), value.replace("LF", "\n"))];
                    self.respond(HandleResponseParts {
                        status: 200,
                        headers,
                        ..HandleResponseParts::default()
                    })?;
                }
                "settle-and-stay" => {
                    self.settle(Outcome::Envelope("stayed".to_owned()))?;
                    spin(None);
                }
                other => panic!("no command {other}"),
            }
        }
        self.settle(Outcome::Undefined)
    }

    fn settle(&mut self, outcome: Outcome) -> Result<(), ChannelClosed> {
        let usage = Spent { counted_ms: 1.5, tool_calls: self.next_id, ..Spent::default() };
        self.channel.send(&WorkerFrame::Settled(Settlement { outcome, usage }))
    }

    fn respond(&mut self, response: HandleResponseParts) -> Result<(), ChannelClosed> {
        let outcome = InvocationOutcome::Answered(response);
        self.channel.send(&WorkerFrame::Invoked { outcome, usage: Spent::default() })
    }

    fn log(&mut self, level: ConsoleLevel, text: &str) -> Result<(), ChannelClosed> {
        self.channel.send(&console(level, text))
    }

    fn tool(&mut self, rest: &str) -> Result<(), ChannelClosed> {
        let mut parts = rest.splitn(3, ' ');
        let mut part = || parts.next().unwrap_or("").to_owned();
        let (provider, tool, args) = (part(), part(), part());
        let id = self.next_id;
        self.call(id, &provider, &tool, &args)?;
        self.last = self.tool_answer()?.1;
        Ok(())
    }

    fn tools(&mut self, count: u32) -> Result<(), ChannelClosed> {
        let first = self.next_id;
        for id in first..first + count {
            self.call(id, "p", "t", &format!("[{id}]"))?;
        }
        let mut answers = (0..count).map(|_| self.tool_answer()).collect::<Result<Vec<_>, _>>()?;
        answers.sort();
        self.last = answers.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",");
        Ok(())
    }

    fn call(&mut self, id: u32, provider: &str, tool: &str, args: &str) -> Result<(), ChannelClosed> {
        self.next_id = id + 1;
        self.channel.send(&WorkerFrame::ToolCall {
            id,
            provider: provider.to_owned(),
            tool: tool.to_owned(),
            args_json: args.to_owned(),
        })
    }

    /// Work on the second thread that goes on until the first has called a tool and got its answer.
    fn aside(&mut self) -> Result<(), ChannelClosed> {
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let work = Box::new(move || wait.recv().expect("the first thread lives"));
        assert!(self.channel.perform_aside(work).is_ok(), "there is no second thread");
        assert_eq!(self.channel.receive(Some(Duration::ZERO))?, Received::TimedOut);
        self.tool("p t []")?;
        go.send(()).expect("the second thread lives");
        assert_eq!(self.channel.receive(None)?, Received::WorkDone);
        assert_eq!(self.channel.receive(Some(Duration::ZERO))?, Received::TimedOut);
        Ok(())
    }

    fn tool_answer(&mut self) -> Result<(u32, String), ChannelClosed> {
        match self.channel.receive(None)? {
            Received::Frame(HostFrame::ToolAnswer { id, outcome: ToolOutcome::Returned(text) }) => {
                Ok((id, text))
            }
            Received::Frame(HostFrame::ToolAnswer { id, outcome: ToolOutcome::Thrown(text) }) => {
                Ok((id, format!("thrown {text}")))
            }
            other => panic!("{other:?}"),
        }
    }

    fn fetch(&mut self, url: &str) -> Result<(), ChannelClosed> {
        let request =
            OutboundParts { url: url.to_owned(), method: "GET".to_owned(), ..OutboundParts::default() };
        self.channel.send(&WorkerFrame::OutboundCall { id: 7, request })?;
        self.last = match self.channel.receive(Some(Duration::from_secs(60)))? {
            Received::Frame(HostFrame::OutboundAnswer {
                id: 7,
                outcome: OutboundOutcome::Returned(parts),
            }) => {
                format!("{} {}", parts.status, String::from_utf8_lossy(&parts.body.unwrap_or_default()))
            }
            Received::Frame(HostFrame::OutboundAnswer { id: 7, outcome: OutboundOutcome::Thrown(text) }) => {
                text
            }
            other => panic!("{other:?}"),
        };
        Ok(())
    }
}

fn console(level: ConsoleLevel, text: &str) -> WorkerFrame {
    WorkerFrame::Console { level, text: text.to_owned() }
}

/// Bits of the frame that `flip` damages.
pub(crate) fn bits_to_flip() -> usize {
    WorkerChannel::bytes_of(&console(ConsoleLevel::Log, "flipped")).len() * 8
}

fn spin(time: Option<Duration>) {
    let began = Instant::now();
    while time.is_none_or(|time| began.elapsed() < time) {
        std::hint::spin_loop();
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
