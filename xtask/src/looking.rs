//! Invariant 11: library crates are told paths and values, and look at nothing on their own.

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    /// What only a program may do, and the command is the program.
    const NOT_IN_LIBRARIES: [&str; 9] = [
        "env::var(",
        "env::var_os(",
        "env::vars(",
        "env::vars_os(",
        "env::current_dir(",
        "env::home_dir(",
        "env::args(",
        "process::exit(",
        "Runtime::new(",
    ];

    /// Folders that are no libraries for others.
    const PROGRAMS: [&str; 2] = ["cli", "shell-oracle"];

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn library_crates_look_at_nothing_on_their_own() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        let mut files = Vec::new();
        for entry in fs::read_dir(&crates).unwrap() {
            let folder = entry.unwrap().path();
            if !PROGRAMS.iter().any(|name| folder.ends_with(name)) {
                sources(&folder.join("src"), &mut files);
            }
        }
        assert!(files.len() > 100, "only {} files were found", files.len());
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            // Tests of a file stand at its end.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let code = code.join("\n");
            for call in NOT_IN_LIBRARIES {
                assert!(!code.contains(call), "{} calls `{call}..)`; let the caller say it", file.display());
            }
        }
    }
}
