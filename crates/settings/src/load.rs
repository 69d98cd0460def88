//! Loads the settings of a run: finds the files, reads them, asks the trust store, merges.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pegboard_tool_core::{Origin, SettingSource};
use serde_json::{Map, Value};

use crate::discover::{Candidate, Places, candidates};
use crate::error::SettingsError;
use crate::layer::{Contribution, Layer};
use crate::live::LastGood;
use crate::merge::{Base, merge, policy_problem};
use crate::notice::{Notice, Problem};
use crate::parse::{Document, Lines, parse};
use crate::read::read_text;
use crate::request::{BrokenFiles, CommandLine, FlagSettings, LoadRequest};
use crate::settings::{Directory, FileOutcome, LookedFor, Settings, WriteBack};
use crate::trust::{TrustState, TrustedFile};
use crate::trust_item::{TrustItem, items_of_layer, items_of_server_file};
use crate::trust_store::TrustStore;

/// Loads the settings that `request` describes. Reads files only; runs nothing and writes nothing.
///
/// # Errors
///
/// A [`SettingsError`] says which file is wrong, where, and what to do; nothing may run then.
pub fn load(request: &LoadRequest) -> Result<Settings, SettingsError> {
    load_over(request, None)
}

/// Loads like [`load`]; where a file cannot be used, what is left of its last good content takes its place.
pub(crate) fn load_over(request: &LoadRequest, good: Option<&LastGood>) -> Result<Settings, SettingsError> {
    let places = Places::find(request)?;
    let mut loading = Loading {
        request,
        good,
        layers: Vec::new(),
        files: Vec::new(),
        problems: Vec::new(),
        trusted: Vec::new(),
    };
    for candidate in candidates(request, &places)? {
        loading.read(&candidate)?;
    }
    if request.sources.project {
        loading.read_server_file(&places.project);
    }
    for flag in &request.flags {
        loading.read_flag(flag)?;
    }
    loading.layers.push(command_line_layer(&request.command_line, &request.locations.working_directory)?);
    loading.finish(&places)
}

/// A load under way.
struct Loading<'a> {
    request: &'a LoadRequest,
    good: Option<&'a LastGood>,
    layers: Vec<Layer>,
    files: Vec<LookedFor>,
    problems: Vec<Problem>,
    /// Files of the project and what they would contribute.
    trusted: Vec<(PathBuf, PathBuf, Vec<TrustItem>)>,
}

