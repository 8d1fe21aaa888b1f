//! A device that ends its connection.

use std::cell::Cell;

use super::*;
use crate::words::transcript;

/// After `quit` it says `bye`, and then ends the connection; `crash` only ends it.
#[derive(Default)]
struct Server {
    has_ended: bool,
    is_earlier: bool,
    /// Said `bye`, so the next input is not sent.
    is_leaving: bool,
    /// Ends the connection at the next input, by mistake.
    is_faulty: Cell<bool>,
    looks: u32,
}

const NAMES: [&str; 4] = ["look", "quit", "crash", "connect"];
const LOOK: Input = Input::new(0);
const QUIT: Input = Input::new(1);
const CRASH: Input = Input::new(2);
const CONNECT: Input = Input::new(3);

impl Sul for Server {
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        *self = Self { is_faulty: self.is_faulty.take().into(), ..Self::default() };
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        if input == CONNECT {
            self.reset()?;
            return Ok(b"hello");
        }
        self.is_earlier = self.is_leaving;
        self.has_ended |= self.is_leaving || input == CRASH || self.is_faulty.take();
        if self.has_ended {
            return Ok(b"(closed)");
        }
        self.is_leaving = input == QUIT;
        self.looks += 1;
        Ok(match self.looks {
            _ if self.is_leaving => b"bye",
            1 => b"dark",
            _ => b"light",
        })
    }
}

fn rules() -> LineRules<Server> {
    LineRules {
        ended: |server| {
            let end = ConnectionEnded { output: "(closed)", is_earlier: server.is_earlier };
            server.has_ended.then_some(end)
        },
        reconnects: |_, input| input == CONNECT,
        ..LineRules::default()
    }
}

fn stored(place: &StoreFolder) -> Stored<Server> {
    let store = Store::open(&place.file(), &NAMES.map(str::to_owned)).expect("it opens");
    Stored::new(Server::default(), store).with_line(rules())
}

/// The outputs of a word, and how often the device was reset for it.
fn ask(stored: &mut Stored<Server>, word: &[Input]) -> (Vec<String>, u64) {
    let before = stored.costs().resets;
    Sul::reset(stored).expect("a word");
    let outputs = word.iter().map(|&input| {
        String::from_utf8(Sul::step(stored, input).expect("an answer").to_vec()).expect("text")
    });
    (outputs.collect(), stored.costs().resets - before)
}

#[test]
fn what_follows_the_end_of_a_connection_is_not_asked() {
    let place = StoreFolder::new();
    let words: [(&[Input], &[&str], u64); 9] = [
        (&[LOOK, CRASH, LOOK], &["dark", "(closed)", "(closed)"], 1),
        (
            &[LOOK, CRASH, QUIT, LOOK, CRASH],
            &["dark", "(closed)", "(closed)", "(closed)", "(closed)"],
            0,
        ),
        (&[LOOK, CRASH, CONNECT, LOOK], &["dark", "(closed)", "hello", "dark"], 1),
        (&[LOOK, CRASH, QUIT, CONNECT], &["dark", "(closed)", "(closed)", "hello"], 1),
        (&[CRASH], &["(closed)"], 1),
        // The device is in its place, so it need not be reset for the new connection.
        (
            &[LOOK, LOOK, CRASH, LOOK, CONNECT],
            &["dark", "light", "(closed)", "(closed)", "hello"],
            1,
        ),
        // Its end shows when the next input is not sent, whichever that is.
        (&[QUIT, LOOK], &["bye", "(closed)"], 1),
        (&[QUIT, CRASH, LOOK], &["bye", "(closed)", "(closed)"], 0),
        (&[QUIT, CONNECT], &["bye", "hello"], 1),
    ];
    let mut first = stored(&place);
    for (word, outputs, resets) in words {
        assert_eq!(
            ask(&mut first, word),
            (outputs.iter().map(ToString::to_string).collect(), resets)
        );
    }
    drop(first);
    let mut second = stored(&place);
    for (word, outputs, _) in words {
        assert_eq!(ask(&mut second, word), (outputs.iter().map(ToString::to_string).collect(), 0));
    }
    assert_eq!(ask(&mut second, &[CRASH, LOOK, QUIT]).1, 0);
    // What follows was said by nobody.
    let transcript = transcript(second.store().tree(), &NAMES.map(str::to_owned));
    assert!(
        transcript.contains("\nlook crash quit connect\tdark (closed) (closed) hello\n"),
        "{transcript}"
    );
    assert!(transcript.contains("\ncrash\t(closed)\n"), "{transcript}");
    assert!(!transcript.contains("quit look crash"), "{transcript}");
}

#[test]
fn an_end_that_is_not_believed_ends_nothing() {
    let place = StoreFolder::new();
    let mut first = stored(&place);
    ask(&mut first, &[LOOK]);
    ask(&mut first, &[LOOK, QUIT]);
    first.sul().is_faulty.set(true);
    // The word is asked again, and its answer is a new one.
    let light = (vec!["dark".to_owned(), "light".to_owned()], 2);
    assert_eq!(ask(&mut first, &[LOOK, LOOK]), light);
    drop(first);
    // The log has the end of the connection nowhere: what comes after the believed answer is asked, and that output, which was
    // wrong once, again.
    let mut second = stored(&place);
    for (word, outputs, expected) in [
        (&[LOOK, LOOK, QUIT, CRASH][..], "dark light bye (closed)", 1),
        (&[LOOK, CRASH], "dark (closed)", 2),
    ] {
        let (heard, resets) = ask(&mut second, word);
        assert_eq!((heard.join(" "), resets), (outputs.to_owned(), expected));
    }
}

/// Of a device that ends the connection after a wrong message, most tests go on after that.
#[test]
fn a_device_that_ends_the_connection_is_asked_fewer_words() {
    let names = ["look", "quit", "crash"].map(str::to_owned);
    let learned = |rules| {
        let stored = Stored::new(Server::default(), Store::in_memory()).with_noise(Some(0.0));
        let mut stored = stored.with_line(rules);
        let mut session =
            new_session(vec![0; 1 << 12], 3, Options::default()).expect("good options");
        let ending = learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
        assert!(ending.is_converged(), "{ending:?}");
        let components = session.hypothesis().expect("a model");
        let learned = LearnedComponents::new(components, &names, Projections::PerOutput);
        (learned.product(100).expect("few states"), stored.costs().resets)
    };
    let (with, fewer) = learned(rules());
    let (without, more) = learned(LineRules::default());
    assert_eq!(separate(&with, &without), Ok(None));
    assert!(fewer * 2 < more, "{fewer} of {more}");
}
