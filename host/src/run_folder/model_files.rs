//! The files of models: DOT files of the whole and of its parts, with their pictures, and of the hypotheses before. Each set
//! replaces that of an earlier session.

use std::fs;
use std::io;

use super::{RunFolder, RunFolderError, file_names};
use crate::dot;
use crate::learned_components::LearnedComponents;
use crate::machine::{Machine, ProductComponent};
use crate::modules::{Module, Modules};
use crate::picture;

/// What was believed before.
const HYPOTHESES: &str = "hypotheses";

/// The model.
pub(super) const MODEL: &str = "model.dot";

impl RunFolder {
    /// Writes a file in `hypotheses/`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_hypothesis(&self, file: &str, bytes: &[u8]) -> Result<(), RunFolderError> {
        self.make(HYPOTHESES)?;
        self.write(&format!("{HYPOTHESES}/{file}"), bytes)
    }

    /// Removes the hypotheses of an earlier session. Errors are ignored, because these hypotheses
    /// are only a record.
    pub fn remove_hypotheses(&self) {
        let remove = |number: &u64| {
            let file = |ending| self.path.join(format!("{HYPOTHESES}/{number}.{ending}"));
            ["dot", "postcard"].into_iter().any(|ending| fs::remove_file(file(ending)).is_ok())
        };
        let _ = (1..).take_while(remove).count();
    }

    /// Whether there are hypotheses, of this session or of an earlier one.
    pub fn has_hypotheses(&self) -> bool {
        fs::read_dir(self.path.join(HYPOTHESES)).is_ok_and(|mut files| files.next().is_some())
    }

    /// Writes `model.dot`, with a note about the model.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_model(&self, model: &Machine, note: Option<&str>) -> Result<(), RunFolderError> {
        self.write(MODEL, dot::write_with_note(model, note).as_bytes())
    }

    /// The names of the components' files in `components/`, in order.
    pub fn component_files(learned: &LearnedComponents) -> Vec<String> {
        file_names(&learned.names, "dot")
    }

    /// Writes a file in `components/` for each component; one that fails does not keep the others from being
    /// written.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub fn write_components(
        &self,
        learned: &LearnedComponents,
        note: Option<&str>,
    ) -> Result<(), RunFolderError> {
        self.make("components")?;
        let files = Self::component_files(learned).into_iter().zip(&learned.components);
        let write = |(file, component): (String, &ProductComponent)| {
            let machine = component.named(&learned.inputs, &learned.outputs);
            let text = dot::write_with_note(&machine, note);
            self.write(&format!("components/{file}"), text.as_bytes())
        };
        let written = files.map(write).fold(Ok(()), Result::and);
        written.and(self.prune("components", &Self::component_files(learned)))
    }

    /// The names of the modules' files in `modules/`, in order.
    pub fn module_files(modules: &Modules) -> Vec<String> {
        file_names(&modules.names(), "dot")
    }

    /// Writes a file in `modules/` for each module; one that fails does not keep the others from being written.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub fn write_modules(
        &self,
        modules: &Modules,
        note: Option<&str>,
    ) -> Result<(), RunFolderError> {
        self.make("modules")?;
        let files = Self::module_files(modules).into_iter().zip(&modules.modules);
        let write = |(file, module): (String, &Module)| {
            let text = dot::write_with_note(&module.machine, note);
            self.write(&format!("modules/{file}"), text.as_bytes())
        };
        let written = files.map(write).fold(Ok(()), Result::and);
        written.and(self.prune("modules", &Self::module_files(modules)))
    }

    /// There is no model: removes that of an earlier session.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn remove_model(&self) -> Result<(), RunFolderError> {
        [MODEL, "model.svg"].map(|file| self.remove(file)).into_iter().fold(Ok(()), Result::and)
    }

    /// There are no components: removes those of an earlier session.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn remove_components(&self) -> Result<(), RunFolderError> {
        self.prune("components", &[])
    }

    /// There are no modules: removes those of an earlier session.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn remove_modules(&self) -> Result<(), RunFolderError> {
        self.prune("modules", &[])
    }

    /// Removes what an earlier session left in a folder of parts, but for these files. Pictures are drawn anew.
    fn prune(&self, folder: &str, files: &[String]) -> Result<(), RunFolderError> {
        let Ok(entries) = fs::read_dir(self.path.join(folder)) else { return Ok(()) };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let old = names
            .filter(|name| !files.contains(name))
            .map(|name| self.remove(&format!("{folder}/{name}")));
        old.fold(Ok(()), Result::and)
    }

    /// Removes a result, if it is there.
    fn remove(&self, file: &str) -> Result<(), RunFolderError> {
        if self.is_kept {
            return Ok(());
        }
        let path = self.path.join(file);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(RunFolderError::Unwritable { path, source })
            }
            _ => Ok(()),
        }
    }

    /// Writes the picture of a machine next to its DOT file. If the machine is too large, there is none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_picture(
        &self,
        dot: &str,
        machine: &Machine,
        note: Option<&str>,
    ) -> Result<(), RunFolderError> {
        let file = dot.strip_suffix(".dot").unwrap_or(dot);
        let svg = picture::svg(machine, note);
        let file = format!("{file}.svg");
        svg.map_or_else(|| self.remove(&file), |svg| self.write(&file, svg.as_bytes()))
    }
}
