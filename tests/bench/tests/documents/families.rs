//! Whether OL# chooses its family well.

use std::collections::BTreeMap;

use mealybug_bench::{Case, CostComparison};

use crate::rows::{CommittedCases, mean, worst};
use crate::section::{DocsSection, table_rows};

/// Identity is the family of L#.
const FIXED: [&str; 3] = ["l-sharp", "ol-sharp:per-output", "ol-sharp:per-input"];
const MAX_STATES: u32 = 200;
/// Models that cost OL# more are large.
const LARGE: u64 = 1000;

fn group(suite: &str) -> &'static str {
    match suite {
        "artificial" => "artificial",
        "labbaf-bcs" => "Labbaf",
        "circuits" => "circuits",
        _ => "protocols",
    }
}

/// What the cheapest fixed family costs. `None` if a run was stopped that had asked no more by then: it could have been cheaper.
fn cheapest(fixed: &[&Case]) -> Option<u64> {
    let learned = fixed.iter().filter(|case| case.is_exact());
    let least = learned.map(|case| case.costs.learning_symbols).min()?;
    let is_dearer = |case: &&Case| case.is_exact() || case.costs.learning_symbols > least;
    fixed.iter().copied().all(|case| is_dearer(&case)).then_some(least)
}

#[test]
fn the_family_beside_the_cheapest_fixed_one() {
    let cases = CommittedCases::read("tree");
    let mut fixed = BTreeMap::<_, Vec<&Case>>::new();
    for case in FIXED.iter().flat_map(|family| cases.of(family, "perfect")) {
        fixed.entry((&case.suite, &case.model)).or_default().push(case);
    }
    let mut all = BTreeMap::<_, [CostComparison; 2]>::new();
    let (mut left_out, mut large) = (0, Vec::new());
    let is_wanted = |case: &&Case| case.states <= MAX_STATES && case.is_exact();
    for case in cases.of("ol-sharp", "perfect").filter(is_wanted) {
        let fixed = &fixed[&(&case.suite, &case.model)];
        assert_eq!(fixed.len(), FIXED.len(), "{}/{}", case.suite, case.model);
        let Some(least) = cheapest(fixed) else {
            left_out += 1;
            continue;
        };
        let (group, own) = (group(&case.suite), case.costs.learning_symbols);
        let of_group = all.entry(group).or_default();
        of_group[0].add(own, least);
        if own > LARGE {
            of_group[1].add(own, least);
            large.push((own as f64 / least as f64, group, &*case.model));
        }
    }
    let rows = ["protocols", "artificial", "Labbaf", "circuits"].map(|name| {
        let [every, of_large] = &all[name];
        let above = large.iter().filter(|(ratio, group, _)| *group == name && *ratio > 2.5).count();
        vec![
            format!("{name}, {}", every.cases),
            format!("{:.2}", mean(every)),
            of_large.cases.to_string(),
            format!("{:.2}", mean(of_large)),
            format!("{:.2}", worst(of_large)),
            above.to_string(),
        ]
    });
    let section = DocsSection::of("docs/benchmarks.md", "### Is the family well chosen?");
    section.says(&table_rows(&rows));
    section.says(&format!("the {left_out} models on which it had not are left out"));

    large.retain(|(_, group, _)| *group == "protocols");
    large.sort_by(|one, other| other.0.total_cmp(&one.0));
    let dear = large.iter().filter(|(ratio, ..)| *ratio > 1.25).count();
    section.says(&format!(
        "On {dear} of the {} large models of protocols OL# costs more than 1.25 times",
        large.len()
    ));
    for ((ratio, _, model), name) in
        large.iter().zip(["mqtt_out_ejabberd", "SSH_BitVise63", "BRP_mutant6.flat_0_1"])
    {
        assert!(model.contains(name), "docs/benchmarks.md names {name}, the rows {model}");
        section.says(&format!("`{name}` ({ratio:.2})"));
    }
}
