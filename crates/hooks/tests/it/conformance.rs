//! The command handler passes the suite for handlers.

use pegboard_hooks::testing::{Behaviour, handler_conformance};
use pegboard_hooks::{CommandHandler, CommandLine};
use std::sync::Arc;

#[tokio::test]
async fn the_command_handler_keeps_the_contract() {
    let made = handler_conformance(|behaviour| {
        let line = match behaviour {
            Behaviour::Denies => "echo no >&2; exit 2",
            Behaviour::Hangs => "trap '' TERM; /bin/sleep 300 & wait; /bin/sleep 300",
            Behaviour::Babbles => r#"echo 'log'; echo '{"decision":"approve"} trailing'"#,
            Behaviour::Crashes => "kill -9 $$",
        };
        Arc::new(CommandHandler::new(CommandLine::Shell(line.to_owned())))
    });
    assert_eq!(made.await, Ok(()));
}
