//! What a run says of a device whose model has one state: most often that is a mistake.

use mealybug::machine::ProductComponent;
use mealybug_core::Hypothesis;

/// What to say of a model that has no more states than this hypothesis; `has_file` says whether a device file tells how the device
/// is asked.
pub(crate) fn note(hypothesis: Hypothesis<'_>, has_file: bool) -> Option<String> {
    let states = |component| ProductComponent::from(&component).states();
    let is_one = hypothesis.components().all(|component| states(component) == 1);
    let hides = match has_file {
        true => {
            ", or does so only some time after its answer. Perhaps `strip`, [[replace]] or [[output]] take away what differs. \
             `mealybug check` finds out"
        }
        false => "",
    };
    is_one.then(|| {
        format!(
            "each input has one answer, whatever was sent before it. Should the device have more states? Perhaps it refuses all inputs, \
             or none of them changes its state{hides}"
        )
    })
}
