//! The adapter that the documentation shows, written in another language than ours.

use std::fs;

use mealybug_tests::needs::{Need, all_there};
use mealybug_tests::{model, tool::mealybug};

const NEEDS: &[Need] = &[Need { what: "python3", package: "python3-minimal" }];

#[test]
fn the_program_in_the_documentation_is_learned() {
    if !all_there("the adapter in docs/connections.md", NEEDS) {
        return;
    }
    let docs = include_str!("../../../docs/connections.md");
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
    assert_eq!((model.states(), model.inputs().join(" ")), (2, "press look".to_owned()));
}
