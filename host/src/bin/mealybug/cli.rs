//! The command line: the subcommands, and what follows from how one ends.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use mealybug::error_style;

use crate::cmd::{
    check, compile, completions, demo, diff, init, learn, man, ports, show, simulate, target, test,
    try_out,
};
use crate::exit::Exit;
use crate::files::out_file::with_files;
use crate::terminal::{complain_of, not_written, output_error};

/// Learn the state machine inside a device by talking to it over a serial port.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, args_override_self = true, after_help = EXIT_STATUS)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(demo::DemoArgs),
    Ports(ports::PortsArgs),
    Init(init::InitArgs),
    Try(try_out::TryArgs),
    Check(check::CheckArgs),
    Learn(learn::LearnArgs),
    Show(show::ShowArgs),
    Diff(diff::DiffArgs),
    Test(test::TestArgs),
    Target(target::TargetArgs),
    Compile(compile::CompileArgs),
    Simulate(simulate::SimulateArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// What `--help` lists: a heading, and the commands below it. A new user's path comes first.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Start here", &["demo"]),
    ("Describe a device and learn it", &["ports", "init", "try", "check", "learn"]),
    ("Use a model", &["show", "diff", "test"]),
    ("On a microcontroller", &["target", "compile"]),
    ("More", &["simulate", "completions", "man"]),
];

/// The command line, with its subcommands in [`GROUPS`].
pub(crate) fn command() -> clap::Command {
    let command = Cli::command();
    let mut list = String::new();
    for (heading, names) in GROUPS {
        list.push_str(&format!("{heading}:\n"));
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            list.push_str(&format!("  {name:<12} {about}\n"));
        }
        list.push('\n');
    }
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

/// The exit statuses, as `--help` lists them.
const EXIT_STATUS: &str = "\
Exit status:
    0  done: converged, equal, passed
    1  failed: different, a file that makes no sense, anything else
    2  the command line is wrong; of `diff`, too: a model cannot be read
    3  a limit ended the run: rounds, symbols, time, memory
    4  the device contradicts itself
    5  the device failed, or the link to it was lost
    6  a disk, a folder or standard output cannot be used
  130  Ctrl-C, or a request to end
Whatever the end, what was learned is written.";

/// Runs the command and says how it ended.
pub(crate) fn main() -> ExitCode {
    error_style::suit_terminal();
    let parsed = command().try_get_matches();
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return explain(&error).into(),
    };
    let matches = matches.subcommand().map_or(&matches, |(_, matches)| matches);
    let result = match cli.command {
        Command::Demo(demo) => demo.run(),
        Command::Ports(ports) => ports.run(),
        Command::Init(init) => init.run(),
        Command::Try(try_out) => try_out.run(),
        Command::Check(check) => check.run(),
        Command::Learn(learn) => learn.run(matches),
        Command::Show(show) => show.run(),
        Command::Diff(diff) => diff.run(),
        Command::Test(test) => test.run(),
        Command::Target(target) => target.run(),
        Command::Compile(compile) => compile.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::Completions(completions) => completions.run(command()),
        Command::Man(man) => man.run(command()),
    };
    let written = output_error().map_or(Ok(()), Err);
    let exit = with_files(result, written).unwrap_or_else(|report| {
        complain_of(&report);
        Exit::of(&report)
    });
    exit.code().into()
}

/// Prints help, or what is wrong with the command line.
fn explain(error: &clap::Error) -> u8 {
    match error.print() {
        Err(full) if full.kind() != ErrorKind::BrokenPipe && !error.use_stderr() => {
            complain_of(&not_written(&full));
            Exit::Disk.code()
        }
        _ => u8::try_from(error.exit_code()).unwrap_or(Exit::Usage.code()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_command_once() {
        let command = Cli::command();
        let mut names: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
        let mut listed: Vec<_> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        names.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, names);
    }
}
