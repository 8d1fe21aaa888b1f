//! A type's name stands for one thing in the whole repository: who looks for it finds one definition.
//!
//! What counts is a `struct`, an `enum`, a `union`, a `trait`, an alias or an `index!` of the core, wherever it stands, in
//! tests too. Associated types do not count, nor does what other macros define.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use mealybug_tests::repository::{files, root};
use syn::parse::ParseStream;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item};

/// Programs as users write them: their names are the user's.
const PROGRAMS_OF_USERS: [&str; 3] =
    ["core/examples/", "firmware/template/devices/", "host/tests/assert_model/"];

/// Names that stand for the same thing wherever they are defined at these paths.
const SAME: [(&[&str], &[&str]); 7] = [
    // How the type is written on the wire.
    (
        &["core/src/", "host/src/algorithm.rs"],
        &[
            "Algorithm",
            "CapacityError",
            "Contradiction",
            "KindCosts",
            "Options",
            "Progress",
            "Summary",
            "Tests",
        ],
    ),
    // How the type is written in `statistics.json`.
    (&["core/src/progress.rs", "host/src/statistics/"], &["Forecast"]),
    // What stands in its place without a feature of the core.
    (&["core/src/machines/"], &["Successor", "Transitions"]),
    (&["core/src/testing/"], &["Mixture"]),
    (&["core/tests/all/common/"], &["TestedLearner"]),
    // The trait, awaited, as in embedded-hal-async.
    (&["firmware/adapters/src/"], &["Act", "Buses", "Link", "Reset"]),
    // Each board has one of its own, and a program is for one board.
    (
        &[
            "firmware/esp32c3/",
            "firmware/lm3s6965evb/",
            "firmware/microbit/",
            "firmware/sifive_e/",
            "firmware/template/boards/",
        ],
        &["Board", "Port", "PortBoard", "UartRegisters"],
    ),
];

/// The name in `index! { /// What it is. Name }`.
fn index_name(input: ParseStream<'_>) -> syn::Result<Ident> {
    input.call(Attribute::parse_outer)?;
    input.parse()
}

/// Finds the types that a file defines.
#[derive(Default)]
struct DefinedTypes(Vec<Ident>);

impl<'ast> Visit<'ast> for DefinedTypes {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Struct(item) => self.0.push(item.ident.clone()),
            Item::Enum(item) => self.0.push(item.ident.clone()),
            Item::Union(item) => self.0.push(item.ident.clone()),
            Item::Trait(item) => self.0.push(item.ident.clone()),
            Item::Type(item) => self.0.push(item.ident.clone()),
            Item::Macro(item) if item.mac.path.is_ident("index") => {
                self.0.push(item.mac.parse_body_with(index_name).expect("attributes and a name"));
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }
}

/// For each name the files that define it, once for each definition.
fn definitions() -> BTreeMap<String, Vec<String>> {
    let mut definitions = BTreeMap::<String, Vec<String>>::new();
    for path in files(".rs") {
        let file = path.strip_prefix(root()).expect("it is below the root").display().to_string();
        if PROGRAMS_OF_USERS.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut types = DefinedTypes::default();
        types.visit_file(&parsed);
        for name in types.0 {
            definitions.entry(name.to_string()).or_default().push(file.clone());
        }
    }
    definitions
}

#[test]
fn a_type_name_stands_for_one_thing() {
    let mut unused: BTreeSet<&str> = SAME.iter().flat_map(|(_, names)| *names).copied().collect();
    let mut several = Vec::new();
    for (name, files) in definitions() {
        let same = SAME.iter().find(|(_, names)| names.contains(&&*name));
        let is_same = |file: &&String| {
            same.is_some_and(|(paths, _)| paths.iter().any(|path| file.starts_with(path)))
        };
        let the_same = files.iter().filter(is_same).count();
        if the_same > 1 {
            unused.remove(&*name);
        }
        if files.len() - the_same + usize::from(the_same > 0) > 1 {
            several.push(format!("{name}: {}", files.join(", ")));
        }
    }
    assert!(several.is_empty(), "names of several types:\n{}", several.join("\n"));
    assert!(unused.is_empty(), "exceptions that nothing needs: {unused:?}");
}
