//! The private root folder: bash and what it needs, and a stub under every other name.

use crate::environment::{HOSTILE, START, snapshot};
use crate::programs::{REAL, STUBS};
use crate::shell::OracleError;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where programs of the machine are looked for.
const PLACES: [&str; 6] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin"];

/// A private root on disk; removed when dropped.
#[derive(Debug)]
pub(crate) struct Root {
    folder: tempfile::TempDir,
}

impl Root {
    /// Builds one below `parent`. `own` is this program and `stub` the stub program.
    pub(crate) fn build(parent: &Path, own: &Path, stub: &Path) -> Result<Self, OracleError> {
        let folder = tempfile::Builder::new().prefix("pegboard-oracle-").tempdir_in(parent)?;
        let root = folder.path();
        fs::set_permissions(root, fs::Permissions::from_mode(0o755))?;
        for name in ["usr/bin", "usr/local/bin", "oracle/real", "proc", "dev", "work", "tmp", "etc"] {
            fs::create_dir_all(root.join(name))?;
        }
        symlink("usr/bin", root.join("bin"))?;
        symlink("/proc/self/fd", root.join("dev/fd"))?;
        for (name, number) in [("stdin", 0), ("stdout", 1), ("stderr", 2)] {
            symlink(format!("/proc/self/fd/{number}"), root.join("dev").join(name))?;
        }
        fs::write(root.join("dev/null"), "")?;
        fs::write(root.join("etc/passwd"), "dev:x:65534:65534::/work/home:/bin/bash\n")?;
        fs::write(root.join("oracle/start"), START)?;
        fs::write(root.join("oracle/hostile"), HOSTILE)?;
        fs::write(root.join("oracle/snapshot"), snapshot())?;

        let bash = find("bash").ok_or_else(|| OracleError::unavailable("bash is not installed"))?;
        let mut programs =
            vec![(own.to_owned(), root.join("oracle/runner")), (stub.to_owned(), root.join("oracle/stub"))];
        for name in REAL {
            let real = if *name == "bash" { Some(bash.clone()) } else { find(name) };
            programs.extend(
                real.filter(|real| is_binary(real)).map(|real| (real, root.join("oracle/real").join(name))),
            );
        }
        for (from, to) in &programs {
            fs::copy(from, to)?;
            fs::set_permissions(to, fs::Permissions::from_mode(0o755))?;
        }
        for name in STUBS.iter().chain(REAL) {
            fs::hard_link(root.join("oracle/stub"), root.join("usr/bin").join(name))?;
        }
        let libraries = libraries(programs.iter().map(|(from, _)| from.as_path()))?;
        // With it a program finds its libraries at once.
        if Path::new("/etc/ld.so.cache").is_file() {
            fs::copy("/etc/ld.so.cache", root.join("etc/ld.so.cache"))?;
        }
        for library in libraries {
            let target = root.join(library.strip_prefix("/").unwrap_or(&library));
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::copy(&library, target)?;
        }
        // `stdbuf` loads this by itself.
        for library in ["/usr/libexec/coreutils/libstdbuf.so", "/usr/lib/coreutils/libstdbuf.so"] {
            let target = root.join(library.trim_start_matches('/'));
            if let (true, Some(parent)) = (Path::new(library).is_file(), target.parent()) {
                fs::create_dir_all(parent)?;
                fs::copy(library, &target)?;
            }
        }
        Ok(Self { folder })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A program of the machine, links resolved.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    PLACES.iter().map(|place| Path::new(place).join(name)).find(|path| path.is_file())
}

/// Whether it is a program itself. A script is not copied: its interpreter is a stub.
fn is_binary(path: &Path) -> bool {
    let mut head = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"\x7fELF"
}

/// The libraries that the programs load.
fn libraries<'a>(programs: impl Iterator<Item = &'a Path>) -> Result<BTreeSet<PathBuf>, OracleError> {
    let output = Command::new("ldd").args(programs).stdin(Stdio::null()).output();
    let output = output.map_err(|error| OracleError::unavailable(format!("`ldd` cannot be run: {error}")))?;
    let mut libraries = BTreeSet::new();
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with('\t')) {
        let named = line.split_once("=> ").map_or(line, |(_, path)| path);
        let path = named.split_whitespace().next().unwrap_or_default();
        if path.starts_with('/') {
            libraries.insert(PathBuf::from(path));
        }
    }
    Ok(libraries)
}
