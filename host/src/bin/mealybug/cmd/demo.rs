//! `mealybug demo`: a device that needs nothing but this program.

use clap::Args;
use mealybug::demo_lock::DemoLock;
use mealybug::device::DeviceFile;
use mealybug::export::table;
use mealybug::interrupt;
use mealybug::serial::{SerialLink, SerialSul, TimedLink};
use mealybug::simulate::{Simulator, device_file};
use mealybug_core::Division;
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::endpoint::{Endpoint, Subject};
use crate::exit::Exit;
use crate::run::options::RunOptions;
use crate::run::results::Results;
use crate::run::summary;
use crate::run::{folder, keep_older, keep_words, run_in};

/// The name of the runs of the demo.
const NAME: &str = "demo";

/// Where the learned lock is played for practice. The guide has the same address.
const PRACTICE: &str = "127.0.0.1:4707";

/// Larger models are not shown as a table.
const MAX_STATES_SHOWN: u32 = 50;

/// Learn a simulated door lock, with nothing installed or attached.
///
/// The lock is behind a real pseudo-terminal. It is learned through it like any device at a serial port.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug demo
  mealybug demo --algorithm l-star    # what it costs to learn it as one machine")]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    options: RunOptions,
}

impl DemoArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        self.options.check(false)?;
        let interrupted = interrupt::flag()?;
        let older = self.options.older()?;
        let lock = DemoLock::machine();
        let inputs = lock.inputs().to_vec();
        // A mistake leaves no folder behind.
        self.options.check_words(&inputs)?;
        let folder = folder(NAME, &self.options)?;
        keep_older(&folder, &older)?;
        keep_words(&folder, &self.options)?;
        let text = device_file(&lock);
        let simulator = Simulator::start(lock)
            .into_diagnostic()
            .wrap_err("the system gives no pseudo-terminal")?;
        let port = simulator.port().to_owned();
        folder.write_device_file(&text)?;
        let path = folder.path().join("device.toml");
        let output = self.options.output;
        output.say(&format!(
            "1. A door lock is simulated behind the serial port {port}.\n   \
                Its keys are: {}. What they do, nobody tells Mealybug.\n\
             2. The device file {} says how to talk to it:\n   \
                how to reset it, what to send for each key, and when an answer ends.\n\
             3. Mealybug presses keys, compares the answers, makes a model, and tests it:\n",
            inputs.join(", "),
            path.display(),
        ));

        let device = DeviceFile::parse(&path, &text)?;
        let states = &device.state_names(&path);
        let link: Box<dyn TimedLink + Send> = Box::new(SerialLink::open(&port, &device.port)?);
        let end = Endpoint::Port(Box::new(SerialSul::new(link, device)?));
        let subject = Subject { name: NAME, inputs: &inputs, states, address: None, model: None };
        let store = folder.open_store(&inputs)?;
        let ended = run_in(folder, Some(store), subject, &self.options, end, &interrupted)?;
        output.say(&shown(&ended.results));
        output.say(&next_steps(&ended.results));
        output.say(&summary::text(&ended.results));
        ended.results.end(ended.exit)
    }
}

/// How to go on: with this lock, then with a device of one's own.
fn next_steps(results: &Results) -> String {
    let folder = results.folder.path().display();
    let practice = match results.model {
        None => String::new(),
        Some(_) => format!(
            "Practise with this lock. Play it in one terminal:\n  \
               mealybug simulate {folder}/model.dot --listen {PRACTICE}\n\
             In another, press keys by hand, check its device file, and write one yourself:\n  \
               export MEALYBUG_PORT=tcp:{PRACTICE}\n  \
               mealybug try {folder}/device.toml 1 2 enter\n  \
               mealybug check {folder}/device.toml --times 2\n  \
               mealybug init lock.toml\n\n"
        ),
    };
    format!(
        "6. Look at {folder}/report.html in a browser.\n\n\
         {practice}\
         Your own device: mealybug ports finds it; then init, try, check and learn.\n\n"
    )
}

/// The model as a table, and what the components are.
fn shown(results: &Results) -> String {
    let small = results.model.as_ref().filter(|model| model.states() <= MAX_STATES_SHOWN);
    let table = small.map_or_else(String::new, |model| {
        let table = table(model, 100);
        format!(
            "4. The model: the answer to each key in each state, and the state after it.\n\n\
             {table}\n"
        )
    });
    let knows = match results.learned.as_ref().map(|learned| learned.division) {
        Some(Division::Inputs) => "the answers to some keys only",
        Some(Division::Outputs) => "some answers only",
        Some(Division::Pairs) => "some answers to some keys only",
        _ => return table + "5. It was learned as one machine.\n\n",
    };
    let divided = format!(
        "5. It was learned as components. Each knows {knows},\n   \
         and has fewer states. Run side by side they are the model.\n\n"
    );
    table + &divided
}
