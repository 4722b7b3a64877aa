//! The options, as `clap` reads them. `docs/cli.md` says the same at length.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use codemode_executor::HardeningLevel;
use codemode_protocol::{OutboundPolicy, ProviderDescriptor, defaults};

const EXIT_STATUS: &str = "\
Exit status:
  0    there is a result
  1    the program failed
  2    wrong usage
  3    a fault of the executor
  130  ended by Ctrl-C (143: by a request to terminate)";

/// The memory budgets that an executor takes, in megabytes.
const MEMORY_MB: std::ops::RangeInclusive<i64> = 8..=1 << 20;

const TOOLS: &str = "\
Tools:
  COMMAND of --dispatch is started once. Each tool call is one JSON line on its standard input,
    {\"id\":1,\"provider\":\"store\",\"tool\":\"listOrders\",\"args\":[\"ada\"]}
  and it answers each with one line on its standard output, in any order:
    {\"id\":1,\"result\":…}  or  {\"id\":1,\"error\":\"…\"}";

/// Runs model-written JavaScript where it cannot hurt anyone, and returns what it produced.
#[derive(Debug, Parser)]
#[command(name = "codemode", version, arg_required_else_help = true, after_help = EXIT_STATUS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run one program and print its result
    #[command(after_help = format!("{TOOLS}\n\n{EXIT_STATUS}"))]
    Run(Box<RunArgs>),
    /// Run one real job end to end and show what hardening is on
    #[command(after_help = EXIT_STATUS)]
    Check(CheckArgs),
}

/// The options of `codemode run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The program: one arrow function, optionally preceded by imports. `-` reads standard input
    #[arg(value_name = "FILE|-")]
    pub program: PathBuf,

    /// Print the whole outcome as one JSON object: the result of the run, or {"fault":…}
    #[arg(long)]
    pub json: bool,

    /// Bound on the time the program itself spends
    #[arg(long, value_name = "MS", default_value_t = default_timeout_ms(), value_parser = clap::value_parser!(u64).range(1..=defaults::MAX_DELAY_MS))]
    pub timeout: u64,

    /// Memory budget of the program
    #[arg(long, value_name = "MB", default_value_t = defaults::MEMORY_MB, value_parser = clap::value_parser!(u32).range(MEMORY_MB))]
    pub memory: u32,

    /// Who performs `fetch`: nobody, or this machine
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = OutboundArg::Deny)]
    pub outbound: OutboundArg,

    /// Count the time spent waiting for tools against the timeout
    #[arg(long)]
    pub count_host_waits: bool,

    /// A module that the program may import; can be repeated
    ///
    /// Its kind follows from the ending of PATH: .mjs and .js, .cjs, .json, .txt, anything else is data.
    #[arg(long = "module", value_name = "NAME=PATH", value_parser = module_arg)]
    pub modules: Vec<ModuleArg>,

    /// A name that the program may call tools on, and the tools it has; can be repeated
    #[arg(long = "provider", value_name = "NAME[:tool,tool]", value_parser = provider_arg)]
    pub providers: Vec<ProviderDescriptor>,

    /// Started through `sh -c` to serve the tool calls, see below
    #[arg(long, value_name = "COMMAND", requires = "providers")]
    pub dispatch: Option<String>,

    /// Clean raw model output (a fenced block, a bare expression, an export) into a program first
    #[arg(long)]
    pub normalize: bool,
}

/// The options of `codemode check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,

    /// How much hardening the worker is to have
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = HardeningArg::BestEffort)]
    pub hardening: HardeningArg,
}

/// How much hardening is demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HardeningArg {
    /// Every layer, or the start fails and names what is missing
    Required,
    /// Every layer that this machine permits
    BestEffort,
    /// None: for debugging
    Off,
}

impl From<HardeningArg> for HardeningLevel {
    fn from(arg: HardeningArg) -> HardeningLevel {
        match arg {
            HardeningArg::Required => HardeningLevel::Required,
            HardeningArg::BestEffort => HardeningLevel::BestEffort,
            HardeningArg::Off => HardeningLevel::Off,
        }
    }
}

/// Who performs `fetch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutboundArg {
    /// Nobody
    Deny,
    /// This machine, against whatever its network reaches
    Native,
}

impl From<OutboundArg> for OutboundPolicy {
    fn from(arg: OutboundArg) -> OutboundPolicy {
        match arg {
            OutboundArg::Deny => OutboundPolicy::Denied,
            OutboundArg::Native => OutboundPolicy::Native,
        }
    }
}

/// One `--module`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleArg {
    /// What the program imports.
    pub name: String,
    /// Where its source is.
    pub path: PathBuf,
}

fn module_arg(text: &str) -> Result<ModuleArg, String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok(ModuleArg { name: name.to_owned(), path: path.into() })
        }
        _ => Err("a module is a name, `=` and the path of a file".to_owned()),
    }
}

fn provider_arg(text: &str) -> Result<ProviderDescriptor, String> {
    let (name, tools) = match text.split_once(':') {
        Some((name, tools)) => (name, tools.split(',').collect()),
        None => (text, Vec::new()),
    };
    if tools.contains(&"") {
        return Err("the name of a tool is empty".to_owned());
    }
    Ok(ProviderDescriptor::new(name, tools))
}

fn default_timeout_ms() -> u64 {
    u64::try_from(defaults::TIMEOUT.as_millis()).expect("the default is within the range of a timer")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        Cli::command().debug_assert();
    }
}
