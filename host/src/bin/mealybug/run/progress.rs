//! What a run shows while it goes on: two lines that are drawn anew on a terminal, plain lines
//! elsewhere.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mealybug::advice::Advised;
use mealybug::algorithm::Algorithm;
use mealybug::confidence::{Confidence, Estimator};
use mealybug::learn::{HostSession, Tally};
use mealybug::statistics::{LearnerSize, number};
use mealybug_core::{Division, Options, Progress as Standing, Purpose, TreeProgress};

use crate::run::board_news::BoardNews;
use crate::run::notes::{Notes, WAITING};
use crate::run::options::RunOptions;
use crate::run::time_left::TimeLeft;
use crate::terminal::complain;
use crate::terminal::output::OutputMode;

/// How often the lines on a terminal change.
const ON_TERMINAL: Duration = Duration::from_millis(100);
/// How often there is a plain line.
const PLAIN: Duration = Duration::from_secs(10);
/// How often the pace is measured.
const SAMPLE: Duration = Duration::from_secs(1);
/// The pace is that of at least this time and this many words...
const WINDOW: Duration = Duration::from_secs(2);
const WINDOW_WORDS: u64 = 10;
/// ...or of this time, however few words it had.
const LONG_WINDOW: Duration = Duration::from_secs(30);

/// Shows how a run goes on.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    started: Instant,
    due: Instant,
    rate: Rate,
    time_left: TimeLeft,
    /// How long the run may take.
    max_time: Option<Duration>,
    sample_due: Instant,
    estimator: Estimator,
    /// How many tests in a row are enough, where that is known.
    enough: Option<u64>,
    /// How many words the session had asked when it was last shown, and how many at most one that
    /// then began anew: until the next one has asked so many, it mostly recalls answers.
    words: u64,
    words_before: u64,
    /// How many words the device had been asked when that was last said; words that were asked again count again.
    asked: u64,
    /// None where standard error is no terminal.
    bar: Option<ProgressBar>,
    output: OutputMode,
    algorithm: Algorithm,
    /// What came of the advice of older models, if there are some.
    advised: Option<Advised>,
    /// What the components of the last hypothesis divide.
    division: Division,
    /// The boards, if there are several.
    boards: Option<Arc<BoardNews>>,
}

