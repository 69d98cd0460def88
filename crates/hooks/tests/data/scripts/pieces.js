// An answer, written in pieces as the event loop goes round.
let input = "";
process.stdin.on("data", (piece) => (input += piece));
process.stdin.on("end", () => {
  const event = JSON.parse(input);
  const answer = JSON.stringify({
    hookSpecificOutput: {
      hookEventName: event.hook_event_name,
      permissionDecision: "deny",
      permissionDecisionReason: "in pieces",
    },
  });
  const write = (at) => {
    if (at >= answer.length) return;
    process.stdout.write(answer.slice(at, at + 7));
    setImmediate(write, at + 7);
  };
  write(0);
});
