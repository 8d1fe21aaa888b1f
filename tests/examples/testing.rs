//! Compares the mixture of tests with random Wp, for `tests/run testing`:
//! `cargo run --release -p mealybug-tests --example testing -- DIR`, with rows of
//! `mealybug-bench run` in DIR.

use std::path::Path;
use std::process::ExitCode;

use mealybug_bench::RunRow;
use mealybug_tests::verdict::FiguresVerdict;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("name a folder with rows of mealybug-bench");
        return ExitCode::FAILURE;
    };
    let rows = match RunRow::read_all(Path::new(&folder)) {
        Ok(rows) => rows,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let FiguresVerdict { text, broken } = FiguresVerdict::new(&rows);
    print!("{text}");
    for line in &broken {
        eprintln!("not as it must be: {line}");
    }
    if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
