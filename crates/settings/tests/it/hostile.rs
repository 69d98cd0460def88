//! Files that are broken, huge, not files, or wrong in one entry.

use std::fs;

use pegboard_settings::{BrokenFiles, FlagSettings, MAX_FILE_BYTES};
use pegboard_tool_core::RuleEffect;

use proptest::prelude::*;

use crate::world::{World, texts};

#[test]
fn a_broken_file_is_refused_with_its_place_and_what_to_do() {
    let refused = |text: &str| {
        let world = World::new();
        world.project(text);
        world.refused()
    };
    insta::assert_snapshot!(refused("{\n \"a\": [1,]\n}"), @"/w/.pegboard/settings.json:2:9: trailing commas are not allowed; settings are strict JSON");
    insta::assert_snapshot!(refused("// hi\n{}"), @"/w/.pegboard/settings.json:1:1: comments are not allowed; settings are strict JSON");
    insta::assert_snapshot!(refused(""), @"/w/.pegboard/settings.json:1:1: the file is empty; write `{}` or remove it; settings are strict JSON");
    insta::assert_snapshot!(refused("[]"), @"/w/.pegboard/settings.json:1: `(the whole file)` must be an object; it is a list");
    insta::assert_snapshot!(refused("{\n\"permissions\": {\n\"deny\": \"Bash\"}}"), @"/w/.pegboard/settings.json:3: `permissions.deny` must be a list; it is text");
    insta::assert_snapshot!(refused("{\"hooks\": []}"), @"/w/.pegboard/settings.json:1: `hooks` must be an object; it is a list");
    insta::assert_snapshot!(refused("{\"permissions\": {\"deny\": [\"A\"], \"deny\": []}}"), @"/w/.pegboard/settings.json:1:33: key `deny` stands here again (first on line 1); keep one; settings are strict JSON");
}

#[test]
fn what_is_no_text_or_no_file_is_refused_without_waiting() {
    let world = World::new();
    let path = world.path("w/.pegboard/settings.json");
    world.project("");
    fs::write(&path, b"{}\n\xff\xfe").unwrap();
    insta::assert_snapshot!(world.refused(), @"/w/.pegboard/settings.json:2: not UTF-8 text; save the file as UTF-8");
    fs::write(&path, b"{\"a\":\"\0\"}").unwrap();
    assert!(world.try_load().is_err());
    fs::write(&path, "[".repeat(1_000_000)).unwrap();
    assert!(world.try_load().is_err());
    fs::File::create(&path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
    insta::assert_snapshot!(world.refused(), @"/w/.pegboard/settings.json: larger than 10485760 bytes; settings files are small, check what this is");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    insta::assert_snapshot!(world.refused(), @"/w/.pegboard/settings.json: not a regular file; put a JSON file there or remove it");
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "\u{feff}{\"permissions\": {\"deny\": [\"A\"]}}").unwrap();
    assert_eq!(texts(&world.load(), RuleEffect::Deny), ["A"]);
}

#[cfg(unix)]
#[test]
fn pipes_links_to_nothing_and_loops_are_refused_without_waiting() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;

    let world = World::new();
    let path = world.path("w/.pegboard/settings.json");
    fs::create_dir(world.path("w/.pegboard")).unwrap();
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    insta::assert_snapshot!(world.refused(), @"/w/.pegboard/settings.json: not a regular file; put a JSON file there or remove it");
    for target in ["nothing", "settings.json", "/dev/zero", "/dev/tty"] {
        fs::remove_file(&path).unwrap();
        symlink(target, &path).unwrap();
        assert!(world.try_load().is_err(), "link to {target}");
    }
    // A link to a file is a file, for those who keep theirs elsewhere.
    fs::remove_file(&path).unwrap();
    world.file("dotfiles.json", "{\"permissions\": {\"deny\": [\"A\"]}}");
    symlink(world.path("dotfiles.json"), &path).unwrap();
    assert_eq!(texts(&world.load(), RuleEffect::Deny), ["A"]);
}

#[test]
fn a_file_in_place_of_the_folder_is_no_settings() {
    let world = World::new();
    world.file("w/.pegboard", "a file");
    assert!(world.load().rules.is_empty());
}

