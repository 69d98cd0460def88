//! Programs that make, change and take away files.

use super::super::row::Kind::{Edit, Other};
use super::super::row::{Row, row};
use super::super::special;

/// Sorted by name.
pub(super) const ROWS: &[Row] = &[
    row("chattr", Other, ":RVf -v=n -p=n", "n w*"),
    row("chgrp", Other, ":HLP -c,--changes -f,--silent,--quiet -v,--verbose --dereference -h,--no-dereference --no-preserve-root --preserve-root --reference=r -R,--recursive --help --version", "n w*").with(special::copies::owner),
    row("chmod", Other, "-c,--changes -f,--silent,--quiet -v,--verbose --no-preserve-root --preserve-root --reference=r -R,--recursive --help --version :rwxXstugoa", "n w*").with(special::copies::owner),
    row("chown", Other, ":HLP -c,--changes -f,--silent,--quiet -v,--verbose --dereference -h,--no-dereference --from=n --no-preserve-root --preserve-root --reference=r -R,--recursive --help --version", "n w*").with(special::copies::owner),
    row("cp", Edit, ":HZdp !-b -a,--archive --attributes-only !--backup?n --copy-contents --debug -f,--force -i,--interactive -l,--link -L,--dereference -n,--no-clobber -P,--no-dereference --preserve?n --no-preserve=n --parents -R,-r,--recursive --reflink?n --remove-destination --sparse=n --strip-trailing-slashes -s,--symbolic-link !-S,--suffix=n -t,--target-directory=n -T,--no-target-directory -u,--update?n -v,--verbose -x,--one-file-system --context?n --keep-directory-symlink --help --version", "").with(special::copies::cp),
    row("dd", Other, "", "@").with(special::copies::dd),
    row("fallocate", Other, ":cdinpvxz -l,--length=n -o,--offset=n", "w*"),
    row("install", Other, ":DZbc --backup?n -C,--compare -d,--directory -g,--group=n -m,--mode=n -o,--owner=n -p,--preserve-timestamps -s,--strip --strip-program=k !-S,--suffix=n -t,--target-directory=n -T,--no-target-directory -v,--verbose --preserve-context --context?n --help --version", "").with(special::copies::install),
    row("link", Other, "--help --version", "r w"),
    row("ln", Other, ":b --backup?n -d,-F,--directory -f,--force -i,--interactive -L,--logical -n,--no-dereference -P,--physical -r,--relative -s,--symbolic !-S,--suffix=n -t,--target-directory=n -T,--no-target-directory -v,--verbose --help --version", "").with(special::copies::ln),
    row("mkdir", Edit, ":Z -m,--mode=n -p,--parents -v,--verbose --context?n --help --version", "w*"),
    row("mkfifo", Other, ":Z -m,--mode=n --context?n --help --version", "w*"),
    row("mknod", Other, ":Z -m,--mode=n --context?n --help --version", "w n*"),
    row("mktemp", Other, ":t -d,--directory -u,--dry-run -q,--quiet --suffix=n -p,--tmpdir?W --help --version", "w").with(special::copies::mktemp),
    row("mv", Edit, "!-b !--backup?n --debug -f,--force -i,--interactive -n,--no-clobber --no-copy --exchange --strip-trailing-slashes !-S,--suffix=n -t,--target-directory=n -T,--no-target-directory -u,--update?n -v,--verbose -Z,--context --help --version", "").with(special::copies::mv),
    row("patch", Other, ":bceflnNRsStuZETO -p,--strip=n -F,--fuzz=n -i,--input=r -o,--output=w -r,--reject-file=w -D,--ifdef=n --merge?n --quoting-style=n --backup-if-mismatch --no-backup-if-mismatch -V,--version-control=n -B,--prefix=n -Y,--basename-prefix=n -z,--suffix=n -g,--get=n --verbose --dry-run --posix -d,--directory=W --reject-format=n --binary --read-only=n --help -v,--version", "b r").with(special::copies::patch),
    row("rm", Edit, ":Ii -f,--force --interactive?n --one-file-system --no-preserve-root --preserve-root?n -r,-R,--recursive -d,--dir -v,--verbose --help --version", "D*"),
    row("rmdir", Edit, "-p,--parents -v,--verbose --ignore-fail-on-non-empty --help --version", "d*").with(special::copies::rmdir),
    row("setfacl", Other, ":bkndRLPtv -m,--modify=n -M,--modify-file=r -x,--remove=n -X,--remove-file=r --set=n --set-file=r --restore=r --recursive --default --test", "w*"),
    row("shred", Other, ":u -f,--force -n,--iterations=n --random-source=r -s,--size=n --remove?n -v,--verbose -x,--exact -z,--zero --help --version", "w*").with(special::copies::shred),
    row("sync", Other, "-d,--data -f,--file-system --help --version", "n*"),
    row("touch", Edit, ":afm -c,--no-create -d,--date=n -h,--no-dereference -r,--reference=r -t=n --time=n --help --version", "w*"),
    row("trash", Other, ":v", "D*"),
    row("truncate", Other, "-c,--no-create -o,--io-blocks -r,--reference=r -s,--size=n --help --version", "w*"),
    row("unlink", Other, "--help --version", "d"),
];