impl Loading<'_> {
    fn read(&mut self, candidate: &Candidate) -> Result<(), SettingsError> {
        let Candidate { source, path, anchor, trusted_with } = candidate;
        let outcome = if self.is_repeated(path) {
            FileOutcome::Repeated
        } else {
            match self.checked(read_layer(*source, path, anchor)) {
                Ok(Some(layer)) => {
                    if let Some(folder) = trusted_with {
                        self.trusted.push((path.clone(), folder.clone(), items_of_layer(&layer)));
                    }
                    self.layers.push(layer);
                    FileOutcome::Read
                }
                Ok(None) => FileOutcome::Absent,
                Err(error) => self.broken(*source, Some(path), error)?,
            }
        };
        self.files.push(LookedFor { source: *source, path: path.clone(), outcome });
        Ok(())
    }

    /// While a session runs, a policy with a bad entry is a bad file: before, nothing would have started.
    fn checked(&self, read: Result<Option<Layer>, SettingsError>) -> Result<Option<Layer>, SettingsError> {
        let Some(good) = self.good else { return read };
        let layer = read?;
        let policy = layer.as_ref().filter(|layer| layer.source() == SettingSource::Policy);
        match policy.and_then(|layer| good.problem_of(layer)) {
            Some(problem) => Err(SettingsError::PolicyEntry { problem }),
            None => Ok(layer),
        }
    }

    /// Whether the file was read already: the user's own file when the project is the home directory.
    fn is_repeated(&self, path: &Path) -> bool {
        let Ok(path) = fs::canonicalize(path) else { return false };
        let mut read = self.files.iter().filter(|file| file.outcome == FileOutcome::Read);
        read.any(|file| fs::canonicalize(&file.path).is_ok_and(|file| file == path))
    }

    /// The servers of `.mcp.json` run programs, so they need trust like everything else. Reading them is not our
    /// job; a file that cannot be read is an entry that nobody accepted.
    fn read_server_file(&mut self, project: &Path) {
        let path = project.join(".mcp.json");
        match read_text(&path) {
            Ok(None) => {}
            Ok(Some(text)) => self.trusted.push((path, project.to_path_buf(), items_of_server_file(&text))),
            Err(error) => {
                let item = TrustItem::unreadable(&error.to_string());
                self.trusted.push((path, project.to_path_buf(), vec![item]));
            }
        }
    }

    fn read_flag(&mut self, flag: &FlagSettings) -> Result<(), SettingsError> {
        let start = &self.request.locations.working_directory;
        match flag {
            FlagSettings::Json(text) => {
                let layer = document(None, text).and_then(|document| {
                    Layer::new(SettingSource::Flag, None, Arc::from(start.as_path()), document)
                });
                match layer {
                    Ok(layer) => self.layers.push(layer),
                    Err(error) => drop(self.broken(SettingSource::Flag, None, error)?),
                }
            }
            FlagSettings::File(path) => {
                let path = without_parent_steps(start.join(path));
                let anchor = path.parent().unwrap_or(start);
                let missing = || SettingsError::Unreadable {
                    path: path.clone(),
                    source: std::io::ErrorKind::NotFound.into(),
                };
                let layer = read_layer(SettingSource::Flag, &path, anchor)
                    .and_then(|layer| layer.ok_or_else(missing));
                let outcome = match layer {
                    Ok(layer) => {
                        self.layers.push(layer);
                        FileOutcome::Read
                    }
                    Err(error) => self.broken(SettingSource::Flag, Some(&path), error)?,
                };
                self.files.push(LookedFor { source: SettingSource::Flag, path, outcome });
            }
        }
        Ok(())
    }

    /// A file that cannot be used: an error, or skipped with a problem when asked for. A policy is never skipped.
    fn broken(
        &mut self,
        source: SettingSource,
        path: Option<&Path>,
        error: SettingsError,
    ) -> Result<FileOutcome, SettingsError> {
        if let (Some(good), Some(path)) = (self.good, path) {
            let last = good.layer(path).map(Layer::restricted);
            let then = match &last {
                Some(_) => "its last deny and ask rules and hooks stay, its allow rules end",
                None => "nothing of it is used",
            };
            let origin = Origin::new(source, Some(Arc::from(path)), None);
            self.problems.push(Problem::new(origin, format!("{error}; {then}")));
            self.layers.extend(last);
            return Ok(FileOutcome::Broken);
        }
        if self.request.broken_files == BrokenFiles::Refuse || source == SettingSource::Policy {
            return Err(error);
        }
        let origin = Origin::new(source, path.map(Arc::from), None);
        self.problems.push(Problem::new(origin, format!("{error}; the file is skipped")));
        Ok(FileOutcome::Broken)
    }

    fn finish(mut self, places: &Places) -> Result<Settings, SettingsError> {
        let locations = &self.request.locations;
        let trust = self.trust(places);
        if !trust.is_trusted() {
            for layer in &mut self.layers {
                if matches!(layer.source(), SettingSource::Project | SettingSource::Local) {
                    layer.contribution = Contribution::DenyAndAskRules;
                }
            }
        }
        let base = Base { working_directory: &locations.working_directory, home: locations.home.as_deref() };
        let mut settings = merge(self.layers, &self.request.order, base);
        for directory in &self.request.command_line.directories {
            let path = locations.working_directory.join(directory);
            settings.directories.push(Directory { path, origin: Origin::of(SettingSource::Cli) });
        }
        settings.problems.splice(0..0, self.problems);
        if let Some(problem) = policy_problem(&settings.problems) {
            return Err(SettingsError::PolicyEntry { problem });
        }
        if places.by_itself {
            settings.notices.push(Notice::ReadsClaudeFiles { folder: places.project.clone() });
        }
        settings.notices.extend(trust.notice());
        settings.trust = trust;
        settings.files = self.files;
        settings.reads_claude = places.reads_claude;
        settings.write_back = Some(WriteBack {
            user_file: locations.user_file.clone(),
            project_file: places.project_file(),
            local_file: places.local_file(),
            project_root: places.project.clone(),
            local_root: places.local_root.clone(),
            state_directory: locations.state_directory.clone(),
            trust_file: locations.trust_file(),
        });
        Ok(settings)
    }

    fn trust(&mut self, places: &Places) -> TrustState {
        let store = TrustStore::new(self.request.locations.trust_file());
        let files: Vec<_> = self.trusted.drain(..).filter(|(_, _, items)| !items.is_empty()).collect();
        let records = if files.is_empty() { Ok(None) } else { store.read().map(Some) };
        let records = records.unwrap_or_else(|error| {
            // A store that cannot be relied on holds no trust.
            self.problems.push(Problem::new(
                Origin::of(SettingSource::Builtin),
                format!("{error}; nothing is trusted"),
            ));
            None
        });
        let check = |(file, folder, items): (PathBuf, PathBuf, Vec<TrustItem>)| {
            let record = records.as_ref().and_then(|records| records.find(&file));
            TrustedFile::check(file, folder, items, record)
        };
        TrustState::new(places.project.clone(), files.into_iter().map(check).collect())
    }
}

/// The same file without `..`, because its folder is where patterns start.
fn without_parent_steps(path: PathBuf) -> PathBuf {
    let folds = path.components().any(|part| part == Component::ParentDir);
    let folder = path.parent().filter(|_| folds).and_then(|folder| fs::canonicalize(folder).ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Reads and checks one file; `None` when it is not there.
fn read_layer(source: SettingSource, path: &Path, anchor: &Path) -> Result<Option<Layer>, SettingsError> {
    let Some(text) = read_text(path)? else { return Ok(None) };
    let file: Arc<Path> = Arc::from(path);
    let document = document(Some(file.clone()), &text)?;
    Layer::new(source, Some(file), Arc::from(anchor), document).map(Some)
}

fn document(file: Option<Arc<Path>>, text: &str) -> Result<Document, SettingsError> {
    parse(text).map_err(|error| SettingsError::Syntax {
        file,
        line: error.line,
        column: error.column,
        message: error.message,
    })
}

/// The options of the command line as a layer, so that they merge like everything else.
fn command_line_layer(options: &CommandLine, working_directory: &Path) -> Result<Layer, SettingsError> {
    let mut permissions = Map::new();
    for (key, rules) in [("allow", &options.allow), ("ask", &options.ask), ("deny", &options.deny)] {
        if !rules.is_empty() {
            permissions.insert(key.to_owned(), Value::from(rules.clone()));
        }
    }
    if let Some(mode) = options.mode {
        permissions.insert("defaultMode".to_owned(), Value::from(mode.as_str()));
    }
    let value = Value::Object(Map::from_iter([("permissions".to_owned(), Value::Object(permissions))]));
    let document = Document { value, lines: Lines::default() };
    Layer::new(SettingSource::Cli, None, Arc::from(working_directory), document)
}
