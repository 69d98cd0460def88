#!/bin/sh
# Start-up files and tools write to standard output too: log lines around a refusal.
cat > /dev/null
echo 'nvm: using node 20'
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"between logs"}}'
echo 'done'
