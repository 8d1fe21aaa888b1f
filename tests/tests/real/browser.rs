//! `report.html` in a real browser, headless Chromium: everything is in its place with real fonts
//! and a real layout.

use std::path::Path;
use std::process::Command;

use mealybug_tests::needs::{Need, all_there};
use mealybug_tests::{device_file, tool};
use serde_json::Value;

const NEEDS: &[Need] = &[Need { what: "chromium", package: "chromium" }];

/// Measures the page and replaces it by the measurements.
const MEASURE: &str = "<script>
addEventListener('load', () => {
  const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1
    && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
  const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1
    || a.bottom <= b.top + 3 || b.bottom <= a.top + 3;
  const box = element => element.getBoundingClientRect();
  let boxes = 0, labels = 0;
  const wrong = [];
  for (const picture of document.querySelectorAll('svg.machine')) {
    const states = [...picture.querySelectorAll('rect')];
    boxes += states.length;
    for (const state of states)
      for (const text of state.parentNode.querySelectorAll('text'))
        if (!inside(box(text), box(state))) wrong.push('out of its box: ' + text.textContent);
    const free = [...picture.querySelectorAll('g:not(:has(rect)) text')];
    labels += free.length;
    for (const [at, text] of free.entries()) {
      if (!inside(box(text), box(picture))) wrong.push('out of the picture: ' + text.textContent);
      for (const other of [...states, ...free.slice(0, at)])
        if (!apart(box(text), box(other)))
          wrong.push('over something else: ' + text.textContent + ' and ' + other.textContent);
    }
  }
  const page = document.documentElement;
  const verdict = document.querySelector('.verdict');
  const style = getComputedStyle(document.body);
  const measured = {
    boxes, labels, wrong,
    plots: document.querySelectorAll('svg.plot').length,
    sideways: page.scrollWidth - page.clientWidth,
    verdict: verdict.textContent.trim(),
    seen_at_once: box(verdict).bottom < innerHeight,
    ground: style.backgroundColor,
    ink: style.color,
  };
  document.body.textContent = 'MEASURED' + JSON.stringify(measured) + 'END';
});
</script></body>";

/// Chromium's measurements of a page, with these options.
fn measured(page: &Path, options: &[&str]) -> Value {
    let html = std::fs::read_to_string(page).expect("a page");
    let probe = page.with_file_name("probe.html");
    std::fs::write(&probe, html.replace("</body>", MEASURE)).expect("a file");
    let stdout = chromium(page, &[options, &["--dump-dom"]].concat(), &probe);
    let (_, rest) = stdout.split_once("MEASURED").unwrap_or_else(|| panic!("{stdout}"));
    let (json, _) = rest.rsplit_once("END").expect("all of it");
    let json = json.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn chromium(beside: &Path, options: &[&str], page: &Path) -> String {
    let profile = beside.with_file_name("profile");
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(options)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_report_is_in_order_in_a_browser() {
    if !all_there("the report in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let learn = |model: &str, out: &str, more: &[&str]| {
        let status = tool::mealybug()
            .args(["learn", "--model"])
            .arg(device_file(model))
            .args(["--out", out])
            .args(more)
            .current_dir(place.path())
            .output()
            .expect("it starts")
            .status;
        (status.code(), place.path().join(out).join("report.html"))
    };
    let (code, page) = learn("uboot/golden.dot", "uboot", &["--seed", "1"]);
    assert_eq!(code, Some(0));
    for (width, is_dark) in [(1400, false), (480, false), (1400, true)] {
        let size = format!("--window-size={width},1000");
        let dark = is_dark.then_some("--force-dark-mode");
        let measured = measured(&page, &[[&*size].as_slice(), dark.as_slice()].concat());
        assert_eq!(measured["wrong"], serde_json::json!([]), "{width}");
        // The model has ten states; each component has some of its own.
        assert!(measured["boxes"].as_u64() > Some(10 + 6), "{measured}");
        assert!(measured["labels"].as_u64() > Some(40), "{measured}");
        assert_eq!(measured["plots"], 2);
        assert_eq!(measured["sideways"], 0, "only pictures and tables scroll sideways: {width}");
        assert_eq!(measured["seen_at_once"], true);
        let verdict = measured["verdict"].as_str().expect("text");
        assert!(verdict.starts_with("Converged: "), "{verdict}");
        let (ground, ink) = (brightness(&measured["ground"]), brightness(&measured["ink"]));
        assert_eq!(ground < ink, is_dark, "{measured}");
        assert!(ground.abs_diff(ink) > 400, "readable: {measured}");
    }
    let paper = place.path().join("report.pdf");
    chromium(&page, &[&format!("--print-to-pdf={}", paper.display())], &page);
    let paper = std::fs::read(paper).expect("a printed report");
    assert!(paper.starts_with(b"%PDF") && paper.len() > 10_000, "{} bytes", paper.len());

    let (code, page) = learn("rx/golden-full.dot", "early", &["--max-symbols", "500"]);
    assert_eq!(code, Some(3));
    let measured = measured(&page, &["--window-size=800,600"]);
    let verdict = measured["verdict"].as_str().expect("text");
    assert!(verdict.starts_with("NOT CONVERGED: the symbols are used up"), "{verdict}");
    assert_eq!(
        (&measured["seen_at_once"], &measured["wrong"]),
        (&true.into(), &Value::Array(vec![]))
    );
}

/// The brightness of `rgb(r, g, b)`, from 0 to 765.
fn brightness(colour: &Value) -> u64 {
    let text = colour.as_str().expect("a colour");
    let numbers = text.trim_start_matches("rgb(").trim_end_matches(')').split(',');
    numbers.map(|number| number.trim().parse::<u64>().expect("a number")).sum()
}
