//! The `mealybug-bench` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    mealybug_bench::cli::main()
}
