// Never reads standard input and waits. Says who it is through the fifo of its argument.
const fs = require("fs");
fs.writeFileSync(process.argv[2], `${process.pid}\n`);
setInterval(() => {}, 1000);
