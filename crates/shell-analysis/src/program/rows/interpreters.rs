//! Shells and interpreters of other languages.

use super::super::row::Kind::Other;
use super::super::row::{Row, row};
use super::super::special::{interpreters as i, shells};

/// Sorted by name.
pub(super) const ROWS: &[Row] = &[
    row("R", Other, "-e=o -f,--file=r --args --no-save --slave --vanilla -q,--quiet --no-echo", "n*").with(i::script),
    row("Rscript", Other, "-e=o --vanilla --verbose --version --default-packages=n", "+ r n*").with(i::script),
    row("ash", Other, SHELL, "+").with(shells::shell),
    row("bash", Other, SHELL, "+").with(shells::shell),
    row("bash-static", Other, SHELL, "+").with(shells::shell),
    row("bun", Other, "^-e,--eval=o ^-p,--print=o ^-r,--preload=o --watch --hot --silent -v,--version -h,--help", "+ n*").with(i::bun),
    row("csh", Other, "", "@").with(shells::other),
    row("dash", Other, SHELL, "+").with(shells::shell),
    row("deno", Other, "", "+ n*").with(i::deno),
    row("elixir", Other, "^-e,--eval=o ^-r=o ^-S=n -v,--version -h,--help", "+ r n*").with(i::script),
    row("elvish", Other, "", "@").with(shells::other),
    row("erl", Other, "-eval=o -s=o -run=o -noshell -version", "n*").with(i::script),
    row("fish", Other, "", "@").with(shells::other),
    row("ghc", Other, "-e=o", "r*"),
    row("groovy", Other, "-e=o -n -p -i -cp=n -v,--version -h,--help", "+ r n*").with(i::script),
    row("guile", Other, "-c=o -e=n -l=o -s=r -q -v,--version -h,--help --no-auto-compile", "+ r n*").with(i::script),
    row("ipython", Other, "-c=o -i -m=n", "+ r n*").with(i::script),
    row("java", Other, "-cp,-classpath,--class-path=n -jar -version,--version -agentlib=o ^-javaagent=o -help,--help", "+ n*").with(i::java),
    row("jshell", Other, "", "n*").with(i::script),
    row("julia", Other, "-e,--eval=o -E,--print=o -L,--load=o -p=n -t,--threads=n --project?n -v,--version -h,--help -q", "+ r n*").with(i::script),
    row("ksh", Other, "", "@").with(shells::other),
    row("ksh93", Other, "", "@").with(shells::other),
    row("lksh", Other, "", "@").with(shells::other),
    row("lua", Other, "-e=o -l=n -i -v -E -W", "+ r n*").with(i::script),
    row("luajit", Other, "-e=o -l=n -j=n -O=n -i -v -E", "+ r n*").with(i::script),
    row("mksh", Other, "", "@").with(shells::other),
    row("mysql", Other, "-e,--execute=o -h,--host=h -u,--user=n -p?n -D,--database=n -P,--port=n -B -N -s -t", "n*").with(i::mysql),
    row("node", Other, NODE, "+ r n*").with(i::script),
    row("nodejs", Other, NODE, "+ r n*").with(i::script),
    row("nu", Other, "", "@").with(shells::other),
    row("octave", Other, "--eval=o -q,--quiet", "+ r n*").with(i::script),
    row("oksh", Other, "", "@").with(shells::other),
    row("osascript", Other, "-e=o -l=n -s=n -i", "+ r n*").with(i::script),
    row("osh", Other, "", "@").with(shells::other),
    row("pdksh", Other, "", "@").with(shells::other),
    row("perl", Other, "^-e,-E=o ^-M,-m=o ^-I=r ^-d?o ^-x?n -0%n -l%n -i?n -F=n -C%n -D=n -V?n :acfnpsStTuUvwWXh", "+ r n*").with(i::perl),
    row("php", Other, "-r=o -R=o -B=o -E=o -f=r -F=o -c=o -d=o -S=n -t=n -z=o :aeHmnqswl -h,--help -v,--version -i,--info --ini --ri=n", "+ r n*").with(i::script),
    row("posh", Other, "", "@").with(shells::other),
    row("powershell", Other, "", "@").with(shells::other),
    row("psql", Other, "-c,--command=o -f,--file=o -d,--dbname=n -h,--host=h -p,--port=n -U,--username=n -o,--output=w -L=w -v=n -t -A -q -X -w -W -l -1", "n*").with(i::sql),
    row("pwsh", Other, "", "@").with(shells::other),
    row("pypy", Other, PYTHON, "+ r n*").with(i::python),
    row("python", Other, PYTHON, "+ r n*").with(i::python),
    row("pythonw", Other, PYTHON, "+ r n*").with(i::python),
    row("racket", Other, "-e=o -f=o -r=o -t=o -l=n -v,--version -h,--help", "+ r n*").with(i::script),
    row("rbash", Other, SHELL, "+").with(shells::shell),
    row("ruby", Other, "^-e=o ^-r=o ^-I=r -C=o -E=n -F?n -K=n -0%n -i?n -W%n -x?n :aclnpsSvwUdhy --version --help --yjit --jit --enable=n --disable=n", "+ r n*").with(i::ruby),
    row("rzsh", Other, "", "@").with(shells::other),
    row("sash", Other, "", "@").with(shells::other),
    row("scala", Other, "-e=o", "+ r n*").with(i::script),
    row("sh", Other, SHELL, "+").with(shells::shell),
    row("sqlite", Other, "", "@ n*").with(i::sqlite),
    row("sqlite3", Other, "", "@ n*").with(i::sqlite),
    row("swift", Other, "-e=o", "+ r n*").with(i::script),
    row("tclsh", Other, "-encoding=n", "+ r n*").with(i::script),
    row("tcsh", Other, "", "@").with(shells::other),
    row("ts-node", Other, "-e,--eval=o -p,--print=o -r,--require=o -T -P,--project=r -v,--version -h,--help", "+ r n*").with(i::script),
    row("tsx", Other, "-e,--eval=o -p,--print=o -v,--version -h,--help", "+ r n*").with(i::script),
    row("wish", Other, "", "+ r n*").with(i::script),
    row("xonsh", Other, "", "@").with(shells::other),
    row("yash", Other, "", "@").with(shells::other),
    row("ysh", Other, "", "@").with(shells::other),
    row("zsh", Other, "", "@").with(shells::other),
    row("zsh5", Other, "", "@").with(shells::other),
];

const SHELL: &str = "";

const PYTHON: &str = "-c=o -m=n -W=n -X=n --check-hash-based-pycs=n ^-i :bBdEhIOPqRsSuvVx --version --help";

const NODE: &str = "-e,--eval=o -p,--print=o -pe=o -r,--require=o --import=o --loader,--experimental-loader=o -c,--check -i,--interactive -v,--version -h,--help --test --watch --watch-path=n --env-file=r --env-file-if-exists=r --inspect?n --inspect-brk?n --max-old-space-size=n --stack-size=n --no-warnings --trace-warnings --trace-deprecation --enable-source-maps --experimental-strip-types --experimental-vm-modules --expose-gc --harmony --use-strict --unhandled-rejections=n --input-type=n -C,--conditions=n --test-name-pattern=n --test-reporter=n --test-only --test-concurrency=n --test-timeout=n --no-deprecation --experimental-test-coverage --preserve-symlinks --title=n --run=n";
