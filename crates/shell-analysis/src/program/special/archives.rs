//! Archives: what they read, and where they unpack.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, effects};

/// Options of tar.
pub(in super::super) const TAR: &str = "-A,--catenate,--concatenate -c,--create --delete -d,--diff,--compare -r,--append --test-label -t,--list -u,--update -x,--extract,--get --check-device -g,--listed-incremental=b -G,--incremental --hole-detection=n --ignore-failed-read --level=n --no-check-device --no-seek -n,--seek --occurrence?n --sparse-version=n -S,--sparse --add-file=R -C,--directory=n --exclude=n --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-ignore=n --exclude-ignore-recursive=n --exclude-tag=n --exclude-tag-all=n --exclude-tag-under=n --exclude-vcs --exclude-vcs-ignores --no-null --no-recursion --no-unquote --no-verbatim-files-from --null --recursion -T,--files-from=f --unquote --verbatim-files-from -X,--exclude-from=r --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files -k,--keep-old-files --no-overwrite-dir --one-top-level?n --overwrite --overwrite-dir --recursive-unlink --remove-files --skip-old-files -U,--unlink-first -W,--verify --ignore-command-error --no-ignore-command-error -O,--to-stdout --to-command=l --atime-preserve?n --clamp-mtime --delay-directory-restore --group=n --group-map=r --mode=n --mtime=n -m,--touch --no-delay-directory-restore --no-same-owner -o --no-same-permissions --numeric-owner --owner=n --owner-map=r -p,--preserve-permissions,--same-permissions --same-owner --sort=n -s,--preserve-order,--same-order --acls --no-acls --no-selinux --no-xattrs --selinux --xattrs --xattrs-exclude=n --xattrs-include=n --force-local -f,--file=n -F,--info-script,--new-volume-script=l -L,--tape-length=n -M,--multi-volume ^--rmt-command=l ^--rsh-command=l --volno-file=b -b,--blocking-factor=n -B,--read-full-records -i,--ignore-zeros --record-size=n -H,--format=n --old-archive,--portability --pax-option=n --posix -V,--label=n -a,--auto-compress -I,--use-compress-program=l -j,--bzip2 -J,--xz --lzip --lzma --lzop --no-auto-compress --zstd -z,--gzip,--gunzip,--ungzip -Z,--compress,--uncompress --backup?n --hard-dereference -h,--dereference -K,--starting-file=n --newer-mtime=n -N,--newer,--after-date=n --one-file-system -P,--absolute-names --suffix=n --strip-components=n --transform,--xform=n --checkpoint?n --checkpoint-action=n --full-time --index-file=w -l,--check-links --no-quote-chars=n --quote-chars=n --quoting-style=n -R,--block-number --show-defaults --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names,--show-stored-names --totals?n --utc -v,--verbose --warning=n -w,--interactive,--confirmation -?,--help --restrict --usage --version";

