//! Learns the devices at real boards: `hardware BOARDS.toml IMAGES OUT`. `tests/run hardware` builds the images and calls
//! this.

use std::path::Path;
use std::process::ExitCode;

use mealybug_tests::hardware::{check, read};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [boards, images, out] = &arguments[..] else {
        eprintln!("usage: hardware BOARDS.toml IMAGES OUT");
        return ExitCode::from(2);
    };
    let boards = match read(Path::new(boards)) {
        Ok(boards) => boards,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let mut failed = 0;
    for (number, board) in boards.iter().enumerate() {
        let what = format!("{}, {:?}, {}", board.board, board.program, board.device.display());
        let out = Path::new(out).join(number.to_string());
        match check(board, Path::new("probe-rs"), Path::new(images), &out) {
            Ok(()) => println!("hardware: {what}: EQUAL"),
            Err(error) => {
                println!("hardware: {what}: FAILED: {error}");
                failed += 1;
            }
        }
    }
    println!("hardware: {} of {} boards passed", boards.len() - failed, boards.len());
    ExitCode::from(u8::from(failed > 0))
}
