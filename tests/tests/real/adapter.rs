//! The adapters that the documentation shows, written in another language than ours.

use std::fs;

use mealybug_tests::needs::{Need, all_there};
use mealybug_tests::{model, tool::mealybug};

const NEEDS: &[Need] = &[Need { what: "python3", package: "python3-minimal" }];

#[test]
fn the_programs_in_the_documentation_are_learned() {
    if !all_there("the adapters in docs/", NEEDS) {
        return;
    }
    let connections = include_str!("../../../docs/connections.md");
    let how_to = include_str!("../../../docs/device-adapter.md");
    for (docs, states, inputs) in [(connections, 2, "press look"), (how_to, 5, "1 2 enter close")] {
        let program = docs.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("lock.py"), program.unwrap()).unwrap();
        let run = mealybug()
            .args(["learn", "--adapter", "python3 lock.py", "--out", "run"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let model = model(&folder.path().join("run/model.dot"));
        assert_eq!((model.states(), model.inputs().join(" ")), (states, inputs.to_owned()));
    }
}
