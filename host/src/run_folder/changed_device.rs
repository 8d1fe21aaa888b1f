//! A run goes on with another device file: which of its answers still hold.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::model_files::MODEL;
use super::{AHEAD, ANSWERS, DEVICE, RunFolder};
use crate::store::{JudgeAnswer, KeptAnswers, LockedLog, StoreError, copy_kept, copy_kept_logs};

/// What a run went on with before its device file changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierDevice {
    /// The number in the names of its files.
    pub number: u32,
    /// The device file.
    pub text: String,
}

/// The paths of what a run went on with before.
struct EarlierPaths {
    answers: PathBuf,
    ahead: PathBuf,
    device: PathBuf,
    model: PathBuf,
}

impl RunFolder {
    /// Goes on with another device file, whose inputs these are. Of the answers it keeps those that mean the same:
    /// `fate` decides, as in [`copy_kept`]. The answers, the device file and the model so far stay as `answers-1.log`, `ahead-1`,
    /// `device-1.toml` and `model-1.dot`, or with the first number that is free, which is returned. `lock` is that of the
    /// answers, before and after.
    ///
    /// # Errors
    /// The answers cannot be read, another run has logs of boards open, or the folder cannot be written.
    pub fn change_device(
        &self,
        lock: &mut LockedLog,
        inputs: &[String],
        fate: JudgeAnswer<'_>,
    ) -> Result<(KeptAnswers, u32), StoreError> {
        let [answers, ahead, device, model] =
            [ANSWERS, AHEAD, DEVICE, MODEL].map(|name| self.path.join(name));
        let [new, new_ahead] = self.new_answers()?;
        let kept = copy_kept(lock, &new, inputs, fate)?;
        let new_lock = LockedLog::open(&new)?;
        let has_ahead = ahead.exists();
        if has_ahead {
            copy_kept_logs(&ahead, &new_ahead, inputs, fate)?;
        }
        let is_free = |number: &u32| {
            let EarlierPaths { answers, ahead, device, model } = self.earlier_paths(*number);
            ![answers, ahead, device, model].iter().any(|path| path.exists())
        };
        let number = (1..).find(is_free).expect("there are numbers enough");
        let old = self.earlier_paths(number);
        // If the run is killed here, no answer is lost that a later run would believe. Between the first and the last
        // `rename`, the folder has no `ahead`, and the device is asked again what its copy holds. After the second one,
        // the answers mean the same in both device files, and the caller has not yet written the new one: if their
        // inputs differ, the run is resumed with `--device` again.
        let moved = fs::copy(&device, old.device)
            .and_then(|_| if model.exists() { fs::copy(&model, old.model) } else { Ok(0) })
            .and_then(|_| fs::copy(&answers, old.answers))
            .and_then(|_| if has_ahead { fs::rename(&ahead, old.ahead) } else { Ok(()) })
            .and_then(|()| fs::rename(&new, &answers))
            .and_then(|()| if has_ahead { fs::rename(&new_ahead, &ahead) } else { Ok(()) });
        moved.map_err(|source| StoreError::Io { path: answers, source })?;
        *lock = new_lock;
        Ok((kept, number))
    }

    /// The device files that the run went on with before, whose answers are still there.
    pub fn earlier_devices(&self) -> Vec<EarlierDevice> {
        let is_there = |number: &u32| self.earlier_paths(*number).answers.is_file();
        let read = |number| {
            let text = fs::read_to_string(self.earlier_paths(number).device).ok()?;
            Some(EarlierDevice { number, text })
        };
        (1..).take_while(is_there).filter_map(read).collect()
    }

    /// Takes the answers of an earlier device file instead of those that the run goes on with, if more than `least` of them
    /// are kept. The device file in the folder is the new one by now.
    ///
    /// # Errors
    /// As of [`change_device`](Self::change_device).
    pub fn take_earlier(
        &self,
        (lock, inputs): (&mut LockedLog, &[String]),
        (number, fate): (u32, JudgeAnswer<'_>),
        least: u64,
    ) -> Result<Option<KeptAnswers>, StoreError> {
        let [answers, ahead] = [ANSWERS, AHEAD].map(|name| self.path.join(name));
        let [new, new_ahead] = self.new_answers()?;
        let earlier = self.earlier_paths(number);
        let kept = copy_kept(&mut LockedLog::open(&earlier.answers)?, &new, inputs, fate)?;
        if kept.kept <= least {
            return Ok(None);
        }
        let new_lock = LockedLog::open(&new)?;
        let has_ahead = earlier.ahead.exists();
        if has_ahead {
            copy_kept_logs(&earlier.ahead, &new_ahead, inputs, fate)?;
        }
        // What is replaced here is a part of what `change_device` has left.
        let removed = if ahead.exists() { fs::remove_dir_all(&ahead) } else { Ok(()) };
        let moved = removed
            .and_then(|()| fs::rename(&new, &answers))
            .and_then(|()| if has_ahead { fs::rename(&new_ahead, &ahead) } else { Ok(()) });
        moved.map_err(|source| StoreError::Io { path: answers, source })?;
        *lock = new_lock;
        Ok(Some(kept))
    }

    /// Where new answers are made before they replace the old ones.
    fn new_answers(&self) -> Result<[PathBuf; 2], StoreError> {
        let [new, new_ahead] = [ANSWERS, AHEAD].map(|name| self.path.join(format!("{name}.new")));
        // A run that was killed here may have left some logs.
        match fs::remove_dir_all(&new_ahead) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Io { path: new_ahead, source })
            }
            _ => Ok([new, new_ahead]),
        }
    }

    fn earlier_paths(&self, number: u32) -> EarlierPaths {
        let path = |name: String| self.path.join(name);
        EarlierPaths {
            answers: path(format!("answers-{number}.log")),
            ahead: path(format!("ahead-{number}")),
            device: path(format!("device-{number}.toml")),
            model: path(format!("model-{number}.dot")),
        }
    }

    /// The name of the last model that was learned with a device file before this one, if there is one.
    pub fn last_earlier_model(&self) -> Option<String> {
        let models = (1..).map(|number| self.earlier_paths(number));
        let known = models.take_while(|earlier| earlier.answers.is_file());
        let last = known.filter(|earlier| earlier.model.is_file()).last()?.model;
        last.file_name().map(|name| name.to_string_lossy().into_owned())
    }

    /// The path of the device file with this number, of those that the run went on with before.
    pub fn earlier_device_path(&self, number: u32) -> PathBuf {
        self.earlier_paths(number).device
    }
}
