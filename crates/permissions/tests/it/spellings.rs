//! One program under many spellings: `Bash` is allowed, `Bash(rm *)` is denied, and none of them may run.

use crate::world::World;
use pegboard_tool_core::PermissionMode;
use pegboard_tool_core::ports::Verdict;

const SPELLINGS: &[&str] = &[
    // Quotes and escapes.
    "rm -rf x",
    "'rm' -rf x",
    "\"rm\" -rf x",
    "r''m -rf x",
    "r\\m -rf x",
    "\\rm -rf x",
    "r\\\nm -rf x",
    "$'rm' -rf x",
    "$'\\x72m' -rf x",
    "$'\\162m' -rf x",
    "$\"rm\" -rf x",
    "\trm -rf x",
    // Paths.
    "/bin/rm -rf x",
    "/usr/bin/../bin/rm x",
    "../../bin/rm x",
    "/bin/r? x",
    "/bin/r[m] x",
    "/bin/{rm,x} y",
    // Expansions.
    "{rm,-rf,x}",
    "rm${IFS}-rf${IFS}x",
    "X=rm; $X -rf x",
    "X=r; ${X}m x",
    "$(echo rm) x",
    "`echo rm` x",
    "${X:-rm} x",
    "$(printf '\\162\\155') x",
    "a=(rm x); \"${a[@]}\"",
    "set -- rm x; \"$@\"",
    // Lists and structures.
    "true; rm x",
    "true && rm x",
    "false || rm x",
    "true | rm x",
    "true |& rm x",
    "true & rm x",
    "true\nrm x",
    "! rm x",
    "time rm x",
    "coproc rm x",
    "(rm x)",
    "{ rm x; }",
    "if true; then rm x; fi",
    "if rm x; then true; fi",
    "for i in 1; do rm x; done",
    "while rm x; do break; done",
    "until rm x; do break; done",
    "case a in a) rm x;; esac",
    "select a in b; do rm x; done",
    "f() { rm x; }; f",
    "function f { rm x; }; f",
    "alias l=rm; l x",
    "trap 'rm x' EXIT",
    "eval 'rm x'",
    "eval r m x; eval rm x",
    "for ((i=0; i<1; i++)); do rm x; done",
    // Substitutions.
    "echo $(rm x)",
    "echo \"$(rm x)\"",
    "echo `rm x`",
    "echo ${X:=$(rm x)}",
    "echo $((1 + $(rm x)))",
    "A=$(rm x) true",
    "cat <(rm x)",
    "echo a > >(rm x)",
    "cat <<E\n$(rm x)\nE",
    "cat <<< $(rm x)",
    "a[$(rm x)]=1",
    "[[ -n $(rm x) ]]",
    // Through other programs.
    "command rm x",
    "builtin command rm x",
    "exec rm x",
    "env rm x",
    "env -i A=1 rm x",
    "env -S 'rm x'",
    "A=1 rm x",
    "sudo rm x",
    "sudo -u u rm x",
    "doas rm x",
    "nice rm x",
    "nice -n 5 rm x",
    "ionice -c 3 rm x",
    "nohup rm x",
    "setsid rm x",
    "stdbuf -oL rm x",
    "timeout 5 rm x",
    "timeout -s KILL 5 rm x",
    "xargs rm < l",
    "echo x | xargs -n 1 rm",
    "find . -exec rm {} +",
    "find . -execdir rm {} ';'",
    "fd -x rm",
    "parallel rm ::: x",
    "watch rm x",
    "flock l rm x",
    "bash -c 'rm x'",
    "sh -c \"rm x\"",
    "bash -lc 'rm x'",
    "bash <<< 'rm x'",
    "bash <<'E'\nrm x\nE",
    "echo 'rm x' | sh",
    "bash -c \"bash -c 'rm x'\"",
    "busybox rm x",
    "git -c alias.z='!rm x' z",
    "ssh h rm x",
    "su -c 'rm x'",
    "chroot / rm x",
    "awk 'BEGIN{system(\"rm x\")}'",
    "source <(echo rm x)",
];

#[test]
fn a_denied_program_runs_under_no_spelling() {
    assert!(SPELLINGS.len() >= 60);
    let mut wrong = Vec::new();
    for mode in [PermissionMode::Default, PermissionMode::BypassPermissions, PermissionMode::AcceptEdits] {
        let world = World::new().rules(&["allow Bash", "deny Bash(rm *)"]).mode(mode);
        for line in SPELLINGS {
            if world.verdict(&format!("Bash: {line}")) == Verdict::Allow {
                wrong.push(format!("{mode}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} ran:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_word_that_only_looks_like_it_is_left_alone() {
    let world = World::new().rules(&["allow Bash", "deny Bash(rm *)"]);
    for line in [
        "echo rm",
        "echo 'rm -rf x'",
        "grep rm x",
        "cat rm.txt",
        "git commit -m 'rm x'",
        "rmdir x",
        "npm run rm",
        "ls # rm x",
        "cat <<'E'\nrm x\nE",
        "docker run --rm x",
    ] {
        assert_eq!(world.verdict(&format!("Bash: {line}")), Verdict::Allow, "{line}");
    }
}