impl ProgressLine {
    /// Begins to show a run with these options.
    pub(crate) fn new(options: &RunOptions) -> Self {
        let started = Instant::now();
        let output = options.output;
        let is_live = io::stderr().is_terminal() && output.shows_progress();
        let bar = is_live.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {msg} · {elapsed}")
                .expect("the template is right");
            bar.set_style(style);
            // So the time goes on while a device thinks.
            bar.enable_steady_tick(ON_TERMINAL);
            bar
        });
        let due = started + if bar.is_some() { Duration::ZERO } else { PLAIN };
        let enough = enough(&options.session());
        let algorithm = options.algorithm();
        Self {
            started,
            due,
            rate: Rate::new(started),
            time_left: TimeLeft::default(),
            max_time: options.max_time(),
            sample_due: started,
            estimator: Estimator::default(),
            enough,
            words: 0,
            words_before: 0,
            asked: 0,
            bar,
            output,
            algorithm,
            advised: None,
            division: Division::Whole,
            boards: None,
        }
    }

    /// Something is about to be asked: shows where the run stands, now and then.
    pub(crate) fn asking(&mut self, session: &HostSession, tally: &Tally) {
        let now = Instant::now();
        self.asked = tally.device.resets;
        if now >= self.sample_due {
            self.sample_due = now + SAMPLE;
            let enough = enough(session.options());
            self.time_left.update(now, &session.progress(), enough, tally.replays());
        }
        if now >= self.due {
            self.enough = enough(session.options());
            let standing = session.progress();
            let confidence = self.confidence(session, tally);
            self.words = words(&standing);
            let is_behind = self.words < self.words_before;
            match tally.confirming {
                Some((done, of)) if of > 1 => {
                    self.draw(&format!("confirming {done} of {of} words"));
                }
                // What it knows by now says nothing: the session before knew more.
                _ if is_behind => self.draw("learning again from what is known"),
                _ if tally.replays() => {
                    self.show("replaying known answers: ", &standing, confidence);
                }
                _ => self.show("", &standing, confidence),
            }
        }
    }

    /// How sure the session's hypothesis is by now.
    pub(crate) fn confidence(
        &mut self,
        session: &HostSession,
        tally: &Tally,
    ) -> Option<Confidence> {
        self.estimator.confidence(session, tally.tried)
    }

    /// The device is away. On plain lines the note that says so is enough for a while.
    pub(crate) fn wait_for_device(&mut self) {
        if self.bar.is_some() || Instant::now() >= self.due {
            self.draw(WAITING);
        }
    }

    /// The run takes a last look at the device.
    pub(crate) fn look(&mut self, what: &str) {
        if self.bar.is_some() || Instant::now() >= self.due {
            self.draw(what);
        }
    }

    /// The session begins anew.
    pub(crate) fn begin_anew(&mut self) {
        self.words_before = self.words_before.max(self.words);
    }

    /// Shows one line without numbers of the session.
    fn draw(&mut self, what: &str) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(what.to_owned());
                self.due = Instant::now() + ON_TERMINAL;
            }
            None => {
                self.plain(what);
                self.due = Instant::now() + PLAIN;
            }
        }
    }

    /// How long it may take until the next hypothesis or the last test, in seconds.
    pub(crate) fn seconds_left(&self) -> Option<f64> {
        self.time_left.seconds()
    }

    /// Somebody else is asking, and said where the run stands.
    pub(crate) fn standing(&mut self, standing: &Standing) {
        if Instant::now() >= self.due {
            self.asked = words(standing);
            self.show("", standing, None);
        }
    }

    /// Where the run stands, for a page: what is being done, and facts with a name and a value each.
    pub(crate) fn facts(
        &mut self,
        session: &HostSession,
        tally: &Tally,
    ) -> (String, Vec<(&'static str, String)>) {
        let standing = session.progress();
        self.enough = enough(session.options());
        self.asked = tally.device.resets;
        self.rate.update(Instant::now(), self.asked);
        let replay = if tally.replays() { "replaying known answers: " } else { "" };
        let Standing { learning, testing, .. } = &standing;
        let mut facts = vec![("known", self.size(&standing))];
        if standing.rounds > 0 {
            facts.push(("believed", hypothesis(&standing, self.division)));
        }
        let confidence = self.confidence(session, tally);
        if let Some(confidence) = confidence.filter(|_| standing.purpose == Purpose::Testing) {
            facts.push(("tested", confidence.to_string()));
        }
        let cost =
            |symbols, resets| format!("{} symbols, {} resets", number(symbols), number(resets));
        facts.extend([
            ("asked to learn", cost(learning.symbols, learning.resets)),
            ("asked to test", cost(testing.symbols, testing.resets)),
            ("reached the device", cost(tally.device.symbols, tally.device.resets)),
            ("pace", self.pace()),
            ("noise", format!("{} answers not believed", number(tally.strays))),
        ]);
        facts.extend(self.boards.as_ref().map(|boards| ("boards", boards.to_string())));
        (format!("{replay}{}", self.phase(&standing)), facts)
    }

    fn show(&mut self, what: &str, standing: &Standing, confidence: Option<Confidence>) {
        let now = Instant::now();
        self.rate.update(now, self.asked);
        let phase = format!("{what}{}", self.phase(standing));
        // While it learns, the hypothesis is known to be wrong.
        let confidence = confidence.filter(|_| standing.purpose == Purpose::Testing);
        match &self.bar {
            Some(bar) => {
                let confidence = confidence.map_or_else(String::new, |c| format!("\n  {c}"));
                bar.set_message(format!("{phase}{confidence}\n  {}", self.costs(standing)));
                self.due = now + ON_TERMINAL;
            }
            None => {
                let confidence = confidence.map_or_else(String::new, |c| format!("; {c}"));
                self.line(&format!("{phase}{confidence}"), standing);
                self.due = now + PLAIN;
            }
        }
    }

    /// There is a new hypothesis.
    pub(crate) fn hypothesis(&mut self, session: &HostSession) {
        let standing = session.progress();
        self.time_left.update(Instant::now(), &standing, self.enough, false);
        self.made(&standing);
    }

    /// Somebody else made a hypothesis when the run stood so.
    pub(crate) fn made_elsewhere(&mut self, standing: &Standing) {
        self.asked = words(standing);
        self.made(standing);
    }

    fn made(&mut self, standing: &Standing) {
        self.division = standing.tree.map(|tree| tree.division).unwrap_or_default();
        // A session that began anew makes the hypotheses again that were shown.
        if self.bar.is_none() && words(standing) >= self.words_before {
            self.rate.update(Instant::now(), self.asked);
            self.line(&hypothesis(standing, self.division), standing);
        }
    }

    /// So much came of the advice of older models so far.
    pub(crate) fn advised(&mut self, advised: Option<Advised>) {
        self.advised = advised;
    }

    /// Something happened that the user should see, and that stays.
    pub(crate) fn note(&self, text: &str) {
        self.notes().line(text);
    }

    /// Notes above the lines that change.
    pub(crate) fn notes(&self) -> Notes {
        Notes::new(self.bar.clone(), self.output)
    }

    /// Several boards answer.
    pub(crate) fn show_boards(&mut self, boards: Arc<BoardNews>) {
        self.boards = Some(boards);
    }

    /// The run is over.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, what: &str, standing: &Standing) {
        self.plain(&format!("{what}; {}", self.costs(standing)));
    }

    fn plain(&self, what: &str) {
        // Programs are told in their own way.
        if !self.output.shows_progress() || self.output.is_json() {
            return;
        }
        let seconds = self.started.elapsed().as_secs_f64();
        complain(&format!("{seconds:8.1} s  {what}"));
    }

    /// What is being done.
    fn phase(&self, standing: &Standing) -> String {
        let what = hypothesis(standing, self.division);
        let passed = number(standing.passing_tests);
        let end = self.max_time.map(|time| time.saturating_sub(self.started.elapsed()));
        let left = self.time_left.text_until(end);
        let left = left.map_or_else(String::new, |left| format!(", {left}"));
        match (standing.purpose, self.enough) {
            (Purpose::Learning, _) => {
                let after = match standing.rounds {
                    0 => String::new(),
                    _ => format!(" after {what}"),
                };
                format!("learning{after}{left}")
            }
            (Purpose::Testing, _) if standing.passing_tests == 0 => format!("testing {what}"),
            (Purpose::Testing, None) => format!("testing {what}: {passed} passed{left}"),
            (Purpose::Testing, Some(enough)) => {
                format!("testing {what}: {passed} of {} passed{left}", number(enough))
            }
        }
    }

    /// What is kept, and what it cost.
    fn costs(&self, standing: &Standing) -> String {
        let Standing { learning, testing, .. } = standing;
        let (words, symbols) = (words(standing), learning.symbols + testing.symbols);
        let asked = format!("{} words ({} symbols)", number(words), number(symbols));
        let (size, pace) = (self.size(standing), self.pace());
        let advised =
            self.advised.as_ref().map_or_else(String::new, |Advised { asked, helped, .. }| {
                format!(", advice: {} asked, {} helped", number(asked.resets), number(*helped))
            });
        let boards = self.boards.as_ref().map_or_else(String::new, |boards| format!(", {boards}"));
        format!("{size}, {asked}{advised}, {pace}{boards}")
    }

    fn size(&self, standing: &Standing) -> String {
        match standing.tree {
            Some(basis) => known(&basis, standing.purpose),
            None => LearnerSize::new(self.algorithm, standing).to_string(),
        }
    }

    fn pace(&self) -> String {
        let rate = self.rate.per_second;
        let digits = if rate < 10.0 { 1 } else { 0 };
        format!("{rate:.digits$} words/s")
    }
}

