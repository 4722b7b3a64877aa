//! Many runs through one executor, with figures: `cargo run --release -p codemode-testbed --example soak -- 10000`.

use codemode_testbed::soak::soak;

fn main() {
    codemode_executor::run_worker_if_requested();
    let number = |at: usize, default: usize| match std::env::args().nth(at) {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("argument {at} is a number, not {text:?}")),
        None => default,
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let figures = runtime.block_on(soak(number(1, 10_000), number(2, 2)));
    match figures.map(|figures| (figures.verdict(), figures)) {
        Ok((verdict, figures)) => {
            println!("{figures}");
            if let Err(problem) = verdict {
                eprintln!("{}", problem.lines().next().unwrap_or_default());
                std::process::exit(1);
            }
        }
        Err(problem) => {
            eprintln!("{problem}");
            std::process::exit(1);
        }
    }
}
