//! Paths in every spelling, on a real file system.
#![cfg(unix)]

use crate::world::World;
use pegboard_tool_core::PermissionMode;
use pegboard_tool_core::ports::Verdict::{Allow, Ask, Deny};
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

/// A project with a file, a folder and a secret.
fn project() -> (TempDir, World) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let mut world = World::new();
    world.root = top.join("w");
    world.home = top.join("home");
    fs::create_dir_all(world.root.join("src/deep")).unwrap();
    fs::create_dir_all(&world.home).unwrap();
    for name in [".env", "a.txt", "src/b.txt", "src/deep/c.txt"] {
        fs::write(world.root.join(name), "x\n").unwrap();
    }
    (folder, world)
}

#[test]
fn a_denied_file_is_denied_under_every_name() {
    let (_folder, world) = project();
    symlink(world.root.join(".env"), world.root.join("link")).unwrap();
    symlink("src", world.root.join("s")).unwrap();
    symlink("../..", world.root.join("src/deep/up")).unwrap();
    let root = world.root.display().to_string();
    let world = world.rules(&["allow Bash", "deny Read(./.env)", "deny Read(src/b.txt)"]);
    for path in
        [".env", "link", ".ENV", "./src/../.env", "src/deep/up/.env", "s/b.txt", "SRC/B.TXT", "s/../.env"]
    {
        assert_eq!(world.verdict(&format!("Read: {path}")), Deny, "{path}");
        if path.bytes().all(|byte| !byte.is_ascii_uppercase()) {
            assert_eq!(world.verdict(&format!("Bash: cat {path}")), Deny, "cat {path}");
        }
    }
    for path in [format!("/proc/self/root{root}/.env"), format!("/{root}/.env"), format!("{root}/./.env")] {
        assert_eq!(world.verdict(&format!("Read: {path}")), Deny, "{path}");
        assert_eq!(world.verdict(&format!("Bash: cat {path}")), Deny, "cat {path}");
    }
    // Behind a link, `..` is the folder above where it leads.
    assert_eq!(world.verdict("Bash: cat src/deep/up/src/../.env"), Deny);
    for path in ["a.txt", ".envrc", "src/deep/c.txt"] {
        assert_eq!(world.verdict(&format!("Read: {path}")), Allow, "{path}");
    }
}

#[test]
fn a_link_opens_nothing_outside() {
    let (_folder, world) = project();
    let outside = world.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("k"), "x").unwrap();
    symlink(&outside, world.root.join("o")).unwrap();
    fs::create_dir(world.root.parent().unwrap().join("w-evil")).unwrap();
    let world = world.rules(&["allow Edit(./**)"]);
    for call in
        ["Read: o/k", "Edit: o/k", "Bash: cat o/k", "Bash: cat o/*", "Bash: ls o", "Read: ../w-evil/x"]
    {
        assert_eq!(world.verdict(call), Ask, "{call}");
    }
    assert_eq!(world.verdict("Edit: src/new"), Allow);
}

#[test]
fn a_glob_stands_for_what_is_there() {
    let (_folder, world) = project();
    symlink(".env", world.root.join("x-link")).unwrap();
    let world = world.rules(&["deny Read(./.env)"]);
    assert_eq!(world.verdict("Bash: cat x-*"), Deny);
    assert_eq!(world.verdict("Bash: cat *.txt"), Allow);
    assert_eq!(world.verdict("Bash: cat .[e]nv"), Deny);
}

#[test]
fn an_exclamation_mark_takes_back_what_its_source_means_and_nothing_else() {
    use pegboard_tool_core::{RuleEffect, SettingSource};
    let (_folder, world) = project();
    fs::write(world.root.join(".env.example"), "x").unwrap();
    symlink(".env", world.root.join(".env.link.example")).unwrap();
    let world = world.rule(RuleEffect::Deny, "Read(.env*)", SettingSource::Project).rule(
        RuleEffect::Deny,
        "Read(!.env*.example)",
        SettingSource::Project,
    );
    assert_eq!(world.verdict("Read: .env"), Deny);
    assert_eq!(world.verdict("Read: .env.example"), Allow);
    assert_eq!(world.verdict("Read: .ENV.EXAMPLE"), Deny, "what is taken back is meant exactly");
    assert_eq!(world.verdict("Read: .env.link.example"), Deny, "and where it leads");
    let stricter = world.clone().rule(RuleEffect::Deny, "Read(.env.*)", SettingSource::User);
    assert_eq!(stricter.verdict("Read: .env.example"), Deny, "another source is not touched");
    let allow = World { rules: Vec::new(), ..world }
        .rule(RuleEffect::Allow, "Edit(./src/**)", SettingSource::Project)
        .rule(RuleEffect::Allow, "Edit(!./src/deep/)", SettingSource::Project);
    assert_eq!(allow.verdict("Edit: src/b.txt"), Allow);
    assert_eq!(allow.verdict("Edit: src/deep/c.txt"), Ask);
    assert_eq!(allow.verdict("Edit: src/DEEP/c.txt"), Ask);
}

