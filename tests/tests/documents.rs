//! The pages in `docs` and their pictures: links lead somewhere, and what is shown is what the program does.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mealybug::device::DeviceFile;
use mealybug_tests::repository::{files, root};
use mealybug_tests::tool::{mealybug, succeed};

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of the book, from `docs`.
fn pages() -> BTreeSet<String> {
    let docs = root().join("docs");
    let paths = files(".md");
    let pages = paths.iter().filter_map(|path| path.strip_prefix(&docs).ok());
    let pages = pages.map(|page| page.to_string_lossy().into_owned());
    pages.filter(|page| page != "SUMMARY.md").collect()
}

/// A document without blocks of code.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// Where the links of a document lead.
fn links(text: &str) -> Vec<String> {
    // What is in backticks is no link.
    let prose: String = prose(text).split('`').step_by(2).collect::<Vec<_>>().join("_");
    let ends = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    ends.map(str::to_owned).collect()
}

/// The anchors of the headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let titles = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let mut anchors = BTreeSet::new();
    for title in titles {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        // A heading that comes again has a number.
        let number = (0..).find(|number| !anchors.contains(&numbered(&anchor, *number)));
        anchors.insert(numbered(&anchor, number.expect("there is one")));
    }
    anchors
}

fn numbered(anchor: &str, number: u32) -> String {
    if number == 0 { anchor.to_owned() } else { format!("{anchor}-{number}") }
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut broken = String::new();
    let mut count = 0;
    for document in files(".md") {
        let text = read(&document);
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = document.parent().expect("a folder").join(path);
            let target = if path.is_empty() { document.clone() } else { target };
            let is_there =
                target.exists() && (anchor.is_empty() || anchors(&read(&target)).contains(anchor));
            if !is_there {
                broken.push_str(&format!("{}: {link}\n", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken}");
    assert!(count > 200, "{count} links");
}

#[test]
fn the_book_has_every_page_and_each_page_leads_on() {
    let summary = read(&root().join("docs/SUMMARY.md"));
    let listed: Vec<_> = links(&summary);
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), pages());
    assert_eq!(listed.len(), pages().len(), "a page is listed once");
    let index = links(&read(&root().join("docs/README.md")));
    let own = pages();
    for page in own.iter().filter(|page| *page != "README.md" && !page.contains('/')) {
        assert!(index.contains(page), "docs/README.md does not lead to {page}");
        let text = read(&root().join("docs").join(page));
        let leads_on = links(&text).iter().any(|link| {
            let path = link.split('#').next().unwrap_or_default();
            path != page && own.contains(path)
        });
        assert!(leads_on, "{page} leads to no other page");
    }
}

/// `tests/run book` rewrites links that lead out of the book, line by line.
#[test]
fn links_out_of_the_book_stand_on_one_line() {
    for page in pages() {
        for line in prose(&read(&root().join("docs").join(&page))).lines() {
            for (end, _) in line.match_indices("](../") {
                let text = &line[..end];
                assert!(text.rfind('[') > text.rfind(']'), "{page}: {line}");
            }
        }
    }
}

/// The pages about devices by kind show whole device files.
#[test]
fn every_device_file_in_the_pages_is_one() {
    let place = tempfile::tempdir().expect("a folder");
    fs::write(place.path().join("block.bin"), [0; 128]).expect("a file");
    let mut count = 0;
    for page in pages().iter().filter(|page| page.starts_with("device-")) {
        if page == "device-file.md" {
            continue; // The host's tests read its parts.
        }
        for block in read(&root().join("docs").join(page)).split("```toml\n").skip(1) {
            let file = block.split("```").next().expect("its end");
            let device = DeviceFile::parse(&place.path().join("device.toml"), file);
            assert!(device.is_ok(), "{page}: {device:?}\n{file}");
            count += 1;
        }
    }
    assert!(count >= 4, "{count} files");
}

/// What docs/own-tests.md shows stands in files that are tested.
#[test]
fn examples_of_tests_are_tested() {
    let files = [
        "tests/assert_model/lock.rs",
        "adapters/examples/parser.c",
        "adapters/examples/test_lock.py",
    ];
    let tested: Vec<_> = files.map(|file| read(&root().join("host").join(file))).into();
    let page = read(&root().join("docs/own-tests.md"));
    let mut count = 0;
    for block in page.split("```").skip(1).step_by(2) {
        let (language, block) = block.split_once('\n').expect("a language");
        if matches!(language, "toml" | "sh") || block.starts_with("let options") {
            continue;
        }
        let has = |line: &str| tested.iter().any(|file| file.contains(line.trim()));
        let unknown: Vec<_> = block.lines().filter(|line| !has(line)).collect();
        assert!(unknown.is_empty(), "in no file that is tested: {unknown:#?}");
        count += 1;
    }
    assert_eq!(count, 4);
}

/// The lines of the recording were printed by a demo; numbers differ from run to run.
#[test]
fn the_pictures_show_what_the_demo_does() {
    let place = tempfile::tempdir().expect("a folder");
    let output = succeed(mealybug().arg("demo").env("NO_COLOR", "1").current_dir(place.path()));
    let printed = String::from_utf8(output.stdout).expect("text");
    let printed: BTreeSet<_> = printed.lines().map(masked).collect();
    let recording = read(&root().join("docs/pictures/demo.svg"));
    let last = recording.split("<g ").filter(|group| group.starts_with("class=\"last\""));
    let mut count = 0;
    for text in last.flat_map(|group| group.split("<text ").skip(1)) {
        let text = text.split_once('>').expect("a text").1.split("</text>").next();
        let text =
            text.expect("an end").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&");
        // How often a word was asked again is chance.
        if !text.starts_with("$ ") && !text.starts_with("  (words were asked again") {
            assert!(printed.contains(&masked(&text)), "the demo does not print `{text}`");
            count += 1;
        }
    }
    assert!(count > 20, "{count} lines: docs/pictures/make");

    let components = place.path().join("mealybug-runs/demo-1/components");
    for (picture, component) in [("lock", "inputs_1,2,enter,close"), ("light", "input_light")] {
        let shown = read(&root().join(format!("docs/pictures/{picture}.svg")));
        let made = read(&components.join(format!("{component}.svg")));
        assert!(shown == made, "{picture}.svg is old: docs/pictures/make");
    }
}

/// A line with `#` for each number, also for that of minutes before one of seconds, and single blanks.
fn masked(line: &str) -> String {
    let mut masked = String::new();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    for c in line.chars() {
        // Numbers have blanks between thousands.
        let is_number = c.is_ascii_digit() || (masked.ends_with('#') && " .".contains(c));
        if !is_number {
            masked.push(c);
        } else if !masked.ends_with('#') {
            masked.push('#');
        }
    }
    masked.replace("#min #s", "#s")
}