#[test]
fn broken_files_are_skipped_on_request_and_said() {
    let mut world = World::new();
    world.request.broken_files = BrokenFiles::Skip;
    world.user("{\"permissions\": {\"deny\": [\"U\"]}}").project("{\"permissions\": {\"deny\": [\"P\"]},}");
    world.request.flags = vec![FlagSettings::File("missing.json".into()), FlagSettings::Json("{".into())];
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Deny), ["U"]);
    let problems: Vec<_> =
        settings.problems.iter().map(|problem| world.plain(&problem.to_string())).collect();
    insta::assert_snapshot!(problems.join("\n"), @r"
    /w/.pegboard/settings.json:1:32: trailing commas are not allowed; settings are strict JSON; the file is skipped
    /w/missing.json: cannot be read; make it readable or remove it; the file is skipped
    settings given inline:1:1: unterminated object; settings are strict JSON; the file is skipped
    ");
    // Nobody gets around a policy by asking for leniency.
    world.policy("{");
    assert!(world.try_load().is_err());
    world.policy("{}").file("etc/pegboard/managed-settings.d/x.json", "{");
    assert!(world.try_load().is_err());
}

#[test]
fn one_bad_entry_is_skipped_and_said_but_a_policy_must_be_right() {
    let world = World::new();
    let text = "{\"permissions\": {\"deny\": [\n\"A\",\n5,\n\"\",\n\"B\\u0000\",\n\"C\"],\n\"defaultMode\": \"all\",\n\"disableBypassPermissionsMode\": true}}";
    world.user(text);
    let settings = world.load();
    assert_eq!(texts(&settings, RuleEffect::Deny), ["A", "C"]);
    let problems: Vec<_> =
        settings.problems.iter().map(|problem| world.plain(&problem.to_string())).collect();
    insta::assert_snapshot!(problems.join("\n"), @r#"
    /home/.config/pegboard/settings.json:3: entry 2 of `permissions.deny` is no text; it is skipped
    /home/.config/pegboard/settings.json:4: entry 3 of `permissions.deny` is empty; it is skipped
    /home/.config/pegboard/settings.json:5: entry 4 of `permissions.deny` holds a NUL character; it is skipped
    /home/.config/pegboard/settings.json:7: `permissions.defaultMode` must be one of `default`, `acceptEdits`, `plan`, `auto`, `dontAsk`, `bypassPermissions`; it is skipped
    /home/.config/pegboard/settings.json:8: `permissions.disableBypassPermissionsMode` must be `"disable"`; it is skipped
    "#);
    world.user("{}").policy(text);
    insta::assert_snapshot!(world.refused(), @"/etc/pegboard/managed-settings.json:3: entry 2 of `permissions.deny` is no text; it is skipped; a policy file must be right as a whole, correct the entry");
}

#[test]
fn a_working_directory_that_is_none_is_refused() {
    let mut world = World::new();
    world.file("file", "");
    for directory in [world.path("missing"), world.path("file"), "relative".into(), "".into(), "/a\0b".into()]
    {
        world.request.locations.working_directory = directory.clone();
        assert!(world.try_load().is_err(), "taken: {directory:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_of_a_project_give_it_an_allow_rule(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..64),
            r#"(\{|\}|\[|\]|,|:|"permissions"|"allow"|"deny"|"hooks"|"A"|"\\u0000"|1|null|true| |\n){0,24}"#.prop_map(String::into_bytes),
            r#"\{"permissions": ?\{("(allow|deny|ask|defaultMode|x)":(\["A"\]|\[1\]|"auto"|\{\}),?){0,3}\}(,"hooks":\{\})?\}"#
                .prop_map(String::into_bytes),
        ],
    ) {
        let mut world = World::new();
        world.project("");
        fs::write(world.path("w/.pegboard/settings.json"), &bytes).unwrap();
        let strict = world.try_load();
        world.request.broken_files = BrokenFiles::Skip;
        let lenient = world.load();
        prop_assert!(lenient.rules.iter().all(|rule| rule.effect != RuleEffect::Allow));
        prop_assert!(lenient.hooks.is_empty() && lenient.default_mode.as_str() == "default");
        if let Ok(strict) = strict {
            prop_assert_eq!(strict.rules, lenient.rules);
        }
    }
}
