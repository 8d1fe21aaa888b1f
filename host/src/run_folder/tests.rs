//! Folders of runs: who may use one, and the names of what is in it.

mod changed_device;

use super::*;

#[test]
fn each_name_has_a_safe_file_of_its_own() {
    let names = ["OK", "ok", "(silence)", "a/b", "a\\b", "a b", "..", "-rf", "", "ä", "OK-2"];
    let names: Vec<_> = names.map(str::to_owned).into();
    let files = file_names(&names, "dot");
    let expected = [
        "OK.dot",
        "ok-2.dot",
        "_silence_.dot",
        "a_b.dot",
        "a_b-2.dot",
        "a_b-3.dot",
        "_...dot",
        "_-rf.dot",
        "_empty_.dot",
        "ä.dot",
        "OK-2-2.dot",
    ];
    assert_eq!(files, expected);
    let names = ["inputs 1,2,enter", "input a/b", "light/on,light/off", "unknown (2)"];
    let files = file_names(&names.map(str::to_owned), "dot");
    let expected =
        ["inputs_1,2,enter.dot", "input_a_b.dot", "light_on,light_off.dot", "unknown__2_.dot"];
    assert_eq!(files, expected);
    for long in ["x", "ä", "開"] {
        assert!(file_name(&long.repeat(1000)).len() <= MAX_NAME_BYTES, "{long}");
    }
}

#[test]
fn a_folder_is_for_one_run_only() {
    let place = tempfile::tempdir().expect("a folder");
    let first = RunFolder::create_numbered(place.path(), "lock").expect("a new folder");
    let second = RunFolder::create_numbered(place.path(), "lock").expect("another one");
    assert!(first.path().ends_with("lock-1"));
    assert!(second.path().ends_with("lock-2"));
    RunFolder::create(first.path()).expect("an empty folder will do");
    RunFolder::create(&place.path().join("new/deep")).expect("a new one, too");
    fs::write(first.path().join("model.dot"), "").expect("a file");
    let error = RunFolder::create(first.path()).expect_err("it is used");
    assert!(matches!(error, RunFolderError::NotEmpty { .. }), "{error}");
    let error = RunFolder::create(&first.path().join("model.dot")).expect_err("a file");
    assert!(matches!(error, RunFolderError::NotAFolder { .. }), "{error}");
}

#[test]
fn a_run_stays_locked_while_its_device_changes() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::create(place.path()).expect("an empty folder");
    let inputs = ["a".to_owned()];
    drop(folder.open_store(&inputs).expect("a new store"));
    folder.write_device_file("").expect("there is room");
    let is_locked = || matches!(folder.lock(), Err(StoreError::Locked { .. }));
    let mut lock = folder.lock().expect("nobody has it open");
    assert!(is_locked());
    folder
        .change_device(&mut lock, &inputs, &|answer| Ok(answer.output.into()))
        .expect("there is room");
    assert!(is_locked(), "the new answers");
    let store = folder.open_locked_store(lock, &inputs).expect("the copy");
    assert!(is_locked());
    drop(store);
    assert!(!is_locked());
}
