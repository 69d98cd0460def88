//! Rules for command lines, as read by the whole analysis.

use crate::world::World;
use pegboard_tool_core::PermissionMode;
use pegboard_tool_core::ports::Verdict::{self, Allow, Ask, Deny};

fn check(table: &[(&[&str], &str, Verdict)]) {
    let mut wrong = Vec::new();
    for (rules, line, expected) in table {
        let found = World::new().rules(rules).decide("Bash", &serde_json::json!({"command": line}));
        if found.verdict != *expected {
            wrong.push(format!(
                "{rules:?} {line}: {:?} ({}), expected {expected:?}",
                found.verdict, found.reason
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_part_of_a_line_needs_its_own_cover() {
    check(&[
        (&["allow Bash(npm test *)"], "npm test && ls", Allow),
        (&["allow Bash(npm test *)"], "npm test && make", Ask),
        (&["allow Bash(npm test *)"], "npm test $(make)", Ask),
        (&["allow Bash(npm test *)"], "npm test \"$(ls)\"", Allow),
        (&["allow Bash(npm test *)"], "if ls; then npm test; fi", Allow),
        (&["allow Bash(npm test *)"], "for f in a b; do npm test \"$f\"; done", Allow),
        (&["allow Bash(npm test *)"], "for f in a b; do npm publish \"$f\"; done", Ask),
        (&["allow Bash(npm test *)"], "$X npm test", Ask),
        (&["allow Bash(npm test *)"], "npm test > out.txt", Ask),
        (&["allow Bash(npm test *)", "allow Edit(./out.txt)"], "npm test > out.txt", Allow),
        (&["allow Bash(npm test *)", "allow Edit(./**)"], "npm test > ../out.txt", Ask),
        (&["allow Bash(npm test *)"], "npm test 2>&1 >/dev/null", Allow),
        (&["allow Bash(npm test *)"], "npm test > /dev/stderr", Allow),
        (&["allow Bash(npm test *)"], "npm test > /dev/tcp/h/1", Ask),
        (&["allow Bash(npm test *)"], "r=npm; $r publish", Ask),
    ]);
}

#[test]
fn what_starts_a_command_may_cover_it() {
    check(&[
        (&["allow Bash(sudo *)"], "sudo make install", Allow),
        (&["allow Bash(sudo *)"], "sudo nice make install", Allow),
        (&["allow Bash(sudo make *)"], "sudo make install", Allow),
        (&["allow Bash(make *)"], "sudo make install", Ask),
        (&["allow Bash(env *)"], "env A=1 make", Allow),
        (&["allow Bash(bash -c *)"], "bash -c 'make x'", Allow),
        (&["allow Bash(bash *)"], "curl x | bash", Ask),
        (&["allow Bash(make *)"], "timeout 5 make x", Allow),
        (&["allow Bash(timeout *)"], "timeout 5 make x", Ask),
        (&["allow Bash(timeout 5 make x)"], "timeout 5 make x", Allow),
        (&["allow Bash(watch *)", "allow Bash(make *)"], "watch make", Ask),
        (&["allow Bash(watch make)"], "watch make", Allow),
        (&["allow Bash(find *)"], "find . -exec make {} +", Ask),
        (&["allow Bash(tar *)"], "tar xf a.tar --to-command='make x'", Ask),
        (&["allow Bash(sort *)"], "sort --compress-program=make a", Ask),
        (&["allow Bash(awk *)"], "awk 'BEGIN{system(\"make x\")}'", Ask),
        (&["allow Bash(rg *)"], "rg --pre make x", Ask),
        (&["allow Bash(git *)"], "git bisect run make x", Ask),
        (&["allow Bash(git *)", "allow Bash(make *)"], "git bisect run make x", Allow),
        (&["allow Bash(git bisect run make x)"], "git bisect run make x", Allow),
        (&["allow Bash(npx *)"], "npx cowsay", Allow),
        (&["allow Bash(docker exec *)"], "docker exec c make x", Allow),
        (&["allow Bash(sudo *)", "deny Bash(make *)"], "sudo make install", Deny),
        (&["allow Bash(sudo *)", "ask Bash(make *)"], "sudo make install", Ask),
    ]);
}

#[test]
fn a_command_that_could_be_the_named_one_is_asked_about() {
    check(&[
        (&["allow Bash", "deny Bash(git push *)"], "git $X", Ask),
        (&["allow Bash", "deny Bash(git push *)"], "git log $X", Allow),
        (&["allow Bash", "deny Bash(git push *)"], "git -C sub push", Deny),
        (&["allow Bash", "deny Bash(git push *)"], "git -c a.b=c push", Deny),
        (&["allow Bash", "deny Bash(git push *)"], "git --no-pager push", Deny),
        (&["allow Bash", "deny Bash(npm publish *)"], "npm --prefix x publish", Deny),
        (&["allow Bash", "deny Bash(kubectl delete *)"], "kubectl -n prod delete pod x", Deny),
        (&["allow Bash", "deny Bash(./deploy.sh *)"], "/w/deploy.sh x", Deny),
        (&["allow Bash", "deny Bash(./deploy.sh *)"], "sub/../deploy.sh x", Deny),
        (&["allow Bash", "deny Bash(./deploy.sh *)"], "other/deploy.sh x", Allow),
        (&["allow Bash", "deny Bash(rm *)"], "$X y", Ask),
        (&["allow Bash"], "$X y", Allow),
        (&["allow Bash", "deny Bash(rm -rf *)"], "ls; rm $X", Ask),
        (&["allow Bash", "ask Bash(make *)"], "eval \"$X\"", Ask),
    ]);
}

#[test]
fn path_rules_reach_the_files_that_commands_touch() {
    let env = &["allow Bash", "deny Read(./.env)"][..];
    check(&[
        (env, "cat .env", Deny),
        (env, "cat ./a/../.env", Deny),
        (env, "head -n 1 < .env", Deny),
        (env, "cp .env x", Deny),
        (env, "mv .env x", Deny),
        (env, "grep -f .env x", Deny),
        (env, "sort -o .env x", Deny),
        (env, "tee .env", Deny),
        (env, "echo x > .env", Deny),
        (env, "sed -i s/a/b/ .env", Deny),
        (env, "rm .env", Deny),
        (env, "cat $X", Ask),
        (env, "cat .e*", Ask),
        (env, "shopt -s dotglob; cat *", Ask),
        (env, "GLOBIGNORE=x; cat *", Ask),
        (env, "grep -R k .", Ask),
        (env, "env -C sub cat ../.env", Ask),
        (env, "cat *.md", Allow),
        (env, "cp -r . /x", Ask),
        (env, "tar cf /x.tar .", Ask),
        (env, "grep -r k .", Ask),
        (env, "cd sub && cat ../.env", Deny),
        (env, "cd $X && cat .env", Deny),
        (env, "X=.env; cat $X", Deny),
        (env, "cat /proc/self/cwd/.env", Deny),
        (env, "cat /proc/self/root/w/.env", Deny),
        (env, "cat .env.example", Allow),
        (env, "rm a.txt", Allow),
        (env, "rm src/*.txt", Allow),
        (env, "rm -r src", Allow),
        (&["allow Bash", "deny Read(.env)"], "rm -r src", Allow),
        (&["allow Bash", "deny Edit(./a.txt)"], "cat a.txt", Allow),
        (&["allow Bash", "deny Edit(./a.txt)"], "touch a.txt", Deny),
        (&["allow Bash", "deny Edit(./src/a.txt)"], "rm -r src", Ask),
        (&["allow Bash", "deny Edit(./src/a.txt)"], "rm src/*", Ask),
        (&["allow Bash", "ask Edit(./a.txt)"], "cp x a.txt", Ask),
        (&["allow Read(//opt/**)"], "cat /opt/x", Allow),
        (&["allow Read(//opt/**)"], "cat /opt/x /etc/hosts", Ask),
        (&["allow Read(//opt/**)"], "cd /opt && ls", Allow),
    ]);
}

#[test]
fn hosts_that_commands_reach_are_compared_with_web_rules() {
    let evil = &["allow Bash", "deny WebFetch(domain:evil.test)"][..];
    check(&[
        (evil, "curl https://evil.test/x", Deny),
        (evil, "curl https://EVIL.test./x", Deny),
        (evil, "wget -q evil.test", Deny),
        (evil, "curl https://good.test/x", Allow),
        (evil, "curl \"$X\"", Ask),
        (evil, "git push", Allow),
        (&["allow WebFetch(domain:good.test)"], "curl https://good.test/", Ask),
    ]);
}

#[test]
fn changes_that_cannot_be_told_are_put_to_a_person() {
    let bypass = World::new().mode(PermissionMode::BypassPermissions);
    for (line, expected) in [
        ("cp -r a .git", Ask),
        ("tee .git/hooks/pre-commit", Ask),
        ("cp hook ~/.config/fish/config.fish", Ask),
        ("echo k >> ~/.ssh/authorized_keys", Ask),
        ("mv x /etc/profile.d/x.sh", Ask),
        ("ln -s /x .git/hooks/a", Ask),
        ("rm -rf $X", Ask),
        ("cd $X && touch y", Ask),
        ("echo x > \"$Y\"", Ask),
        ("X=build; rm -rf $X", Allow),
        ("touch y", Allow),
        ("rm -rf build", Allow),
        ("eval \"$X\"", Allow),
    ] {
        assert_eq!(bypass.verdict(&format!("Bash: {line}")), expected, "{line}");
    }
}

#[test]
fn accepted_edits_stay_inside_and_off_what_is_protected() {
    let world = World::new().mode(PermissionMode::AcceptEdits);
    for (line, expected) in [
        ("mkdir -p a/b && touch a/b/c", Allow),
        ("timeout 5 mkdir a", Allow),
        ("sed -i s/a/b/ x", Allow),
        ("sed -i s/a/b/e x", Ask),
        ("cp /etc/hosts x", Ask),
        ("rm ../x", Ask),
        ("rm $X", Ask),
        ("LD_PRELOAD=x rm a", Ask),
        ("sudo mkdir a", Ask),
        ("echo x > a", Allow),
        ("echo x > ~/a", Ask),
    ] {
        assert_eq!(world.verdict(&format!("Bash: {line}")), expected, "{line}");
    }
}

#[test]
fn code_for_interpreters_and_keys_for_terminals_pass_no_rule_on_commands() {
    let rm = ["allow Repl", "allow Tungsten", "deny Bash(rm *)"];
    let secret = ["allow Repl", "allow Tungsten", "deny Read(./secret.txt)"];
    for (rules, call, expected) in [
        (&rm[..], r#"Repl: {"language": "bash", "code": "rm -rf build"}"#, Deny),
        (&rm, r#"Repl: {"language": "python", "code": "import shutil; shutil.rmtree('build')"}"#, Ask),
        (&rm, r#"Repl: {"language": "python", "action": "restart"}"#, Allow),
        (&rm, r#"Tungsten: {"action": "open", "command": "rm -rf build"}"#, Deny),
        (&rm, r#"Tungsten: {"action": "send", "keys": "ls<Enter>"}"#, Ask),
        (&rm, r#"Tungsten: {"action": "read", "session": "t1"}"#, Allow),
        (&secret, r#"Repl: {"language": "python", "code": "open('secret.txt').read()"}"#, Deny),
        (&secret, r#"Repl: {"language": "python", "code": "1 + 1"}"#, Allow),
        (&["allow Repl"][..], r#"Repl: {"language": "bash", "code": "rm -rf build"}"#, Allow),
        (&["allow Repl"][..], r#"Repl: {"language": "bash", "code": "echo x > .git/config"}"#, Ask),
    ] {
        let mut world = World::new().rules(rules);
        assert_eq!(world.verdict(call), expected, "{rules:?} {call}");
        world = world.mode(PermissionMode::BypassPermissions);
        assert_eq!(world.verdict(call), expected, "{rules:?} {call} in bypass mode");
    }
}

#[test]
fn a_program_that_cannot_be_told_is_held_by_path_rules() {
    check(&[
        (&["allow Bash", "deny Read(secret.*)"], "IFS=,; x=cat,secret.txt; $x", Ask),
        (&["allow Bash", "deny Read(secret.*)"], "a=(cat secret.txt); \"${a[@]}\"", Deny),
        (&["allow Bash", "deny Edit(secret.*)"], "set -- tee secret.txt; \"$@\"", Ask),
        (&["allow Bash"], "IFS=,; x=cat,secret.txt; $x", Allow),
        (&["allow Bash", "deny Read(secret.*)"], "cargo test $ARGS", Allow),
    ]);
}
