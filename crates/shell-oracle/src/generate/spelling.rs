//! Ways to spell a word.

use super::{Generator, Names};

impl Generator<'_> {
    /// `name` in a spelling that bash reads as `name`, most of the time.
    pub(super) fn spelled(&mut self, name: &str) -> String {
        let (head, tail) = name.split_at(1);
        let hex: String = name.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        let octal: String = name.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        match self.random.below(44) {
            0 => format!("\\{name}"),
            1 => format!("{head}\\{tail}"),
            2 => format!("'{name}'"),
            3 => format!("\"{name}\""),
            4 => format!("{head}''{tail}"),
            5 => format!("{head}\"{tail}\""),
            6 => format!("$'{name}'"),
            7 => format!("$'{hex}'"),
            8 => format!("$'{octal}'"),
            9 => format!("$\"{name}\""),
            10 => format!("/bin/{name}"),
            11 => format!("/usr/bin/{name}"),
            12 => format!("../../bin/{name}"),
            13 => format!("/bin/../bin/{name}"),
            14 => format!("//bin/{name}"),
            15 => format!("{{{name},b}}"),
            16 => format!("${{nil:-{name}}}"),
            17 => format!("${{nil-{name}}}"),
            18 => format!("$(echo {name})"),
            19 => format!("`echo {name}`"),
            20 => format!("$(printf %s {name})"),
            21 => format!("{head}${{nil}}{tail}"),
            22 => format!("{head}$(){tail}"),
            23 => format!("{head}$@{tail}"),
            24 => format!("\"{head}$@{tail}\""),
            25 => format!("/bin/{head}?"),
            26 => format!("/bin/[{head}]{tail}"),
            27 => format!("/bin/{name}*"),
            28 => format!("{head}\\\n{tail}"),
            29 => format!("$nil {name}"),
            30 => format!("\"$nil\"{name}"),
            31 => format!("~/../../bin/{name}"),
            32 => format!("{head}{{{tail},}}"),
            33 => format!("\"$(echo {name})\""),
            34 => format!("${{nil+x}}{name}"),
            35 => format!("$'{head}'{tail}"),
            36 => format!("/b?n/{name}"),
            37 => format!("$nil$nil {name}"),
            38 => format!("${{nil[@]}} {name}"),
            39 => format!("\"${{nil[@]}}\" {name}"),
            40 => format!("$((1))$nil{name}"),
            41 => format!("{head}`:`{tail}"),
            42 => format!("$nil\\\n{name}"),
            _ => format!("'{head}'\"{tail}\"''"),
        }
    }

    /// A word of a command.
    pub(super) fn word(&mut self) -> String {
        let table = if self.is_tame && self.random.percent(85) { TAME } else { WORDS };
        let template = self.pick(table);
        let mut out = String::new();
        self.expand(template, 0, &mut Names::default(), &mut out);
        out
    }

    /// `text` as one word, quoted in some way.
    pub(super) fn quoted(&mut self, text: &str) -> String {
        match self.random.below(8) {
            0..=3 => format!("'{}'", text.replace('\'', "'\\''")),
            4 | 5 => {
                let mut out = String::from("\"");
                for letter in text.chars() {
                    if matches!(letter, '"' | '$' | '`' | '\\') {
                        out.push('\\');
                    }
                    out.push(letter);
                }
                out + "\""
            }
            6 => {
                let mut out = String::from("$'");
                for letter in text.chars() {
                    match letter {
                        '\'' | '\\' => out.extend(['\\', letter]),
                        '\n' => out.push_str("\\n"),
                        letter if letter.is_ascii_alphabetic() && self.random.percent(20) => {
                            out.push_str(&format!("\\x{:02x}", u32::from(letter)));
                        }
                        letter => out.push(letter),
                    }
                }
                out + "'"
            }
            _ => {
                let mut out = String::new();
                for letter in text.chars() {
                    match letter {
                        '\n' => out.push_str("$'\\n'"),
                        letter if letter.is_ascii_alphanumeric() => out.push(letter),
                        letter => out.extend(['\\', letter]),
                    }
                }
                out
            }
        }
    }
}

