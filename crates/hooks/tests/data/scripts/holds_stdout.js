// Refuses in JSON and leaves a detached child that holds the pipes.
const fs = require("fs");
const { spawn } = require("child_process");
const child = spawn("sleep", ["300"], { detached: true, stdio: "inherit" });
child.unref();
fs.writeFileSync(process.argv[2], `${child.pid}\n`);
fs.writeSync(1, '{"decision":"block","reason":"no from node"}\n');
process.exit(0);
