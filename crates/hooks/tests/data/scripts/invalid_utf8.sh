#!/bin/sh
# Bytes that are no text, around an answer that would allow.
cat > /dev/null
printf '\377\376{"decision":"approve"}\303\n'
