//! Dependencies come from crates.io, under licences that we accept.
//!
//! cargo-deny checks the same, but consists of more than 160 crates that CI would have to build.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};

/// A package needs no other licences than these.
const ACCEPTED: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    // The licence of libFuzzer, which is in no program that we publish.
    "NCSA",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Folders with a lock file, and the target for which they are built.
const WORKSPACES: [(&str, &str); 5] = [
    ("", "x86_64-unknown-linux-gnu"),
    ("tests/no-panic", "x86_64-unknown-linux-gnu"),
    ("tests/fuzz", "x86_64-unknown-linux-gnu"),
    ("firmware", "thumbv7m-none-eabi"),
    ("firmware/esp32c3", "riscv32imc-unknown-none-elf"),
];

/// What is wrong with a package; `None` if nothing is.
fn complaint(package: &Value) -> Option<String> {
    match package["source"].as_str() {
        // A folder of this repository: the lock file has no other packages without a source.
        None => return None,
        Some(CRATES_IO) => {}
        Some(other) => return Some(format!("comes from {other}")),
    }
    let Some(license) = package["license"].as_str() else {
        return Some("names no licence".to_owned());
    };
    let Ok(expression) = Expression::parse_mode(license, ParseMode::LAX) else {
        return Some(format!("has the licence `{license}`, which makes no sense"));
    };
    let accepts = |license: &spdx::LicenseReq| {
        license.license.id().is_some_and(|license| ACCEPTED.contains(&license.name))
    };
    (!expression.evaluate(accepts)).then(|| format!("has the licence `{license}`"))
}

#[test]
fn dependencies_have_licences_and_sources_that_we_accept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let mut packages = BTreeMap::new();
    for (workspace, target) in WORKSPACES {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["metadata", "--quiet", "--format-version=1", "--locked", "--filter-platform"]);
        cargo.args([target, "--manifest-path"]).arg(root.join(workspace).join("Cargo.toml"));
        let output = cargo.output().expect("cargo starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for package in metadata["packages"].as_array().expect("a list") {
            packages.insert(package["id"].to_string(), package.clone());
        }
    }
    let complaints: Vec<_> = packages
        .values()
        .filter_map(|package| Some(format!("{} {}", package["name"], complaint(package)?)))
        .collect();
    assert!(packages.len() > 200, "{} packages", packages.len());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    println!("{} packages", packages.len());
}

#[test]
fn what_we_do_not_accept_is_named() {
    let says = |license: &str, source: &str| {
        complaint(&serde_json::json!({ "license": license, "source": source }))
    };
    assert_eq!(says("MIT / Apache-2.0", CRATES_IO), None);
    assert_eq!(says("GPL-3.0-only OR MIT", CRATES_IO), None);
    assert_eq!(says("(MIT OR Apache-2.0) AND BSD-3-Clause", CRATES_IO), None);
    let said = says("MIT AND GPL-3.0-only", CRATES_IO);
    assert_eq!(said.as_deref(), Some("has the licence `MIT AND GPL-3.0-only`"));
    let said = says("mine", CRATES_IO);
    assert_eq!(said.as_deref(), Some("has the licence `mine`, which makes no sense"));
    let said = says("MIT", "git+https://example.org/crate");
    assert_eq!(said.as_deref(), Some("comes from git+https://example.org/crate"));
}
