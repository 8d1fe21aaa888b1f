//! Dependencies between the files of the core, the host, the firmware and the researchers' tool point down.

use std::path::Path;

mod arrows;

#[test]
fn arrows_between_files_point_down() {
    let mut found = Vec::new();
    for root in [
        "core/src/lib.rs",
        "host/src/lib.rs",
        "host/src/bin/mealybug/main.rs",
        "firmware/adapters/src/lib.rs",
        "firmware/agent/src/lib.rs",
        "firmware/devices/src/lib.rs",
        "firmware/learner/src/lib.rs",
        "firmware/lm3s6965evb/src/lib.rs",
        "firmware/log/src/lib.rs",
        "firmware/microbit/src/lib.rs",
        "tests/bench/src/lib.rs",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(root);
        found.extend(arrows::circles(&path).into_iter().map(|circle| format!("{root}: {circle}")));
    }
    assert!(found.is_empty(), "circles between files:\n{}", found.join("\n"));
}
