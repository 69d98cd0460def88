#!/bin/sh
# An answer, written in pieces.
cat > /dev/null
printf '{"hookSpecific'
sleep 0.05
printf 'Output":{"hookEventName":"PreToolUse",'
sleep 0.05
printf '"permissionDecision":"deny","permissionDecisionReason":"in pieces"}}'
