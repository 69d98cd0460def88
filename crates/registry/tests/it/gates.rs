//! Every gate, open and closed, with what it says about it.

use pegboard_registry::Gate;
use pegboard_tool_core::ToolEnv;

fn env(folder: &std::path::Path) -> ToolEnv {
    let mut env = ToolEnv::new();
    env.os = "linux".to_owned();
    env.flags.insert("swarm".to_owned());
    for (name, value) in [("SET", "yes"), ("OFF", "False"), ("EMPTY", ""), ("TOKEN", "hidden-value")] {
        env.vars.insert(name.to_owned(), value.to_owned());
    }
    env.path = vec!["relative".into(), folder.to_owned()];
    env.configured.insert("web_search.backend".to_owned());
    env
}

#[test]
fn each_gate_says_whether_it_is_open_and_why() {
    let folder = tempfile::tempdir().unwrap();
    for (name, mode) in [("runs", 0o755), ("text", 0o644)] {
        let file = folder.path().join(name);
        std::fs::write(&file, "").unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        let _ = mode;
    }
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let env = env(folder.path());
    let flag = |name: &str| Gate::Flag(name.to_owned());
    let var = |name: &str, value: Option<&str>| Gate::Env(name.to_owned(), value.map(str::to_owned));
    let installed = |name: &str| Gate::Installed(name.to_owned());
    let cases = [
        (Gate::Always, true, "always there"),
        (flag("swarm"), true, "flag `swarm` is on"),
        (flag("sleep"), false, "flag `sleep` is off"),
        (var("SET", None), true, "environment variable `SET` is set"),
        (var("OFF", None), false, "environment variable `OFF` is off"),
        (var("EMPTY", None), false, "environment variable `EMPTY` is off"),
        (var("NONE", None), false, "environment variable `NONE` is not set"),
        (var("SET", Some("yes")), true, "environment variable `SET` is `yes`"),
        (var("TOKEN", Some("x")), false, "environment variable `TOKEN` is not `x`"),
        (Gate::Platform("linux".to_owned()), true, "this is linux"),
        (Gate::Platform("windows".to_owned()), false, "this is linux, not windows"),
        (installed("runs"), true, "program `runs` is found"),
        (installed("gone"), false, "program `gone` is not found"),
        (installed("folder"), false, "program `folder` is not found"),
        (installed("../runs"), false, "program `../runs` is not found"),
        (installed(""), false, "program `` is not found"),
        (Gate::Configured("web_search.backend".to_owned()), true, "`web_search.backend` is configured"),
        (Gate::Configured("x".to_owned()), false, "`x` is not configured"),
        (Gate::PoolLargerThan(29), true, "there are 30 tools, more than 29"),
        (Gate::PoolLargerThan(30), false, "there are 30 tools, not more than 30"),
        (Gate::All(vec![flag("swarm"), Gate::Always]), true, "flag `swarm` is on, always there"),
        (Gate::All(vec![flag("swarm"), flag("a"), flag("b")]), false, "flag `a` is off, flag `b` is off"),
        (Gate::All(Vec::new()), true, "nothing is asked for"),
        (Gate::Any(vec![flag("a"), flag("swarm"), Gate::Always]), true, "flag `swarm` is on"),
        (Gate::Any(vec![flag("a"), flag("b")]), false, "flag `a` is off, flag `b` is off"),
        (Gate::Any(Vec::new()), false, "no way to open it is given"),
        (Gate::Not(Box::new(flag("a"))), true, "not wanted together: flag `a` is off"),
        (Gate::Not(Box::new(flag("swarm"))), false, "not wanted together: flag `swarm` is on"),
    ];
    for (gate, open, why) in cases {
        let answer = gate.check(&env, 30);
        assert_eq!((answer.open, &*answer.why), (open, why), "{gate:?}");
    }
    #[cfg(unix)]
    assert!(!installed("text").check(&env, 0).open, "a file that may not be run is no program");
}
