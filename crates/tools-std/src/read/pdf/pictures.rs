//! Pictures of pages by `pdftoppm`, when it is installed: started in a folder of its own, with limits.

use crate::read::output::{PdfView, Picture};
use pegboard_process::{Child, Reach};
use pegboard_tool_core::ToolContext;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;

/// The renderer.
const PROGRAM: &str = "pdftoppm";
/// Longest edge of a picture, in pixels.
const LONGEST_EDGE: &str = "1568";
/// Time for all pages of a call.
const TIME: Duration = Duration::from_secs(30);
/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_millis(100);
/// Most bytes of one picture, and of all of a call.
const MAX_BYTES: u64 = 3_500_000;
const MAX_ALL_BYTES: u64 = 15_000_000;
/// Memory of the renderer.
#[cfg(target_os = "linux")]
const MAX_MEMORY: u64 = 2 * 1024 * 1024 * 1024;
/// Switches pictures off.
const VARIABLE: &str = "PEGBOARD_PDF_PICTURES";
/// What the renderer is told of the environment.
const ENVIRONMENT: [&str; 8] =
    ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "XDG_CACHE_HOME", "FONTCONFIG_PATH", "FONTCONFIG_FILE"];

/// Draws the pages of `view`; by their number.
///
/// # Errors
/// What to tell the model when there are no pictures; nothing when that is as it should be.
pub(super) async fn render(
    bytes: Arc<[u8]>,
    view: &PdfView,
    ctx: &ToolContext,
) -> Result<BTreeMap<u32, Picture>, Option<String>> {
    if ctx.env.get(VARIABLE).is_some_and(|value| matches!(value.as_str(), "0" | "false" | "off")) {
        return Err(None);
    }
    let (Some(first), Some(last)) = (view.pages.first(), view.pages.last()) else { return Err(None) };
    let Some(program) = on_path(ctx) else {
        let text =
            "[text only: pictures of the pages need `pdftoppm` (poppler-utils), which is not installed]";
        return Err(Some(text.to_owned()));
    };
    let failed = |what: String| Some(format!("[text only: {what}]"));
    let within = temporary(ctx);
    let folder = tokio::task::spawn_blocking(move || prepare(&bytes, &within)).await;
    let folder = folder.unwrap_or_else(|error| Err(std::io::Error::other(error)));
    let folder = folder.map_err(|error| failed(format!("no temporary file could be made: {error}")))?;
    let mut command = Command::new(program);
    command
        .args([
            "-q",
            "-jpeg",
            "-scale-to",
            LONGEST_EDGE,
            "-f",
            &first.number.to_string(),
            "-l",
            &last.number.to_string(),
        ])
        .arg(folder.path().join("document.pdf"))
        .arg(folder.path().join("page"))
        .current_dir(folder.path())
        .env_clear()
        .envs(ENVIRONMENT.iter().filter_map(|name| Some((name, ctx.env.get(*name)?))))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let (mut child, tree) = pegboard_process::start(command)
        .map_err(|error| failed(format!("the renderer could not be started: {error}")))?;
    limit(&child);
    let in_time = tokio::select! {
        () = ctx.cancel.cancelled() => None,
        waited = tokio::time::timeout(TIME, child.wait()) => Some(waited.is_ok()),
    };
    tokio::join!(tree.end(Reach::Everything, GRACE), child.wait()).1.ok();
    let Some(in_time) = in_time else { return Err(None) };
    let pictures = tokio::task::spawn_blocking(move || collect(folder.path())).await.unwrap_or_default();
    match (pictures.is_empty(), in_time) {
        (false, _) => Ok(pictures),
        (true, true) => Err(failed("the renderer could not draw these pages".to_owned())),
        (true, false) => {
            Err(failed(format!("drawing these pages takes more than {} seconds", TIME.as_secs())))
        }
    }
}

/// The renderer, looked for in folders that do not depend on the working directory.
fn on_path(ctx: &ToolContext) -> Option<PathBuf> {
    let path = ctx.env.get("PATH")?;
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).find_map(|folder| {
        let program = folder.join(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX));
        program.is_file().then_some(program)
    })
}

/// The folder for temporary files.
fn temporary(ctx: &ToolContext) -> PathBuf {
    let named = ["CLAUDE_CODE_TMPDIR", "TMPDIR", "TEMP"].iter().filter_map(|name| ctx.env.get(*name));
    let mut usable = named.map(PathBuf::from).filter(|folder| folder.is_absolute() && folder.is_dir());
    usable.next().unwrap_or_else(|| PathBuf::from(if cfg!(windows) { "C:\\Windows\\Temp" } else { "/tmp" }))
}

/// A private folder with the document: the one that was judged, whatever happens to its path.
fn prepare(bytes: &[u8], within: &Path) -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("pegboard-pdf-").tempdir_in(within)?;
    std::fs::File::create_new(folder.path().join("document.pdf"))?.write_all(bytes)?;
    Ok(folder)
}

/// Limits its memory, its time and what it writes. It may be over already, which is fine.
#[cfg(target_os = "linux")]
fn limit(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let Some(pid) = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) else { return };
    for (resource, most) in
        [(Resource::As, MAX_MEMORY), (Resource::Fsize, 4 * MAX_BYTES), (Resource::Cpu, 2 * TIME.as_secs())]
    {
        // One that cannot be set leaves the time limit.
        prlimit(Some(pid), resource, Rlimit { current: Some(most), maximum: Some(most) }).ok();
    }
}

/// Other systems have the time limit only.
#[cfg(not(target_os = "linux"))]
fn limit(_child: &Child) {}

/// The pictures in the folder, by page, as many as may be.
fn collect(folder: &Path) -> BTreeMap<u32, Picture> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf, u64)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number = name.strip_prefix("page-")?.strip_suffix(".jpg")?.parse().ok()?;
            Some((number, entry.path(), entry.metadata().ok()?.len()))
        })
        .collect();
    found.sort();
    let (mut pictures, mut all) = (BTreeMap::new(), 0);
    for (number, path, size) in found {
        all += size;
        if size > MAX_BYTES || all > MAX_ALL_BYTES {
            continue;
        }
        if let Some(picture) = std::fs::read(path).ok().and_then(picture) {
            pictures.insert(number, picture);
        }
    }
    pictures
}

/// A picture that models take.
#[cfg(feature = "images")]
fn picture(bytes: Vec<u8>) -> Option<Picture> {
    crate::read::image::fit(crate::file::kind::Image::Jpeg, bytes).ok().map(|fitted| fitted.picture)
}

/// A picture as the renderer made it, within the limits that it was given.
#[cfg(not(feature = "images"))]
fn picture(bytes: Vec<u8>) -> Option<Picture> {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let whole = bytes.starts_with(b"\xff\xd8\xff") && bytes.ends_with(b"\xff\xd9");
    whole.then(|| Picture { base64: STANDARD.encode(bytes), media_type: "image/jpeg".to_owned() })
}
