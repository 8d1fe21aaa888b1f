//! `report.html` in a real browser, headless Chromium: everything is in its place with real fonts
//! and a real layout.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use mealybug_tests::needs::{Need, all_there};
use mealybug_tests::{device_file, tool};
use serde_json::Value;

pub(super) const NEEDS: &[Need] = &[Need { what: "chromium", package: "chromium" }];

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
  for (const picture of document.querySelectorAll('.picture .scroll svg.machine')) {
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

/// Uses the page: `STEPS` is a script that returns what it has found.
const USE: &str = "<script>
addEventListener('load', async () => {
  const errors = [];
  addEventListener('error', (event) => errors.push(event.message));
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  // Synthetic pointers cannot be captured.
  Element.prototype.setPointerCapture = () => {};
  const point = (element, type, x = 0, y = 0) => element.dispatchEvent(
    new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: x, clientY: y }));
  const click = (element) => { point(element, 'pointerdown'); point(element, 'pointerup'); element.dispatchEvent(new MouseEvent('click', { bubbles: true })); };
  const press = (element, key) => element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const type = (field, text) => {
    field.value = text;
    for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }));
  };
  const named = (text, within = document) => all('button', within).find((button) => button.textContent === text);
  const box = (element) => element.getAttribute('viewBox');
  let found;
  try { found = await (async () => { STEPS })(); } catch (error) { errors.push(String(error.stack)); }
  document.body.textContent = 'MEASURED' + JSON.stringify({ ...found, errors }) + 'END';
});
</script></body>";

/// Chromium's measurements of a page, with these options.
fn measured(page: &Path, options: &[&str]) -> Value {
    probed(page, MEASURE, options)
}

/// What a user does with a page, in steps that `returns` ends, and what the page then has.
pub(super) fn used(page: &Path, steps: &str, options: &[&str]) -> Value {
    probed(page, &USE.replace("STEPS", steps), options)
}

