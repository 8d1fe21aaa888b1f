//! Compiles a device file with `[probe]` to rules for a target.

use std::time::Duration;

use mealybug_core::wire::probe::{
    MAX_PROBE_RULE, MAX_SEEN, OfferKind, ProbeRule, ProbeStep as Step,
};

use super::error::{NotForTarget, not};
use crate::device::{BoardStep, DeviceFile, DeviceStep, InputRule, ProbeSection};
use crate::escape::escape;

/// The rules for a device, encoded.
pub(super) fn compile(
    device: &DeviceFile,
    probe: &ProbeSection,
) -> Result<Vec<Vec<u8>>, NotForTarget> {
    let mut rules = EncodedRules(Vec::new());
    let ProbeSection { sense, settle, debounce } = probe;
    let [settle_us, debounce_us] = [settle, debounce].map(|time| number(time.as_micros()));
    rules.push(ProbeRule::Settle { settle_us, debounce_us }, "[probe]")?;
    for pin in sense {
        rules.push(ProbeRule::Sense(pin.as_bytes()), "`sense` of [probe]")?;
    }
    let of = "[[reset]]";
    rules.push(ProbeRule::Reset, of)?;
    // What inputs set ends with the word.
    for pin in pins_set(&device.inputs) {
        rules.push(ProbeRule::Step(Step::Set { pin: pin.as_bytes(), is_active: false }), of)?;
    }
    device.resets.iter().try_for_each(|method| rules.steps(&method.steps, of))?;
    for input in &device.inputs {
        let of = format!("the input `{}`", input.name);
        let most = longest_output(&input.steps, sense.len());
        if most > MAX_SEEN {
            let what = format!("the output of {of} may have {most} bytes");
            return Err(not(format!("{what}, and a target has room for {MAX_SEEN}")));
        }
        rules.push(ProbeRule::Input(input.name.as_bytes()), &of)?;
        rules.steps(&input.steps, &of)?;
    }
    Ok(rules.0)
}

/// Whether an encoded rule is that of an input.
pub(super) fn is_input(rule: &[u8]) -> bool {
    matches!(ProbeRule::first(rule), Some((ProbeRule::Input(_), _)))
}

/// What messages call something that a board offers, or should offer.
pub(super) fn offer_name(kind: OfferKind, name: &[u8]) -> String {
    let kind = match kind {
        OfferKind::Drive => "pin to the device",
        OfferKind::Sense => "sensed pin",
        OfferKind::I2c => "I2C bus",
        OfferKind::Spi => "SPI device",
        OfferKind::Analog => "analog input",
        OfferKind::Edges => "counter of edges",
    };
    format!("{kind} `{}`", escape(name))
}

/// The encoded rules.
struct EncodedRules(Vec<Vec<u8>>);

impl EncodedRules {
    fn push(&mut self, rule: ProbeRule<'_>, of: &str) -> Result<(), NotForTarget> {
        let mut room = [0; MAX_PROBE_RULE];
        let bytes = rule.encode(&mut room).ok_or_else(|| {
            not(format!("a rule of {of} with more than {MAX_PROBE_RULE} bytes: a name is too long"))
        })?;
        self.0.push(bytes.to_vec());
        Ok(())
    }

