//! The `mealybug` command.
fn main() {}
