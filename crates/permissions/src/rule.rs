//! The grammar of a rule: `Tool` or `Tool(specifier)`. What a specifier means: `specifier.rs`.

use crate::known_tools::present_name;
use std::fmt;

/// A rule, taken apart.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RuleParts {
    /// Name of the tool, or a pattern of names.
    pub tool: String,
    /// What stands between the first `(` and the last `)`; `None` for the whole tool.
    pub specifier: Option<String>,
}

impl RuleParts {
    /// Reads a rule.
    ///
    /// # Errors
    /// When it is none; the text says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (name, specifier) = match text.split_once('(') {
            None => (text, None),
            Some((name, rest)) => {
                let inner = rest
                    .strip_suffix(')')
                    .ok_or("it does not end with `)`; write `Tool` or `Tool(specifier)`")?;
                (name, Some(inner.trim()))
            }
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'*');
        if name.is_empty() || name.len() > 256 || !name.bytes().all(is_name) {
            return Err("it does not begin with the name of a tool".to_owned());
        }
        let tool = canonical(name);
        match specifier {
            Some("") => {
                Err("nothing stands between the parentheses; write the bare name for the whole tool"
                    .to_owned())
            }
            Some("*") if tool.starts_with("mcp__") => {
                Err("a rule for an MCP tool has no parentheses; write the bare name".to_owned())
            }
            Some("*") | None => Ok(Self { tool: tool.to_owned(), specifier: None }),
            Some(_) if tool.starts_with("mcp__") => {
                Err("a rule for an MCP tool has no parentheses; write `mcp__server` or `mcp__server__tool`"
                    .to_owned())
            }
            Some(_) if tool.contains('*') => Err("a pattern of names has no parentheses".to_owned()),
            Some(inner) => Ok(Self { tool: tool.to_owned(), specifier: Some(inner.to_owned()) }),
        }
    }
}

/// Canonical names whose rules have specifiers of their own; the snake_case name of each is an alias, in rules too.
const CANONICAL: [&str; 14] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "Monitor",
    "NotebookEdit",
    "PowerShell",
    "Read",
    "Skill",
    "WebFetch",
    "WebSearch",
    "Write",
];

fn canonical(name: &str) -> &str {
    if name == "Task" {
        return "Agent";
    }
    if let Some(present) = present_name(name) {
        return present;
    }
    if let Some((_, tool)) = CLINE.iter().find(|(other, _)| *other == name) {
        return tool;
    }
    CANONICAL.into_iter().find(|known| is_snake_case_of(name, known)).unwrap_or(name)
}

/// Cline's names for tools whose rules have specifiers of their own.
const CLINE: [(&str, &str); 7] = [
    ("execute_command", "Bash"),
    ("list_files", "Glob"),
    ("new_rule", "Write"),
    ("read_file", "Read"),
    ("replace_in_file", "Edit"),
    ("search_files", "Grep"),
    ("write_to_file", "Write"),
];

fn is_snake_case_of(name: &str, canonical: &str) -> bool {
    let mut snake = String::with_capacity(canonical.len() + 2);
    for letter in canonical.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    name == snake
}

impl fmt::Display for RuleParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.specifier {
            None => f.write_str(&self.tool),
            Some(specifier) => write!(f, "{}({specifier})", self.tool),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specifier_is_all_between_the_outer_parentheses() {
        let rule = RuleParts::parse(r#"Bash(python -c "print(1)")"#).unwrap();
        assert_eq!(rule.specifier.as_deref(), Some(r#"python -c "print(1)""#));
        assert_eq!(RuleParts::parse("Bash(*)"), RuleParts::parse("Bash"));
        assert_eq!(RuleParts::parse("Task(x)").unwrap().to_string(), "Agent(x)");
        assert_eq!(RuleParts::parse("bash(rm *)").unwrap().to_string(), "Bash(rm *)");
        assert_eq!(RuleParts::parse("web_fetch").unwrap().to_string(), "WebFetch");
        assert_eq!(RuleParts::parse("execute_command(rm *)").unwrap().to_string(), "Bash(rm *)");
        for bad in
            ["", "Bash(", "Bash(rm -rf /)*", "Bash()", "(x)", "a b", "mcp__g__run(x)", "mcp__g(*", "B*(x)"]
        {
            assert!(RuleParts::parse(bad).is_err(), "{bad}");
        }
    }
}