/// A page with a script at its end, which replaces the page by what it has found out.
fn probed(page: &Path, script: &str, options: &[&str]) -> Value {
    let html = std::fs::read_to_string(page).expect("a page");
    let probe = page.with_file_name("probe.html");
    std::fs::write(&probe, html.replace("</body>", script)).expect("a file");
    let stdout = chromium(page, &[options, &["--dump-dom"]].concat(), &probe);
    let (_, rest) = stdout.split_once("MEASURED").unwrap_or_else(|| panic!("{stdout}"));
    let (json, _) = rest.rsplit_once("END").expect("all of it");
    let json = json.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn chromium(beside: &Path, options: &[&str], page: &Path) -> String {
    chromium_at(beside, options, &format!("file://{}", page.display()))
}

pub(super) fn chromium_at(beside: &Path, options: &[&str], url: &str) -> String {
    let profile = beside.with_file_name("profile");
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(options)
        .arg(url)
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

/// Learns a model into a folder, and returns its report.
fn report_of(place: &Path, model: &Path, out: &str) -> PathBuf {
    let mut learn = tool::mealybug();
    learn.args(["learn", "--quiet", "--seed", "1", "--tests", "model", "--model"]).arg(model);
    tool::succeed(learn.args(["--out", out]).current_dir(place));
    place.join(out).join("report.html")
}

#[test]
fn a_report_is_clicked_searched_and_played() {
    if !all_there("the report in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let page = report_of(place.path(), &device_file("door-lock/golden.dot"), "lock");
    let steps = "
      const main = mealybug.page.main, frame = main.frame;
      const before = box(find('svg', frame));
      for (const _ of '12345') press(frame, '+');
      const zoomed = box(find('svg', frame));
      press(frame, 'ArrowRight');
      const moved = box(find('svg', frame));
      point(frame, 'pointerdown', 200, 100);
      point(frame, 'pointermove', 150, 100);
      point(frame, 'pointerup', 150, 100);
      const dragged = box(find('svg', frame));
      press(frame, '0');
      const fits = box(find('svg', frame)) === before;
      // A state: its word is that of the table.
      click(find('[data-state=\"4\"] rect', frame));
      const panel = find('.panel:not([hidden])');
      const state = find('h3', panel).textContent, word = find('.wordline code', panel).textContent;
      const lit = all('.lit[data-state]', frame).length, labels = all('.lit[data-edge]', frame).length;
      const listed = all('section').find((section) => find('h2', section).textContent.startsWith('The shortest word'));
      const known = all('tbody tr', listed).find((row) => find('td', row).textContent === '4').children[1].textContent;
      named('play', panel).click();
      await wait(50);
      mealybug.page.player.go(99);
      const reached = all('.cards figure').map((card) => find('.now', card).dataset.state);
      const steps = all('.steps li').length;
      press(document.body, 'Escape');
      const closed = all('.panel:not([hidden])').length;
      // A label.
      click(find('[data-edge] text', frame));
      const edge = find('.panel:not([hidden]) h3').textContent;
      press(document.body, 'Escape');
      named('×') && named('×').click();
      // The search.
      const [input, output] = all('input[type=search]');
      type(input, mealybug.page.mains[0].inputs[0]);
      await wait(300);
      const columns = all('[data-table] thead th').length, hits = all('td.hit').length;
      type(output, 'no such output');
      await wait(300);
      const none = all('td.hit').length, status = find('[role=search] [role=status]').textContent;
      // A word, with a mistake and without.
      const field = find('input.word');
      type(field, 'nonsense');
      const wrong = find('#player [role=status]').textContent;
      type(field, word);
      return { before, zoomed, moved, dragged, fits, state, word, known, lit, labels, reached, steps, closed, edge, columns,
        hits, none, status, wrong, states: mealybug.page.mains[0].states, modules: mealybug.page.parts.length };
    ";
    for size in ["--window-size=1280,900", "--window-size=390,800"] {
        let found = used(&page, steps, &[size]);
        assert_eq!(found["errors"], serde_json::json!([]), "{size}");
        let boxes = ["before", "zoomed", "moved", "dragged"].map(|name| found[name].to_string());
        assert!(boxes.windows(2).all(|pair| pair[0] != pair[1]), "{boxes:?}");
        assert_eq!(found["fits"], true);
        assert_eq!((&found["state"], &found["word"]), (&"State 4 ×".into(), &found["known"]));
        assert!(found["lit"].as_u64() > Some(1) && found["labels"].as_u64() > Some(0), "{found}");
        let reached = found["reached"].as_array().expect("a list");
        assert_eq!(reached.first(), Some(&"4".into()));
        assert_eq!(reached.len() as u64, 1 + found["modules"].as_u64().expect("a number"));
        let word_len = found["word"].as_str().expect("a word").split(' ').count();
        assert_eq!(found["steps"], word_len);
        assert_eq!(found["closed"], 0);
        assert!(found["edge"].as_str().expect("text").starts_with("From "), "{found}");
        assert_eq!((&found["columns"], &found["hits"]), (&2.into(), &found["states"]));
        assert_eq!(
            (&found["none"], &found["status"]),
            (&0.into(), &"0 transitions of 0 states".into())
        );
        assert_eq!(found["wrong"], "There is no input nonsense.");
    }
}

/// Long outputs are shortened so that those that differ do not look the same.
#[test]
fn outputs_that_differ_look_different_in_the_table() {
    if !all_there("the report in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let begin = "16.8MB Sector size (logical, physical): 512B ".repeat(4);
    let line =
        |(at, disk)| format!("s{at} -> s{} [label=\"print/{begin}{disk}\"];\n", (at + 1) % 3);
    let lines: String = [(0, "gpt"), (1, "msdos"), (2, "loop")].map(line).concat();
    let model = place.path().join("disk.dot");
    std::fs::write(&model, format!("digraph disk {{\n{lines}}}\n")).expect("a file");
    let page = report_of(place.path(), &model, "disk");
    let steps = "
      const cells = all('[data-table] td').map((cell) => cell.firstChild.textContent);
      click(find('[data-state=\"0\"] rect', mealybug.page.main.frame));
      const listed = all('.panel:not([hidden]) td:nth-child(2)').map((cell) => cell.textContent);
      return { cells, listed };
    ";
    let found = used(&page, steps, &[]);
    assert_eq!(found["errors"], serde_json::json!([]));
    for (place, count) in [("cells", 3), ("listed", 2)] {
        let texts: Vec<_> = found[place].as_array().expect("a list").iter().collect();
        let different: HashSet<_> = texts.iter().map(|text| text.as_str()).collect();
        assert_eq!((texts.len(), different.len()), (count, count), "{place}: {found}");
        assert!(texts.iter().all(|text| text.as_str().is_some_and(|text| text.len() < 40)));
    }
}

/// Names that try to leave their place stay text, a million characters long or not.
#[test]
fn hostile_names_stay_names() {
    if !all_there("the report in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let mut dot = "digraph g {\n".to_owned();
    let escaped = |name: &str| name.replace('%', "%25").replace('/', "%2F").replace('"', "%22");
    let long = "<b>".repeat(350_000);
    for (at, name) in [
        "</script><script>document.title='hit'</script>",
        "<img src=x onerror=document.title='hit'>",
        "<!--<script>",
        "]]>\u{2028}\u{202e}'\u{7f}${alert(1)}",
        &long,
    ]
    .into_iter()
    .enumerate()
    {
        let name = escaped(name);
        for from in 0..3 {
            let to = (from + at) % 3;
            dot += &format!("s{from} -> s{to} [label=\"{name}/{name} {from}\"];\n");
        }
    }
    let model = place.path().join("hostile.dot");
    std::fs::write(&model, dot + "}\n").expect("a file");
    let page = report_of(place.path(), &model, "hostile");
    assert!(std::fs::metadata(&page).expect("a page").len() > 10_000_000);
    let steps = "
      click(find('[data-state=\"1\"] rect', mealybug.page.main.frame));
      const { inputs } = mealybug.page.mains[0];
      mealybug.page.player.play(inputs);
      mealybug.page.player.go(99);
      return { title: document.title, scripts: all('script').length, images: all('img').length, bold: all('b').length,
        steps: all('.steps li').length, inputs: inputs.length, longest: Math.max(...inputs.map((name) => name.length)),
        // What is shown of a name is short.
        text: document.body.innerText.length };
    ";
    let found = used(&page, steps, &[]);
    assert_eq!(found["errors"], serde_json::json!([]));
    assert_eq!(found["title"], "hostile: what Mealybug learned");
    // The data, the script of the page, and this one.
    assert_eq!((&found["scripts"], &found["images"]), (&3.into(), &0.into()), "{found}");
    assert_eq!(found["bold"], 5, "those of the five steps");
    assert_eq!((&found["steps"], &found["inputs"]), (&5.into(), &5.into()));
    assert_eq!(found["longest"], 1_050_000);
}

#[test]
fn states_are_named_in_the_report() {
    if !all_there("the report in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let page = report_of(place.path(), &device_file("door-lock/golden.dot"), "lock");
    let hostile = "\"</script>\" \\ 'x' # \u{1f512}";
    let steps = r#"
      const main = mealybug.page.main, pre = find('#names pre');
      const before = pre.textContent;
      const name = (state, text) => {
        if (main.selected !== state) click(find(`[data-state="${state}"] rect`, main.frame));
        const panel = find('.panel:not([hidden])'), field = find('input.name', panel);
        type(field, text);
        return find('[role=status]', panel).textContent;
      };
      const wrong = [name(1, '17'), name(1, 's2'), name(1, 'a\u202eb')];
      const same = pre.textContent === before;
      const right = [name(1, ' open '), name(2, HOSTILE), name(3, 'gone'), name(3, '')];
      const taken = name(3, 'open');
      const text = pre.textContent, link = find('#names a');
      click(find('[data-state="2"] rect', main.frame));
      press(document.body, 'Escape');
      click(find('[data-state="1"] rect', main.frame));
      const title = find('.panel:not([hidden]) h3').textContent;
      const rows = all('[data-table] tbody th').map((cell) => cell.textContent);
      const scripts = document.scripts.length;
      return { before, wrong, same, right, taken, text, title, rows, scripts, file: link.download,
        linked: decodeURIComponent(link.getAttribute('href').split(',').slice(1).join(',')) === text };
    "#;
    let hostile_json = serde_json::to_string(hostile).expect("text").replace('<', "\\u003c");
    let found = used(&page, &steps.replace("HOSTILE", &hostile_json), &["--window-size=1280,900"]);
    assert_eq!(found["errors"], serde_json::json!([]));
    assert_eq!(found["before"].as_str().map(|text| text.lines().count()), Some(1), "{found}");
    let number = "This is the number of a state.";
    assert_eq!(found["wrong"], serde_json::json!([number, number, "It has a hidden character."]));
    assert_eq!((&found["same"], &found["linked"]), (&true.into(), &true.into()));
    assert_eq!(found["right"], serde_json::json!(["", "", "", ""]));
    assert_eq!(found["taken"], "State 1 is called so.");
    assert_eq!(
        (&found["title"], &found["file"]),
        (&"State 1 open ×".into(), &"states.toml".into())
    );
    assert_eq!(found["rows"][1], "1 open");
    // The command takes the file, and calls the states so.
    let text = found["text"].as_str().expect("text");
    std::fs::write(place.path().join("lock/states.toml"), text).expect("a file");
    let mut show = tool::mealybug();
    show.args(["show", "lock", "--format", "json"]).current_dir(place.path());
    let model: Value = serde_json::from_slice(&tool::succeed(&mut show).stdout).expect("JSON");
    let expected = [(1, "open"), (2, hostile)]
        .map(|(state, name)| serde_json::json!({ "state": state, "name": name }));
    assert_eq!(model["names"], serde_json::json!(expected));
    // A report of a model with names begins with them.
    let mut learn = tool::mealybug();
    learn.args([
        "learn", "--quiet", "--tests", "model", "--like", "lock", "--out", "again", "--model",
    ]);
    tool::succeed(learn.arg(device_file("door-lock/golden.dot")).current_dir(place.path()));
    let page = place.path().join("again/report.html");
    let found = used(&page, "return { text: find('#names pre').textContent };", &[]);
    assert_eq!((&found["text"], &found["errors"]), (&text.into(), &serde_json::json!([])));
}

#[test]
fn two_models_are_one_picture() {
    if !all_there("the differences in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let golden = device_file("door-lock/golden.dot");
    let dot = std::fs::read_to_string(&golden).expect("a model");
    let (at, line) =
        dot.lines().enumerate().find(|(_, line)| line.contains("label=\"good/")).expect("an edge");
    let (head, _) = line.split_once('/').expect("a label");
    let changed = format!("{head}/smoke\"];");
    let lines: Vec<_> =
        dot.lines().enumerate().map(|(n, line)| if n == at { &changed } else { line }).collect();
    std::fs::write(place.path().join("changed.dot"), lines.join("\n")).expect("a file");
    let page = place.path().join("diff.html");
    let ended = tool::mealybug()
        .arg("diff")
        .arg(&golden)
        .args(["changed.dot", "--html", "diff.html"])
        .current_dir(place.path())
        .status()
        .expect("it starts");
    assert_eq!(ended.code(), Some(1));
    let steps = "
      const frame = mealybug.page.main.frame;
      const marks = ['first', 'second'].map((name) => all(`text.${name}`, frame).map((text) => text.textContent));
      const cell = find('[data-play]');
      find('button', cell).click();
      mealybug.page.player.go(99);
      click(find('[data-state=\"0\"] rect', frame));
      return { marks, said: all('.steps .first, .steps .second').map((part) => part.textContent.trim()),
        panels: all('.panel:not([hidden]) h4').map((head) => head.textContent), cards: all('.cards .now').length };
    ";
    let found = used(&page, steps, &["--window-size=1280,900"]);
    assert_eq!(found["errors"], serde_json::json!([]));
    let marks = &found["marks"];
    assert!(marks[0][0].as_str().is_some_and(|text| text.starts_with("− ")), "{found}");
    assert!(
        marks[1][0].as_str().is_some_and(|text| text.starts_with("+ ") && text.contains("smoke")),
        "{found}"
    );
    assert_eq!(found["said"].as_array().map(Vec::len), Some(2), "{found}");
    assert_eq!(found["said"][1], "B: smoke");
    assert_eq!(found["panels"][0], "A, state 0");
    assert_eq!(found["cards"], 1);
}

/// A ring of 100 states; its jump from 10 leads to 60 in the golden model, and to 61 in the changed one.
#[test]
fn two_large_models_are_shown_where_they_part() {
    if !all_there("the differences in a browser", NEEDS) {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    for (name, target) in [("golden.dot", 60), ("changed.dot", 61)] {
        let mut dot = "digraph g {\n".to_owned();
        for state in 0..100 {
            let output = if state == 65 { "lit" } else { "dark" };
            dot += &format!("s{state} -> s{} [label=\"step/{output}\"];\n", (state + 1) % 100);
            let to = if state == 10 { target } else { (state + 50) % 100 };
            dot += &format!("s{state} -> s{to} [label=\"jump/dark\"];\n");
        }
        std::fs::write(place.path().join(name), dot + "}\n").expect("a file");
    }
    let mut diff = tool::mealybug();
    diff.args(["diff", "golden.dot", "changed.dot", "--html", "diff.html"]);
    let ended = diff.current_dir(place.path()).status().expect("it starts");
    assert_eq!(ended.code(), Some(1));
    let page = place.path().join("diff.html");
    let steps = "
      const parts = all('.picture svg');
      const marks = ['first', 'second'].map((name) => all(`text.${name}`, parts[0]).map((text) => text.textContent));
      const titles = all('.cards figcaption').map((title) => title.firstChild.textContent);
      const { from } = find('[data-edge]:has(text.first)', parts[0]).dataset;
      click(find(`[data-state=\"${from}\"] rect`, parts[0]));
      const panel = find('.panel:not([hidden])');
      const heads = all('h4', panel).map((head) => head.textContent).filter((text) => text.includes('state'));
      press(document.body, 'Escape');
      find('td[data-play] button').click();
      mealybug.page.player.go(99);
      const said = all('.says').map((says) => says.textContent);
      const here = all('.cards .here.now').map((box) => box.dataset.state);
      return { parts: parts.length, marks, titles, heads, said, here, searches: all('[role=search]').length };
    ";
    for size in ["--window-size=1280,900", "--window-size=390,800"] {
        let found = used(&page, steps, &[size]);
        assert_eq!(found["errors"], serde_json::json!([]));
        assert_eq!((&found["parts"], &found["searches"]), (&1.into(), &0.into()), "{found}");
        let both = |texts: [&str; 2]| serde_json::json!(texts);
        assert_eq!(found["marks"], serde_json::json!([["− jump / dark"], ["+ jump / dark"]]));
        assert_eq!(found["titles"], both(["A", "B"]));
        let [heads, said, here] = ["heads", "said", "here"].map(|name| &found[name]);
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        assert!(text(&heads[0]).starts_with("A, state ") && text(&heads[1]).starts_with("B, "));
        // The lamp of B is lit one step before that of A.
        for (at, output) in ["dark", "lit"].into_iter().enumerate() {
            let expected = format!("state {}, says {output}", text(&here[at]));
            assert_eq!(said[at], expected.as_str(), "{found}");
        }
    }
    let measured = measured(&page, &["--window-size=390,800"]);
    assert_eq!((&measured["wrong"], &measured["sideways"]), (&serde_json::json!([]), &0.into()));
}

/// The brightness of `rgb(r, g, b)`, from 0 to 765.
fn brightness(colour: &Value) -> u64 {
    let text = colour.as_str().expect("a colour");
    let numbers = text.trim_start_matches("rgb(").trim_end_matches(')').split(',');
    numbers.map(|number| number.trim().parse::<u64>().expect("a number")).sum()
}
