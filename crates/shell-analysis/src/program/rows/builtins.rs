//! Builtins of the shell that are programs by their words.

use super::super::row::Kind::{Look, Other, Plain, Through, Wrap};
use super::super::row::{Row, row};
use super::super::special;

/// Sorted by name.
pub(super) const ROWS: &[Row] = &[
    row(".", Other, "", "+ r n*").with(special::builtins::source),
    row(":", Plain, "", "@ n*"),
    row("[", Plain, "", "@ n*").with(special::builtins::test),
    row("bind", Other, "", "@").with(special::builtins::by_text),
    row("builtin", Through, "", "+ c"),
    row("cd", Look, ":LP", "n*").with(special::builtins::cd),
    row("command", Through, "-p -v -V", "+ c").with(special::builtins::command),
    row("compgen", Other, "", "@").with(special::builtins::by_text),
    row("complete", Other, "", "@").with(special::builtins::by_text),
    row("declare", Other, "", "@ n*").with(special::builtins::assigns),
    row("dirs", Other, "", "n*"),
    row("echo", Plain, "", "@ n*"),
    row("enable", Other, ":anps -d -f=o", "n*").with(special::builtins::by_text),
    row("eval", Other, "", "@").with(special::builtins::eval),
    row("exec", Wrap, ":cl -a=n", "+ c"),
    row("export", Other, "", "@ n*").with(special::builtins::assigns),
    row("false", Plain, "", "@ n*"),
    row("fc", Other, "", "@").with(special::builtins::by_text),
    row("hash", Other, ":lrdt ^-p=n", "n*"),
    row("help", Plain, ":dms", "n*"),
    row("history", Other, ":c -d=n -a -n -r -w -p -s", "n*").with(special::builtins::history),
    row("jobs", Other, ":lnprs", "+").with(special::builtins::jobs),
    row("let", Other, "", "@ n*").with(special::builtins::arithmetic),
    row("local", Other, "", "@ n*").with(special::builtins::assigns),
    row("mapfile", Other, "-d=n -n=n -O=n -s=n -t -u=n -C=o -c=n", "+ n").with(special::builtins::names),
    row("printf", Plain, "", "@ n*").with(special::builtins::printf),
    row("pwd", Plain, "-L,--logical -P,--physical --help --version", "n*"),
    row("read", Other, ":ers -a=n -d=n -i=n -n=n -N=n -p=n -t=n -u=n", "+ n*").with(special::builtins::names),
    row("readarray", Other, "-d=n -n=n -O=n -s=n -t -u=n -C=o -c=n", "+ n").with(special::builtins::names),
    row("readonly", Other, "", "@ n*").with(special::builtins::assigns),
    row("source", Other, "", "+ r n*").with(special::builtins::source),
    row("test", Plain, "", "@ n*").with(special::builtins::test),
    row("trap", Other, "", "@").with(special::builtins::trap),
    row("true", Plain, "", "@ n*"),
    row("type", Plain, ":aftpP", "n*"),
    row("typeset", Other, "", "@ n*").with(special::builtins::assigns),
    row("unset", Other, ":fvn", "+ n*").with(special::builtins::names),
    row("wait", Other, ":fn -p=n", "+ n*").with(special::builtins::names),
];