#[test]
fn a_pointer_file_and_where_it_points_are_protected() {
    let (_folder, world) = project();
    let store = world.root.parent().unwrap().join("store");
    fs::create_dir_all(store.join("hooks")).unwrap();
    fs::write(world.root.join(".git"), format!("gitdir: {}\n", store.display())).unwrap();
    let mut world = world.mode(PermissionMode::BypassPermissions);
    world.directories = vec![store.clone()];
    let hook = store.join("hooks/pre-commit");
    for call in [
        "Edit: .git".to_owned(),
        format!("Edit: {}", hook.display()),
        format!("Bash: cp a.txt {}", hook.display()),
        "Bash: rm -rf ../w".to_owned(),
        "Bash: echo x > .git".to_owned(),
    ] {
        assert_eq!(world.verdict(&call), Ask, "{call}");
    }
    assert_eq!(world.verdict("Edit: a.txt"), Allow);
}

#[test]
fn removing_a_repository_is_put_to_a_person() {
    let (_folder, world) = project();
    fs::create_dir_all(world.root.join("vendor/lib/.git")).unwrap();
    let world = world.mode(PermissionMode::BypassPermissions);
    assert_eq!(world.verdict("Bash: rm -rf vendor/lib"), Ask);
    assert_eq!(world.verdict("Bash: rm -rf src"), Allow);
}

#[test]
fn a_copy_of_a_folder_brings_nothing_protected_along() {
    let (_folder, world) = project();
    fs::create_dir(world.root.join(".git")).unwrap();
    fs::create_dir_all(world.root.join("evil/sub/.vscode")).unwrap();
    for mode in [PermissionMode::AcceptEdits, PermissionMode::BypassPermissions] {
        let world = world.clone().mode(mode);
        assert_eq!(world.verdict("Bash: cp -r src/. ."), Allow);
        assert_eq!(world.verdict("Bash: mv a.txt d.txt"), Allow);
        for line in ["cp -r evil/. .", "cp -a evil/sub .", "mv evil x", "cp -r evil/* ."] {
            assert_eq!(world.verdict(&format!("Bash: {line}")), Ask, "{mode} {line}");
        }
    }
}

#[test]
fn what_lies_below_a_folder_is_looked_at() {
    let (_folder, world) = project();
    fs::write(world.root.join("src/deep/k.pem"), "x").unwrap();
    symlink("../../.env", world.root.join("src/deep/l")).unwrap();
    let allow = world.rules(&["allow Bash"]);
    for (rule, line, expected) in [
        ("deny Read(.env)", "grep -r x src", Ask),
        ("deny Read(.env)", "grep -r x .", Ask),
        ("deny Read(**/*.pem)", "cp -r src x", Ask),
        ("deny Read(**/*.pem)", "tar cf x.tar src", Ask),
        ("deny Read(**/*.key)", "grep -r x .", Allow),
        ("deny Read(id_rsa)", "cp -r src x", Allow),
        ("deny Edit(./x/**/c.*)", "cp -r src x", Ask),
        ("deny Edit(**/c.txt)", "mv src x", Ask),
        ("deny Edit(**/*.key)", "mv src/deep x", Allow),
        ("deny Read(./gone/**)", "grep -r x .", Ask),
        ("deny Read(./gone/**)", "grep -r x src", Allow),
    ] {
        let world = allow.clone().rules(&[rule]);
        assert_eq!(world.verdict(&format!("Bash: {line}")), expected, "{rule}: {line}");
    }
}

#[test]
fn a_link_that_the_line_itself_makes_is_followed() {
    let (_folder, world) = project();
    let world = world.rules(&["allow Bash", "deny Read(./.env)"]).mode(PermissionMode::BypassPermissions);
    let root = world.root.display().to_string();
    for (line, expected) in [
        ("ln -s . l && cat l/.env".to_owned(), Deny),
        (format!("ln -s {root} l; cat l/.env"), Deny),
        ("ln -s / l; cat l/etc/hosts".to_owned(), Ask),
        ("ln -s /etc l; cat l/hosts".to_owned(), Allow),
        ("ln -s .git g && cp a.txt g/config".to_owned(), Ask),
        ("ln -s src m; ln -s m/.. n; cat n/.env".to_owned(), Deny),
        ("ln -s $X l; cat l/.env".to_owned(), Ask),
        ("mv a.txt b.txt; cat b.txt".to_owned(), Allow),
    ] {
        let found = world.verdict(&format!("Bash: {line}"));
        let is_right = found == expected || expected == Ask && found == Deny;
        assert!(is_right, "{line}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn working_directories_are_the_project_and_what_was_added() {
    let (_folder, mut world) = project();
    let more = world.root.parent().unwrap().join("more");
    fs::create_dir(&more).unwrap();
    let call = format!("Read: {}", more.join("x").display());
    assert_eq!(world.verdict(&call), Ask);
    world.directories = vec![more.clone()];
    assert_eq!(world.verdict(&call), Allow);
    assert_eq!(world.verdict(&format!("Bash: cat {}/x", more.display())), Allow);
    assert_eq!(world.verdict(&format!("Bash: rm -rf {}/*", more.display())), Ask);
}
