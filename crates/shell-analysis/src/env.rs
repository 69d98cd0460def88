//! What is known about variables at a point of a line. A value is followed only while it is certain: whatever
//! could be otherwise is unknown.

use std::cell::RefCell;
use std::rc::Rc;

/// What a variable holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Value {
    Known(Rc<str>),
    /// Some integer, or nothing.
    Int,
    Unknown,
}

impl Value {
    /// A value that is one or the other.
    fn or(&self, other: &Self) -> Self {
        if self == other {
            self.clone()
        } else if self.is_int() && other.is_int() {
            Self::Int
        } else {
            Self::Unknown
        }
    }

    /// Whether it is certainly a decimal integer or empty, which is harmless in arithmetic.
    pub(crate) fn is_int(&self) -> bool {
        match self {
            Self::Known(text) => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                digits.len() < 19 && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            Self::Int => true,
            Self::Unknown => false,
        }
    }
}

/// Assignments in the order in which they are walked.
type Log = Rc<RefCell<Vec<(Rc<str>, Value)>>>;

/// The variables at a point of a line.
#[derive(Clone, Debug)]
pub(crate) struct Env {
    vars: Vec<(Rc<str>, Value)>,
    /// Names whose value is never followed: with attributes, or read-only.
    pinned: Vec<Rc<str>>,
    /// Names that are associative arrays, whose subscripts are no arithmetic.
    keyed: Vec<Rc<str>>,
    /// Whether values are followed at all.
    is_followed: bool,
    /// Whether `IFS` is what it is at the start.
    pub(crate) has_plain_ifs: bool,
    /// All assignments since the start, for what loops and aborted lines leave behind. Flows that part share it:
    /// what one of them assigns counts for all, which errs on the safe side.
    log: Log,
    /// Whether something may end the line early without ending the shell.
    pub(crate) may_abort: bool,
}

impl Env {
    /// Nothing is known.
    pub(crate) fn unknown() -> Self {
        Self {
            vars: Vec::new(),
            pinned: Vec::new(),
            keyed: Vec::new(),
            is_followed: true,
            has_plain_ifs: true,
            log: Rc::default(),
            may_abort: false,
        }
    }

    /// For the body of a function or trap, which may run at any time.
    pub(crate) fn for_body(&self) -> Self {
        Self {
            has_plain_ifs: false,
            pinned: self.pinned.clone(),
            is_followed: self.is_followed,
            ..Self::unknown()
        }
    }

    pub(crate) fn look_up(&self, name: &str) -> Value {
        if !self.is_followed {
            return Value::Unknown;
        }
        if name == "IFS" && self.has_plain_ifs {
            return Value::Known(Rc::from(" \t\n"));
        }
        self.vars
            .iter()
            .rev()
            .find(|(known, _)| &**known == name)
            .map_or(Value::Unknown, |(_, value)| value.clone())
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        if name == "IFS" {
            self.has_plain_ifs = false;
        }
        let value = if self.is_followed && !self.is_pinned(name) && !is_special(name) {
            value
        } else {
            Value::Unknown
        };
        let name: Rc<str> = Rc::from(name);
        self.log.borrow_mut().push((Rc::clone(&name), value.clone()));
        self.put(name, value);
    }

