use super::shown::{PlacePort, Shown};

/// What labgrid-client 26.0 prints about a place with these resources.
fn shown(resources: &str) -> Shown {
    let text = format!(
        "\
Place 'lock-1':
  comment: third shelf
  matches:
    desk/lock/*
  acquired: desk/anna
  acquired resources:
    desk/lock/NetworkSerialPort/USBSerialPort -> console
  allowed: desk/bert, lab/carl
  created: 2026-11-24 02:10:20.172982
  changed: 2026-11-24 02:10:24.520802
{resources}"
    );
    Shown::parse(&text).expect("it describes a place")
}

fn serial_port(name: &str, rest: &str) -> String {
    format!(
        "\
Acquired resource '{name}' (desk/lock/NetworkSerialPort/USBSerialPort):
  {{'acquired': 'lock-1',
   'avail': True,
   'cls': 'NetworkSerialPort',
   'params': {{'extra': {{'path': '/dev/ttyUSB0',
                        'proxy': 'gate',
                        'proxy_required': False}},
              'host': 'desk',
              {rest}}}}}
"
    )
}

const POWER: &str = "\
Acquired resource 'NetworkPowerPort' (desk/lock/NetworkPowerPort/NetworkPowerPort):
  {'acquired': 'lock-1',
   'avail': True,
   'cls': 'NetworkPowerPort',
   'params': {'host': 'http://relay/{index}/{value}', 'index': 1}}
";

#[test]
fn the_serial_port_of_a_place_is_found() {
    let (raw, rfc2217) = (PlacePort::Tcp as fn(String) -> _, PlacePort::Rfc2217 as fn(String) -> _);
    for (rest, spoken) in [
        ("'port': 4000,\n              'speed': 115200", rfc2217),
        ("'port': 4000, 'protocol': 'raw', 'speed': 115200", raw),
        ("'port': 4000, 'protocol': 'rfc2217'", rfc2217),
    ] {
        let shown = shown(&(POWER.to_owned() + &serial_port("console", rest)));
        let expected = spoken("desk:4000".to_owned());
        assert_eq!(shown.port(None).expect("a port"), expected);
        assert_eq!(shown.port(Some("console")).expect("a port"), expected);
    }
    let six = serial_port("console", "'port': 4000").replace("'desk',\n", "'fe80::1',\n");
    assert_eq!(shown(&six).port(None).expect("a port"), rfc2217("[fe80::1]:4000".to_owned()));
}

#[test]
fn a_place_without_a_usable_port_is_told_of() {
    let console = serial_port("console", "'port': 4000");
    let said = |resources: &str, wanted: Option<&str>| {
        shown(resources).port(wanted).expect_err("it is of no use").to_string()
    };
    assert_eq!(said("", None), "place lock-1 has no serial port on the network; it has nothing");
    let power = "place lock-1 has no serial port on the network; it has NetworkPowerPort";
    assert_eq!(said(POWER, None), power);
    let both = console.clone() + POWER + &serial_port("modem", "'port': 4001");
    assert_eq!(said(&both, None), "place lock-1 has several serial ports: console, modem");
    assert!(shown(&both).port(Some("modem")).is_ok());
    let none = "place lock-1 has no serial port debug; it has console, modem";
    assert_eq!(said(&both, Some("debug")), none);
    let away = "the serial port console of place lock-1 is not available";
    assert_eq!(said(&console.replace("'avail': True", "'avail': False"), None), away);
    assert_eq!(said(&console.replace("'port': 4000", "'port': None"), None), away);
    let proxy = console.replace("'proxy_required': False", "'proxy_required': True");
    let through = "the serial port of place lock-1 at desk:4000 can only be reached through gate";
    assert_eq!(said(&proxy, None), through);
}

#[test]
fn who_has_a_place_and_who_may_use_it_is_read() {
    let place = shown("");
    assert_eq!((&*place.name, place.holder.as_deref()), ("lock-1", Some("desk/anna")));
    assert_eq!(place.changed, "2026-11-24 02:10:24.520802");
    for (user, may) in [("desk/anna", true), ("lab/carl", true), ("lab/anna", false)] {
        assert_eq!(place.allows(user), may, "{user}");
    }
    let free = Shown::parse("Place 'lock-1':\n  matches:\n  acquired: None\n").expect("a place");
    assert_eq!(free.holder, None);
    assert_eq!(Shown::parse("nothing of the kind"), None);
}
