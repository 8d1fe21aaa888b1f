//! The JSON Schemas in `docs/schema`. Those of what Mealybug writes are generated from the types.

mod device_file;
mod validate;

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::events::Event;
use crate::export::{Document, ModulesDocument};
use crate::statistics::Statistics;

/// The environment variable that makes the test write the schemas.
const WRITE: &str = "WRITE_SCHEMA";

fn is_fresh<T: JsonSchema>(file: &str) {
    // The schema of what is written: a field that is always there but may be null is required.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let text = serde_json::to_string_pretty(&schema).expect("its keys are strings") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(file);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &text).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "{file} is stale: run `{WRITE}=1 cargo test -p mealybug --lib schema`");
}

#[test]
fn the_schema_of_events_is_fresh() {
    is_fresh::<Event>("events.json");
}

#[test]
fn the_schema_of_statistics_is_fresh() {
    is_fresh::<Statistics>("statistics.json");
}

#[test]
fn the_schema_of_models_is_fresh() {
    is_fresh::<Document<'_>>("model.json");
}

#[test]
fn the_schema_of_modules_is_fresh() {
    is_fresh::<ModulesDocument<'_>>("modules.json");
}