    /// The positional parameters are these words.
    pub(crate) fn start_positional<'v>(&mut self, values: impl Iterator<Item = Option<&'v str>>) {
        for (index, value) in values.enumerate() {
            if let Some(value) = value {
                self.put(Rc::from(index.to_string()), Value::Known(Rc::from(value)));
            }
        }
    }

    /// The positional parameters are others now.
    pub(crate) fn forget_positional(&mut self) {
        let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        let names: Vec<Rc<str>> =
            self.vars.iter().map(|(name, _)| Rc::clone(name)).filter(|name| is_number(name)).collect();
        for name in names {
            self.set(&name, Value::Unknown);
        }
    }

    fn put(&mut self, name: Rc<str>, value: Value) {
        match self.vars.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = value,
            None => self.vars.push((name, value)),
        }
    }

    fn is_pinned(&self, name: &str) -> bool {
        self.pinned.iter().any(|pinned| &**pinned == name)
    }

    /// A value known at the start, for `HOME` and `PWD`.
    pub(crate) fn start(&mut self, name: &str, value: &str) {
        self.put(Rc::from(name), Value::Known(Rc::from(value)));
    }

    /// The variable is never followed again.
    pub(crate) fn pin(&mut self, name: &str) {
        self.set(name, Value::Unknown);
        self.pinned.push(Rc::from(name));
    }

    /// The variable is an associative array from here on.
    pub(crate) fn set_keyed(&mut self, name: &str) {
        self.keyed.push(Rc::from(name));
    }

    /// Whether the variable certainly is an associative array.
    pub(crate) fn has_keys(&self, name: &str) -> bool {
        self.keyed.iter().any(|known| &**known == name)
    }

    /// The variable is gone, and what it was.
    pub(crate) fn unset(&mut self, name: &str) {
        self.set(name, Value::Unknown);
        self.keyed.retain(|known| &**known != name);
    }

    /// Any variable may have been assigned anything.
    pub(crate) fn forget(&mut self) {
        self.log.borrow_mut().push((Rc::from(""), Value::Unknown));
        let names: Vec<Rc<str>> = self.vars.iter().map(|(name, _)| Rc::clone(name)).collect();
        for name in names {
            self.set(&name, Value::Unknown);
        }
        self.has_plain_ifs = false;
        self.keyed.clear();
    }

    /// Variables may change at any time from here on.
    pub(crate) fn stop_following(&mut self) {
        self.forget();
        self.is_followed = false;
    }

    /// The place in the log.
    pub(crate) fn mark(&self) -> usize {
        self.log.borrow().len()
    }

    /// What is certain when either of two flows came here; both began as clones of one.
    pub(crate) fn join(&mut self, other: &Self) {
        for (name, value) in &mut self.vars {
            *value = value.or(&other.look_up(name));
        }
        // A name that only the other flow knows is unknown in this one, and stays out.
        self.has_plain_ifs &= other.has_plain_ifs;
        self.is_followed &= other.is_followed;
        self.keyed.retain(|name| other.keyed.contains(name));
        self.may_abort |= other.may_abort;
        for pinned in &other.pinned {
            if !self.is_pinned(pinned) {
                self.pinned.push(Rc::clone(pinned));
            }
        }
    }

    /// What is certain when the flow went through any part of what happened since `mark`, any number of times.
    /// `before` is how it was then.
    pub(crate) fn join_log(&mut self, before: &Self, mark: usize) {
        let mut vars = before.vars.clone();
        for (name, value) in self.log.borrow().iter().skip(mark) {
            match vars.iter_mut().find(|(known, _)| known == name) {
                Some(entry) => entry.1 = entry.1.or(value),
                None => vars.push((Rc::clone(name), Value::Unknown)),
            }
        }
        self.vars = vars;
        self.has_plain_ifs &= before.has_plain_ifs;
        self.keyed.retain(|name| before.keyed.contains(name));
    }

    /// Whether the same is known of all variables.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.has_plain_ifs == other.has_plain_ifs
            && self.is_followed == other.is_followed
            && self.pinned.len() == other.pinned.len()
            && self.vars.iter().all(|(name, value)| *value == other.look_up(name))
            && other.vars.iter().all(|(name, value)| *value == self.look_up(name))
    }
}

/// Whether the shell itself gives the variable values, so that an assignment does not tell what it holds.
pub(crate) fn is_special(name: &str) -> bool {
    matches!(
        name,
        "_" | "RANDOM"
            | "SRANDOM"
            | "SECONDS"
            | "EPOCHSECONDS"
            | "EPOCHREALTIME"
            | "LINENO"
            | "HISTCMD"
            | "DIRSTACK"
            | "GROUPS"
            | "FUNCNAME"
            | "OPTIND"
            | "OPTARG"
            | "OPTERR"
            | "REPLY"
            | "PWD"
            | "OLDPWD"
            | "IFS"
            | "MAPFILE"
            | "COPROC"
            | "COMP_WORDBREAKS"
            | "PIPESTATUS"
            | "COLUMNS"
            | "LINES"
            | "HOSTNAME"
            | "HOSTTYPE"
            | "MACHTYPE"
            | "OSTYPE"
            | "UID"
            | "EUID"
            | "PPID"
            | "SHLVL"
    ) || name.starts_with("BASH")
        || name.starts_with("COMP_")
        || name.starts_with("READLINE_")
}

/// Whether an assignment to the variable may change what the shell runs or how it reads.
pub(crate) fn changes_shell(name: &str) -> bool {
    matches!(
        name,
        "PATH"
            | "ENV"
            | "PS0"
            | "PS1"
            | "PS2"
            | "PS4"
            | "PROMPT_COMMAND"
            | "SHELLOPTS"
            | "EXECIGNORE"
            | "GLOBIGNORE"
            | "HOME"
            | "PWD"
            | "OLDPWD"
            | "CDPATH"
            | "FPATH"
            | "LOCPATH"
            | "POSIXLY_CORRECT"
            | "TEXTDOMAIN"
            | "TEXTDOMAINDIR"
            | "SHELL"
            | "HISTFILE"
            | "INPUTRC"
            | "FCEDIT"
            | "FIGNORE"
            | "MAILPATH"
            | "auto_resume"
            | "histchars"
            | "UID"
            | "EUID"
            | "PPID"
            | "TMOUT"
            | "CHILD_MAX"
            | "FUNCNEST"
    ) || name.starts_with("BASH")
        || name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || name.starts_with("LC_")
        || name.starts_with("COMP_")
        || name == "LANG"
        || name == "LANGUAGE"
}
