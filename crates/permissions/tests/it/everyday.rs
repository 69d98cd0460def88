//! Everyday lines under everyday rules: none of them may prompt.
#![cfg(unix)]

use crate::world::World;
use pegboard_tool_core::ports::Verdict;
use std::fs;

const RULES: &[&str] = &[
    "deny Read(.env)",
    "deny Read(**/*.pem)",
    "deny Read(~/.ssh/**)",
    "deny Edit(./vendor/**)",
    "deny Bash(rm -rf *)",
    "deny Bash(git push *)",
    "deny Bash(curl *)",
    "ask Bash(npm publish *)",
    "deny WebFetch(domain:evil.test)",
    "allow Bash(npm run *)",
    "allow Bash(npm test *)",
    "allow Bash(cargo *)",
    "allow Bash(git add *)",
    "allow Bash(git commit *)",
    "allow Bash(mkdir *)",
    "allow Bash(mv *)",
    "allow Bash(cp *)",
    "allow Bash(rm *)",
    "allow Bash(tar *)",
    "allow Edit(./**)",
];

const LINES: &[&str] = &[
    "ls",
    "ls -la src",
    "ls src/*.rs",
    "cat README.md",
    "cat src/*.rs | head -20",
    "grep -rn TODO src",
    "grep -rn TODO . | head",
    "rg -n TODO src",
    "find . -name '*.rs' -type f",
    "find src -newer README.md | wc -l",
    "wc -l src/*.rs",
    "head -n 5 README.md && tail -n 5 README.md",
    "diff README.md src/a.rs",
    "git status",
    "git log --oneline -5",
    "git diff HEAD -- src",
    "git show HEAD:README.md | head",
    "git add -A && git commit -m 'x: rm -rf nothing'",
    "git commit -m \"$(cat <<'E'\nx\n\ny (z)\nE\n)\"",
    "npm test 2>&1 | tail -20",
    "npm run build && npm test",
    "cd src && ls",
    "cd src && npm test",
    "cargo test -p x 2>&1 | grep -E 'FAILED|panicked'",
    "cp -r src out",
    "tar czf out.tgz src",
    "if [ -f README.md ]; then cat README.md; fi",
    "x=$(git rev-parse HEAD); echo \"$x\"",
    "echo \"$HOME\"",
    "mkdir -p out && cp README.md out/",
    "mv src/a.rs src/b.rs",
    "rm src/a.rs",
    "echo hi > out.txt",
    "cat > note.txt <<'E'\nhi\nE",
    "timeout 10 cargo build",
    "time npm test",
    "NODE_ENV=test npm run x",
    "true || echo no",
    "sort README.md | uniq -c | sort -rn | head",
    "pwd; whoami; date",
];

#[test]
fn everyday_lines_run_without_asking() {
    let folder = tempfile::tempdir().unwrap();
    let mut world = World::new();
    world.root = folder.path().canonicalize().unwrap().join("w");
    fs::create_dir_all(world.root.join("src")).unwrap();
    fs::create_dir_all(world.root.join(".git")).unwrap();
    for name in ["README.md", "src/a.rs", "src/c.rs"] {
        fs::write(world.root.join(name), "x\n").unwrap();
    }
    let world = world.rules(RULES);
    let mut wrong = Vec::new();
    for line in LINES {
        let found = world.decide("Bash", &serde_json::json!({"command": line}));
        if found.verdict != Verdict::Allow {
            wrong.push(format!("{line}: {:?} ({})", found.verdict, found.reason));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
