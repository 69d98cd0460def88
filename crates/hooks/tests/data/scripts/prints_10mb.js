// Reads nothing and prints 10 MB, then a refusal in JSON on the last line.
const piece = "x".repeat(65536);
for (let n = 0; n < 160; n++) process.stdout.write(piece);
process.stdout.write('\n{"decision":"block","reason":"after 10 MB"}\n');
