//! Which server speaks about which files: a table, and what the settings change in it.

use crate::program::{self, NoProgram};
use crate::settings::LspSettings;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A language server as it is started.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Server {
    pub(super) name: String,
    /// A name on PATH or an absolute path.
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) extensions: Vec<String>,
    pub(super) markers: Vec<String>,
    pub(super) options: Value,
    pub(super) settings: Value,
}

/// A built-in server: name, program, arguments, extensions, markers.
type BuiltIn =
    (&'static str, &'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const BUILT_IN: [BuiltIn; 5] = [
    ("rust-analyzer", "rust-analyzer", &[], &["rs"], &["Cargo.toml", "rust-project.json"]),
    (
        "pyright",
        "pyright-langserver",
        &["--stdio"],
        &["py", "pyi"],
        &["pyproject.toml", "pyrightconfig.json", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"],
    ),
    (
        "typescript",
        "typescript-language-server",
        &["--stdio"],
        &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"],
        &["tsconfig.json", "jsconfig.json", "package.json"],
    ),
    ("gopls", "gopls", &[], &["go"], &["go.work", "go.mod"]),
    (
        "clangd",
        "clangd",
        &["--background-index=false"],
        &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm"],
        &["compile_commands.json", "compile_flags.txt", ".clangd"],
    ),
];

/// Names of languages in the protocol, where they are not the extension itself.
const LANGUAGES: [(&str, &str); 22] = [
    ("rs", "rust"),
    ("py", "python"),
    ("pyi", "python"),
    ("ts", "typescript"),
    ("mts", "typescript"),
    ("cts", "typescript"),
    ("tsx", "typescriptreact"),
    ("js", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("jsx", "javascriptreact"),
    ("h", "c"),
    ("cc", "cpp"),
    ("cxx", "cpp"),
    ("hh", "cpp"),
    ("hpp", "cpp"),
    ("hxx", "cpp"),
    ("m", "objective-c"),
    ("mm", "objective-cpp"),
    ("rb", "ruby"),
    ("sh", "shellscript"),
    ("kt", "kotlin"),
];

/// All servers: those of the settings first, so that they win where two know an extension.
pub(super) fn servers(settings: &LspSettings) -> Vec<Server> {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let built_in = |(name, command, args, extensions, markers): BuiltIn| Server {
        name: name.to_owned(),
        command: command.to_owned(),
        args: texts(args),
        extensions: texts(extensions),
        markers: texts(markers),
        options: options(name),
        settings: Value::Null,
    };
    let mut known: Vec<Server> = BUILT_IN.into_iter().map(built_in).collect();
    let mut named = Vec::new();
    for (name, given) in &settings.servers {
        let before = known.iter().position(|server| server.name == *name).map(|at| known.remove(at));
        if given.disabled {
            continue;
        }
        let mut server = before.unwrap_or_else(|| Server {
            name: name.clone(),
            command: name.clone(),
            args: Vec::new(),
            extensions: Vec::new(),
            markers: Vec::new(),
            options: Value::Null,
            settings: Value::Null,
        });
        let set = |field: &mut Vec<String>, given: &Option<Vec<String>>| {
            if let Some(given) = given {
                field.clone_from(given);
            }
        };
        server.command = given.command.clone().unwrap_or(server.command);
        set(&mut server.args, &given.args);
        set(&mut server.extensions, &given.extensions);
        set(&mut server.markers, &given.root_markers);
        server.options = given.initialization_options.clone().unwrap_or(server.options);
        server.settings = given.settings.clone().unwrap_or(server.settings);
        named.push(server);
    }
    named.extend(known);
    named
}

/// What the built-in servers are asked to be like.
fn options(name: &str) -> Value {
    match name {
        // No builds beside the model's own: they would wait for each other.
        "rust-analyzer" => json!({"checkOnSave": false, "cachePriming": {"enable": false}}),
        _ => Value::Null,
    }
}

impl Server {
    /// Whether the file's name is one of this server's.
    pub(super) fn knows(&self, path: &Path) -> bool {
        let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else { return false };
        self.extensions.iter().any(|known| known.trim_start_matches('.').eq_ignore_ascii_case(extension))
    }

    /// The program, found in the absolute folders of `path` or given as an absolute path.
    ///
    /// # Errors
    /// When there is none that may be run.
    pub(super) fn program(&self, path: impl IntoIterator<Item = PathBuf>) -> Result<PathBuf, NoProgram> {
        // A path that is not absolute would be one of the working directory.
        let is_named = Path::new(&self.command).is_absolute() || !self.command.contains(['/', '\\']);
        if is_named { program::resolve(&self.command, Path::new(""), path) } else { Err(NoProgram::NotFound) }
    }

    /// The root of the project that `path` belongs to: the outermost folder with a marker, not beyond a checkout of
    /// git and not beyond `most`.
    pub(super) fn root(&self, path: &Path, most: &Path) -> PathBuf {
        let mut root = None;
        let mut outermost = most;
        for folder in path.ancestors().take_while(|folder| folder.starts_with(most)) {
            if self.markers.iter().any(|marker| folder.join(marker).is_file()) {
                root = Some(folder);
            }
            outermost = folder;
            if folder.join(".git").symlink_metadata().is_ok() {
                break;
            }
        }
        root.unwrap_or(outermost).to_path_buf()
    }
}

/// What the protocol calls the language of a file.
pub(super) fn language_of(path: &Path) -> String {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    let known = LANGUAGES.iter().find(|(known, _)| *known == extension);
    known.map_or(extension, |(_, language)| (*language).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_change_add_and_remove_servers() {
        let settings: LspSettings = serde_json::from_value(json!({"servers": {
            "pyright": {"command": "/opt/pyright", "settings": {"python": {"x": 1}}},
            "gopls": {"disabled": true},
            "mine": {"command": "mine-ls", "extensions": [".foo", "rs"], "rootMarkers": ["foo.toml"]},
        }}))
        .unwrap();
        let servers = servers(&settings);
        let by = |path: &str| servers.iter().find(|server| server.knows(Path::new(path)));
        let pyright = by("a.py").unwrap();
        assert_eq!(
            (pyright.command.as_str(), &pyright.args[..]),
            ("/opt/pyright", &["--stdio".to_owned()][..])
        );
        assert_eq!(by("a.foo").unwrap().name, "mine");
        assert_eq!(by("a.RS").unwrap().name, "mine");
        assert_eq!(by("a.tsx").unwrap().name, "typescript");
        assert!(by("a.go").is_none() && by("Makefile").is_none());
        assert_eq!(
            (language_of(Path::new("x.TSX")), language_of(Path::new("x.foo"))),
            ("typescriptreact".into(), "foo".into())
        );
    }

    #[test]
    fn the_root_is_the_outermost_marker_within_a_checkout() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        for file in [
            "w/Cargo.toml",
            "w/a/Cargo.toml",
            "w/a/src/x.rs",
            "w/tree/.git",
            "w/tree/Cargo.toml",
            "w/tree/src/x.rs",
            "plain/x.rs",
        ] {
            let path = top.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let server = servers(&LspSettings::default())
            .into_iter()
            .find(|server| server.name == "rust-analyzer")
            .unwrap();
        for (file, most, root) in [
            ("w/a/src/x.rs", "", "w"),
            ("w/a/src/x.rs", "w/a", "w/a"),
            ("w/tree/src/x.rs", "", "w/tree"),
            ("plain/x.rs", "", ""),
            ("plain/x.rs", "plain", "plain"),
        ] {
            let most = if most.is_empty() { top.to_path_buf() } else { top.join(most) };
            let root = if root.is_empty() { top.to_path_buf() } else { top.join(root) };
            assert_eq!(server.root(&top.join(file), &most), root, "{file}");
        }
    }
}
