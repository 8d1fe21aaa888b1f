//! Runs one of the workloads once, for `tests/run instructions`:
//! `cargo run --release -p mealybug-tests --example workload -- [NAME]`. Without a name it lists them.

use std::process::ExitCode;

use mealybug_tests::workloads::Workload;

fn main() -> ExitCode {
    let workloads = Workload::all();
    let Some(name) = std::env::args().nth(1) else {
        workloads.iter().for_each(|workload| println!("{}", workload.name));
        return ExitCode::SUCCESS;
    };
    let Some(workload) = workloads.iter().find(|workload| workload.name == name) else {
        eprintln!("no workload is called {name}; without a name they are listed");
        return ExitCode::FAILURE;
    };
    println!("{}", workload.run());
    ExitCode::SUCCESS
}
