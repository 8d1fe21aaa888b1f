//! The page of a run that goes on, in headless Chromium.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use mealybug_tests::needs::all_there;
use mealybug_tests::{device_file, tool};
use rustix::process::{Pid, Signal, kill_process};

use super::browser::{NEEDS, chromium_at, used};

#[test]
fn a_run_is_watched_while_it_goes_on() {
    if !all_there("a run in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let mut learn = tool::mealybug();
    let program = learn.get_program().to_str().expect("a path").to_owned();
    let model = device_file("rx/golden-full.dot");
    let device = format!("{program} simulate --adapter --delay 10ms {}", model.display());
    learn.args([
        "learn",
        "--live",
        "--tests-in-a-row",
        "unlimited",
        "--out",
        "run",
        "--adapter",
        &device,
    ]);
    let mut run =
        learn.current_dir(place.path()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut said = BufReader::new(run.stderr.take().expect("it is piped")).lines();
    let url = said.find_map(|line| {
        let line = line.expect("text");
        Some(line.split_once("can be seen at ")?.1.to_owned())
    });
    let url = url.expect("an address");
    // Somebody reads what else it says, so that it never waits.
    let reader = std::thread::spawn(move || said.count());
    let deadline = Instant::now() + Duration::from_secs(120);
    let seen = loop {
        let seen = chromium_at(&place.path().join("page"), &["--dump-dom"], &url);
        if seen.contains("Hypothesis ") || Instant::now() > deadline {
            break seen;
        }
    };
    kill_process(Pid::from_child(&run), Signal::INT).expect("it runs");
    assert_eq!(run.wait().expect("it ends").code(), Some(130));
    reader.join().expect("it ends");
    for part in [
        "Hypothesis ",
        "asked to learn",
        "0 answers not believed",
        "words to learn",
        "class=\"scroll view\"",
        "id=\"player\"",
    ] {
        assert!(seen.contains(part), "`{part}` is not in:\n{seen}");
    }
    let answers = seen.split_once("id=\"answers\">").expect("answers").1;
    assert!(answers.starts_with("<tr><td class=\"word\">"), "{answers}");
    assert!(
        std::net::TcpStream::connect(url.split('/').nth(2).expect("a host")).is_err(),
        "it is over"
    );
}

/// A request that fails, or an answer that cannot be drawn, is no end of the run; several failures in a row are.
#[test]
fn a_page_of_a_run_outlives_a_failed_request() {
    if !all_there("a run in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let replies = "<script>
      let asked = 0;
      const none = { facts: [], notes: [], answers: [], times: [], hypotheses: 0 };
      globalThis.fetch = async () => {
        asked += 1;
        if ([1, 3, 4].includes(asked) || asked > 6) throw new TypeError('no connection');
        const state = asked === 5 ? { ...none, phase: 'odd', times: null } : { ...none, phase: `asked ${asked}` };
        return { ok: true, json: async () => state };
      };
    </script></head>";
    let page = place.path().join("live.html");
    let html = mealybug::report::live_html("run").replace("</head>", replies);
    std::fs::write(&page, html).expect("a file");
    let steps = "
      const phases = [];
      for (let at = 0; at < 130; at++) {
        const phase = find('#phase').textContent;
        if (phase !== phases.at(-1)) phases.push(phase);
        await wait(100);
      }
      return { phases, asked };
    ";
    let found = used(&page, steps, &["--virtual-time-budget=20000"]);
    let ended = "The run has ended; its folder has the report.";
    let phases = serde_json::json!(["Learning", "asked 2", "odd", "asked 6", ended]);
    assert_eq!((&found["phases"], &found["asked"]), (&phases, &11.into()));
}
