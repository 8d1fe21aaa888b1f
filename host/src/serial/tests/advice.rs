//! The advice about a device that sends nothing, or noise.

use mealybug_core::wire::frame::Encoder;
use mealybug_core::wire::message::Message;
use miette::Diagnostic;

use super::*;

/// Text, as it arrives at a wrong baud rate.
const NOISE: &[u8] = b"\xf8\x00\xe0x\x80\xfe\x00";

fn reset_help(react: impl FnMut(&LinkAct) -> Reaction) -> String {
    let mut sul = two_methods(react);
    sul.reset().expect_err("it does not come back").help().expect("what to do").to_string()
}

#[test]
fn a_reset_that_brings_noise_asks_for_the_baud_rate() {
    let help = reset_help(answer("reset\r", vec![(5, NOISE)]));
    assert!(help.contains("are `baud` and `format` in [port] those of the device?"), "{help}");
    let help = reset_help(answer("reset\r", vec![(5, b"what?\r\n")]));
    assert!(help.contains("does the device say what `expect` wants"), "{help}");
}

#[test]
fn a_reset_that_brings_frames_of_a_target_says_who_speaks() {
    let mut encoder = Encoder::new();
    let answer_to = |to| Message::Answer { to, refusal: None };
    let mut frames = encoder.encode(&answer_to(1)).expect("it is short").to_vec();
    // The first one is not whole.
    frames.remove(0);
    let help = |frames: &[u8]| reset_help(answer("reset\r", vec![(5, frames.to_vec().leak())]));
    let said = help(&frames);
    assert!(!said.contains("mealybug target"), "{said}");
    frames.extend(encoder.encode(&answer_to(2)).expect("it is short"));
    let said = help(&frames);
    assert!(said.contains("learner or agent speaks there"), "{said}");
    assert!(said.contains("`mealybug target`") && said.contains("--agent"), "{said}");
}

#[test]
fn bytes_that_should_be_no_text_are_no_noise() {
    let text = "[[reset]]\nsteps = [{ send = \"R\" }]\n\
                expect = { match = '(?-u)\\x79\\x1f$', within_ms = 10 }\n[inputs]\na = \"a\"";
    let link = FakeLink::new(answer("R", vec![(1, NOISE)]));
    let mut sul = SerialSul::new(link, device(text)).expect("a device");
    let help = sul.reset().expect_err("no match").help().expect("what to do").to_string();
    assert!(!help.contains("baud"), "{help}");
}

#[test]
fn a_device_that_never_said_anything_is_told_from_one_that_fell_silent() {
    let help = reset_help(|_| Vec::new());
    assert!(help.contains("nothing came from the device: is it on"), "{help}");
    let mut alive = true;
    let mut sul = two_methods(move |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"reset\r" && std::mem::take(&mut alive) => {
            vec![(1, b"> ")]
        }
        _ => Vec::new(),
    });
    sul.reset().expect("once");
    let help = sul.reset().expect_err("no more").help().expect("what to do").to_string();
    assert!(!help.contains("is it on"), "{help}");
    assert!(help.contains("takes longer at times, give `expect` a longer `within_ms`"), "{help}");
}
