#!/bin/sh
# Reads nothing and prints 10 MB, then a refusal in JSON on its last line.
head -c 10000000 /dev/zero | tr '\0' 'x'
echo
echo '{"decision":"block","reason":"after 10 MB"}'