/// Words whose value can be told.
const TAME: &[&str] = &[
    "a",
    "b",
    "f1",
    "f2",
    "-rf",
    "'x y'",
    "sub/c",
    "-n",
    "\"q r\"",
    ".env",
    "a\\ b",
    "$'t\\tu'",
    "{a,b}",
    "$HOME",
    "\"$HOME/x\"",
    "x\"y\"'z'",
    "--",
    "'$x'",
    "~/n",
    "a=b",
    "''",
    "\\*",
    "*",
    "2",
    "#c",
    "a#b",
    "=",
    "é",
    "x\\\ny",
    "1>o3",
    "!",
    "{",
    "}",
    "if",
    "in",
];

/// Words of a command.
const WORDS: &[&str] = &[
    "a",
    "b",
    "-rf",
    "f1",
    "f2",
    "'x y'",
    "sub/c",
    "-n",
    "--",
    "rm",
    ".env",
    "\"q r\"",
    "é",
    "a=b",
    "=",
    "-",
    "$'t\\tu'",
    "$\"loc\"",
    "$(«c»)",
    "`«bc»`",
    "\"$(«c»)\"",
    "\"`echo x`\"",
    "$nil",
    "\"$nil\"",
    "$HOME",
    "${HOME}",
    "\"$HOME/x\"",
    "${nil:-d}",
    "${nil:-$(«c»)}",
    "\"${nil:-`«bc»`}\"",
    "${nil:=e}",
    "${HOME:+f}",
    "${HOME:+$(«c»)}",
    "${#HOME}",
    "${HOME:0:2}",
    "${HOME#/}",
    "${HOME%%/*}",
    "${HOME//w/r}",
    "${HOME^^}",
    "${HOME@Q}",
    "${!HO*}",
    "${nil[@]}",
    "${nil[0]}",
    "${BASH_VERSION}",
    "$@",
    "\"$@\"",
    "$*",
    "$#",
    "$?",
    "$-",
    "$1",
    "\"$1\"",
    "$0",
    "$_",
    "{a,b}",
    "{a,b}{c,d}",
    "{1..3}",
    "a{b,}",
    "{a}",
    "{,}",
    "{a..c}",
    "{a,$(«c»)}",
    "*",
    "?",
    "[ab]",
    "s*/c",
    "\\*",
    "'*'",
    "\"*\"",
    "a*",
    "zz*",
    "~",
    "~/n",
    "~+",
    "~-",
    "~root",
    "\\~",
    "a\\ b",
    "x\\\ny",
    "$((1+2))",
    "$((nil))",
    "$[1+1]",
    "$((0$(«c»)))",
    "<(«c»)",
    ">(«c»)",
    "#c",
    "a#b",
    "!x",
    "!",
    "\\#",
    "''",
    "\"\"",
    "x''",
    "{",
    "}",
    "if",
    "do",
    "[[",
    "]]",
    "then",
    "case",
    "esac",
    "a;b'",
    "\\;",
    "\\&",
    "';'",
    "\"&\"",
    "$",
    "$%",
    "\"$\"",
    "\\$x",
    "'$(rm q)'",
    "\"\\$(rm q)\"",
    "\\`x\\`",
    "\"\\`rm q\\`\"",
    "$'\\''",
    "$'a\\x00b'",
    "${nil+\"a b\"}",
    "\"${nil+'a b'}\"",
    "${nil-'a b'}",
    "\"${nil-'a b'}\"",
    "${HOME/\\//$(«c»)}",
    "${HOME:$(echo 0):1}",
    "\"${HOME%\"$(«c»)\"}\"",
    "\"a\\\nb\"",
    "'a\nb'",
    "@(a|b)",
    "+(a)",
    "x@y:z",
    "host:/p",
    "%1",
    "2",
    "1>o3",
    "-e",
    "-c",
    "-i",
    "-o",
    "--help",
    "-x",
    "+x",
    "-",
    "-exec",
    "-f",
    "-r",
    "-I{}",
    "{}",
    "+",
];
