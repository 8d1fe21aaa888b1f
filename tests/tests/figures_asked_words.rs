//! L* and OL* ask models in the folder `MEALYBUG_MODELS` the words in `asked_words/models.csv`.
//!
//! `MEALYBUG_RECORD=1 cargo test --workspace --test figures_asked_words` rewrites that file.

use mealybug_tests::asked::{PinnedLearner, Runs, Testing};
use mealybug_tests::models::{folder, models};

/// Larger models take long.
const MAX_STATES: u32 = 1000;
/// Every eighth model by path is learned.
const ONE_OF: usize = 8;
const SEEDS: u64 = 3;
const MAX_SYMBOLS: u64 = 500_000;

#[test]
fn models_are_asked_the_words_that_are_known() {
    let Some(folder) = folder("the words that models are asked") else { return };
    let mut models = models(&folder, &[]);
    models.retain(|model| model.states <= MAX_STATES);
    let mut runs = Runs::default();
    for model in models.iter().step_by(ONE_OF) {
        for testing in Testing::MAIN {
            let named = (&*model.name, &model.machine);
            runs.add(named, &PinnedLearner::TABLE, testing, SEEDS, MAX_SYMBOLS);
        }
    }
    runs.check("models.csv");
    println!("figures: {} runs on models ask the words that are known", runs.count());
}