    fn steps(&mut self, steps: &[DeviceStep], of: &str) -> Result<(), NotForTarget> {
        let mut push = |step| self.push(ProbeRule::Step(step), of);
        // Edges count from the beginning of the input on.
        for step in steps {
            if let DeviceStep::Probe(BoardStep::Edges { counter, .. }) = step {
                push(Step::Count { counter: counter.as_bytes() })?;
            }
        }
        for step in steps {
            match step {
                DeviceStep::Wait(time) => push(Step::Wait { ms: milliseconds(*time) })?,
                DeviceStep::Pin(pin, time) => {
                    push(Step::Pulse { pin: pin.as_bytes(), ms: milliseconds(*time) })?;
                }
                DeviceStep::Probe(BoardStep::Set(pins)) => {
                    for (pin, is_active) in pins {
                        push(Step::Set { pin: pin.as_bytes(), is_active: *is_active })?;
                    }
                }
                DeviceStep::Probe(BoardStep::I2c { bus, address, write, read }) => {
                    let (bus, read) = (bus.as_bytes(), byte(*read));
                    push(Step::I2c { bus, address: *address, write, read })?;
                }
                DeviceStep::Probe(BoardStep::Spi { device, send, skip }) => {
                    push(Step::Spi { device: device.as_bytes(), send, skip: byte(*skip) })?;
                }
                DeviceStep::Probe(BoardStep::Voltage { input, levels }) => {
                    push(Step::Voltage { input: input.as_bytes() })?;
                    for (from, name) in levels {
                        push(Step::Level { from: *from, name: name.as_bytes() })?;
                    }
                }
                DeviceStep::Probe(BoardStep::Edges { counter, within, counts }) => {
                    push(Step::Wait { ms: milliseconds(*within) })?;
                    push(Step::Edges { counter: counter.as_bytes() })?;
                    for (from, name) in counts {
                        push(Step::Level { from: *from, name: name.as_bytes() })?;
                    }
                }
                DeviceStep::Send(_)
                | DeviceStep::Set(..)
                | DeviceStep::Reconnect
                | DeviceStep::Run(_)
                | DeviceStep::Expect(_) => {
                    return Err(not(format!("{of} needs a serial line, and the file has [probe]")));
                }
            }
        }
        Ok(())
    }
}

/// The pins that inputs set, each once.
fn pins_set(inputs: &[InputRule]) -> Vec<&str> {
    let mut pins = Vec::new();
    for step in inputs.iter().flat_map(|input| &input.steps) {
        if let DeviceStep::Probe(BoardStep::Set(set)) = step {
            for (pin, _) in set {
                if !pins.contains(&pin.as_str()) {
                    pins.push(pin);
                }
            }
        }
    }
    pins
}

/// The most bytes of an output.
fn longest_output(steps: &[DeviceStep], sensed: usize) -> usize {
    let digits = u32::MAX.to_string().len();
    let named = |names: &[(u32, String)]| names.iter().map(|(_, name)| name.len()).max();
    // While a number is measured, it stands where its name will.
    let measured = |names: &[(u32, String)]| named(names).unwrap_or_default().max(digits);
    let hex = |bytes: usize| (3 * bytes).saturating_sub(1).max("nack".len());
    let seen = steps.iter().filter_map(|step| match step {
        DeviceStep::Probe(BoardStep::I2c { read, .. }) => Some(hex(*read)),
        DeviceStep::Probe(BoardStep::Spi { send, skip, .. }) => Some(hex(send.len() - skip)),
        DeviceStep::Probe(BoardStep::Voltage { levels, .. }) => Some(measured(levels)),
        DeviceStep::Probe(BoardStep::Edges { counts, .. }) => Some(measured(counts)),
        _ => None,
    });
    let levels = (sensed > 0).then_some("0b".len() + sensed);
    let parts: Vec<usize> = seen.chain(levels).collect();
    (parts.iter().sum::<usize>() + parts.len()).saturating_sub(1)
}

fn milliseconds(time: Duration) -> u32 {
    number(time.as_millis())
}

fn number(time: u128) -> u32 {
    u32::try_from(time).unwrap_or(u32::MAX)
}

