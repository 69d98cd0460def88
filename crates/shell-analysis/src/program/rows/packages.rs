//! Package managers, build programs and git.

use super::super::row::Kind::Other;
use super::super::row::{Row, row};
use super::super::special::{self, packages as p};

/// Sorted by name.
pub(super) const ROWS: &[Row] = &[
    row("apk", Other, "", "@ n*").with(p::system),
    row("apt", Other, "", "@ n*").with(p::system),
    row("apt-get", Other, "", "@ n*").with(p::system),
    row("brew", Other, "", "@ n*").with(p::system),
    row("bunx", Other, NPX, "+ c").with(p::npx),
    row("cargo", Other, "", "@ n*").with(p::cargo),
    row("cmake", Other, "", "@ n*").with(p::cmake),
    row("composer", Other, "", "@ n*").with(p::installer),
    row("dnf", Other, "", "@ n*").with(p::system),
    row("gem", Other, "", "@ n*").with(p::installer),
    row("git", Other, "", "@ n*").with(special::git::hook),
    row("gmake", Other, MAKE, "n*").with(p::make),
    row("go", Other, "", "@ n*").with(p::go),
    row("make", Other, MAKE, "n*").with(p::make),
    row("npm", Other, "", "@ n*").with(p::npm),
    row("npx", Other, NPX, "+ c").with(p::npx),
    row("pacman", Other, "", "@ n*").with(p::system),
    row("pip", Other, "", "@ n*").with(p::installer),
    row("pipx", Other, "", "@ n*").with(p::installer),
    row("pnpm", Other, "", "@ n*").with(p::npm),
    row("pnpx", Other, NPX, "+ c").with(p::npx),
    row("poetry", Other, "", "@ n*").with(p::runner),
    row("rustup", Other, "", "@ n*").with(p::rustup),
    row("uv", Other, "", "@ n*").with(p::runner),
    row("uvx", Other, "--from=n --with=n -p,--python=n -q,--quiet -v,--verbose --isolated --no-cache", "+ c")
        .with(p::npx),
    row("yarn", Other, "", "@ n*").with(p::npm),
    row("yum", Other, "", "@ n*").with(p::system),
];

const MAKE: &str = ":bm -B,--always-make -C,--directory=n -d --debug?n -e,--environment-overrides ^-E,--eval=o -f,--file,--makefile=r -h,--help -i,--ignore-errors -I,--include-dir=r -j,--jobs?n -k,--keep-going -l,--load-average,--max-load?n -L,--check-symlink-times -n,--just-print,--dry-run,--recon -o,--old-file,--assume-old=n -O,--output-sync?n -p,--print-data-base -q,--question -r,--no-builtin-rules -R,--no-builtin-variables -s,--silent,--quiet --no-silent -S,--no-keep-going,--stop -t,--touch --trace -v,--version -w,--print-directory --no-print-directory -W,--what-if,--new-file,--assume-new=n --warn-undefined-variables --shuffle?n --jobserver-auth?n";

const NPX: &str = "-p,--package=n -c,--call=l -y,--yes -n,--no,--no-install -q,--quiet -w,--workspace=n --workspaces,-ws --include-workspace-root --ignore-existing --prefer-online --prefer-offline --offline -s,--silent --bun -v,--version -h,--help ^--script-shell=k ^--shell=k ^--node-options=o --loglevel=n --registry=n --cache=W --verbose";
