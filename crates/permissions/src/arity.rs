//! How many words say what a program does: `git log` two, `npm run build` three. A table of data.

/// The beginning of a command, and how many of its words tell what it does. The longest beginning counts.
const ARITY: &[(&str, usize)] = &[
    ("apt", 2),
    ("apt-get", 2),
    ("aws", 3),
    ("az", 3),
    ("bazel", 2),
    ("brew", 2),
    ("bun", 2),
    ("bun run", 3),
    ("bun x", 3),
    ("bundle", 2),
    ("bundle exec", 3),
    ("cargo", 2),
    ("cdk", 2),
    ("composer", 2),
    ("conda", 2),
    ("deno", 2),
    ("deno task", 3),
    ("docker", 2),
    ("docker builder", 3),
    ("docker compose", 3),
    ("docker container", 3),
    ("docker image", 3),
    ("docker network", 3),
    ("docker volume", 3),
    ("dotnet", 2),
    ("firebase", 2),
    ("flutter", 2),
    ("flyctl", 2),
    ("gcloud", 3),
    ("gem", 2),
    ("gh", 3),
    ("git", 2),
    ("git bisect", 3),
    ("git config", 3),
    ("git notes", 3),
    ("git remote", 3),
    ("git stash", 3),
    ("git submodule", 3),
    ("git worktree", 3),
    ("go", 2),
    ("go mod", 3),
    ("gradle", 2),
    ("helm", 2),
    ("heroku", 2),
    ("just", 2),
    ("kubectl", 2),
    ("kubectl rollout", 3),
    ("make", 2),
    ("mix", 2),
    ("mvn", 2),
    ("nix", 2),
    ("npm", 2),
    ("npm run", 3),
    ("nx", 2),
    ("openssl", 2),
    ("pip", 2),
    ("pip3", 2),
    ("pipenv", 2),
    ("pnpm", 2),
    ("pnpm run", 3),
    ("podman", 2),
    ("podman compose", 3),
    ("poetry", 2),
    ("poetry run", 3),
    ("pulumi", 2),
    ("rails", 2),
    ("rake", 2),
    ("rustup", 2),
    ("sbt", 2),
    ("svn", 2),
    ("systemctl", 2),
    ("task", 2),
    ("terraform", 2),
    ("terraform state", 3),
    ("tofu", 2),
    ("turbo", 2),
    ("turbo run", 3),
    ("uv", 2),
    ("uv pip", 3),
    ("uv run", 3),
    ("vagrant", 2),
    ("yarn", 2),
    ("yarn run", 3),
];

/// Beginnings behind which the following words can be any program or code, or change what other commands do: a rule
/// that ends there would allow nearly everything.
const OPEN_ENDED: &[&str] = &[
    "aws configure",
    "bun x",
    "bundle exec",
    "cargo run",
    "docker exec",
    "docker run",
    "gh alias",
    "gh api",
    "gh extension",
    "git bisect run",
    "git config",
    "git submodule foreach",
    "go generate",
    "go run",
    "kubectl exec",
    "kubectl run",
    "nix develop",
    "nix run",
    "nix shell",
    "npm config",
    "npm exec",
    "npm explore",
    "npm x",
    "pipenv run",
    "pnpm config",
    "pnpm dlx",
    "pnpm exec",
    "podman exec",
    "podman run",
    "poetry run",
    "rustup run",
    "uv run",
    "uv tool",
    "yarn config",
    "yarn dlx",
    "yarn exec",
];

/// How many of `words` say what the command does, when that is known and there are as many.
pub(crate) fn telling_words(words: &[&str]) -> Option<usize> {
    let (program, rest) = words.split_first()?;
    let by_two = rest.first().and_then(|second| entry(&format!("{program} {second}")));
    let count = by_two.or_else(|| entry(program))?;
    let telling = words.get(..count)?;
    let text = telling.join(" ");
    let is_open = OPEN_ENDED
        .iter()
        .any(|open| text == *open || text.strip_prefix(open).is_some_and(|rest| rest.starts_with(' ')));
    let is_plain = telling.iter().skip(1).all(|word| is_name(word));
    (!is_open && is_plain).then_some(count)
}

/// Whether the program has subcommands, so that options may stand in front of what it does.
pub(crate) fn has_subcommands(program: &str) -> bool {
    entry(program).is_some()
}

fn entry(beginning: &str) -> Option<usize> {
    ARITY
        .binary_search_by(|(known, _)| known.cmp(&beginning))
        .ok()
        .and_then(|at| ARITY.get(at))
        .map(|(_, n)| *n)
}

fn is_name(word: &str) -> bool {
    !word.starts_with('-')
        && !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(ARITY.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn the_words_that_tell_are_counted() {
        for (line, expected) in [
            ("git log -3", Some(2)),
            ("git remote add x y", Some(3)),
            ("npm run build", Some(3)),
            ("npm run", None),
            ("cargo test -p x", Some(2)),
            ("docker compose up -d", Some(3)),
            ("docker run x", None),
            ("kubectl get pods", Some(2)),
            ("git -C x log", None),
            ("uv run x", None),
            ("python x.py", None),
            ("npm exec x", None),
        ] {
            assert_eq!(telling_words(&line.split(' ').collect::<Vec<_>>()), expected, "{line}");
        }
    }
}
