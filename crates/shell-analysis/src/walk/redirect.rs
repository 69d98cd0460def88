//! Redirections: files that the shell opens, and what stands on standard input.

use pegboard_tool_core::ports::{FileAccess, FileUse};

use super::{Ctx, Walker};
use crate::env::{Env, Value};
use crate::expand::{self, Text};
use crate::syntax::{Fd, Redirect, RedirectKind, WordTree};

/// What redirections make of standard input.
#[derive(Debug)]
pub(super) enum NewInput {
    Unknown,
    Text(String, usize),
}

impl Walker<'_> {
    /// Walks redirections in order; gives what standard input is afterwards when they change it.
    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirect<'_>],
        env: &mut Env,
        ctx: Ctx<'_>,
        command: Option<usize>,
    ) -> Option<NewInput> {
        let mut input = None;
        for redirect in redirects {
            let at = ctx.at(redirect.start);
            if let Fd::Name(name) = redirect.fd {
                self.assign_name(name, Value::Unknown, env, at);
            }
            let is_input = match redirect.fd {
                Fd::Number(number) => number == 0,
                Fd::Name(_) => false,
                Fd::Default => matches!(
                    redirect.kind,
                    RedirectKind::Read(_)
                        | RedirectKind::ReadWrite(_)
                        | RedirectKind::DupIn(_)
                        | RedirectKind::Here(_)
                        | RedirectKind::HereString(_)
                ),
            };
            let mut new = NewInput::Unknown;
            match &redirect.kind {
                RedirectKind::Read(word) => self.file(word, &[FileAccess::Read], env, ctx, command),
                RedirectKind::Write(word) | RedirectKind::Append(word) | RedirectKind::Both(word) => {
                    self.file(word, &[FileAccess::Write], env, ctx, command);
                }
                RedirectKind::ReadWrite(word) => {
                    self.file(word, &[FileAccess::Read, FileAccess::Write], env, ctx, command);
                }
                RedirectKind::DupIn(word) => {
                    self.visit(&word.parts, env, ctx);
                    let value = expand::text(&word.parts, env, false).value;
                    if let Some(value) = value.filter(|value| !is_descriptor(value)) {
                        self.add_file(Some(value), FileAccess::Read, command, at, false);
                    }
                }
                RedirectKind::DupOut(word) => {
                    self.visit(&word.parts, env, ctx);
                    let text = expand::text(&word.parts, env, false);
                    if !text.value.as_deref().is_some_and(is_descriptor) {
                        // bash expands the name of a file a second time here.
                        let is_plain = |value: &str| {
                            let more = ['/', '.', '_', '-', '+', ',', ':', '@', '%'];
                            value.chars().all(|char| char.is_alphanumeric() || more.contains(&char))
                        };
                        if !text.value.as_deref().is_some_and(is_plain) {
                            self.report.opaque("the target of a redirection is expanded twice", at);
                        }
                        self.add_text(text, FileAccess::Write, command, at);
                    }
                }
                RedirectKind::Here(index) => {
                    if let Some(here) = ctx.heres.get(*index) {
                        self.visit(&here.parts, env, ctx);
                        if here.parts.is_empty() {
                            new = NewInput::Text(here.body.clone().into_owned(), ctx.at(here.at));
                        } else if let Some(text) = expand::text(&here.parts, env, true).value {
                            new = NewInput::Text(text, ctx.at(here.at));
                        }
                    }
                }
                RedirectKind::HereString(word) => {
                    self.visit(&word.parts, env, ctx);
                    let text = expand::text(&word.parts, env, false);
                    if let Some(mut text) = text.value.filter(|_| !text.has_tilde) {
                        text.push('\n');
                        new = NewInput::Text(text, ctx.at(word.start));
                    }
                }
            }
            if is_input {
                input = Some(new);
            }
        }
        input
    }

    fn file(
        &mut self,
        word: &WordTree<'_>,
        accesses: &[FileAccess],
        env: &mut Env,
        ctx: Ctx<'_>,
        command: Option<usize>,
    ) {
        self.visit(&word.parts, env, ctx);
        if let [crate::syntax::Part::Process(_)] = word.parts.as_slice() {
            return; // a pipe to the commands in it
        }
        let mut words = Vec::new();
        let at = ctx.at(word.start);
        expand::fields(word, env, at, &mut words);
        for access in accesses {
            for word in &words {
                let text =
                    Text { value: word.value.clone(), has_glob: word.has_glob, has_tilde: word.has_tilde };
                self.add_text(text, *access, command, at);
            }
        }
    }

    fn add_text(&mut self, text: Text, access: FileAccess, command: Option<usize>, at: usize) {
        let value = text.value.map(|value| {
            if value.starts_with('~') && !text.has_tilde { format!("./{value}") } else { value }
        });
        self.add_file(value, access, command, at, text.has_glob);
    }

    fn add_file(
        &mut self,
        path: Option<String>,
        access: FileAccess,
        command: Option<usize>,
        at: usize,
        has_glob: bool,
    ) {
        if let Some(rest) = path
            .as_deref()
            .and_then(|path| path.strip_prefix("/dev/tcp/").or_else(|| path.strip_prefix("/dev/udp/")))
        {
            let host = rest.split('/').next().filter(|host| !host.is_empty() && !has_glob);
            // It stays among the files too: who judges must see that the shell, not a program, opens it.
            self.report.network(host.map(str::to_owned));
        }
        let mut file = FileUse::new(path, access, command, at);
        file.is_redirection = true;
        file.has_glob = has_glob;
        self.report.file(file);
    }
}

/// Whether the word behind `>&` or `<&` names a descriptor and no file.
fn is_descriptor(value: &str) -> bool {
    let digits = value.strip_suffix('-').unwrap_or(value);
    (value == "-" || !digits.is_empty()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}