/// How many tests in a row are enough, if so many are.
fn enough(options: &Options) -> Option<u64> {
    let enough = options.passing_tests;
    Some(enough).filter(|&enough| options.tests.is_random() && enough < u64::MAX)
}

/// The hypothesis in a few words: `hypothesis 2: 3 components by input with 12 states in total`.
fn hypothesis(standing: &Standing, division: Division) -> String {
    let Standing { rounds, components, component_states, .. } = *standing;
    let states = counted(component_states, "state");
    let (by, in_total) = match components {
        1 => ("", ""),
        _ => (by(division), " in total"),
    };
    let components = counted(components, "component");
    format!("hypothesis {}: {components}{by} with {states}{in_total}", number(rounds))
}

/// What components divide, behind their number.
fn by(division: Division) -> &'static str {
    match division {
        Division::Outputs => " by output",
        Division::Inputs => " by input",
        Division::Pairs => " by pair",
        _ => "",
    }
}

/// What is known of the model that is being made: `12 states by input, 7 of 96 transitions open, 3 never asked`.
fn known(basis: &TreeProgress, purpose: Purpose) -> String {
    let TreeProgress { states, transitions, open, unknown, division, .. } = *basis;
    let states = match purpose {
        Purpose::Learning => format!("{}{}, ", counted(states, "state"), by(division)),
        // The hypothesis says it.
        Purpose::Testing => String::new(),
    };
    let transitions = match (open, counted(transitions, "transition")) {
        (0, transitions) => transitions,
        (open, transitions) => format!("{} of {transitions} open", number(open)),
    };
    let unknown = match unknown {
        0 => String::new(),
        unknown => format!(", {} never asked", number(unknown)),
    };
    format!("{states}{transitions}{unknown}")
}

fn counted(count: u32, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {noun}{s}", number(count))
}

fn words(standing: &Standing) -> u64 {
    standing.learning.resets + standing.testing.resets
}

