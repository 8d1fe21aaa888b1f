//! The figures in the documents: each table and sentence here is what the committed rows give.
//!
//! A test computes a text from rows and looks for it in its section. Who measures anew runs the tests, and copies what they
//! expected into the document.

mod families;
mod growth;
mod kinds;
mod learners;
mod old_models;
mod rows;
mod section;
mod verdicts;
