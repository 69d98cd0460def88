// A script as users write them: refuses what removes, by its code and its standard error.
let input = "";
process.stdin.on("data", (piece) => (input += piece));
process.stdin.on("end", () => {
  const { tool_input } = JSON.parse(input);
  if (/\brm\b/.test(tool_input.command)) {
    console.error(`not here: ${tool_input.command}`);
    process.exit(2);
  }
});
