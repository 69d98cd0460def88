// Ignores TERM and waits. Says who it is through the fifo of its argument.
const fs = require("fs");
process.on("SIGTERM", () => {});
fs.writeFileSync(process.argv[2], `${process.pid}\n`);
setInterval(() => {}, 1000);