/// `tar`, also with its options in the first word without a dash.
pub(in super::super) fn tar(call: &Call<'_>, used: &mut ProgramUse) {
    let first = call.words.get(1).and_then(|word| word.value.as_deref());
    let is_old = first.is_some_and(|text| {
        !text.starts_with('-') && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    if is_old {
        let words = dashed(call.words);
        *used = ProgramUse::default();
        let inner = Call::read(call.row, &words);
        effects::apply(&inner, used);
        run(&inner, used);
    } else {
        run(call, used);
    }
}

/// `tar xfC a b` written as `tar -x -f a -C b`.
fn dashed(words: &[Word]) -> Vec<Word> {
    let mut dashed: Vec<Word> = words.first().cloned().into_iter().collect();
    let Some(letters) = words.get(1) else { return dashed };
    let mut rest = words.iter().skip(2);
    for letter in letters.prefix.chars() {
        dashed.push(Word::known(format!("-{letter}"), letters.at));
        if "bCfFgHIKLNTVX".contains(letter) {
            dashed.extend(rest.next().cloned());
        }
    }
    dashed.extend(rest.cloned());
    dashed
}

fn run(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() {
        used.opaque.push("an option of `tar` is not known");
    }
    for given in &call.options {
        let value = given.value.as_ref();
        let text = value.and_then(|value| value.value.as_deref());
        match given.known.name {
            "--checkpoint-action" => match text {
                Some("dot" | "." | "bell" | "echo" | "ttyout" | "totals") => {}
                Some(text)
                    if text.starts_with("echo=")
                        || text.starts_with("sleep=")
                        || text.starts_with("ttyout=") => {}
                Some(text) if text.starts_with("exec=") => {
                    effects::line(&Word::known(text.trim_start_matches("exec="), given.at), Vec::new(), used);
                }
                _ => used.opaque.push("a command that `tar` runs cannot be told"),
            },
            "--transform" if text.is_none_or(|text| !text.starts_with("s")) => {
                used.opaque.push("an option of `tar` is not known")
            }
            _ => {}
        }
    }
    let folder = call.option("-C").map(|given| given.value.clone().unwrap_or_default());
    if let Some(file) = call.option("-f").and_then(|given| given.value.as_ref()) {
        let is_remote =
            file.value.as_deref().is_some_and(|text| text.contains(':')) && !call.has(&["--force-local"]);
        if is_remote {
            used.network.push(file.value.as_deref().and_then(super::super::hosts::host));
            used.opaque.push("an archive on another machine");
        }
        let writes = call.has(&["-c", "-r", "-u", "-A", "--delete"]);
        if file.value.as_deref() != Some("-") {
            used.touch(file, if writes { FileAccess::Write } else { FileAccess::Read }, false);
        }
    }
    if call.has(&["-h"]) && !call.has(&["-x", "-t"]) {
        used.follows_links(call.at());
    }
    if call.options.iter().filter(|given| given.known.name == "-C").count() > 1 {
        used.elsewhere(call.at());
    }
    if call.has(&["-x"]) {
        if !call.has(&["-O", "--to-command"]) {
            match &folder {
                Some(folder) => used.touch(folder, FileAccess::Write, true),
                None => used.path(".", FileAccess::Write, true, call.at()),
            }
            if call.has(&["-P"]) {
                used.unknown_file(FileAccess::Write, call.at());
            }
        }
    } else if !call.has(&["-t"]) {
        let base = folder.as_ref().map(|folder| folder.value.clone());
        for (_, word) in &call.operands {
            let mut paths = vec![(*word).clone()];
            match &base {
                Some(Some(base)) if !word.prefix.starts_with(['/', '~']) => {
                    paths = vec![Word {
                        value: word.value.as_ref().map(|path| format!("{base}/{path}")),
                        has_tilde: true,
                        ..(*word).clone()
                    }];
                }
                Some(None) => paths = vec![Word::unknown(false, word.at)],
                _ => {}
            }
            for path in &paths {
                used.touch(path, FileAccess::Read, true);
                if call.has(&["--remove-files"]) {
                    used.touch(path, FileAccess::Remove, true);
                }
            }
        }
    }
}

/// Compressors replace the file by another one.
pub(in super::super) fn packed(call: &Call<'_>, used: &mut ProgramUse) {
    let shows = call.has(&["-c", "c", "-l", "l", "-t", "t"]);
    if shows {
        used.files.retain(|touch| touch.access == FileAccess::Read);
        return;
    }
    let keeps = call.has(&["-k", "k"]);
    for (_, word) in &call.operands {
        if !keeps {
            used.touch(word, FileAccess::Remove, false);
        }
        let Some(path) = word.value.as_deref() else { continue };
        let stem = [".gz", ".bz2", ".xz", ".zst", ".tgz", ".lzma", ".Z"]
            .iter()
            .find_map(|end| path.strip_suffix(end));
        match stem {
            Some(stem) => used.path(stem, FileAccess::Write, false, word.at),
            None => {
                if call.row.name.starts_with('b') {
                    used.path(format!("{path}.out"), FileAccess::Write, false, word.at);
                }
                let end = match call.row.name {
                    "bzip2" => "bz2",
                    "xz" => "xz",
                    "zstd" => "zst",
                    _ => "gz",
                };
                used.path(format!("{path}.{end}"), FileAccess::Write, false, word.at);
            }
        }
    }
    if call.has(&["-S"]) {
        used.unknown_file(FileAccess::Write, call.at());
    }
    if call.has(&["-r"]) {
        used.deepen(FileAccess::Read);
        used.deepen(FileAccess::Write);
        used.deepen(FileAccess::Remove);
    }
}

/// `cpio -i` unpacks here, `cpio -p` into a folder.
pub(in super::super) fn unpacks_here(call: &Call<'_>, used: &mut ProgramUse) {
    used.unknown_file(FileAccess::Read, call.at());
    if call.has(&["p"]) {
        for (_, word) in &call.operands {
            used.touch(word, FileAccess::Write, true);
        }
    } else if !call.has(&["o", "t"]) || !call.is_certain() {
        used.path(".", FileAccess::Write, true, call.at());
        used.unknown_file(FileAccess::Write, call.at());
    }
}

/// `unzip` unpacks here or into `-d`.
pub(in super::super) fn unzip(call: &Call<'_>, used: &mut ProgramUse) {
    let looks = call.has(&["l", "t", "p", "v", "Z", "z", "c"]);
    if !looks && !call.has(&["-d"]) {
        used.path(".", FileAccess::Write, true, call.at());
    }
    if !call.is_certain() {
        used.unknown_file(FileAccess::Write, call.at());
    }
}

/// `zip -m` removes what it packs.
pub(in super::super) fn zip(call: &Call<'_>, used: &mut ProgramUse) {
    if let Some((_, archive)) = call.operands.first()
        && let Some(path) = archive
            .value
            .as_deref()
            .filter(|path| !super::super::base_name(path).contains('.') && *path != "-")
    {
        used.path(format!("{path}.zip"), FileAccess::Write, false, archive.at);
    }
    if call.has(&["r", "-R", "--recurse-paths"]) && !call.has(&["y"]) {
        used.deepen(FileAccess::Read);
        used.follows_links(call.at());
    }
    if call.has(&["m"]) {
        for (_, word) in call.operands.iter().skip(1) {
            used.touch(word, FileAccess::Remove, true);
        }
    }
    if !call.is_certain() {
        used.opaque.push("an option of `zip` is not known");
    }
}

/// Any word may be read or written.
pub(in super::super) fn anything(call: &Call<'_>, used: &mut ProgramUse) {
    for word in call.words.iter().skip(2).filter(|word| !word.prefix.starts_with('-')) {
        used.touch(word, FileAccess::Read, true);
        used.touch(word, FileAccess::Write, true);
    }
    used.path(".", FileAccess::Write, true, call.at());
}