/// Words per second that the device was asked lately.
#[derive(Debug)]
struct Rate {
    since: Instant,
    words: u64,
    per_second: f64,
    /// Whether the first window is still open.
    is_first: bool,
}

impl Rate {
    fn new(now: Instant) -> Self {
        Self { since: now, words: 0, per_second: 0.0, is_first: true }
    }

    fn update(&mut self, now: Instant, words: u64) {
        let time = now.saturating_duration_since(self.since);
        // Fewer, where somebody else has begun anew.
        let new = words.saturating_sub(self.words);
        let is_full = time >= LONG_WINDOW || (time >= WINDOW && new >= WINDOW_WORDS);
        if is_full || self.is_first {
            let new = u32::try_from(new).unwrap_or(u32::MAX);
            self.per_second = f64::from(new) / time.as_secs_f64().max(0.001);
        }
        if is_full {
            *self = Self { since: now, words, is_first: false, ..*self };
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};
    use mealybug::learn::new_session;

    use super::*;

    #[test]
    fn while_the_device_is_away_the_line_says_so() {
        let mut line = hidden_line();
        line.wait_for_device();
        let shown = line.bar.map(|bar| bar.message());
        assert_eq!(shown.as_deref(), Some(WAITING));
    }

    /// A line on a terminal that nobody sees.
    fn hidden_line() -> ProgressLine {
        let command = RunOptions::augment_args(clap::Command::new("learn"));
        let matches = command.get_matches_from(["learn"]);
        let options = RunOptions::from_arg_matches(&matches).expect("defaults");
        let line = ProgressLine::new(&options);
        ProgressLine { bar: Some(ProgressBar::hidden()), due: line.started, ..line }
    }

    #[test]
    fn words_that_are_asked_again_count_for_the_pace() {
        let session = new_session(vec![0; 1 << 16], 2, Options::default());
        let session = session.expect("there is room");
        let mut line = hidden_line();
        line.rate = Rate::new(Instant::now() - Duration::from_secs(10));
        let mut tally = Tally::default();
        tally.device.resets = 25;
        line.asking(&session, &tally);
        let shown = line.bar.as_ref().expect("a bar").message();
        assert!(shown.contains("0 words (0 symbols), 2.5 words/s"), "{shown}");

        line.rate = Rate::new(Instant::now() - Duration::from_secs(10));
        tally.device.resets = 31;
        let (_, facts) = line.facts(&session, &tally);
        assert!(facts.contains(&("pace", "3.1 words/s".to_owned())), "{facts:?}");
    }

    #[test]
    fn what_is_known_of_a_model_is_said() {
        let said = |states, transitions, open, unknown, purpose| {
            let mut basis = TreeProgress::default();
            (basis.states, basis.transitions) = (states, transitions);
            (basis.open, basis.unknown) = (open, unknown);
            known(&basis, purpose)
        };
        let learning = |states, transitions, open, unknown| {
            said(states, transitions, open, unknown, Purpose::Learning)
        };
        assert_eq!(learning(12, 96, 7, 3), "12 states, 7 of 96 transitions open, 3 never asked");
        assert_eq!(learning(12, 96, 7, 0), "12 states, 7 of 96 transitions open");
        assert_eq!(learning(1, 1, 0, 1), "1 state, 1 transition, 1 never asked");
        assert_eq!(learning(1200, 96_000, 0, 0), "1 200 states, 96 000 transitions");
        assert_eq!(said(12, 96, 0, 0, Purpose::Testing), "96 transitions");
    }

    #[test]
    fn what_components_divide_is_said_behind_their_number() {
        let session = mealybug_core::Session::new([0; 1024], 2, Options::default());
        let mut standing = session.expect("there is room").progress();
        (standing.rounds, standing.components, standing.component_states) = (2, 3, 12);
        for (division, said) in [
            (Division::Inputs, "hypothesis 2: 3 components by input with 12 states in total"),
            (Division::Outputs, "hypothesis 2: 3 components by output with 12 states in total"),
            (Division::Whole, "hypothesis 2: 3 components with 12 states in total"),
        ] {
            assert_eq!(hypothesis(&standing, division), said);
        }
        standing.components = 1;
        assert_eq!(
            hypothesis(&standing, Division::Inputs),
            "hypothesis 2: 1 component with 12 states"
        );
    }

    #[test]
    fn a_session_that_begins_anew_has_asked_nothing_yet() {
        let start = Instant::now();
        let mut rate = Rate::new(start);
        rate.update(start + WINDOW, 100);
        assert_eq!(rate.per_second, 50.0);
        rate.update(start + WINDOW * 2, 7);
        rate.update(start + WINDOW + LONG_WINDOW, 10);
        assert_eq!(rate.per_second, 0.0);
    }
}
