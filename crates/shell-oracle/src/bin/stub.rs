//! Every program of the private root: records how it was started, then is the real program where there is one.
//!
//! A record is a length (four bytes, little end first) and NUL-terminated fields: process, parent, path of the
//! program, then the words. It is written by one append, so records of processes that run at once do not mix.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::io::Write as _;
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    use std::os::unix::process::CommandExt as _;

    let own = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let words: Vec<Vec<u8>> = std::env::args_os().map(|word| word.into_vec()).collect();
    let mut record = vec![0; 4];
    for field in [std::process::id().to_string(), std::os::unix::process::parent_id().to_string()] {
        record.extend(field.bytes().chain([0]));
    }
    for field in [own.as_os_str().as_bytes()].into_iter().chain(words.iter().map(Vec::as_slice)) {
        record.extend(field.iter().chain(&[0]));
    }
    let length = u32::try_from(record.len() - 4).unwrap_or(u32::MAX).to_le_bytes();
    for (place, byte) in record.iter_mut().zip(length) {
        *place = byte;
    }
    let log = std::fs::OpenOptions::new().append(true).open("/work/.oracle/log");
    if log.and_then(|mut log| log.write_all(&record)).is_err() {
        return std::process::ExitCode::from(125);
    }
    let Some(name) = own.file_name() else { return std::process::ExitCode::from(125) };
    let real = std::path::Path::new("/oracle/real").join(name);
    if real.exists() {
        let mut words = words.into_iter().map(std::ffi::OsString::from_vec);
        let mut command = std::process::Command::new(&real);
        command.arg0(words.next().unwrap_or_default()).args(words);
        // Rust's start-up ignores SIGPIPE; `exec` of the standard library gives the child the default back.
        let _error = command.exec();
        return std::process::ExitCode::from(126);
    }
    // What a program prints may be run by the line; then that is seen.
    let _ = std::io::stdout().write_all(b"rm from-output\n");
    std::process::ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn main() {}
