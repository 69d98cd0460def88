// Ends itself by a signal.
process.kill(process.pid, "SIGABRT");
setInterval(() => {}, 1000);