/// The file has no more bytes than a bus can transfer at once.
fn byte(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mealybug_core::wire::probe::MAX_PROBE_BYTES;
    use mealybug_core::wire::rule::Rule;

    use super::super::compile::Program;
    use super::*;

    const PROBE: &str = "[probe]\n[[reset]]\nsteps = [{ pin = \"reset\" }]\n[inputs]\n";

    fn program(text: &str) -> Result<Program, NotForTarget> {
        Program::new(&DeviceFile::parse(Path::new("x.toml"), text).expect("a device file"))
    }

    #[test]
    fn a_probed_device_becomes_rules() {
        let program = program(
            r#"
                [probe]
                sense = ["motor", "heater"]
                debounce_us = 2000
                [[reset]]
                steps = [{ pin = "reset", ms = 2, wait_ms = 50 }]
                [inputs]
                press = { pin = "start" }
                open = { set = { door = true, lid = false } }
                close = { set = { door = false } }
                temp = { i2c = "bus", address = 0x48, write = "00", read = 2 }
                id = { spi = "flash", write = "9f", read = 3 }
                all = { spi = "flash", transfer = "9f 00" }
                level = { adc = "battery", levels_mv = { high = 1500, low = 0 } }
                beep = { steps = [{ pin = "start" }, { edges = "buzzer", ms = 100 }] }
            "#,
        )
        .expect("it can");
        let rules: Vec<_> = program
            .rules()
            .map(|rule| match rule {
                Rule::Probe(bytes) => ProbeRule::first(bytes).expect("a rule").0,
                other => panic!("{other:?}"),
            })
            .collect();
        let step = ProbeRule::Step;
        let set = |pin, is_active| step(Step::Set { pin, is_active });
        let input = |name: &'static str| ProbeRule::Input(name.as_bytes());
        let spi = |send, skip| step(Step::Spi { device: b"flash", send, skip });
        assert_eq!(
            rules,
            [
                ProbeRule::Settle { settle_us: 100, debounce_us: 2000 },
                ProbeRule::Sense(b"motor"),
                ProbeRule::Sense(b"heater"),
                ProbeRule::Reset,
                set(b"door", false),
                set(b"lid", false),
                step(Step::Pulse { pin: b"reset", ms: 2 }),
                step(Step::Wait { ms: 50 }),
                input("press"),
                step(Step::Pulse { pin: b"start", ms: 20 }),
                input("open"),
                set(b"door", true),
                set(b"lid", false),
                input("close"),
                set(b"door", false),
                input("temp"),
                step(Step::I2c { bus: b"bus", address: 0x48, write: &[0], read: 2 }),
                input("id"),
                spi(&[0x9f, 0, 0, 0], 1),
                input("all"),
                spi(&[0x9f, 0], 0),
                input("level"),
                step(Step::Voltage { input: b"battery" }),
                step(Step::Level { from: 0, name: b"low" }),
                step(Step::Level { from: 1500, name: b"high" }),
                input("beep"),
                step(Step::Count { counter: b"buzzer" }),
                step(Step::Pulse { pin: b"start", ms: 20 }),
                step(Step::Wait { ms: 100 }),
                step(Step::Edges { counter: b"buzzer" }),
            ]
        );
        assert_eq!(program.sizes()[0], ("inputs", 8, 64));
    }

    #[test]
    fn what_a_board_cannot_probe_is_named() {
        let long = "x".repeat(MAX_PROBE_RULE);
        let many: String = (0..MAX_PROBE_BYTES / 16)
            .map(|at| format!("an-input-{at} = {{ wait_ms = {at} }}\n"))
            .collect();
        let read = "{ i2c = \"b\", address = 1, read = 16 }";
        for (text, what) in [
            (format!("{PROBE}a = {{ pin = \"{long}\" }}"), "`a` with more than 192 bytes"),
            (format!("{PROBE}a = {{ steps = [{read}, {read}] }}"), "`a` may have 95 bytes"),
            (format!("{PROBE}{many}"), "bytes of rules, and a target has room for 1024"),
            (format!("noise = 0.1\n{PROBE}a = {{ pin = \"a\" }}"), "`noise`"),
        ] {
            let error = program(&text).expect_err(what);
            assert!(error.what.contains(what), "{}: not {what}", error.what);
        }
        let fits = format!("{PROBE}a = {{ steps = [{read}, {{ wait_ms = 1 }}] }}");
        assert!(program(&fits).is_ok());
    }
}
