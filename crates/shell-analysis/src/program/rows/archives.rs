//! Archives and compression.

use super::super::row::Kind::Other;
use super::super::row::{Row, row};
use super::super::special;

/// Sorted by name.
pub(super) const ROWS: &[Row] = &[
    row("7z", Other, "", "@ n*").with(special::archives::anything),
    row("ar", Other, "", "@ n*").with(special::archives::anything),
    row("bsdtar", Other, special::archives::TAR, "").with(special::archives::tar),
    row("bunzip2", Other, ":cdfkqstvVLh", "b*").with(special::archives::packed),
    row("bzcat", Other, ":s", "r*"),
    row("bzip2", Other, "-h,--help -d,--decompress -z,--compress -k,--keep -f,--force -t,--test -c,--stdout -q,--quiet -v,--verbose -L,--license -V,--version -s,--small --fast --best -#", "b*").with(special::archives::packed),
    row("cpio", Other, ":0aAbBcdfHiklLmMnopRrsStuvV -F,--file=b -I=r -O=w -C,--io-size=n -D,--directory=W -E,--pattern-file=r ^-e=o ^--rsh-command=k ^--to-command=l", "n*").with(special::archives::unpacks_here),
    row("gtar", Other, special::archives::TAR, "").with(special::archives::tar),
    row("gunzip", Other, ":cfklLnNqrtvV -S,--suffix=n --stdout --force --keep --list --quiet --recursive --test --verbose", "b*").with(special::archives::packed),
    row("gzip", Other, "-c,--stdout,--to-stdout -d,--decompress,--uncompress -f,--force -h,--help -k,--keep -l,--list -L,--license -n,--no-name -N,--name -q,--quiet -r,--recursive --rsyncable -S,--suffix=n --synchronous -t,--test -v,--verbose -V,--version --fast --best -#", "b*").with(special::archives::packed),
    row("lz4", Other, ":cdfkqtvz", "r w"),
    row("tar", Other, special::archives::TAR, "").with(special::archives::tar),
    row("unrar", Other, "", "@ n*").with(special::archives::anything),
    row("unxz", Other, ":cfklqtvT", "b*").with(special::archives::packed),
    row("unzip", Other, ":aABbCcDfFjKLlMnNopqstTuUvVWXYZz:^ -d=W -x -P=n", "r n*").with(special::archives::unzip),
    row("xz", Other, "-z,--compress -d,--decompress,--uncompress -t,--test -l,--list -k,--keep -f,--force -c,--stdout,--to-stdout -e,--extreme -T,--threads=n -q,--quiet -v,--verbose -h,--help -H,--long-help -V,--version -F,--format=n -S,--suffix=n -M,--memlimit=n --files?f -#", "b*").with(special::archives::packed),
    row("xzcat", Other, ":q", "r*"),
    row("zip", Other, ":AcdDeFfghjJklLmMoqrSTuvVwXyz -b=W -i=n -n=n -O=w -P=n -R -s=n -t=n -tt=n -x=n -Z=n ^-TT=l ^--unzip-command=l -@ -# --out=w --recurse-paths --quiet", "w R*").with(special::archives::zip),
    row("zstd", Other, "-c,--stdout -d,--decompress -z,--compress -k,--keep -f,--force -q,--quiet -v,--verbose -t,--test -T=n -o=w -r -D=r -l --rm --long?n --ultra --threads?n -#", "b*").with(special::archives::packed),
    row("zstdcat", Other, "", "r*"),
];
