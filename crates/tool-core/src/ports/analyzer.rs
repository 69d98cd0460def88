//! What a command line would run. Port of `shell-analysis`.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

/// What is known about the shell that will run the line.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct ShellStart {
    /// Working directory.
    pub cwd: PathBuf,
    /// Home directory, for `~`.
    pub home: Option<PathBuf>,
    /// Names that the start-up snapshot or env file defines; a command of such a name is opaque.
    pub shadowed: Arc<BTreeSet<String>>,
    /// Whether it is bash with a cleaned environment; of another shell every line is opaque.
    pub is_bash: bool,
}

impl ShellStart {
    /// bash, in `cwd`, with nothing shadowed.
    pub fn bash(cwd: impl Into<PathBuf>, home: Option<PathBuf>) -> Self {
        Self { cwd: cwd.into(), home, shadowed: Arc::default(), is_bash: true }
    }
}

/// One simple command that could run.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct CommandUse {
    /// Base name of the program; `None` when it cannot be told.
    pub program: Option<String>,
    /// Words after quote removal, the program first; `None` for one that cannot be told.
    pub argv: Vec<Option<String>>,
    /// Whether each unknown word stands for exactly one.
    pub exact: bool,
    /// Programs through which it runs, outermost first.
    pub via: Vec<String>,
    /// Byte offset in the line.
    pub at: usize,
    /// Its source text, as written, without redirections.
    pub text: String,
    /// Names of variables assigned for this command.
    pub assigns: Vec<String>,
    /// Whether a word holds an unquoted glob.
    pub has_glob: bool,
    /// The command of the report that starts this one by its own words or input (`env rm x` starts `rm x`,
    /// `bash -c 'rm x'` too): its index. `None` for what the shell itself starts.
    pub starter: Option<usize>,
    /// What its program is known to do with these words.
    pub nature: CommandNature,
}

impl CommandUse {
    /// A command of known words.
    pub fn new(argv: Vec<Option<String>>, at: usize, text: impl Into<String>) -> Self {
        let first = argv.first().cloned().flatten();
        let program = first.map(|word| word.rsplit('/').next().unwrap_or_default().to_owned());
        let text = text.into();
        Self {
            program,
            argv,
            exact: true,
            via: Vec::new(),
            at,
            text,
            assigns: Vec::new(),
            has_glob: false,
            starter: None,
            nature: CommandNature::Other,
        }
    }
}

/// What a program does with the words it is given, as far as is known of the program. Files that it touches
/// are told apart from it, in [`CommandReport::files`].
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "who judges must look at each")]
pub enum CommandNature {
    /// It only looks and prints: nothing is changed, reached over the network, or started that the report does not
    /// list. A glob that could add an option to it makes it [`CommandNature::Other`].
    ReadOnly,
    /// It only looks as long as the repository that it finds names no programs: git.
    ReadOnlyInTrusted,
    /// It changes files and nothing else, all of them among the report's files.
    FileEdit,
    /// It does nothing itself but start the commands that name it as their starter, with the same words and
    /// input and no more rights: `timeout 5`, `nice`, `nohup`, `time`, bare `xargs`.
    Transparent,
    /// Anything else.
    #[default]
    Other,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "who judges must look at each")]
pub enum FileAccess {
    /// Its content, or the names in it when it is a folder, is looked at.
    Read,
    /// It is created, changed or replaced, or a name is made in it.
    Write,
    /// It is taken away.
    Remove,
}

/// A file that a line touches by a redirection or by a program whose words are understood.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct FileUse {
    /// The path as named, after quote removal, a glob as written and an unquoted leading `~` kept; `None` when it
    /// cannot be told.
    pub path: Option<String>,
    /// What is done with it.
    pub access: FileAccess,
    /// The command of the report that does it; `None` for a redirection of a list or group.
    pub command: Option<usize>,
    /// Whether the shell opens it, for a redirection.
    pub is_redirection: bool,
    /// Whether everything below it is meant too, when it is a folder.
    pub is_deep: bool,
    /// Whether the path holds an unquoted glob, so that it stands for any number of files.
    pub has_glob: bool,
    /// Byte offset in the line.
    pub at: usize,
}

impl FileUse {
    /// A file that `command` touches itself.
    pub fn new(path: Option<String>, access: FileAccess, command: Option<usize>, at: usize) -> Self {
        Self { path, access, command, is_redirection: false, is_deep: false, has_glob: false, at }
    }
}

/// A part of a line that cannot be told.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct OpaquePart {
    /// Why.
    pub reason: String,
    /// Byte offset in the line.
    pub at: usize,
}

impl OpaquePart {
    /// A part that cannot be told.
    pub fn new(reason: impl Into<String>, at: usize) -> Self {
        Self { reason: reason.into(), at }
    }
}

/// What a command line would do. Soundness is the promise: what bash runs is contained in it, or
/// `opaque` is not empty.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct CommandReport {
    /// Every simple command that could run.
    pub commands: Vec<CommandUse>,
    /// Files written by redirections and well-known commands; `None` for an unknown one.
    pub writes: Vec<Option<String>>,
    /// Files read.
    pub reads: Vec<Option<String>>,
    /// Files removed.
    pub removes: Vec<Option<String>>,
    /// Hosts reached.
    pub network: Vec<Option<String>>,
    /// The files of `writes`, `reads` and `removes` with what touches them and how.
    pub files: Vec<FileUse>,
    /// What cannot be told.
    pub opaque: Vec<OpaquePart>,
}

impl CommandReport {
    /// A line of which nothing can be told.
    pub fn opaque(reason: impl Into<String>, at: usize) -> Self {
        Self { opaque: vec![OpaquePart::new(reason, at)], ..Self::default() }
    }
}

/// Tells what a command line would run.
///
/// # Contract
/// - Never panics, takes bounded time and stack for any text.
/// - Sound: see [`CommandReport`].
pub trait CommandAnalyzer: Debug + Send + Sync {
    /// Analyses `line` for the shell that `start` describes.
    fn analyze(&self, line: &str, start: &ShellStart) -> Arc<CommandReport>;
}

const _: fn(&dyn CommandAnalyzer) = |_| ();
