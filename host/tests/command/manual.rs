//! Completions and man pages.

use super::workplace::Workplace;

#[test]
fn completions_and_pages_know_all_commands() {
    let place = Workplace::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let called = place.call(&["completions", shell]).ended(0);
        for known in ["learn", "check", "tests-in-a-row"] {
            assert!(called.stdout.contains(known), "`{known}` is not in the one for {shell}");
        }
    }
    let page = place.call(&["man"]).ended(0).stdout;
    assert!(page.contains(".TH") && page.contains("mealybug\\-learn"), "{page}");
    let page = place.call(&["man", "learn"]).ended(0).stdout;
    assert!(page.contains("\\-\\-tests\\-in\\-a\\-row") && page.contains("Examples"), "{page}");
    let called = place.call(&["man", "laern"]).ended(2);
    called.complains(&["there is no command `laern`: did you mean `learn`?"]);
}
