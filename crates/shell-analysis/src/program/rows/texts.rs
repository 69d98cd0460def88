//! Programs that turn texts into texts, and editors.

use super::super::row::Kind::{Look, Other, Plain};
use super::super::row::{Row, row};
use super::super::special;

/// Sorted by name.
pub(super) const ROWS: &[Row] = &[
    row("ack", Other, ":cfghHilLnoqrsvwx1 -A,--after-context=n -B,--before-context=n -C,--context=n -m,--max-count=n -t,--type=n ^--pager=l ^--ackrc=r --output=n", "p R*").with(special::lists::here_deep_after_pattern),
    row("ag", Other, ":abcfilLnopqQrRsStuUvwz0 -A,--after=n -B,--before=n -C,--context=n -G,--file-search-regex=n -m,--max-count=n -g=n --ignore=n --hidden --depth=n ^--pager=l", "p R*").with(special::lists::here_deep_after_pattern),
    row("awk", Look, AWK, "").with(special::awk::hook),
    row("col", Plain, ":bfhpx -l,--lines=n", ""),
    row("column", Plain, "-t,--table -n,--table-name=n -O,--table-order=n -N,--table-columns=n -l,--table-columns-limit=n -E,--table-noextreme=n -d,--table-noheadings -e,--table-header-repeat -H,--table-hide=n -R,--table-right=n -T,--table-truncate=n -W,--table-wrap=n -L,--keep-empty-lines -J,--json -r,--tree=n -i,--tree-id=n -p,--tree-parent=n -c,--output-width=n -o,--output-separator=n -s,--separator=n -x,--fillrows -h,--help -V,--version", "r*"),
    row("csplit", Other, "-b,--suffix-format=n -f,--prefix=n -k,--keep-files --suppress-matched -n,--digits=n -s,-q,--quiet,--silent -z,--elide-empty-files --help --version", "r n*").with(special::lists::writes_pieces),
    row("cut", Plain, ":n -b,--bytes=n -c,--characters=n -d,--delimiter=n -f,--fields=n --complement -s,--only-delimited --output-delimiter=n -z,--zero-terminated --help --version", "r*"),
    row("ed", Other, "", "b*").with(special::opaque::editor),
    row("emacs", Other, "", "b*").with(special::opaque::editor),
    row("emacsclient", Other, "", "b*").with(special::opaque::editor),
    row("envsubst", Other, "-v,--variables -h,--help -V,--version", "n*"),
    row("ex", Other, "", "b*").with(special::opaque::editor),
    row("gawk", Look, AWK, "").with(special::awk::hook),
    row("iconv", Look, ":c -f,--from-code=n -t,--to-code=n -l,--list -o,--output=w -s,--silent --verbose --help --usage -V,--version", "r*"),
    row("indent", Other, "", "b*"),
    row("less", Other, "^-o=w ^-O=w ^-k=r ^-T=r ^-t=n ^--lesskey-file=r -p=n -P=n -x=n -y=n -z=n -b=n -h=n -j=n -D=n :aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWX -#", "r*"),
    row("look", Plain, "-t=n -a,--alternative -d,--alphanum -f,--ignore-case -h,--help -V,--version", "n r*"),
    row("mawk", Look, AWK, "").with(special::awk::hook),
    row("more", Other, ":dflcpsuhV -n=n -#", "r*"),
    row("nano", Other, "", "b*").with(special::opaque::editor),
    row("nawk", Look, AWK, "").with(special::awk::hook),
    row("nvim", Other, "", "b*").with(special::opaque::editor),
    row("original-awk", Look, AWK, "").with(special::awk::hook),
    row("ptx", Other, "", "r*"),
    row("sdiff", Other, "-o,--output=w -i,--ignore-case -E,--ignore-tab-expansion -Z,--ignore-trailing-space -b,--ignore-space-change -W,--ignore-all-space -B,--ignore-blank-lines -I,--ignore-matching-lines=n --strip-trailing-cr -a,--text -w,--width=n -l,--left-column -s,--suppress-common-lines -t,--expand-tabs --tabsize=n -d,--minimal -H,--speed-large-files --diff-program=k --help -v,--version", "r*"),
    row("sed", Look, "-n,--quiet,--silent --debug -e,--expression=p -f,--file=P --follow-symlinks -i,--in-place?n -l,--line-length=n --posix -E,-r,--regexp-extended -s,--separate --sandbox -u,--unbuffered -z,--null-data --help --version", "").with(special::sed::hook),
    row("shuf", Look, "-e,--echo -i,--input-range=n -n,--head-count=n -o,--output=w --random-source=r -r,--repeat -z,--zero-terminated --help --version", "r*"),
    row("sort", Look, "-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort -i,--ignore-nonprinting -M,--month-sort -h,--human-numeric-sort -n,--numeric-sort -R,--random-sort --random-source=r -r,--reverse --sort=n -V,--version-sort --batch-size=n -c,--check?n -C --compress-program=k --debug !--files0-from=f -k,--key=n -m,--merge -o,--output=w -s,--stable -S,--buffer-size=n -t,--field-separator=n !-T,--temporary-directory=W --parallel=n -u,--unique -z,--zero-terminated --help --version", "r*"),
    row("split", Other, "-a,--suffix-length=n --additional-suffix=n -b,--bytes=n -C,--line-bytes=n -d --numeric-suffixes?n -x --hex-suffixes?n -e,--elide-empty-files --filter=l -l,--lines=n -n,--number=n -t,--separator=n -u,--unbuffered --verbose -# --help --version", "r n").with(special::lists::writes_pieces),
    row("tee", Other, ":p -a,--append -i,--ignore-interrupts --output-error?n --help --version", "w*"),
    row("uniq", Look, ":D -c,--count -d,--repeated --all-repeated?n -f,--skip-fields=n --group?n -i,--ignore-case -s,--skip-chars=n -u,--unique -z,--zero-terminated -w,--check-chars=n -# --help --version", "r w"),
    row("vi", Other, "", "b*").with(special::opaque::editor),
    row("view", Other, "", "b*").with(special::opaque::editor),
    row("vim", Other, "", "b*").with(special::opaque::editor),
    row("vimdiff", Other, "", "b*").with(special::opaque::editor),
    row("xxd", Look, ":abCeEhiprRuv -ps -c,-cols=n -g=n -l,-len=n -n,-name=n -o=n -s,-seek=n", "+ r w"),
    row("yq", Other, "-i,--inplace -P -o,--output-format=n -r,--raw-output -e,--exit-status -n,--null-input -p,--input-format=n -I,--indent=n -C -M -j -y -s,--slurp", "p b*"),
];

const AWK: &str = "-F,--field-separator=n -v,--assign=n -f,--file=P --posix --traditional --re-interval --lint?n --version -V --help -h -W=o -e,--source=p -E,--exec=P -i,--include=P -l,--load=o -b,--characters-as-bytes -n,--non-decimal-data -N,--use-lc-numeric -S,--sandbox -O,--optimize -s,--no-optimize -c -P -r -M,--bignum !-o,--pretty-print?w !-p,--profile?w !-d,--dump-variables?w !-D,--debug?r -t,--lint-old -C,--copyright -g,--gen-pot";
