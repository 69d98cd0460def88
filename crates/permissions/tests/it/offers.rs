//! What "always allow" is offered for: as narrow as it tells what the program does, and tried on the engine.

use crate::world::{World, parse};
use futures::executor::block_on;
use pegboard_tool_core::ports::{PermissionGate, Verdict};
use proptest::prelude::*;

fn offers(world: &World, call: &str) -> Vec<Vec<String>> {
    let (engine, _) = world.engine();
    let (tool, input) = parse(call);
    let offers = world.with_call(&tool, &input, |call| {
        let decision = engine.decide_now(call);
        block_on(engine.offers(call, &decision))
    });
    offers.into_iter().map(|offer| offer.rules).collect()
}

#[test]
fn the_words_that_tell_what_a_program_does_are_kept() {
    for (line, wide) in [
        ("git log -3 > /dev/null", None),
        ("git fetch origin", Some("Bash(git fetch *)")),
        ("go mod tidy -v", Some("Bash(go mod tidy *)")),
        ("npm run build -- --prod", Some("Bash(npm run build *)")),
        ("npm test", Some("Bash(npm test *)")),
        ("cargo test -p x", Some("Bash(cargo test *)")),
        ("docker compose up -d", Some("Bash(docker compose up *)")),
        ("kubectl get pods -n x", Some("Bash(kubectl get *)")),
        ("timeout 60 cargo build", Some("Bash(cargo build *)")),
        ("NODE_ENV=test npm test", Some("Bash(npm test *)")),
        ("python x.py", None),
        ("docker run x", None),
        ("npx cowsay", None),
        ("./run.sh a", None),
    ] {
        let found = offers(&World::new(), &format!("Bash: {line}"));
        let last = found.last().map(|rules| rules.join("; "));
        match wide {
            Some(wide) => assert_eq!(last.as_deref(), Some(wide), "{line}: {found:?}"),
            None => assert!(found.iter().flatten().all(|rule| !rule.contains('*')), "{line}: {found:?}"),
        }
    }
}

#[test]
fn an_offer_has_one_rule_for_each_command_that_needs_one() {
    let world = World::new().rules(&["allow Bash(make *)"]);
    assert_eq!(
        offers(&world, "Bash: ls && make x && npm test && npm test"),
        [["Bash(npm test)"], ["Bash(npm test *)"]]
    );
    assert_eq!(offers(&world, "Bash: sudo npm test"), [["Bash(sudo npm test)"]]);
    assert_eq!(offers(&world, "Bash: watch npm test"), [["Bash(watch npm test)"]]);
    let five = "a1; a2; a3; a4; a5";
    assert_eq!(offers(&world, &format!("Bash: {five}"))[0].len(), 5);
    assert!(
        offers(&world, &format!("Bash: {five}; a6")).is_empty(),
        "more than five cannot be shown in full"
    );
    assert_eq!(offers(&world, "Bash: cd /opt && ls"), [["Read(//opt/**)"]]);
    assert_eq!(offers(&world, "Bash: cd /opt && a1"), [["Read(//opt/**)", "Bash(a1)"]]);
    assert_eq!(
        offers(&world, "Bash: curl 'https://a.test/*'"),
        Vec::<Vec<String>>::new(),
        "a star cannot be kept"
    );
}

proptest! {
    #[test]
    fn what_was_offered_lets_the_same_call_run(line in "(npm|git|q[a-z]{2}|sudo|time) ([a-z]{1,5}|'a  b'|\\$X|-x)( [a-z:=]{1,4}){0,3}(( && | \\| )(ls|q[a-z]{1,3}|cd src))?") {
        let world = World::new();
        for rules in offers(&world, &format!("Bash: {line}")) {
            let lines: Vec<String> = rules.iter().map(|rule| format!("allow {rule}")).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let again = World::new().rules(&lines).verdict(&format!("Bash: {line}"));
            prop_assert_eq!(again, Verdict::Allow, "{} by {:?}", line, rules);
        }
    }
}
