//! Builtins: what they leave behind in the shell, and the commands that they run in it.

use super::simple::Call;
use super::{Ctx, Place, Walker};
use crate::env::{Env, Value, changes_shell, is_special};
use crate::parse::is_name;
use crate::word::Word;

/// Whether a builtin evaluates variables, so that assignments before it matter.
pub(super) fn looks_at_variables(name: &str) -> bool {
    matches!(
        name,
        "declare"
            | "typeset"
            | "local"
            | "export"
            | "readonly"
            | "let"
            | "test"
            | "["
            | "printf"
            | "read"
            | "mapfile"
            | "readarray"
            | "unset"
            | "getopts"
            | "wait"
            | "cd"
            | "pushd"
            | "popd"
    )
}

impl Walker<'_> {
    /// Acts as the builtin `name`; false when it is none that does anything to the shell.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        call: &Call<'_>,
        env: &mut Env,
        ctx: Ctx<'_>,
        inner: Ctx<'_>,
    ) -> bool {
        let at = call.words.first().map_or(0, |word| word.at);
        let args = call.words.get(1..).unwrap_or_default();
        match name {
            "eval" => {
                self.eval(args, at, env, inner);
            }
            "trap" => {
                self.trap(args, at, env, inner);
            }
            "command" | "builtin" => {
                self.command_builtin(name, args, call, env, inner);
            }
            "exec" => {
                self.exec(args, call, env, inner);
            }
            "." | "source" => {
                let is_null = matches!(args, [word] if word.value.as_deref() == Some("/dev/null"));
                if !is_null {
                    self.report.opaque("commands that come from a file", at);
                    env.stop_following();
                }
            }
            "declare" | "typeset" | "local" | "export" | "readonly" => self.declare(name, args, env, at),
            "read" => self.read(args, "adinNptu", env, at),
            "mapfile" | "readarray" => {
                if args.iter().any(|word| could_begin(word, "-C") || could_begin(word, "-c")) {
                    self.report.opaque("a command that is run for each line", at);
                }
                self.read(args, "dnOsucC", env, at);
            }
            "printf" => self.printf(args, env, at),
            "getopts" => {
                self.assign_word(args.get(1), env, at);
                env.set("OPTARG", Value::Unknown);
            }
            "let" => {
                env.may_abort = true;
                for word in args {
                    match &word.value {
                        Some(text) if !word.is_many => {
                            self.evaluate(text, env, Ctx { place: Place::Word(word.at), ..ctx })
                        }
                        _ => self.report.opaque("arithmetic on a value that is not known", word.at),
                    }
                }
            }
            "unset" => self.unset(args, env),
            "test" | "[" => self.test_builtin(args, at),
            "cd" | "pushd" | "popd" => {
                for name in ["PWD", "OLDPWD", "DIRSTACK"] {
                    env.set(name, Value::Unknown);
                }
            }
            "shift" => env.forget_positional(),
            "set" => {
                env.forget_positional();
                self.set_builtin(args, at);
            }
            "shopt" => self.shopt(args, at),
            "alias" => {
                if args.iter().any(|word| word.value.as_deref().is_none_or(|value| value.contains('='))) {
                    self.report.opaque("an alias", at);
                }
            }
            "enable" => {
                if args.iter().any(|word| !matches!(word.value.as_deref(), Some("-a" | "-n" | "-p" | "-s"))) {
                    self.report.opaque("a builtin switched on or off", at);
                }
            }
            "hash" => {
                if args.iter().any(|word| {
                    could_begin(word, "-p")
                        || word
                            .value
                            .as_deref()
                            .is_none_or(|value| value.starts_with('-') && value.contains('p'))
                }) {
                    self.report.opaque("a name that is given another program", at);
                }
            }
            "wait" => {
                if args.iter().filter(|word| !super::quiet::is_last_job(word, call)).any(|word| {
                    could_begin(word, "-p") || could_begin(word, "-fp") || could_begin(word, "-np")
                }) {
                    self.report.opaque("a variable whose name or subscript is not known", at);
                }
            }
            "bind" | "fc" | "compgen" | "complete" | "compopt" | "history" => {
                if !args.is_empty() {
                    self.report.opaque("a builtin that may run commands", at);
                }
            }
            "jobs" => {
                if args.iter().any(|word| could_begin(word, "-x")) {
                    self.report.opaque("a builtin that may run commands", at);
                }
            }
            _ => return false,
        }
        true
    }

    fn eval(&mut self, args: &[Word], at: usize, env: &mut Env, inner: Ctx<'_>) {
        let args = match args.split_first() {
            Some((first, rest)) if first.value.as_deref() == Some("--") => rest,
            _ => args,
        };
        let values: Option<Vec<&str>> = args
            .iter()
            .map(|word| word.value.as_deref().filter(|_| !word.is_many && !word.has_tilde))
            .collect();
        match values {
            Some(values) => {
                let at = args.first().map_or(at, |word| word.at);
                self.start_here(&values.join(" "), env, Ctx { place: Place::Word(at), ..inner });
            }
            None => {
                self.report.opaque("a text that is evaluated", at);
                env.stop_following();
            }
        }
    }

    fn trap(&mut self, args: &[Word], at: usize, env: &mut Env, inner: Ctx<'_>) {
        let args = match args.first().map(|first| first.value.as_deref()) {
            Some(Some("-p" | "-l" | "-lp" | "-P")) => return,
            Some(Some("--")) => args.get(1..).unwrap_or_default(),
            _ => args,
        };
        let Some(action) = args.first() else { return };
        match action.value.as_deref() {
            Some("" | "-") if !action.is_many => {}
            Some(text) if !action.is_many && !action.has_tilde => {
                let mut own = env.for_body();
                self.start_here(
                    text,
                    &mut own,
                    Ctx { place: Place::Word(action.at), input: super::Input::Unknown, ..inner },
                );
                // A handler that assigns does so at any time, also while a function runs that was looked at before.
                if own.mark() > 0 {
                    env.stop_following();
                    if !self.functions.is_empty() {
                        self.report.opaque("a trap that changes variables of functions", at);
                    }
                }
            }
            _ => {
                self.report.opaque("a text that is evaluated", at);
                env.stop_following();
            }
        }
    }

    /// `command` and `builtin`: the command behind their options runs in this shell.
    fn command_builtin(&mut self, name: &str, args: &[Word], call: &Call<'_>, env: &mut Env, inner: Ctx<'_>) {
        let mut rest = args;
        while let Some((first, behind)) = rest.split_first() {
            match first.value.as_deref() {
                Some("--") => {
                    rest = behind;
                    break;
                }
                Some("-v" | "-V" | "-pv" | "-pV" | "-vp" | "-Vp") if name == "command" => return,
                Some("-p") if name == "command" => {
                    // The path that is searched is another one.
                    rest = behind;
                }
                Some(option) if option.len() > 1 && option.starts_with('-') && !first.is_many => return,
                _ => break,
            }
        }
        self.start_words(rest.to_vec(), call, true, env, inner);
    }

    fn exec(&mut self, args: &[Word], call: &Call<'_>, env: &mut Env, inner: Ctx<'_>) {
        let mut rest = args;
        while let Some((first, behind)) = rest.split_first() {
            match first.value.as_deref() {
                Some("--") => {
                    rest = behind;
                    break;
                }
                Some(option) if option.len() > 1 && option.starts_with('-') && !first.is_many => {
                    rest = behind;
                    if option.ends_with('a') {
                        rest = rest.get(1..).unwrap_or_default();
                    }
                }
                _ => break,
            }
        }
        self.start_words(rest.to_vec(), call, false, env, inner);
    }

    fn declare(&mut self, builtin: &str, args: &[Word], env: &mut Env, at: usize) {
        let mut has_attributes = builtin == "readonly";
        let mut is_exported = builtin == "export";
        let mut has_keys = false;
        let mut is_array = false;
        let mut options_end = false;
        for word in args {
            let value = word.value.as_deref().filter(|_| !word.is_many);
            if let Some(option) =
                value.filter(|value| !options_end && value.len() > 1 && value.starts_with(['-', '+']))
            {
                options_end = option == "--";
                for letter in option.bytes().skip(1) {
                    match letter {
                        b'f' | b'F' | b'p' | b'g' | b'-' | b't' => {}
                        b'a' => is_array = true,
                        b'x' => is_exported = true,
                        b'A' => has_keys = option.starts_with('-'),
                        b'i' if option.starts_with('-') => {
                            // Whatever is assigned to it from now on is evaluated.
                            self.report.opaque("an integer variable", word.at);
                            has_attributes = true;
                        }
                        b'i' | b'l' | b'u' | b'r' | b'c' => has_attributes = true,
                        b'n' if builtin == "export" => {}
                        _ => {
                            self.report.opaque("a reference to a variable", word.at);
                            env.stop_following();
                        }
                    }
                }
                continue;
            }
            options_end = true;
            let (name, new) =
                match value.or_else(|| word.prefix.ends_with('=').then_some(word.prefix.as_str())) {
                    Some(text) => match text.split_once('=') {
                        Some((name, new)) if value.is_some() => (name, Some(Value::Known(new.into()))),
                        Some((name, _)) => (name, Some(Value::Unknown)),
                        None => (text, None),
                    },
                    None => {
                        self.report.opaque("a variable whose name or subscript is not known", at);
                        env.stop_following();
                        continue;
                    }
                };
            let is_append = name.ends_with('+');
            let name = name.strip_suffix('+').unwrap_or(name);
            if !is_name(name) {
                self.check_name(Some(name), word.at);
                if let Some((name, _)) = name.split_once('[') {
                    env.set(name, Value::Unknown);
                }
                continue;
            }
            if let Some(Value::Known(text)) = &new
                && text.starts_with('(')
                && text.contains(['$', '`', '[', '<', '>'])
            {
                self.report.opaque("a text that is evaluated as an array", word.at);
            }
            // A tilde behind the equals sign, an array in brackets, an old value: not followed.
            let new = match new {
                Some(Value::Known(text))
                    if is_append || text.starts_with(['~', '(']) || is_array || has_keys =>
                {
                    let _ = text;
                    Some(Value::Unknown)
                }
                new => new,
            };
            if let Some(new) = new {
                // Outside of a function `local` assigns nothing.
                let new = if builtin == "local" { Value::Unknown } else { new };
                self.assign_name(name, new, env, word.at);
            } else if builtin != "export" && builtin != "readonly" {
                // In a function it is a new variable.
                self.assign_name(name, Value::Unknown, env, word.at);
            } else if changes_shell(name) && !matches!(name, "PATH" | "HOME" | "LANG" | "SHELL" | "PWD") {
                self.report.opaque("an assignment that changes the shell", word.at);
            } else {
                self.check_program(name, &Value::Unknown, word.at);
            }
            if has_keys {
                env.set_keyed(name);
            }
            if has_attributes {
                env.pin(name);
                env.may_abort = true;
                self.has_readonly = true;
            }
            if is_exported {
                self.report.ambient(name);
            }
        }
    }

    /// `read` and `mapfile`: words behind the options are names; `with_value` are options that take a word.
    fn read(&mut self, args: &[Word], with_value: &str, env: &mut Env, at: usize) {
        let mut index = 0;
        let mut had_name = false;
        while let Some(word) = args.get(index) {
            index += 1;
            let Some(value) = word.value.as_deref().filter(|_| !word.is_many) else {
                self.report.opaque("a variable whose name or subscript is not known", word.at);
                env.stop_following();
                continue;
            };
            if had_name || !value.starts_with('-') || value == "-" {
                had_name = true;
                self.assign_word(Some(word), env, at);
                continue;
            }
            if value == "--" {
                had_name = true;
                continue;
            }
            let letters = value.get(1..).unwrap_or_default();
            if let Some(place) = letters.find(|letter| with_value.contains(letter)) {
                let is_array = letters.get(place..).is_some_and(|rest| rest.starts_with('a'));
                let attached = letters.get(place + 1..).unwrap_or_default();
                if is_array && attached.is_empty() {
                    self.assign_word(args.get(index), env, at);
                } else if is_array {
                    self.assign_word(Some(&Word::known(attached, word.at)), env, at);
                }
                if attached.is_empty() {
                    if args.get(index).is_some_and(|word| word.is_many) {
                        self.report.opaque("a variable whose name or subscript is not known", word.at);
                        env.stop_following();
                    }
                    index += 1;
                }
            }
        }
        if !had_name {
            env.set("REPLY", Value::Unknown);
            env.set("MAPFILE", Value::Unknown);
        }
    }

    /// A builtin assigns an unknown value to the variable that a word names.
    fn assign_word(&mut self, word: Option<&Word>, env: &mut Env, at: usize) {
        let Some(word) = word else { return };
        let name = word.value.as_deref().filter(|_| !word.is_many);
        self.check_name(name, word.at);
        match name.map(|name| name.split_once('[').map_or(name, |(name, _)| name)) {
            Some(name) => self.assign_name(name, Value::Unknown, env, at),
            None => env.stop_following(),
        }
    }

    fn printf(&mut self, args: &[Word], env: &mut Env, at: usize) {
        let Some(first) = args.first() else { return };
        match first.value.as_deref().filter(|_| !first.is_many) {
            Some("-v") => self.assign_word(args.get(1), env, at),
            Some(value) if value.starts_with("-v") => {
                let name = Word::known(value.get(2..).unwrap_or_default(), first.at);
                self.assign_word(Some(&name), env, at);
            }
            Some(_) => {}
            None if !could_begin(first, "-v") => {}
            None if args.len() == 1 && !first.is_many => {}
            None => {
                self.report.opaque("a variable whose name or subscript is not known", first.at);
                env.stop_following();
            }
        }
    }

    fn unset(&mut self, args: &[Word], env: &mut Env) {
        for word in args {
            let value = word.value.as_deref().filter(|_| !word.is_many);
            if value.is_some_and(|value| matches!(value, "-f" | "-v" | "--")) {
                continue;
            }
            self.check_name(value, word.at);
            match value.map(|value| value.split_once('[').map_or(value, |(name, _)| name)) {
                Some(name) => {
                    if is_special(name) || changes_shell(name) {
                        self.report.opaque("an assignment that changes the shell", word.at);
                    }
                    env.unset(name);
                }
                None => env.stop_following(),
            }
        }
    }

    /// `test`: `-v` looks into a subscript. A word that is not known may be `-v` where an operator may stand.
    fn test_builtin(&mut self, args: &[Word], at: usize) {
        if args.iter().any(|word| word.value.is_none() && word.is_many) {
            self.report.opaque("a test whose words are not known", at);
            return;
        }
        for (index, word) in args.iter().enumerate() {
            let Some(next) = args.get(index + 1) else { continue };
            match word.value.as_deref() {
                Some("-v" | "-R") => {
                    self.check_name(next.value.as_deref().filter(|_| !next.is_many), next.at)
                }
                Some(_) => {}
                None => {
                    let is_operand = next.value.as_deref().is_some_and(|next| {
                        matches!(
                            next,
                            "=" | "=="
                                | "!="
                                | "<"
                                | ">"
                                | "-eq"
                                | "-ne"
                                | "-lt"
                                | "-le"
                                | "-gt"
                                | "-ge"
                                | "-nt"
                                | "-ot"
                                | "-ef"
                                | "-a"
                                | "-o"
                                | ")"
                                | "]"
                        )
                    });
                    let is_behind_operator = index > 0
                        && args.get(index - 1).and_then(|before| before.value.as_deref()).is_some_and(
                            |before| {
                                before.len() == 2 && before.starts_with('-')
                                    || matches!(before, "=" | "==" | "!=" | "<" | ">")
                            },
                        );
                    if !is_operand
                        && !is_behind_operator
                        && (could_begin(word, "-v") || could_begin(word, "-R"))
                    {
                        self.report.opaque("a test whose words are not known", word.at);
                    }
                }
            }
        }
    }

    fn set_builtin(&mut self, args: &[Word], at: usize) {
        let mut index = 0;
        while let Some(word) = args.get(index) {
            index += 1;
            let Some(value) = word.value.as_deref().filter(|_| !word.is_many) else {
                self.report.opaque("an option of the shell", at);
                return;
            };
            if matches!(value, "-" | "--") || !value.starts_with(['-', '+']) {
                return;
            }
            for letter in value.bytes().skip(1) {
                match letter {
                    b'e' | b'u' | b'x' | b'v' | b'f' | b'C' | b'E' | b'T' | b'b' | b'm' | b'h' => {}
                    b'B' if value.starts_with('-') => {}
                    b'o' => {
                        let Some(name) = args.get(index) else { continue };
                        index += 1;
                        let is_harmless = name.value.as_deref().is_some_and(is_harmless_option);
                        if !is_harmless {
                            self.report.opaque("an option of the shell", name.at);
                        }
                    }
                    _ => self.report.opaque("an option of the shell", word.at),
                }
            }
        }
    }

    fn shopt(&mut self, args: &[Word], at: usize) {
        let changes = args.iter().any(|word| {
            word.value.as_deref().is_none_or(|value| value.starts_with('-') && value.contains(['s', 'u']))
        });
        let is_harmless = |word: &Word| {
            word.value.as_deref().is_some_and(|value| {
                value.starts_with('-') && !value.contains('o')
                    || matches!(
                        value,
                        "nullglob"
                            | "globstar"
                            | "dotglob"
                            | "nocaseglob"
                            | "nocasematch"
                            | "inherit_errexit"
                            | "checkwinsize"
                            | "histappend"
                            | "cmdhist"
                            | "globasciiranges"
                            | "huponexit"
                            | "checkhash"
                    )
            })
        };
        if changes && !args.iter().all(is_harmless) {
            self.report.opaque("an option of the shell", at);
        }
        if changes && args.iter().any(|word| word.value.as_deref().is_none_or(|value| value.contains("glob")))
        {
            self.report.glob_option(at);
        }
    }
}

fn is_harmless_option(name: &str) -> bool {
    matches!(
        name,
        "errexit"
            | "nounset"
            | "xtrace"
            | "verbose"
            | "noglob"
            | "noclobber"
            | "errtrace"
            | "functrace"
            | "pipefail"
            | "notify"
            | "monitor"
            | "hashall"
    )
}

/// Whether a word may begin with `text`.
fn could_begin(word: &Word, text: &str) -> bool {
    match &word.value {
        Some(value) if !word.is_many => value.starts_with(text),
        _ => word.prefix.starts_with(text) || text.starts_with(&word.prefix),
    }
}
